// SPDX-License-Identifier: Apache-2.0
// Counts of whole algorithms: compared with known values, and with formulas.
#include "../support/machines.h"

#include <fathom/algorithms/bench.h>
#include <fathom/counting/audit.h>
#include <fathom/store/work_table.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

Case count_case(std::string_view slug, double n, const Parameters& parameters = {},
                Input input = Input::random, ElementType type = ElementType::u32) {
  const Algorithm& chosen = algorithm(slug);
  Case one{&chosen, chosen.problem(n, type), input};
  for (const auto& [name, value] : parameters) one.problem.parameters.set(name, value);
  return one;
}

const KernelCounts& kernel(const Count& counted, std::string_view name) {
  const auto found = std::find_if(counted.kernels.begin(), counted.kernels.end(),
                                  [&](const KernelCounts& one) { return one.kernel == name; });
  REQUIRE(found != counted.kernels.end());
  return *found;
}

void check_same(const KernelCounts& a, const KernelCounts& b) {
  INFO(a.kernel);
  const auto totals = [](const KernelCounts& one) {
    return std::tie(one.kernel, one.launches, one.blocks, one.footprint_bytes, one.read_bytes,
                    one.written_bytes, one.fresh_read_bytes, one.fresh_written_bytes, one.instructions);
  };
  CHECK((totals(a) == totals(b)));
  const auto counts = [](const AccessSite& one) {
    return std::tie(one.file, one.line, one.global.accesses, one.global.sectors, one.global.lines,
                    one.global.useful_bytes, one.shared.accesses, one.shared.wavefronts);
  };
  CHECK(std::ranges::equal(a.sites, b.sites, {}, counts, counts));
}

/// β of the reads of merges, in the merge rounds or within tiles.
double merging_conflict(std::string_view phase, Input input, int elements) {
  const Count counted =
      count(count_case("sort-pairwise", 8 * 128 * elements, {{"E", elements}, {"t", 128}}, input), {});
  return kernel(counted, phase).shared_in("read_valley").conflict();
}

}  // namespace

TEST_CASE("a conflict-heavy input makes the threads of a merge read few banks", "[counts]") {
  const auto times_random = [](std::string_view kernel, int elements) {
    return merging_conflict(kernel, Input::conflict_heavy, elements) /
           merging_conflict(kernel, Input::random, elements);
  };
  // The threads of a warp begin to read in two banks, or in one.
  CHECK(merging_conflict("MergeTiles", Input::conflict_heavy, 17) > 0.85 * 16);
  CHECK(merging_conflict("MergeTiles", Input::conflict_heavy, 32) > 0.85 * 32);
  CHECK(times_random("MergeTiles", 17) > 4);
  CHECK(times_random("MergeTiles", 32) > 8);
  // Within a tile, half of the merges have fewer threads than a warp and so fewer conflicts.
  CHECK(times_random("BlockSort", 17) > 2);
  CHECK(times_random("BlockSort", 32) > 3);
}

TEST_CASE("sort-conflict-free merges without bank conflicts, whatever the input", "[counts]") {
  for (const int elements : {16, 32})
    for (const Input input : {Input::random, Input::conflict_heavy}) {
      const Count counted = count(
          count_case("sort-conflict-free", 8 * 128 * elements, {{"E", elements}, {"t", 128}}, input), {});
      for (const char* phase : {"ConflictFreeBlockSort", "ConflictFreeMergeTiles"}) {
        INFO(phase << " E = " << elements << " " << name(input));
        CHECK(kernel(counted, phase).shared_in("merge_region").conflict() < 1.01);
        CHECK(kernel(counted, phase).shared_in("write_padded_tile").conflict() < 1.01);
      }
    }
}

TEST_CASE("sort-pairwise sorts every input as the standard library does") {
  for (ElementType type : {ElementType::u32, ElementType::u64})
    for (Input input : all_inputs)
      for (double n : {1., 1087., 1088., 1089., 5441.}) {  // around a tile of 64 · 17
        INFO(name(input) << " " << name(type) << " n = " << n);
        CHECK_NOTHROW(count(count_case("sort-pairwise", n, {{"t", 64}}, input, type), {}));
      }
}

