// The law `counted`: hand-worked times of launches, and what physics demands of every one.
#include <fathom/model/constants.h>
#include <fathom/model/laws/counted.h>
#include <fathom/model/laws/dual.h>

#include <catch2/catch.hpp>

#include "../support/derivatives.h"

#include <random>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

/// Two multiprocessors at 1 GHz: a clock is a nanosecond. Nothing overlaps (q = s = 1), nothing is held by
/// the L2.
Machine<double> simple_machine() {
  Machine<double> machine;
  machine.name = "simple";
  machine.multiprocessors = 2;
  machine.cores_per_multiprocessor = 128;
  machine.clock = Hertz{1e9};
  machine.limits.shared_bytes_per_multiprocessor = 228 * 1024;
  machine.limits.shared_bytes_reserved = 1024;
  machine.kernel_gap = 0;
  Rates<double>& rates = machine.rates;
  rates.dram_read = 4e9;  // 4 bytes per clock, 2 of them for each multiprocessor
  rates.dram_write = 2e9;
  rates.dram_copy = 3e9;
  rates.dram_scattered = 1e8;
  rates.l2_read = 8e9;
  rates.l2_write = 4e9;
  rates.l2_copy = 6e9;
  rates.l2_scattered = 5e8;
  rates.dram_resumed = 1e7;
  rates.atomics_line = 1e6;
  rates.atomics_kib = 2e6;
  rates.atomics_64_kib = 1e8;
  rates.alu = 2;
  rates.fma = 4;
  rates.issue = 4;
  rates.wavefronts = 1;
  rates.barriers = 0.5;
  rates.dram_latency = 600;
  rates.l2_latency = 200;
  rates.shared_latency = 30;
  rates.barrier_latency = 10;
  rates.loaded_latency = 1000;
  rates.turnover = 0;
  rates.fetch = 0;
  rates.overlap = 1;
  rates.knee = 1;
  rates.phase_share = 0;
  rates.phase_decay = 1;
  return machine;
}

/// Clocks of a launch, and of one resource alone.
double clocks(const Work& work, const LaunchShape& shape, const Machine<double>& machine) {
  return launch_time(work, shape, machine).busy * 1e9;
}
double clocks(Resource resource, const Work& work, const LaunchShape& shape,
              const Machine<double>& machine = simple_machine()) {
  return launch_time(work, shape, machine).of(resource) * 1e9;
}
constexpr LaunchShape ten_blocks{.blocks = 10, .resident = 5};

}  // namespace

TEST_CASE("computation takes its instructions over the rate of their pipe") {
  const Machine<double> machine = simple_machine();
  const LaunchShape shape{.blocks = 10, .threads_per_block = 128, .resident = 5};
  CHECK(clocks({.alu = 100}, shape, machine) == Approx(5 * 100 / 2));
  CHECK(clocks({.fma = 100}, shape, machine) == Approx(5 * 100 / 4));
  CHECK(clocks({.instructions = 100}, shape, machine) == Approx(5 * 100 / 4));
  CHECK(clocks({.shared_wavefronts = 30, .global_lines = 20, .shuffles = 10}, shape, machine) ==
        Approx(5 * 60));
}

TEST_CASE("barriers take the warps that pass them over their rate") {
  const auto barriers = [&](int threads) {
    return clocks(Resource::barriers, {.barriers = 3},
                  {.blocks = 10, .threads_per_block = threads, .resident = 5});
  };
  CHECK(barriers(128) == Approx(5 * 3 * 4 / 0.5));
  CHECK(barriers(130) == Approx(5 * 3 * 5 / 0.5));  // the fifth warp has two threads
}

TEST_CASE("the last wave takes as long as its fullest multiprocessor") {
  const Machine<double> machine = simple_machine();
  // 7 blocks, 2 at a time on each: one full wave and, of the 3 left, 2 on one multiprocessor.
  const LaunchShape shape{.blocks = 7, .threads_per_block = 64, .resident = 2};
  CHECK(clocks({.alu = 100}, shape, machine) == Approx(2 * 50 + 2 * 50));
  CHECK(clocks({.issue_clocks = 70}, shape, machine) == Approx(70 + 70));  // every wave waits once
}

