// SPDX-License-Identifier: Apache-2.0
// Compares counted costs on the abstract machines with the asymptotic costs of their sources.
#include "../algorithms/registry_cases.h"
#include "../support/machines.h"

#include <fathom/counting/machine_sweep.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace fathom;
using namespace fathom::tests;

namespace {

Machine<double> device_of(int multiprocessors, int cores, double shared_bytes = 200 * 1024) {
  Machine<double> machine = machine_of("counted", multiprocessors, cores, 0, "");
  machine.limits.shared_bytes_per_multiprocessor = machine.limits.shared_bytes_per_block = shared_bytes;
  return machine;
}

/// Latency dominates at one end of each sweep, bandwidth at the other; the ends are at least a factor of 16
/// apart.
MachineGrid small_grid() {
  MachineGrid grid;
  grid.n = {1 << 12, 1 << 14, 1 << 16, 100003, 1 << 17};
  grid.threads = {1 << 10, 1 << 12, 1 << 14};
  grid.widths = {1, 2, 4, 8, 16, 32};
  grid.latencies = {1, 16, 64, 256, 1024};
  grid.middle_n = 1 << 15;
  grid.parameters = {{"k", 1 << 12}};
  return grid;
}

// An asymptotic cost adds terms for bandwidth (n/w), latency (nl/p) and depth (l·log n), all with constant 1.
// In the kernels each term has its own constant: words moved per element, accesses waited for per element,
// accesses waited for per level. A sweep goes from a range where one term dominates to a range where another
// does, so counted / asymptotic cost varies by at most the ratio of these constants. The largest is the
// number of words per element and round, 8 in the scan by interval sums (3 up, 5 down), and at least one word
// must be moved: so 8 is the limit. A wrong power of n, p, w or l would make it at least 16, the range of
// each sweep.
constexpr double constants_apart = 8;

/// The sweep with its cost multiplied by x^power.
MachineSweep with_power(MachineSweep sweep, double power) {
  for (MachinePoint& point : sweep.points) point.cost *= std::pow(point.x, power);
  return sweep;
}

/// A problem on a GPU that equals the AGPU.
struct AgpuPoint {
  double n;
  AgpuChoice machine;
};
std::vector<AgpuPoint> agpu_points() {
  constexpr u64 M = 16384;
  std::vector<AgpuPoint> points;
  for (double n : {32768., 100003., 131072.}) points.push_back({n, {256, 32, M}});
  for (u64 p : {32, 1024}) points.push_back({1 << 17, {p, 32, M}});
  points.push_back({1 << 17, {256, 8, M}});
  return points;
}

/// The defaults, but with blocks that fit into M words.
Parameters agpu_parameters(const Algorithm& algorithm) {
  Parameters parameters = algorithm.default_parameters();
  if (algorithm.slug == "sort-splitter") parameters.set("a", 16);
  if (algorithm.slug.starts_with("radix-msd")) parameters.set("E", 9);
  if (algorithm.slug == "radix-msd") parameters.set("S", 8);
  return parameters;
}

/// Counted / asymptotic cost.
struct AgpuRatio {
  double time, io;
};
AgpuRatio agpu_ratio(const Algorithm& algorithm, const Parameters& parameters, const AgpuPoint& point) {
  Case one{&algorithm, algorithm.problem(point.n)};
  one.problem.parameters = parameters;
  const auto& [p, b, M] = point.machine;
  const auto gpu = device_of(int(p) / b, b, 4. * double(M));
  const auto counted =
      std::get<AgpuCosts>(count(one, counting_device(gpu, one), {point.machine}).machines.front());
  const auto cost = asymptotic_cost(algorithm, one.problem, point.machine);
  REQUIRE(cost);
  INFO(algorithm.slug << " n = " << point.n << " p = " << p << " b = " << b);
  CHECK(double(counted.io) >= point.n / b);  // every element is read
  return {double(counted.time) / cost->time, double(counted.io) / cost->io};
}

void check_agpu(const std::vector<AgpuRatio>& ratios) {
  // The sources count I/Os including constants: per element, with a smaller term for the blocks' results.
  for (const AgpuRatio& ratio : ratios) {
    CHECK(ratio.io > 0.5);
    CHECK(ratio.io < 2);
  }
  const auto [least, most] = std::minmax_element(
      ratios.begin(), ratios.end(), [](const AgpuRatio& a, const AgpuRatio& b) { return a.time < b.time; });
  CHECK(most->time / least->time <= constants_apart);
}

double umm_units(const char* slug, double n, const MemoryMachineChoice& machine) {
  const Algorithm& counted = algorithm(slug);
  const Case one{&counted, counted.problem(n)};
  return double(
      std::get<u64>(count(one, counting_device(device_of(4, 128), one), {machine}).machines.front()));
}

/// Of the algorithms whose costs on the DMM and the UMM have not been derived.
bool lacks_costs(const Algorithm& algorithm) {
  const std::set<std::string> slugs{"radix-single",        "radix-onesweep", "radix-msd",
                                    "radix-msd-recursive", "sort-splitter",  "sort-splitter-deterministic",
                                    "sort-segments"};
  return slugs.contains(algorithm.slug);
}

}  // namespace

