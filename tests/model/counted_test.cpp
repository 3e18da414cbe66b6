// SPDX-License-Identifier: Apache-2.0
// The law `counted`: times of launches worked by hand.
#include <fathom/model/laws/counted.h>

#include "../support/machines.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

constexpr double KiB = 1024;
constexpr auto dram = Resource::dram, l2 = Resource::l2, waiting = Resource::waiting,
               in_flight = Resource::in_flight;

/// Each multiprocessor has five blocks, of one warp or four, or takes two at a time of seven.
constexpr LaunchShape ten{.blocks = 10, .resident = 5}, of_four_warps{10, 128, 0, 5}, seven{7, 64, 0, 2},
    three_each{6, 128, 0, 3}, two_waves{4, 32, 0, 1}, sleeping{.blocks = 4, .resident = 1, .sleep_s = 2e-6},
    in_place{.blocks = 10, .resident = 5, .in_place = true};
LaunchShape shape(double blocks, int threads, int resident, double shared_bytes = 0, double carveout = 0) {
  return {blocks, threads, shared_bytes, resident, carveout};
}
LaunchShape grid(double blocks, int threads, int resident) {
  return {.blocks = blocks, .threads_per_block = threads, .resident = resident, .fixed_grid = true};
}
LaunchShape reaching(double bytes) {
  return {.blocks = 10, .resident = 5, .reach_bytes = bytes};
}
const LaunchShape by_grid{.blocks = 10, .resident = 5, .fixed_grid = true},
    in_turn{.blocks = 10, .resident = 5, .fixed_grid = true, .in_turn = true},
    exposing_a_fifth{
        .blocks = 2, .threads_per_block = 128, .resident = 1, .fixed_grid = true, .exposed_traffic = 0.2};

constexpr Work copy_of(double read, double written) {
  return {.sectors_read = read,
          .sectors_written = written,
          .bytes_read = 32 * read,
          .bytes_written = 32 * written};
}
constexpr Work read = copy_of(100, 0), written = copy_of(0, 100), copied = copy_of(100, 100),
               more_read = copy_of(100, 50), more_written = copy_of(50, 100),
               read_twice{.sectors_read = 200, .bytes_read = 3200},
               copied_twice{
                   .sectors_read = 200, .sectors_written = 200, .bytes_read = 3200, .bytes_written = 3200},
               scattered{
                   .sectors_read = 100, .scattered_sectors = 100, .bytes_read = 3200, .global_waits = 2},
               in_lines{.lines_read = 25, .sectors_read = 100, .bytes_read = 3200},
               copied_by_4000{.alu = 8000,
                              .sectors_read = 100,
                              .sectors_written = 100,
                              .bytes_read = 3200,
                              .bytes_written = 3200},
               atomics_after{.shared_wavefronts = 50, .atomic_sectors = 3},
               some_waits{.issue_clocks = 300, .shared_waits = 4},
               lone_warp{.issue_clocks = 100,
                         .global_waits = 2,
                         .shared_waits = 3,
                         .other_waits = 4,
                         .barriers = 5,
                         .global_hidden = 150,
                         .shared_hidden = 1000};
constexpr const char *in_phases = "overlap 100 knee 100 phase.share 0.5 phase.decay 2",
                     *starting = "block_start 100 warp_start 30",
                     *half_of_32_kB = "l2_half 32000 l2_steepness 4";

/// 100 clocks of the ALU, 400 of DRAM, which at the rate of the L2 are 200, and 350 of waiting.
Work phases(double barriers, double waits) {
  return {.alu = 200,
          .sectors_read = 25,
          .bytes_read = 800,
          .issue_clocks = waits == 0 ? 340. : 350.,
          .global_waits = waits,
          .barriers = barriers,
          .global_hidden = 1e4};
}

struct Row {
  const char* what;
  std::optional<Resource> resource;  ///< which takes so long alone; none: the launch
  Work work;
  LaunchShape shape;
  double clocks;
  const char* constants = "";  ///< that simple_machine() has not
  Work once = {};
};