TEST_CASE("memory is shared by all multiprocessors, however the blocks are spread") {
  const Work read{.sectors_read = 100, .bytes_read = 3200};
  const Work written{.sectors_written = 100, .bytes_written = 3200};
  CHECK(clocks(Resource::dram, read, ten_blocks) == Approx(10 * 3200 / 4));
  CHECK(clocks(Resource::dram, read, {.blocks = 7, .resident = 2}) == Approx(7 * 3200 / 4));
  CHECK(clocks(Resource::dram, written, ten_blocks) == Approx(10 * 3200 / 2));
  CHECK(clocks(written, ten_blocks, simple_machine()) == Approx(10 * 3200 / 2));
}

TEST_CASE("DRAM takes time for partial-sector writes, unless the L2 holds them") {
  Machine<double> machine = simple_machine();
  const Work work{.bytes_written = 3200, .resumed_sectors = 6};
  CHECK(clocks(Resource::dram, work, ten_blocks, machine) == Approx(10 * 6 / 0.01));
  machine.l2_half = 1e9;
  machine.l2_steepness = 10;
  CHECK(clocks(Resource::dram, work, ten_blocks, machine) == Approx(0).margin(1e-3));
  machine.l2_half.reset();
  machine.rates.dram_resumed.reset();
  CHECK_THROWS_WITH(launch_time(work, ten_blocks, machine), Contains("dram.resumed"));
}

TEST_CASE("atomics on few bytes take their turns in the L2") {
  Machine<double> machine = simple_machine();
  const LaunchShape shape{.blocks = 10, .resident = 5};
  const auto busy = [&](double sectors) {
    return launch_time({.atomic_sectors = sectors}, shape, machine).busy;
  };
  CHECK(busy(1) == Approx(10 * 1 / 1e6));
  CHECK(busy(4) == Approx(10 * 4 / 1e6));  // 128 bytes
  CHECK(busy(16) == Approx(10 * 16 / (1e6 * std::pow(2, 2. / 3))));
  CHECK(busy(32) == Approx(10 * 32 / 2e6));
  CHECK(busy(256) == Approx(10 * 256 / std::sqrt(2e6 * 1e8)));
  CHECK(busy(1 << 16) == Approx(10 * (1 << 16) / 1e8));
  // With other work they overlap, but what the blocks of a fixed grid do at their end follows it.
  const Work once{.atomic_sectors = 3}, all{.shared_wavefronts = 50, .atomic_sectors = 3};
  machine.rates.overlap = 100;
  CHECK(launch_time(all, shape, machine).busy == Approx(10 * 3 / 1e6));
  const LaunchTime<double> in_turn = launch_time(all, shape, machine, once);
  CHECK(in_turn.busy == Approx(10 * 3 / 1e6 + 5 * 50 / 1e9));
  CHECK(in_turn.of(Resource::atomics) == Approx(10 * 3 / 1e6));
}

TEST_CASE("what is read and written at the same time moves at the rate of a copy, the rest at its own") {
  const Work more_read{.sectors_read = 100, .sectors_written = 50, .bytes_read = 3200, .bytes_written = 1600};
  CHECK(clocks(Resource::dram, more_read, ten_blocks) == Approx(10 * (1600 / 4 + 3200. / 3)));
  const Work more_written{
      .sectors_read = 50, .sectors_written = 100, .bytes_read = 1600, .bytes_written = 3200};
  CHECK(clocks(Resource::dram, more_written, ten_blocks) == Approx(10 * (3200. / 3 + 1600 / 2)));
  // All of it twice: the second time from the L2.
  const Work twice{.sectors_read = 200, .sectors_written = 200, .bytes_read = 3200, .bytes_written = 3200};
  CHECK(clocks(Resource::dram, twice, ten_blocks) == Approx(10 * 6400. / 3));
  CHECK(clocks(Resource::l2, twice, ten_blocks) == Approx(10 * 6400. / 6));
}

