// Compares the published formulas with the counts of our kernels.
#include "../algorithms/registry_cases.h"

#include <fathom/counting/audit.h>

#include <catch2/catch.hpp>

#include <map>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// A few multiprocessors, so that warps get many tiles, but not all the same number.
Machine<double> small_machine() {
  Machine<double> machine;
  machine.name = "small";
  machine.multiprocessors = 4;
  machine.cores_per_multiprocessor = 128;
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

TEST_CASE("the words of an audit are those of all kernels and of all phases") {
  for (const Algorithm* each : with_plan()) {
    const Problem problem = each->problem(32768);
    const Case one{each, problem};
    const Count counted = count(one, counting_device(small_machine(), one));
    double global = 0, shared = 0;
    for (const KernelCounts& kernel : counted.kernels) {
      global += double(kernel.global().warp_words);
      shared += double(kernel.shared().warp_words);
    }
    INFO(each->slug);
    const auto entries = audited(*each, problem);
    CHECK(entries.at(Level::global).counted == global);
    CHECK(entries.at(Level::global).formula > 0);
    if (shared > 0) CHECK(entries.at(Level::shared).counted == shared);
  }
}

// What of the papers' counts holds for our kernels; where it does not, their formulas say why.
TEST_CASE("kernels read and write global memory about as often as published") {
  const std::map<std::string, std::pair<double, double>> known{
      {"reduce-cascading", {0.9, 1.2}}, {"reduce-matrix", {0.9, 1.2}}, {"reduce-pipeline", {0.9, 1.2}},
      {"reduce-tree", {0.9, 1.2}},      {"reduce-vector", {0.9, 1.2}}, {"scan-lookback", {0.9, 1.1}},
      {"scan-matrix", {1.0, 1.1}},      {"scan-naive", {0.9, 1.1}},    {"sort-pairwise", {1.0, 1.2}}};
  for (const auto& [slug, range] : known)
    for (ElementType type : {ElementType::u32, ElementType::u64}) {
      const Algorithm& one = algorithm(slug);
      const auto ratio = audited(one, one.problem(1 << 18, type)).at(Level::global).ratio();
      INFO(slug << " " << name(type));
      REQUIRE(ratio);
      CHECK(*ratio > range.first);
      CHECK(*ratio < range.second);
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