const std::vector<Row> rows{
    // Computation takes its instructions over the rate of their pipe.
    {"ALU", {}, {.alu = 100}, of_four_warps, 5 * 100 / 2.},
    {"FMA", {}, {.fma = 100}, of_four_warps, 5 * 100 / 4.},
    {"issue", {}, {.instructions = 100}, of_four_warps, 5 * 100 / 4.},
    {"wavefronts", {}, {.shared_wavefronts = 30, .global_lines = 20, .shuffles = 10}, of_four_warps, 5 * 60},
    // Barriers take the warps that pass them over their rate. A fifth warp has two threads.
    {"barriers", Resource::barriers, {.barriers = 3}, of_four_warps, 5 * 3 * 4 / 0.5},
    {"barriers of 130", Resource::barriers, {.barriers = 3}, shape(10, 130, 5), 5 * 3 * 5 / 0.5},
    // The last wave takes as long as its fullest multiprocessor, which has 2 of 3 blocks. Every wave waits.
    {"last wave, ALU", {}, {.alu = 100}, seven, 2 * 50 + 2 * 50},
    {"last wave, waiting", {}, {.issue_clocks = 70}, seven, 70 + 70},
    // Pipes wait for the scheduler that has most warps: six warps on four take as long as eight.
    {"six warps, ALU", Resource::alu, {.alu = 100}, shape(12, 32, 6), 8 * 100 / 2},
    {"six warps, shared", Resource::shared, {.shared_wavefronts = 30}, shape(12, 32, 6), 6 * 30},
    {"eight warps, ALU", Resource::alu, {.alu = 100}, shape(16, 32, 8), 8 * 100 / 2},
    {"twice three warps, ALU", Resource::alu, {.alu = 100}, shape(4, 96, 2), 8. / 3 * 100 / 2},
    // Memory is shared by all multiprocessors, however the blocks are spread.
    {"read", dram, read, ten, 10 * 3200 / 4},
    {"read unevenly", dram, read, seven, 7 * 3200 / 4},
    {"written", dram, written, ten, 10 * 3200 / 2},
    {"written, in all", {}, written, ten, 10 * 3200 / 2},
    {"written in part", dram, {.bytes_written = 3200, .resumed_sectors = 6}, ten, 10 * 6 / 0.01},
    // What is read and written at the same time moves at the rate of a copy, the rest at its own.
    {"more read", dram, more_read, ten, 10 * (1600 / 4 + 3200. / 3)},
    {"more written", dram, more_written, ten, 10 * (3200. / 3 + 1600 / 2)},
    {"copied, first", dram, copied_twice, ten, 10 * 6400. / 3},
    {"copied, again", l2, copied_twice, ten, 10 * 6400. / 6},
    {"copied by a fixed grid", dram, copied_twice, by_grid, 10 * 6400. / 2.5},
    {"copied in turn", dram, copied_twice, in_turn, 10 * 6400. / 3},
    // What the launch touches again comes from the L2, as does what it holds from before: half.
    {"read, first", dram, read_twice, ten, 10 * 3200 / 4},
    {"read, again", l2, read_twice, ten, 10 * 3200 / 8},
    {"half not held", dram, read_twice, ten, 10 * 1600 / 4, half_of_32_kB},
    {"half held", l2, read_twice, ten, 10 * 4800 / 8, half_of_32_kB},
    // It holds less if more was touched since, 1/(1 + 2²) here, and no more if less was.
    {"near", dram, read, reaching(0), 10 * 1600 / 4, "l2_half 32000 l2_steepness 2"},
    {"nearer than itself", dram, read, reaching(10 * 1600), 10 * 1600 / 4, "l2_half 32000 l2_steepness 2"},
    {"far", dram, read, reaching(10 * 6400), 10 * 2560 / 4, "l2_half 32000 l2_steepness 2"},
    // Scattered sectors have rates of their own: all, half or a quarter hit. They wait in both waves.
    {"scattered", dram, scattered, ten, 10 * 100 / 0.1},
    {"half scattered", dram, scattered, ten, 10 * 50 / 0.1, "l2_half 16000"},
    {"half scattered, held", l2, scattered, ten, 10 * 50 / 0.5, "l2_half 16000"},
    {"a quarter", dram, scattered, reaching(10 * 6400), 10 * 75 / 0.1, "l2_half 16000"},
    {"a quarter, held", l2, scattered, reaching(10 * 6400), 10 * 25 / 0.5, "l2_half 16000"},
    {"waits", waiting, scattered, reaching(10 * 6400), 2 * (0.75 * 600 + 0.25 * 200), "l2_half 16000"},
    {"all held", dram, scattered, ten, 0, "l2_half 1e9"},
    // Loads in flight are limited by what shared memory leaves of the L1; those that the L2 serves take none.
    {"no shared memory", in_flight, {.lines_read = 25}, shape(8, 32, 4), 4 * 25 * 128 * 1000 / (256 * KiB)},
    {"64 KiB", in_flight, {.lines_read = 25}, shape(8, 32, 4, 15 * KiB), 4 * 25 * 128 * 1000 / (192 * KiB)},
    {"all", in_flight, {.lines_read = 25}, shape(8, 32, 4, 56 * KiB), 4 * 25 * 128 * 1000 / (28 * KiB)},
    {"carve-out",
     in_flight,
     {.lines_read = 25},
     shape(8, 32, 4, 15 * KiB, 100 * KiB),
     4 * 25 * 128 * 1000 / (156 * KiB)},
    {"half held", in_flight, in_lines, shape(8, 32, 4), 4 * 25 * 64 * 1000 / (256 * KiB),
     "l2_half 25600 l2_steepness 4"},
    // Atomics on few bytes take their turns in the L2. With other work they overlap, but what the blocks of a
    // fixed grid do at their end follows it.
    {"atomics, a sector", {}, {.atomic_sectors = 1}, ten, 10 * 1e3},
    {"atomics, a line", {}, {.atomic_sectors = 4}, ten, 10 * 4 * 1e3},
    {"atomics, 512 bytes", {}, {.atomic_sectors = 16}, ten, 10 * 16 * 1e3 / std::pow(2, 2. / 3)},
    {"atomics, 1 KiB", {}, {.atomic_sectors = 32}, ten, 10 * 32 * 500},
    {"atomics, 8 KiB", {}, {.atomic_sectors = 256}, ten, 10 * 256 * 1e9 / std::sqrt(2e6 * 1e8)},
    {"atomics, 2 MiB", {}, {.atomic_sectors = 1 << 16}, ten, 10 * (1 << 16) * 10.},
    {"atomics meanwhile", {}, atomics_after, ten, 10 * 3e3, "overlap 100"},
    {"atomics afterwards", {}, atomics_after, ten, 10 * 3e3 + 5 * 50, "overlap 100", {.atomic_sectors = 3}},
    {"atomics alone", Resource::atomics, atomics_after, ten, 10 * 3e3, "overlap 100", {.atomic_sectors = 3}},
    // A warp alone takes its instructions and the latencies that they do not hide: none for shared memory.
    // Other waits last as long as those.
    {"a warp alone", waiting, lone_warp, shape(2, 32, 4), 100 + (2 * 600 - 150) + 0 + 4 * 30 + 5 * 10},
    // Blocks of a fixed grid spend the constant part of their waits once, and no more than there is.
    {"waves", {}, some_waits, two_waves, 2 * 420},
    {"waves, alone", waiting, some_waits, two_waves, 2 * 420},
    {"waves, once",
     {},
     some_waits,
     two_waves,
     2 * (420 - 160) + 160,
     "",
     {.issue_clocks = 100, .shared_waits = 2}},
    {"waves, all once", {}, some_waits, two_waves, 420, "", {.issue_clocks = 1000}},
    // 3 · 30 and 3 · 40 clocks, overlapping as their norm says; waiting has an exponent of its own.
    {"norm", {}, {.alu = 60, .shared_wavefronts = 40}, three_each, 3 * 50, "overlap 2"},
    {"norm of waiting",
     {},
     {.alu = 40, .shared_wavefronts = 10, .issue_clocks = 120},
     three_each,
     150,
     "knee 2"},
    // Few blocks use one resource after another: 650 clocks, where they would overlap to 400. Here they are a
    // fixed
    // grid, which has no first wave to read in step.
    {"one block", {}, phases(1, 0), grid(2, 128, 1), 400 + 0.5 * 250, in_phases},
    {"two blocks", {}, phases(1, 0), grid(4, 128, 2), 800 + 0.5 / 4 * 500, in_phases},
    // The block takes 450 clocks without the memory's 200, of which nothing overlaps 40.
    {"one block that fetches ahead", {}, phases(1, 0), exposing_a_fifth, 400 + 0.5 * 90, in_phases},
    {"five blocks", {}, phases(1, 0), grid(10, 128, 5), 2000 + 0.5 / 25 * 1250, in_phases},
    // Warps that no barrier holds together, or one for every four waits, are as independent as blocks.
    {"no barriers", {}, phases(0, 4), grid(4, 128, 2), 800 + 0.5 / 64 * 500, in_phases},
    {"a barrier", {}, phases(1, 4), grid(4, 128, 2), 800 + 0.5 * (0.25 / 4 + 0.75 / 64) * 520, in_phases},
    {"four barriers", {}, phases(4, 4), grid(4, 128, 2), 800 + 0.5 / 4 * 580, in_phases},
    {"eight barriers", {}, phases(8, 4), grid(4, 128, 2), 800 + 0.5 / 4 * 660, in_phases},
    // Blocks that start together read, 400 clocks each, before they work and wait. Those of a later wave do
    // not.
    {"in step", {}, phases(1, 0), shape(2, 128, 1), 400 + 350, in_phases},
    {"five in step", {}, phases(1, 0), shape(10, 128, 5), 2000 + 500, in_phases},
    {"in step, then not", {}, phases(1, 0), shape(20, 128, 5), 2500 + 2000 + 0.5 / 25 * 1250, in_phases},
    // What is written beyond reading, 2 · 3200 / 3 − 3200 / 4 clocks for each of two blocks, overlaps the
    // work.
    {"written in step", {}, copied, shape(2, 128, 1), 2 * 6400. / 3, "overlap 100"},
    {"written meanwhile", {}, copied_by_4000, shape(2, 128, 1), 2 * 3200 / 4 + 4000, "overlap 100"},
    // Blocks start one after another, and while others run from the second wave on.
    {"starts", {}, {}, shape(10, 64, 5), 4 * 100, starting},
    {"starts of four warps", {}, {}, of_four_warps, 4 * 120, starting},
    {"start, then wait", {}, {.issue_clocks = 70}, shape(10, 64, 5), 4 * 100 + 70, starting},
    {"starts decide", {}, {.issue_clocks = 70}, shape(30, 64, 5), 4 * 100 + 70 + 2 * 5 * 100, starting},
    {"waits decide", {}, {.issue_clocks = 700}, shape(30, 64, 5), 4 * 100 + 3 * 700, starting},
    // A block begins a turnover after the one whose place it takes, and may sleep longer than it asks.
    {"no turnover", {}, {.issue_clocks = 700}, ten, 700, "wait.turnover 350"},
    {"two turnovers", {}, {.issue_clocks = 700}, shape(30, 32, 5), 700 + 2 * 1050, "wait.turnover 350"},
    {"the last of a few", {}, {.issue_clocks = 700}, shape(22, 32, 5), 700 + 2 * 1050, "wait.turnover 350"},
    {"sleep", {}, {.issue_clocks = 100}, sleeping, 2 * (100 + 3000), "sleep 1.5"},
    {"sleep, alone", waiting, {.issue_clocks = 100}, sleeping, 2 * (100 + 3000), "sleep 1.5"},
    // What is written in place is touched once: the L2 has half of 32 kB, and 1/17 of 64.
    {"in place", dram, copied, in_place, 10 * 6400 / 3. / 2, half_of_32_kB},
    {"elsewhere", dram, copied, ten, 10 * 6400 / 3. * 16 / 17, half_of_32_kB},
};

}  // namespace