TEST_CASE("what the launch touches again comes from the L2, as does what it holds from before") {
  Machine<double> machine = simple_machine();
  const Work twice{.sectors_read = 200, .bytes_read = 3200};
  CHECK(clocks(Resource::dram, twice, ten_blocks, machine) == Approx(10 * 3200 / 4));
  CHECK(clocks(Resource::l2, twice, ten_blocks, machine) == Approx(10 * 3200 / 8));
  machine.l2_half = 10 * 3200;  // half of it is held
  machine.l2_steepness = 4;
  CHECK(clocks(Resource::dram, twice, ten_blocks, machine) == Approx(10 * 1600 / 4));
  CHECK(clocks(Resource::l2, twice, ten_blocks, machine) == Approx(10 * 4800 / 8));
}

TEST_CASE("the L2 holds less if more was touched since, and no more if less was") {
  Machine<double> machine = simple_machine();
  machine.l2_half = 10 * 3200;
  machine.l2_steepness = 2;
  const auto dram = [&](double reach) {
    return clocks(Resource::dram, {.sectors_read = 100, .bytes_read = 3200},
                  {.blocks = 10, .resident = 5, .reach_bytes = reach}, machine);
  };
  CHECK(dram(0) == Approx(10 * 1600 / 4));
  CHECK(dram(10 * 1600) == Approx(10 * 1600 / 4));
  CHECK(dram(10 * 6400) == Approx(10 * 2560 / 4));  // 1/(1 + 2²) of it is held
}

TEST_CASE("scattered sectors have rates of their own") {
  Machine<double> machine = simple_machine();
  Work work{.sectors_read = 100, .scattered_sectors = 100, .bytes_read = 3200};
  CHECK(clocks(Resource::dram, work, ten_blocks, machine) == Approx(10 * 100 / 0.1));
  machine.l2_half = 10 * 1600;  // of 10 · 3200 bytes: random accesses find half
  CHECK(clocks(Resource::dram, work, ten_blocks, machine) == Approx(10 * 50 / 0.1));
  CHECK(clocks(Resource::l2, work, ten_blocks, machine) == Approx(10 * 50 / 0.5));
  const LaunchShape further{.blocks = 10, .resident = 5, .reach_bytes = 10 * 6400};  // and now a quarter
  CHECK(clocks(Resource::dram, work, further, machine) == Approx(10 * 75 / 0.1));
  CHECK(clocks(Resource::l2, work, further, machine) == Approx(10 * 25 / 0.5));
  work.global_waits = 2;  // in both waves, for either latency
  CHECK(clocks(Resource::waiting, work, further, machine) == Approx(2 * (0.75 * 600 + 0.25 * 200)));
  machine.l2_half = 1e9;
  CHECK(clocks(Resource::dram, work, ten_blocks, machine) == 0);
}

TEST_CASE("a warp alone takes its instructions and the latencies that they do not hide") {
  const Work work{.issue_clocks = 100,
                  .global_waits = 2,
                  .shared_waits = 3,
                  .other_waits = 4,
                  .barriers = 5,
                  .global_hidden = 150,
                  .shared_hidden = 1000};
  // Other waits last as long as those for shared memory, none of whose clocks remain here.
  CHECK(clocks(Resource::waiting, work, {.blocks = 2, .resident = 4}) ==
        Approx(100 + (2 * 600 - 150) + 0 + 4 * 30 + 5 * 10));
}