TEST_CASE("DMM and UMM: counted units follow the asymptotic cost over n, p, w, l and a parameter") {
  for (const Algorithm* each : with_plan()) {
    if (lacks_costs(*each)) continue;
    INFO(each->slug);
    CHECK(each->asymptotic_costs.umm);  // every kernel reads global memory
    std::set<std::pair<MachineKind, std::string>> seen;
    for (const MachineSweep& sweep : machine_sweeps(*each, device_of(132, 128), small_grid())) {
      INFO((sweep.kind == MachineKind::umm ? "UMM" : "DMM") << ", over " << sweep.variable);
      CHECK(seen.insert({sweep.kind, sweep.variable}).second);
      CHECK(sweep.points.size() >= 3);
      CHECK(sweep.spread() <= constants_apart);
      if (each->find_parameter(sweep.variable)) continue;
      for (double power : {-1., 1.}) CHECK(with_power(sweep, power).spread() > constants_apart);
    }
    for (const std::string& variable : {std::string("n"), std::string("p"), std::string("w"),
                                        std::string("l"), each->parameters.front().name}) {
      CHECK(seen.count({MachineKind::umm, variable}) == 1);
      CHECK(seen.count({MachineKind::dmm, variable}) == (each->asymptotic_costs.dmm ? 1 : 0));
    }
  }
}

TEST_CASE("exactly the kernels that use shared memory have a cost there") {
  for (const Algorithm* each : with_plan()) {
    if (lacks_costs(*each)) continue;
    const Case one{each, each->problem(10000)};
    u64 words = 0;
    for (const KernelCounts& kernel : count(one, {}).kernels) words += kernel.shared().words;
    INFO(each->slug);
    CHECK((words > 0) == (each->asymptotic_costs.dmm != nullptr));
  }
}

TEST_CASE("AGPU: counted time follows the source's over n, p and b, and I/O equals it up to a factor of 2") {
  for (const Algorithm* each : with_plan()) {
    if (!each->asymptotic_costs.agpu) continue;
    INFO(each->slug);
    std::vector<AgpuRatio> ratios;
    for (const AgpuPoint& point : agpu_points())
      ratios.push_back(agpu_ratio(*each, agpu_parameters(*each), point));
    check_agpu(ratios);
  }
}

TEST_CASE("AGPU: the time of the matrix scan follows the source's over α, too") {
  std::vector<AgpuRatio> ratios;
  for (int alpha : {1, 2, 4, 5, 8, 16, 32})
    ratios.push_back(
        agpu_ratio(algorithm("scan-matrix"), {{"alpha", alpha}, {"t", 256}}, {1 << 17, {256, 32, 16384}}));
  check_agpu(ratios);
}

