// Counted costs on the abstract machines beside the bounds of their sources.
#include <fathom/algorithms/machine_sweep.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace fathom;
using namespace fathom::bounds;

namespace {

Machine<double> device_of(int multiprocessors, int cores, double shared_bytes = 200 * 1024) {
  Machine<double> machine;
  machine.name = "counted";
  machine.multiprocessors = multiprocessors;
  machine.cores_per_multiprocessor = cores;
  machine.limits.shared_bytes_per_multiprocessor = machine.limits.shared_bytes_per_block = shared_bytes;
  return machine;
}

/// Latency reigns at one end of each sweep, bandwidth at the other.
MachineGrid small_grid() {
  MachineGrid grid;
  grid.n = {1 << 12, 1 << 14, 1 << 16, 100003, 1 << 17};
  grid.threads = {1 << 10, 1 << 12, 1 << 14};
  grid.latencies = {1, 16, 64, 256, 1024};
  grid.rows = {1, 2, 5, 8, 16, 32};
  grid.middle_n = 1 << 15;
  grid.parameters = {{"k", 1 << 12}};
  return grid;
}

/// Least and most of counts over bounds, at all points of all sweeps.
struct Range {
  double least, most;
  bool holds(double ratio) const { return ratio >= least && ratio <= most; }
};

struct MemoryCase {
  const char* algorithm;
  Range umm;
  std::optional<Range> dmm;  ///< none where no kernel touches shared memory
};

// A bound adds terms for bandwidth (n/w), for latency (nl/p) and for depth (l·log n). In the kernels each has
// a constant of its own: words moved per element, accesses waited for per element, accesses waited for per
// level. Sweeps go from one to another, so a range reaches from the smallest of them to the largest. Its ends
// are what was counted, with a tenth to spare; where they come from:
//
// UMM. At l = 1 a reduction reads every element once: 1. A step of the naive scan moves three words, and a
// little more where i − 2^s is no multiple of w. The interval scan moves eight per element, and reads one of
// them at an odd place, which is two groups: 9 (it waits for five accesses per pair, and only for 2 to 3 per
// level). The matrix scan moves three and its sums, the look-back scan two. Long latencies are paid less than
// once an element: threads that have nothing to do do not wait.
//
// DMM. Tree: 4 words per element and three for each of the warp's last levels. Cascading and vector: a block
// stores and loads its warps' results. Pipeline: four accesses for a row of leaves and for each of six steps
// that drain the four rows a warp has here; twice that for half of them on machines of less than 32 banks,
// for which its layout is not made. Matrix: a store and a load. Scan-matrix: two accesses with conflicts and
// two without.
const MemoryCase memory_cases[] = {
    {"reduce-tree", {0.36, 1.1}, Range{1.4, 4.9}},     {"reduce-cascading", {0.39, 1.1}, Range{1.05, 2.15}},
    {"reduce-pipeline", {0.34, 1.1}, Range{3.0, 13}},  {"reduce-matrix", {0.40, 1.1}, Range{1.3, 3.0}},
    {"reduce-vector", {0.43, 1.1}, Range{1.25, 3.25}}, {"scan-naive", {1.8, 3.6}, std::nullopt},
    {"scan-interval", {1.3, 9.5}, Range{1.15, 2.2}},   {"scan-sequential", {1.1, 7.7}, Range{1.15, 2.2}},
    {"scan-matrix", {0.9, 3.5}, Range{1.8, 4.2}},      {"scan-lookback", {0.5, 3.0}, Range{0.9, 4.2}},
};

/// What models.md §5 lists, on a GPU that is the AGPU.
struct AgpuCase {
  const char* algorithm;
  Range time, io;
};

// Time is counted in accesses, conflicts, shuffles and barriers of warps; a bound's logarithm of b becomes
// shuffles or levels of the kernels' warps of 32, whatever b. So the narrowest machine has the largest
// constants; and the least problem, 128 elements a core, where the blocks' own trees and the launch that
// combines their results count. The tree's bound takes every block of 2b elements for three I/Os; the kernel
// has longer blocks and writes their results in one: 2/3 and less. The others read every element once (scans
// twice, and write it) and besides that a word for every block or, in the matrix scan, warp.
const AgpuCase agpu_cases[] = {
    {"reduce-tree", {2.7, 6.6}, {0.58, 0.77}},     {"reduce-cascading", {1.0, 3.0}, {1.0, 1.05}},
    {"reduce-pipeline", {2.1, 10.5}, {1.0, 1.05}}, {"reduce-matrix", {2.9, 5.2}, {1.0, 1.05}},
    {"scan-matrix", {3.0, 14.5}, {1.0, 1.12}},
};

struct AgpuPoint {
  double n;
  AgpuChoice machine;
  int alpha = 8;
};
std::vector<AgpuPoint> agpu_points() {
  constexpr u64 M = 16384;
  std::vector<AgpuPoint> points;
  for (double n : {32768., 65536., 100003., 131072.}) points.push_back({n, {256, 32, M}});
  for (u64 p : {32, 64, 128, 512, 1024}) points.push_back({1 << 17, {p, 32, M}});
  for (int b : {8, 16}) points.push_back({1 << 17, {256, b, M}});
  return points;
}

void check_agpu(const AgpuCase& expected, const AgpuPoint& point) {
  const Algorithm& counted = algorithm(expected.algorithm);
  CountCase one{&counted, {point.n, ElementType::u32, counted.formula->default_parameters()}};
  if (one.problem.parameters.contains("alpha")) one.problem.parameters.set("alpha", point.alpha);
  const auto& [p, b, M] = point.machine;
  const auto gpu = device_of(int(p) / b, b, 4. * double(M));
  const auto costs =
      std::get<AgpuCosts>(count(one, counting_device(gpu, one), {point.machine}).machines.front());
  const auto bound = agpu_bound(counted, one.problem, point.machine);
  REQUIRE(bound);
  INFO(counted.slug << " n = " << point.n << " p = " << p << " b = " << b << " α = " << point.alpha);
  const double time = double(costs.time) / bound->time, io = double(costs.io) / bound->io;
  INFO("time/bound " << time << ", I/O/bound " << io);
  CHECK(expected.time.holds(time));
  CHECK(expected.io.holds(io));
}

double umm_units(const char* slug, double n, const MemoryMachineChoice& machine) {
  const Algorithm& counted = algorithm(slug);
  const CountCase one{&counted, {n, ElementType::u32, counted.formula->default_parameters()}};
  return double(
      std::get<u64>(count(one, counting_device(device_of(4, 128), one), {machine}).machines.front()));
}

}  // namespace