TEST_CASE("blocks of a fixed grid spend the constant part of their waits once") {
  const Machine<double> machine = simple_machine();
  const Work work{.issue_clocks = 300, .shared_waits = 4};  // 300 + 4 · 30 = 420 clocks
  const auto waiting = [&](const Work& once) {
    const LaunchShape two_waves{.blocks = 4, .resident = 1};
    const LaunchTime<double> time = launch_time(work, two_waves, machine, once);
    CHECK(time.busy == Approx(time.of(Resource::waiting)));  // there is nothing else
    return time.busy * 1e9;
  };
  CHECK(waiting({}) == Approx(2 * 420));
  CHECK(waiting({.issue_clocks = 100, .shared_waits = 2}) == Approx(2 * (420 - 160) + 160));
  CHECK(waiting({.issue_clocks = 1000}) == Approx(420));  // no more than there is
}

TEST_CASE("loads in flight are limited by what shared memory leaves of the L1") {
  const auto in_flight = [](double shared_bytes, double carveout = 0) {
    return clocks(Resource::in_flight, {.lines_read = 25},
                  {.blocks = 8, .shared_bytes_per_block = shared_bytes, .resident = 4, .carveout = carveout});
  };
  const double KiB = 1024, bytes_times_latency = 4 * 25 * 128 * 1000.;
  CHECK(in_flight(0) == Approx(bytes_times_latency / (256 * KiB)));
  CHECK(in_flight(15 * KiB) == Approx(bytes_times_latency / (192 * KiB)));  // 4 · (15 + 1) = 64 KiB
  CHECK(in_flight(56 * KiB) == Approx(bytes_times_latency / (28 * KiB)));
  CHECK(in_flight(15 * KiB, 100 * KiB) == Approx(bytes_times_latency / (156 * KiB)));
  // Loads that the L2 serves take no room.
  Machine<double> machine = simple_machine();
  machine.l2_half = 8 * 3200;  // half of it is held
  machine.l2_steepness = 4;
  CHECK(clocks(Resource::in_flight, {.lines_read = 25, .sectors_read = 100, .bytes_read = 3200},
               {.blocks = 8, .resident = 4}, machine) == Approx(0.5 * bytes_times_latency / (256 * KiB)));
}

TEST_CASE("pipes wait for the scheduler that has most warps") {
  const auto wave = [](Resource resource, int threads, int resident) {
    return clocks(resource, {.alu = 100, .shared_wavefronts = 30},
                  {.blocks = 2. * resident, .threads_per_block = threads, .resident = resident});
  };
  // Six warps on four schedulers take as long as eight; shared memory serves all four.
  CHECK(wave(Resource::alu, 32, 6) == Approx(8 * 100 / 2));
  CHECK(wave(Resource::shared, 32, 6) == Approx(6 * 30));
  CHECK(wave(Resource::alu, 32, 8) == Approx(8 * 100 / 2));
  CHECK(wave(Resource::alu, 96, 2) == Approx(8. / 3 * 100 / 2));
}

TEST_CASE("the norm of the resources' times shows how far they overlap") {
  Machine<double> machine = simple_machine();
  machine.rates.overlap = 2;
  const Work work{.alu = 60, .shared_wavefronts = 40};  // 3 · 30 and 3 · 40 clocks
  CHECK(clocks(work, {.blocks = 6, .threads_per_block = 128, .resident = 3}, machine) == Approx(3 * 50));
}

TEST_CASE("waiting overlaps work with an exponent of its own") {
  Machine<double> machine = simple_machine();
  machine.rates.knee = 2;
  // Work with q = 1: 3 · (20 + 10) = 90 clocks, and 120 of waiting: 150² = 90² + 120².
  const Work work{.alu = 40, .shared_wavefronts = 10, .issue_clocks = 120};
  CHECK(clocks(work, {.blocks = 6, .threads_per_block = 128, .resident = 3}, machine) == Approx(150));
}

