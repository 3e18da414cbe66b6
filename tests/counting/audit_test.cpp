// SPDX-License-Identifier: Apache-2.0
// Compares the published formulas with the counts of our kernels.
#include "../algorithms/registry_cases.h"
#include "../support/machines.h"

#include <fathom/counting/audit.h>

#include <catch2/catch.hpp>

#include <map>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// A few multiprocessors, so that warps get many tiles, but not all the same number.
Machine<double> small_machine() {
  Machine<double> machine = machine_of("small", 4, 128, 0, "");
  machine.limits.shared_bytes_per_multiprocessor = machine.limits.shared_bytes_per_block = 200 * 1024;
  return machine;
}

std::map<Level, AuditEntry> audited(const Algorithm& algorithm, const Problem& problem) {
  const Case one{&algorithm, problem};
  const Count counted = count(one, counting_device(small_machine(), one));
  std::map<Level, AuditEntry> entries;
  for (const AuditEntry& entry : audit(algorithm, problem, small_machine(), counted.kernels))
    entries.emplace(entry.level, entry);
  return entries;
}

}  // namespace

TEST_CASE("an algorithm reads its input and writes its output at least once, as counted and as published") {
  for (const Algorithm* each : with_plan())
    for (ElementType type : {ElementType::u32, ElementType::u64}) {
      if (!each->formula) continue;
      const Problem problem = each->problem(8192, type);
      const auto entries = audited(*each, problem);
      const double least = (each->kind == Kind::reduce ? 1 : 2) * problem.n * words(type);
      INFO(each->slug << " " << name(type));
      CHECK(entries.at(Level::global).counted >= least);
      CHECK(entries.at(Level::global).formula >= least);
    }
}

namespace {

/// Words of global memory that our kernels access over those published, for 2^16 random elements at default
/// parameters. Where they are not 1, the comments of the formulas in model/formulas/ say why.
struct Ratio {
  const char* slug;
  double u32, u64;
};
constexpr Ratio ratios[] = {
    {"sort-bitonic", 0.6, 0.6},
    {"sort-warp", 0.7374, 0.7333},
    {"sort-pairwise", 1.095, 1.049},
    {"sort-conflict-free", 1.048, 1.024},
    {"sort-kway", 1.015, 1.014},
    {"sort-multiway", 0.9493, 0.8309},
    {"sort-multiway-separators", 1.388, 1.377},
    {"sort-mms", 1.378, 1.337},
    {"sort-mms-shuffles", 1.767, 1.565},
    {"sort-splitter", 0.9494, 1.029},
    {"sort-splitter-deterministic", 0.9492, 1.029},
    {"radix-lsd", 1.102, 1.047},
    {"radix-tiled", 1.042, 1.021},
    {"radix-single", 1, 1},
    {"radix-onesweep", 1.298, 1.155},
    {"radix-msd", 1.336, 1.180},
    {"radix-msd-recursive", 1.213, 1.409},
    {"reduce-halving", 1.002, 1.002},
    {"reduce-tree", 1, 1},
    {"reduce-cascading", 1.002, 1.002},
    {"reduce-pipeline", 1.001, 1.001},
    {"reduce-matrix", 1.004, 1.001},
    {"reduce-vector", 1.002, 1.002},
    {"scan-naive", 1, 1},
    {"scan-interval", 0.9976, 0.9976},
    {"scan-sequential", 0.9976, 0.9976},
    {"scan-matrix", 1.087, 1.087},
    {"scan-lookback", 0.9892, 0.9892},
    {"scan-stream", 0.9177, 0.9166},
};

}  // namespace

TEST_CASE("kernels access global memory as often as known, in proportion to what is published") {
  std::map<std::string, Ratio> known;
  for (const Ratio& one : ratios) known.emplace(one.slug, one);
  for (const Algorithm* each : with_plan()) {
    if (!each->formula) continue;
    const auto ratio = [&](ElementType type) {
      Problem problem = each->problem(1 << 16, type);
      problem.parameters = each->default_parameters();
      return audited(*each, problem).at(Level::global).ratio().value();
    };
    INFO(each->slug);
    const auto row = known.find(each->slug);
    CHECK(row != known.end());
    const Ratio expected = row == known.end() ? Ratio{"", 0, 0} : row->second;
    CHECK(ratio(ElementType::u32) == Approx(expected.u32).epsilon(0.01));
    CHECK(ratio(ElementType::u64) == Approx(expected.u64).epsilon(0.01));
  }
}

TEST_CASE("bitonic sort with one step per pass accesses global memory exactly as often as published") {
  const Algorithm& sort = algorithm("sort-bitonic");
  for (ElementType type : {ElementType::u32, ElementType::u64})
    for (double n : {4096., 262144.}) {
      Problem problem = sort.problem(n, type);
      problem.parameters.set("S", 1);
      CHECK(audited(sort, problem).at(Level::global).ratio() == 1.0);
    }
}

TEST_CASE("reductions have no bank conflicts") {
  for (const Algorithm* each : with_plan()) {
    if (each->kind != Kind::reduce) continue;
    for (ElementType type : {ElementType::u32, ElementType::pair})
      for (double n : {262144., 100003.}) {
        const Case one{each, each->problem(n, type)};
        INFO(each->slug << " " << name(type) << " n = " << n);
        for (const KernelCounts& kernel : count(one, counting_device(small_machine(), one)).kernels)
          CHECK(kernel.shared().wavefronts == kernel.shared().least_wavefronts);
      }
  }
}

TEST_CASE("a ratio needs both") {
  CHECK(AuditEntry{Level::global, 2., 3.}.ratio() == 1.5);
  CHECK_FALSE(AuditEntry{Level::global, 1., {}}.ratio());
  CHECK_FALSE(AuditEntry{Level::global, {}, 1.}.ratio());
}