TEST_CASE("UMM: if bandwidth is the limit, naive and optimal prefix sums differ by a factor of log n") {
  // p ≥ w·l and l = 1: only wavefronts count. Each step of the naive scan moves 3 words per element, and
  // while 2^s < w has an access that spans two groups: 3·log n + 5 in all. The interval scan moves 9 (8, and
  // one more wavefront for its read at an odd offset), without the levels that one block scans alone.
  const MemoryMachineChoice machine{MachineKind::umm, 32, 1, 1 << 14};
  double last = 0;
  for (int log_n = 10; log_n <= 17; ++log_n) {
    const double n = std::exp2(log_n), wavefronts = n / machine.width;
    const double naive = umm_units("scan-naive", n, machine) / wavefronts;
    const double optimal = umm_units("scan-interval", n, machine) / wavefronts;
    INFO("log n = " << log_n << ": naive " << naive << ", optimal " << optimal);
    CHECK(naive == Approx(3 * log_n + 5).epsilon(0.01));
    CHECK(optimal <= 9);
    if (log_n < 13) continue;  // below, one block does most of the work
    CHECK(naive / optimal == Approx((3 * log_n + 5) / 9.).epsilon(0.1));
    CHECK(naive / optimal > last);
    last = naive / optimal;
  }
}

TEST_CASE("asymptotic costs: computed by hand where they depend on the kernels' distribution of work") {
  const auto cost = [](const char* slug, MachineKind kind, double n, const Parameters& parameters,
                       ElementType type = ElementType::u32) {
    Problem problem = algorithm(slug).problem(n, type);
    problem.parameters = parameters;
    return asymptotic_cost(algorithm(slug), problem, MemoryMachineChoice{kind, 32, 10, 1024}, 1);
  };
  // n/w = 128, nl/p = 40, log n = 12.
  CHECK(cost("scan-interval", MachineKind::umm, 4096, {{"t", 256}}) == Approx(128 + 40 + 120));
  CHECK(cost("reduce-halving", MachineKind::umm, 4096, {{"t", 256}}) == Approx(128 + 40 + 120));
  CHECK(cost("scan-naive", MachineKind::umm, 4096, {{"t", 256}}) == Approx((128 + 40) * 12));
  CHECK(cost("scan-interval", MachineKind::umm, 2048, {{"t", 256}}, ElementType::u64) ==
        Approx(128 + 40 + 120));
  // One word for each of 256 warps, 32 warps at a time, one access each: 8 rounds of 32 + 9; plus the last
  // block's latency.
  CHECK(cost("reduce-cascading", MachineKind::dmm, 1 << 16, {{"t", 256}}) == Approx(8 * (32 + 9) + 10));
  // 256 lanes have 16 elements each; one wait per four.
  CHECK(cost("scan-lookback", MachineKind::umm, 4096, {{"E", 16}, {"t", 256}}) == Approx(128 + 40 + 120));
  // Eight groups, each with a last level that one block of 1024 threads scans in one round.
  CHECK(cost("scan-sequential", MachineKind::dmm, 1 << 15, {{"k", 4096}, {"t", 256}}) ==
        Approx(8 * (32 + 9)));
  // α = 8: fourfold conflicts.
  CHECK(cost("scan-matrix", MachineKind::dmm, 1 << 15, {{"alpha", 8}, {"t", 256}}) == Approx(4 * 1024 + 320));
  // With E = 1 a key passes through shared memory once; 128 runs of 32 keys, 7 rounds, 32 pieces.
  const Parameters lanes{{"E", 1}, {"t", 128}, {"K", 4}};
  CHECK(cost("sort-warp", MachineKind::dmm, 4096, lanes) == Approx(128 + 40));
  CHECK(cost("sort-warp", MachineKind::umm, 4096, lanes) ==
        Approx(168 + 7 * (168 + 12 * (32 * (1 + 10. / 1024) + 10))));
  CHECK_FALSE(cost("scan-naive", MachineKind::dmm, 4096, {{"t", 256}}));
  CHECK_FALSE(asymptotic_cost(algorithm("scan-naive"), algorithm("scan-naive").problem(4096),
                              AgpuChoice{256, 32, 4096}));
}