TEST_CASE("few blocks use one resource after another") {
  Machine<double> machine = simple_machine();
  machine.rates.overlap = machine.rates.knee = 100;  // the maximum, but for the phases
  machine.rates.phase_share = 0.5;
  machine.rates.phase_decay = 2;
  // 100 and 400 clocks, and 350 of waiting, 10 of them at the barrier that holds the warps together.
  const Work work{.alu = 200, .sectors_read = 25, .bytes_read = 800, .issue_clocks = 340, .barriers = 1};
  const auto alone = [&](int resident) {
    return clocks(work, {.blocks = 2. * resident, .threads_per_block = 128, .resident = resident}, machine) /
           resident;
  };
  // DRAM serves others meanwhile: a lone block's memory takes 200 clocks, at the rate of the L2.
  CHECK(alone(1) == Approx(400 + 0.5 * (650 - 400)));
  CHECK(alone(2) == Approx(400 + 0.5 / 4 * (650 - 400)));
  CHECK(alone(5) == Approx(400 + 0.5 / 25 * (650 - 400)));
}

TEST_CASE("warps that no barrier holds together are as independent as blocks") {
  Machine<double> machine = simple_machine();
  machine.rates.overlap = machine.rates.knee = 100;  // the maximum, but for the phases
  machine.rates.phase_share = 0.5;
  machine.rates.phase_decay = 2;
  const auto of_two_blocks = [&](double barriers) {
    const Work work{.alu = 200,  // 100 clocks
                    .sectors_read = 25,
                    .bytes_read = 800,    // 400 clocks, of the L2 200
                    .issue_clocks = 350,  // and 10 for each barrier
                    .global_waits = 4,
                    .barriers = barriers,
                    .global_hidden = 1e4};
    return clocks(work, {.blocks = 4, .threads_per_block = 128, .resident = 2}, machine);
  };
  // Without barriers: 8 warps. With one for every four waits: κ = 1/4. With one for each wait: 2 blocks.
  const double excess = 2 * (200 + 100 + 350) - 2 * 400;
  CHECK(of_two_blocks(0) == Approx(800 + 0.5 / 64 * excess));
  CHECK(of_two_blocks(1) == Approx(800 + 0.5 * (0.25 / 4 + 0.75 / 64) * (excess + 2 * 10)));
  CHECK(of_two_blocks(4) == Approx(800 + 0.5 / 4 * (excess + 2 * 40)));
  CHECK(of_two_blocks(8) == Approx(800 + 0.5 / 4 * (excess + 2 * 80)));
}

TEST_CASE("blocks start one after another, and while others run from the second wave on") {
  Machine<double> machine = simple_machine();
  machine.block_start = 100;
  machine.warp_start = 30;
  const auto of_waves = [&](double waves, int threads, double issue_clocks) {
    return clocks({.issue_clocks = issue_clocks},
                  {.blocks = 10 * waves, .threads_per_block = threads, .resident = 5}, machine);
  };
  CHECK(of_waves(1, 64, 0) == Approx(4 * 100));
  CHECK(of_waves(1, 128, 0) == Approx(4 * 120));  // four warps
  CHECK(of_waves(1, 64, 70) == Approx(4 * 100 + 70));
  CHECK(of_waves(3, 64, 70) == Approx(4 * 100 + 70 + 2 * 5 * 100));
  CHECK(of_waves(3, 64, 700) == Approx(4 * 100 + 3 * 700));
}

TEST_CASE("a block begins a turnover after the one whose place it takes") {
  Machine<double> machine = simple_machine();
  machine.rates.turnover = 350;
  const Work work{.issue_clocks = 700};
  CHECK(clocks(work, {.blocks = 10, .resident = 5}, machine) == Approx(700));
  CHECK(clocks(work, {.blocks = 30, .resident = 5}, machine) == Approx(700 + 2 * 1050));
  CHECK(clocks(work, {.blocks = 22, .resident = 5}, machine) == Approx(700 + 2 * 1050));
}