TEST_CASE("DMM and UMM: counted units stay within constants of the bounds over n, p, w, l and α") {
  const Machine<double> device = device_of(132, 128);
  for (const MemoryCase& expected : memory_cases) {
    const Algorithm& counted = algorithm(expected.algorithm);
    std::set<std::pair<MachineKind, MachineVariable>> seen;
    for (const MachineSweep& sweep : machine_sweeps(counted, device, small_grid())) {
      const bool umm = sweep.kind == MachineKind::umm;
      INFO(sweep.algorithm << (umm ? " UMM" : " DMM") << ", variable " << int(sweep.variable));
      REQUIRE((umm || expected.dmm));
      seen.insert({sweep.kind, sweep.variable});
      for (const auto& [x, units, bound] : sweep.points) {
        INFO("x = " << x << ", units/bound " << double(units) / bound);
        CHECK((umm ? expected.umm : *expected.dmm).holds(double(units) / bound));
      }
    }
    INFO(expected.algorithm);
    const std::size_t variables = counted.slug == "scan-matrix" ? 5 : 4;
    CHECK(seen.size() == (expected.dmm ? 2 : 1) * variables);
  }
}

TEST_CASE("every reduction and scan with kernels of ours has bounds that are tested") {
  for (const Algorithm& each : algorithms()) {
    if ((each.family != "reduce" && each.family != "scan") || !each.formula) continue;
    INFO(each.slug);
    CHECK(std::any_of(std::begin(memory_cases), std::end(memory_cases),
                      [&](const MemoryCase& tested) { return tested.algorithm == each.slug; }));
  }
}