TEST_CASE("launches take the times that were worked by hand") {
  for (const Row& row : rows) {
    INFO(row.what);
    Machine<double> machine = simple_machine();
    set_constants(machine, row.constants);
    const LaunchTime<double> time = launch_time(row.work, row.shape, machine, row.once);
    CHECK((row.resource ? time.of(*row.resource) : time.busy) * 1e9 == Approx(row.clocks));
  }
}

TEST_CASE("the L2 takes partial-sector writes if it holds them") {
  Machine<double> machine = simple_machine();
  set_constants(machine, "l2_half 1e9 l2_steepness 10");
  const Work work{.bytes_written = 3200, .resumed_sectors = 6};
  CHECK(launch_time(work, ten, machine).of(dram) * 1e9 == Approx(0).margin(1e-3));
}

TEST_CASE("a profile that lacks the rate of a fixed grid's copy has one rate of copies") {
  Machine<double> machine = simple_machine();
  machine.rates.dram_copy_by_grid.reset();
  CHECK(launch_time(copied_twice, by_grid, machine).of(dram) * 1e9 == Approx(10 * 6400. / 3));
}

TEST_CASE("a launch, the start of DRAM and the first fetch of the code cost once") {
  Machine<double> machine = simple_machine();
  set_constants(machine, "kernel_gap 1e-6 dram_start 2e-6 fetch 5");
  const LaunchTime<double> time = launch_time(Work{.code_bytes = 1600}, {}, machine);
  CHECK(time.fixed == Approx(1e-6 + 2e-6 + 500e-9));
  CHECK(time.busy == 0);
}

TEST_CASE("a rate that was not measured is named, where it is needed") {
  const auto check = [](const char* missing, const Work& work, const LaunchShape& shape) {
    Machine<double> machine = simple_machine();
    constant_named(missing).member.of(machine).reset();
    CHECK_THROWS_WITH(launch_time(work, shape, machine), Contains("'simple'") && Contains(missing));
  };
  check("pipe.alu", {}, {});
  check("dram.resumed", {.bytes_written = 3200, .resumed_sectors = 6}, ten);
  check("sleep", {}, sleeping);
}