TEST_CASE("a block that sleeps waits as long as the GPU makes of it") {
  Machine<double> machine = simple_machine();
  const LaunchShape shape{.blocks = 4, .resident = 1, .sleep_s = 2e-6};
  CHECK_THROWS_WITH(launch_time(Work{}, shape, machine), Contains("sleep"));
  machine.rates.sleep = 1.5;
  const LaunchTime<double> time = launch_time(Work{.issue_clocks = 100}, shape, machine);
  CHECK(time.of(Resource::waiting) * 1e9 == Approx(2 * (100 + 3000)));
  CHECK(time.busy * 1e9 == Approx(2 * (100 + 3000)));
}

TEST_CASE("a launch, the start of DRAM and the first fetch of the code cost once") {
  Machine<double> machine = simple_machine();
  machine.kernel_gap = 1e-6;
  machine.dram_start = 2e-6;
  machine.rates.fetch = 5;
  const LaunchTime<double> time = launch_time(Work{.code_bytes = 1600}, {}, machine);
  CHECK(time.fixed == Approx(1e-6 + 2e-6 + 500e-9));
  CHECK(time.busy == 0);
}

TEST_CASE("a rate that was not measured is named") {
  Machine<double> machine = simple_machine();
  machine.rates.alu.reset();
  CHECK_THROWS_WITH(launch_time(Work{}, LaunchShape{}, machine),
                    Contains("'simple'") && Contains("pipe.alu"));
}

namespace {

/// Two launches: of one block per element, then of one that works on what those left.
const KernelInfo first_kernel{"First", nullptr, nullptr, {}}, second_kernel{"Second", nullptr, nullptr, {}};
Plan two_launches(double n, int threads) {
  Launch first{.kernel = &first_kernel, .blocks = Index(n), .shape = {threads, 1024}, .elements = n};
  Launch second{.kernel = &second_kernel, .shape = {threads, 0}, .repeats = 3, .elements = n};
  return {first, second};
}

AlgorithmWork work_of_two() {
  AlgorithmWork work;
  work.algorithm = "test";
  work.kernels = {
      {.kernel = "First", .registers = 32, .constant = {.alu = 100, .sectors_read = 1, .bytes_read = 32}},
      {.kernel = "Second", .registers = 64, .per_element = {.alu = 2}}};
  return work;
}

}  // namespace

TEST_CASE("the launches of a plan take place one after another, each as often as it repeats") {
  Machine<double> machine = simple_machine();
  machine.launch_overhead = 5e-6;
  machine.kernel_gap = 1e-6;
  machine.limits.shared_bytes_per_block = 100 * 1024;
  const Plan plan = two_launches(10, 128);
  const RunTime<double> run = run_time(10, plan, work_of_two(), machine);
  REQUIRE(run.launches.size() == 2);
  CHECK(run.launches[0].of(Resource::alu) * 1e9 == Approx(5 * 50));  // 5 blocks on each multiprocessor
  CHECK(run.launches[1].of(Resource::alu) * 1e9 == Approx(10));      // one block of 10 elements
  CHECK(run.seconds == Approx(5e-6 + run.launches[0].seconds() + 3 * run.launches[1].seconds()));
}

TEST_CASE("a block that no multiprocessor holds is named, as is a kernel without work") {
  Machine<double> machine = simple_machine();
  machine.launch_overhead = machine.kernel_gap = 0;
  machine.limits.shared_bytes_per_block = 512;
  CHECK_THROWS_WITH(run_time(10, two_launches(10, 64), work_of_two(), machine),
                    Contains("'simple'") && Contains("First") && Contains("1024 bytes"));
  machine.limits.shared_bytes_per_block = 100 * 1024;
  AlgorithmWork work = work_of_two();
  work.kernels.pop_back();
  CHECK_THROWS_WITH(run_time(10, two_launches(10, 64), work, machine), Contains("Second"));
}