TEST_CASE("AGPU: counted time and I/O stay within constants of the bounds over n, p and b") {
  for (const AgpuCase& expected : agpu_cases)
    for (const AgpuPoint& point : agpu_points()) check_agpu(expected, point);
}

TEST_CASE("AGPU: so do the matrix scan's over α") {
  for (int alpha : {1, 2, 4, 5, 16, 32})
    check_agpu(*std::find_if(std::begin(agpu_cases), std::end(agpu_cases),
                             [](const AgpuCase& one) { return one.algorithm == std::string("scan-matrix"); }),
               {1 << 17, {256, 32, 16384}, alpha});
}

TEST_CASE("UMM: naive and optimal prefix sums part as log n where bandwidth is the limit") {
  // p ≥ w·l and l = 1: nothing but slots counts. Each step of the naive scan moves 3 words per element, and
  // while 2^s < w an access that lies across two groups: 3·log n + 5 in all. The interval scan moves 9 (8,
  // and one slot more for what it reads at an odd place), without the levels that one block scans by itself.
  const MemoryMachineChoice machine{MachineKind::umm, 32, 1, 1 << 14};
  double last = 0;
  for (int log_n = 10; log_n <= 17; ++log_n) {
    const double n = std::exp2(log_n), slots = n / machine.width;
    const double naive = umm_units("scan-naive", n, machine) / slots;
    const double optimal = umm_units("scan-interval", n, machine) / slots;
    INFO("log n = " << log_n << ": naive " << naive << ", optimal " << optimal);
    CHECK(naive == Approx(3 * log_n + 5).epsilon(0.01));
    CHECK(optimal <= 9);
    if (log_n < 13) continue;  // until then mostly one block's
    CHECK(naive / optimal == Approx((3 * log_n + 5) / 9.).epsilon(0.1));
    CHECK(naive / optimal > last);
    last = naive / optimal;
  }
}

TEST_CASE("bounds: worked by hand where the kernels deal the work out") {
  const auto bound = [](const char* slug, MachineKind kind, double n, Parameters parameters,
                        ElementType type = ElementType::u32) {
    return machine_bound(algorithm(slug), {n, type, parameters}, {kind, 32, 10, 1024}, 1);
  };
  // n/w = 128, nl/p = 40, log n = 12.
  CHECK(bound("scan-interval", MachineKind::umm, 4096, {{"t", 256}}) == Approx(128 + 40 + 120));
  CHECK(bound("scan-naive", MachineKind::umm, 4096, {{"t", 256}}) == Approx((128 + 40) * 12));
  CHECK(bound("scan-interval", MachineKind::umm, 2048, {{"t", 256}}, ElementType::u64) ==
        Approx(128 + 40 + 120));
  // One word for each of 256 warps by 32 at a time and alone: 8 rounds of 32 + 9; the last block's latency.
  CHECK(bound("reduce-cascading", MachineKind::dmm, 1 << 16, {{"t", 256}}) == Approx(8 * (32 + 9) + 10));
  // 256 lanes have 16 elements each; a wait for every four.
  CHECK(bound("scan-lookback", MachineKind::umm, 4096, {{"E", 16}, {"t", 256}}) == Approx(128 + 40 + 120));
  // Eight groups, each scanned at last by one block of 1024 threads in one round.
  CHECK(bound("scan-sequential", MachineKind::dmm, 1 << 15, {{"k", 4096}, {"t", 256}}) ==
        Approx(8 * (32 + 9)));
  // α = 8: four-fold conflicts.
  CHECK(bound("scan-matrix", MachineKind::dmm, 1 << 15, {{"alpha", 8}, {"t", 256}}) ==
        Approx(4 * 1024 + 320));
  CHECK_FALSE(bound("scan-naive", MachineKind::dmm, 4096, {{"t", 256}}));
  CHECK_FALSE(bound("sort-mms", MachineKind::umm, 4096, {}));
  CHECK_FALSE(agpu_bound(algorithm("scan-naive"), {4096, ElementType::u32, {{"t", 256}}}, {256, 32, 4096}));
}
