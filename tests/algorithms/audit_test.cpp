// What the formulas of reductions and scans say beside what their kernels were counted to do.
#include <fathom/algorithms/count.h>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace fathom;

namespace {

/// A few multiprocessors: warps get many tiles, and not all of them equally many.
Machine<double> small_machine() {
  Machine<double> machine;
  machine.name = "small";
  machine.multiprocessors = 4;
  machine.cores_per_multiprocessor = 128;
  machine.limits.shared_bytes_per_multiprocessor = machine.limits.shared_bytes_per_block = 200 * 1024;
  return machine;
}

/// Words of the whole algorithm, by the calibrated law and as counted.
struct Words {
  double formula = 0, counted = 0;
};
Words words_of(const std::vector<AuditEntry>& entries, Level level) {
  Words sum;
  for (const AuditEntry& entry : entries) {
    if (entry.law != LawName::calibrated || entry.level != level) continue;
    sum.formula += entry.formula.value_or(0);
    sum.counted += entry.counted.value_or(0);
  }
  return sum;
}

void check_words(const Algorithm& algorithm, const Parameters& parameters, double n) {
  const CountCase one{&algorithm, {n, ElementType::u32, parameters}};
  const Count counted = count(one, counting_device(small_machine(), one));
  const auto entries = audit(algorithm, one.problem, small_machine(), counted.kernels);
  INFO(algorithm.slug << " n = " << n);
  for (const auto& [name, value] : parameters) UNSCOPED_INFO(name << " = " << value);
  const Words global = words_of(entries, Level::global), shared = words_of(entries, Level::shared);
  CHECK(global.counted == Approx(global.formula).epsilon(0.01));
  CHECK(shared.counted == Approx(shared.formula).epsilon(0.05));
}

struct AuditCase {
  const char* algorithm;
  Parameters one, other;
  std::vector<double> sizes{1 << 15, 100003, 1 << 18};
};
const AuditCase cases[] = {
    {"reduce-tree", {{"t", 256}}, {{"t", 64}}},
    {"reduce-cascading", {{"t", 256}}, {{"t", 512}}},
    {"reduce-pipeline", {{"t", 256}, {"I", 4}}, {{"t", 128}, {"I", 1}}},
    {"reduce-matrix", {{"t", 128}}, {{"t", 256}}},
    {"reduce-vector", {{"t", 256}, {"I", 4}}, {{"t", 128}, {"I", 8}}},
    {"scan-naive", {{"t", 256}}, {{"t", 128}}},
    {"scan-interval", {{"t", 256}}, {{"t", 512}}},
    {"scan-sequential", {{"k", 1 << 14}, {"t", 256}}, {{"k", 1 << 12}, {"t", 128}}},
    {"scan-matrix", {{"alpha", 8}, {"t", 256}}, {{"alpha", 5}, {"t", 128}}},
    // Its formula takes the last tile for a whole one: 1 % where there are a hundred.
    {"scan-lookback", {{"E", 16}, {"t", 256}}, {{"E", 8}, {"t", 128}}, {1 << 15, 1 << 18, 1000003}},
};

}  // namespace

TEST_CASE("reductions and scans move the words that their formulas say: global ones within 1 %") {
  for (const AuditCase& each : cases) {
    const Algorithm& audited = algorithm(each.algorithm);
    for (double n : each.sizes) {
      check_words(audited, each.one, n);
      check_words(audited, each.other, n);
    }
    check_words(audited, each.one, 1 << 20);
  }
}

TEST_CASE("every reduction and scan with kernels of ours is audited") {
  for (const Algorithm& each : algorithms()) {
    if ((each.family != "reduce" && each.family != "scan") || !each.formula) continue;
    INFO(each.slug);
    CHECK(std::any_of(std::begin(cases), std::end(cases),
                      [&](const AuditCase& audited) { return audited.algorithm == each.slug; }));
  }
}