TEST_CASE("of a block of a fixed grid, what does not depend on the elements takes place once") {
  Machine<double> machine = simple_machine();
  machine.limits.shared_bytes_per_block = 100 * 1024;
  AlgorithmWork work = work_of_two();
  work.kernels[0].per_doubling = {.alu = 1};  // but nothing per element
  work.kernels[1].constant = {.instructions = 7};
  work.kernels[1].per_element = {.instructions = 3};
  work.kernels[1].per_partial = {.instructions = 2};
  const std::vector<CountedLaunch> launches = counted_launches(10, two_launches(10, 64), work, machine);
  CHECK(launches[0].once == Work{});
  CHECK(launches[1].work.instructions == Approx(7 + 10 * 3 + 10 * 2));  // all elements, 10 blocks' results
  CHECK(launches[1].once.instructions == Approx(7 + 2));                // no element, one block's results
}

namespace {

/// The reuse distance in bytes of each launch, for launches of one block that touch 1, 2, 4
/// … bytes.
std::vector<double> reaches(double n, const std::vector<std::pair<double, double>>& repeats_and_elements) {
  static const std::array<KernelInfo, 4> kernels{{{"A", nullptr, nullptr, {}},
                                                  {"B", nullptr, nullptr, {}},
                                                  {"C", nullptr, nullptr, {}},
                                                  {"D", nullptr, nullptr, {}}}};
  Plan plan;
  AlgorithmWork work;
  for (const auto& [repeats, elements] : repeats_and_elements) {
    const std::size_t i = plan.size();
    plan.push_back({.kernel = &kernels[i], .shape = {32, 0}, .repeats = repeats, .elements = elements});
    const double bytes = double(1 << i);
    work.kernels.push_back({.kernel = std::string(kernels[i].name),
                            .registers = 32,
                            .constant = {.bytes_read = bytes / 4, .bytes_written = bytes * 3 / 4}});
  }
  std::vector<double> result;
  for (const CountedLaunch& launch : counted_launches(n, plan, work, simple_machine()))
    result.push_back(launch.shape.reach_bytes);
  return result;
}

}  // namespace

TEST_CASE("a launch follows the one before it, the first of a run the last") {
  using Bytes = std::vector<double>;
  CHECK(reaches(100, {{1, 100}}) == Bytes{1});
  CHECK(reaches(100, {{1, 100}, {1, 100}, {1, 100}}) == Bytes{4, 1, 2});
}

TEST_CASE("what is written in place is touched once") {
  Machine<double> machine = simple_machine();
  machine.l2_half = 32000;
  machine.l2_steepness = 4;
  const Work work{.sectors_read = 100, .sectors_written = 100, .bytes_read = 3200, .bytes_written = 3200};
  LaunchShape shape{.blocks = 10, .resident = 5, .in_place = true};  // a footprint of 32 kB: the L2 has half
  const auto dram = [&] { return launch_time(work, shape, machine).of(Resource::dram); };
  const double in_place = dram();
  shape.in_place = false;  // of 64 kB: it has 1/17
  CHECK(dram() == Approx(in_place / (1. / 2) * 16 / 17));
}

TEST_CASE("launches that repeat in turn follow the last of their group") {
  using Bytes = std::vector<double>;
  CHECK(reaches(100, {{5, 100}}) == Bytes{1});
  CHECK(reaches(100, {{1, 100}, {5, 100}, {5, 100}, {1, 100}}) == Bytes{8, 4, 2, 4});
  CHECK(reaches(100, {{5, 100}, {5, 100}, {3, 100}}) == Bytes{2, 1, 4});  // another group repeats 3 times
}

TEST_CASE("a group that repeats on parts of the elements begins each with untouched ones") {
  using Bytes = std::vector<double>;
  // All five parts of the first are touched before it comes back to one.
  CHECK(reaches(100, {{5, 20}, {5, 20}}) == Bytes{5 * 1, 1});
  CHECK(reaches(100, {{1, 100}, {5, 20}, {5, 20}}) == Bytes{4, 5 * 2, 2});
  CHECK(reaches(100, {{5, 80}, {5, 80}}) == Bytes{2, 1});  // all of them, but for what is done already
  CHECK(reaches(100, {{5, 0}, {5, 0}}) == Bytes{2, 1});    // 0 stands for n
  CHECK(reaches(100, {{1, 20}, {1, 20}}) == Bytes{2, 1});
}