TEST_CASE("lower bounds on the memory machines: sums and prefix sums whose input gets there, by hand") {
  const auto bound = [](const char* slug, const MemoryMachineChoice& machine,
                        ElementType type = ElementType::u32) {
    const Case one{&algorithm(slug), algorithm(slug).problem(type == ElementType::u64 ? 2048 : 4096, type)};
    return lower_bound(*one.algorithm, one.problem, machine, count(one, {}).kernels);
  };
  constexpr auto umm = MachineKind::umm, dmm = MachineKind::dmm;
  for (const char* slug :
       {"reduce-halving", "reduce-cascading", "reduce-vector", "scan-naive", "scan-lookback"}) {
    INFO(slug);
    CHECK(bound(slug, {umm, 32, 10, 1024}) == Approx(128));       // n/w; nl/p = 40, l·log n = 120
    CHECK(bound(slug, {umm, 32, 10, 64}) == Approx(640));         // nl/p
    CHECK(bound(slug, {umm, 32, 100, 1 << 14}) == Approx(1200));  // l·log n
  }
  CHECK(bound("scan-lookback", {umm, 32, 10, 1024}, ElementType::u64) == Approx(128));  // of 4096 words
  // Shared memory gets every word, or only what a warp is left with.
  for (const char* slug : {"reduce-tree", "reduce-matrix", "scan-matrix", "scan-lookback"})
    CHECK(bound(slug, {dmm, 32, 10, 1024}) == Approx(128));
  for (const char* slug : {"reduce-halving", "reduce-cascading", "reduce-vector", "scan-naive"})
    CHECK_FALSE(bound(slug, {dmm, 32, 10, 1024}));
  for (const char* slug : {"sort-pairwise", "radix-lsd"}) CHECK_FALSE(bound(slug, {umm, 32, 10, 1024}));
}

TEST_CASE("lower bounds on the AGPU, by hand") {
  const auto bound = [](const char* slug, u64 M = 4096, ElementType type = ElementType::u32) {
    return lower_bound(algorithm(slug), algorithm(slug).problem(1 << 16, type), AgpuChoice{256, 32, M});
  };
  for (const char* slug : {"reduce-vector", "scan-interval"}) {
    REQUIRE(bound(slug));
    CHECK(bound(slug)->time == 256);
    CHECK(bound(slug)->io == 2048);
    CHECK(bound(slug, 4096, ElementType::u64)->io == 4096);
    CHECK(bound(slug, 32));
  }
  // log n = 16; log n/b = 11, log M/b = 7.
  for (const char* slug : {"sort-pairwise", "sort-conflict-free", "sort-bitonic", "sort-warp", "sort-kway",
                           "sort-multiway", "sort-multiway-separators", "sort-mms", "sort-mms-shuffles",
                           "sort-splitter", "sort-splitter-deterministic"}) {
    INFO(slug);
    REQUIRE(bound(slug));
    CHECK(bound(slug)->time == Approx(256 * 16));
    CHECK(bound(slug)->io == Approx(2048 * 11 / 7.));
    CHECK_FALSE(bound(slug, 32));  // M/b = 1: the bound has no meaning
  }
  for (const char* slug :
       {"radix-lsd", "radix-tiled", "radix-single", "radix-onesweep", "radix-msd", "radix-msd-recursive"})
    CHECK_FALSE(bound(slug));
}

TEST_CASE("no count of I/Os is below its lower bound") {
  for (const Algorithm* each : with_plan()) {
    const Case one{each, each->problem(1 << 15)};
    const AgpuChoice machine{256, 32, 51200};
    const auto bound = lower_bound(*each, one.problem, machine);
    if (!bound) continue;
    INFO(each->slug);
    const auto gpu = device_of(8, 32, 4. * 51200);
    const Count counted = count(one, counting_device(gpu, one), {machine});
    CHECK(double(std::get<AgpuCosts>(counted.machines.front()).io) >= bound->io);
  }
}