TEST_CASE("counts do not depend on how many blocks run concurrently") {
  for (const char* slug : {"sort-pairwise", "scan-matrix", "scan-lookback"}) {
    CountingDevice one, three;
    one.workers = 1;
    three.workers = 3;
    const Case what = count_case(slug, 60001);
    const std::vector<MachineChoice> machines{MemoryMachineChoice{MachineKind::dmm, 32, 100, 1024},
                                              MemoryMachineChoice{MachineKind::umm, 8, 100, 1024},
                                              AgpuChoice{1024, 32, 58368}};
    const Count first = count(what, one, machines), second = count(what, three, machines);
    INFO(slug);
    REQUIRE(first.kernels.size() == second.kernels.size());
    for (std::size_t k = 0; k < first.kernels.size(); ++k) check_same(first.kernels[k], second.kernels[k]);
    CHECK(std::get<u64>(first.machines[0]) == std::get<u64>(second.machines[0]));
    CHECK(std::get<u64>(first.machines[1]) == std::get<u64>(second.machines[1]));
    const auto &agpu = std::get<AgpuCosts>(first.machines[2]),
               &again = std::get<AgpuCosts>(second.machines[2]);
    CHECK(agpu.time == again.time);
    CHECK(agpu.io == again.io);
    CHECK(agpu.shared_words == again.shared_words);
  }
}

TEST_CASE("an algorithm without kernels of its own is rejected") {
  Algorithm formula_only = algorithm("sort-pairwise");
  formula_only.plan = nullptr;
  formula_only.make_workload = nullptr;
  CHECK_THROWS_WITH(count({&formula_only, formula_only.problem(1000), Input::random}, {}),
                    Contains("sort-pairwise has no kernels to count"));
}

TEST_CASE("the grid is that of the registers in the work tables") {
  const Case one = count_case("reduce-vector", 1000);
  const Machine<double> machine = tests::complete_machine();
  CHECK_FALSE(counting_device(machine, one).registers);
  const CountingDevice device = counting_device(machine, one, 90);
  const Launch launch = one.algorithm->plan(one.problem, any_device()).front();
  CHECK(device.registers(launch) == built_in_work(work_key(one, 90))->of("ReduceVectors").registers);
}

TEST_CASE("the memory needed for counting is known in advance and compared with the available memory") {
  const Case what = count_case("sort-pairwise", 100000);
  CountingDevice device;
  device.workers = 2;
  const std::size_t data =
      device_bytes(*what.algorithm, what.problem, CountingExecutor(device).plan_device());
  CHECK(count_bytes(what, device) >= data);
  device.memory_bytes = data / 2;
  CHECK_THROWS_AS(count(what, device), OutOfDeviceMemory);
}

TEST_CASE("the audit compares the published words with those of all kernels together") {
  const Case one = count_case("scan-matrix", 20000);
  const Machine<double> device = tests::complete_machine();
  const auto kernels = count(one, counting_device(device, one)).kernels;
  double global = 0;
  for (const KernelCounts& each : kernels) global += double(each.global().warp_words);
  const auto entries = audit(*one.algorithm, one.problem, device, kernels);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].level == Level::global);
  CHECK(entries[0].formula == Approx(3 * 20000));  // agpu2015: read twice, written once
  CHECK(entries[0].counted == global);
  CHECK(entries[1].level == Level::shared);
}

namespace {

/// The largest number of elements of a row in one bank, averaged over a tile's rows. A tile is α rows of 32
/// elements, stored in columns of α that are padded by one word per row.
double degree_of_rows(int alpha) {
  int sum = 0;
  for (int row = 0; row < alpha; ++row) {
    std::array<int, 32> meeting{};
    for (int i = row * 32; i < row * 32 + 32; ++i) ++meeting[std::size_t(i % alpha * 33 + i / alpha) % 32];
    sum += *std::max_element(meeting.begin(), meeting.end());
  }
  return double(sum) / alpha;
}

}  // namespace

TEST_CASE("rows of the scan's tile have the conflicts of their layout, for every α", "[counts]") {
  for (int rows : algorithm("scan-matrix").find_parameter("alpha")->values) {
    INFO("α = " << rows);
    const Count counted = count(count_case("scan-matrix", 64 * 32 * rows, {{"alpha", rows}}), {});
    const KernelCounts& chunks = kernel(counted, "ScanChunks");
    const double degree = chunks.shared_in("read_rows").conflict();
    CHECK(degree == Approx(degree_of_rows(rows)));
    CHECK(chunks.shared_in("write_rows").conflict() == Approx(degree));
    CHECK(chunks.shared_in("scan_columns").conflict() == 1);
    // agpu2015. A row that begins within a column can span one more column, as it does for α = 7 and 11.
    if (rows != 7 && rows != 11) CHECK(degree == std::min((32 + rows - 1) / rows, rows));
  }
}