namespace {

/// A random launch whose numbers have all orders of magnitude.
struct RandomCase {
  Work work, once;
  LaunchShape shape;
  Machine<double> machine = simple_machine();

  explicit RandomCase(std::mt19937_64& random) {
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
    };
    for (const Demand& demand : all_demands) work.*demand.value = between(1e-2, 1e5);
    for (const Demand& demand : all_demands) once.*demand.value = work.*demand.value * between(1e-2, 1);
    shape = {.blocks = std::floor(between(1, 1e6)),
             .threads_per_block = 32 * int(between(1, 32)),
             .shared_bytes_per_block = between(1, 5e4),
             .resident = int(between(1, 4)),
             .carveout = between(1, 2e5),
             .reach_bytes = between(1, 1e12)};
    // A copy takes at least as long as its slower half, and at most as long as one after the other.
    machine.rates.dram_copy = between(8e9 / 3, 4e9);
    machine.rates.l2_copy = between(16e9 / 3, 8e9);
    machine.rates.barriers = between(0.01, 1);
    machine.rates.loaded_latency = between(100, 1e4);
    machine.rates.overlap = between(1, 20);
    machine.rates.knee = between(1, 20);
    machine.rates.phase_share = between(0.01, 1);
    machine.rates.phase_decay = between(0.5, 3);
    machine.rates.fetch = 4;
    machine.block_start = between(1, 200);
    machine.warp_start = between(1, 20);
    machine.dram_start = 1e-6;
    machine.l2_half = between(1e5, 1e9);
    machine.l2_half_reading = between(1e5, 1e9);
    machine.l2_steepness = between(1, 20);
  }

  template <class Real>
  LaunchTime<Real> time_on(const Machine<Real>& other) const {
    return launch_time(work, shape, other, once);
  }
  LaunchTime<double> time() const { return time_on(machine); }
};

}  // namespace

TEST_CASE("no launch beats a rate or its longest chain, and none takes longer than one thing after another") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const RandomCase one(random);
    const LaunchTime<double> time = one.time();
    double sum = 0;
    for (const Resource resource : all_resources) {
      INFO(name(resource));
      REQUIRE(time.of(resource) >= 0);
      REQUIRE(time.busy >= time.of(resource) * (1 - 1e-12));
      sum += time.of(resource);
    }
    REQUIRE(std::isfinite(time.seconds()));
    const double blocks = std::ceil(one.shape.blocks / 2);  // every block waits, at worst, alone
    REQUIRE(time.busy <=
            sum + (one.machine.rates.phase_share ? blocks : 0) * time.of(Resource::waiting) + sum);
  }
}

TEST_CASE("more work never takes less time") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 300; ++i) {
    RandomCase one(random);
    one.machine.l2_half.reset();
    one.machine.l2_half_reading.reset();  // with more bytes the L2 holds less, which is another matter
    const double before = one.time().seconds();
    for (const Demand& demand : all_demands) {
      if (demand.name.ends_with("hidden") || demand.name == "scattered_sectors" ||
          demand.name.find("bytes_") != demand.name.npos)
        continue;
      RandomCase more = one;
      more.work.*demand.value *= 1.5;
      // Waits that no barrier follows would make the warps more independent, which is another matter, too.
      if (demand.name == "global_waits") more.work.barriers *= 1.5;
      INFO(demand.name);
      REQUIRE(more.time().seconds() >= before * (1 - 1e-12));
    }
  }
}

TEST_CASE("derivatives by every constant are those of the time") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100; ++i) {
    const RandomCase one(random);
    tests::check_derivatives(one.machine,
                             [&](const auto& machine) { return one.time_on(machine).seconds(); });
  }
}
