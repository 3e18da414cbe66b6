// SPDX-License-Identifier: Apache-2.0
// Launches of a profiler's report under the law `counted`, worked by hand on a machine whose clock is a
// nanosecond.
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/laws/reported_launches.h>

#include <catch2/catch.hpp>

#include "../support/error_of.h"
#include "../support/machines.h"

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

std::optional<double>& demand(ReportedLaunch& launch, double Work::*member) {
  for (std::size_t i = 0; i < all_demands.size(); ++i)
    if (all_demands[i].value == member) return launch.demands[i];
  throw std::logic_error("no such demand");
}

/// Ten blocks of 64 threads that read 1000 sectors each, with all that is needed and nothing else.
ReportedLaunch reading() {
  ReportedLaunch launch{.kernel = "Read", .blocks = 10, .threads_per_block = 64};
  launch.registers = 32;
  launch.static_shared_bytes = 1024;
  launch.dynamic_shared_bytes = 0;
  demand(launch, &Work::instructions) = 200;
  demand(launch, &Work::sectors_read) = 1000;
  demand(launch, &Work::sectors_written) = 0;
  demand(launch, &Work::bytes_read) = 32000;
  return launch;
}

/// The simple machine, whose blocks may have shared memory and whose runs start at once.
Machine<double> machine_of_blocks() {
  Machine<double> machine = simple_machine();
  machine.limits.shared_bytes_per_block = 227 * 1024;
  machine.launch_overhead = 0;
  return machine;
}

double seconds(const ReportedLaunch& launch, const Machine<double>& machine) {
  std::vector<CountedLaunch> launches{counted_launch(launch, machine, machine)};
  set_reach(launches, Caches::cold);
  return run_time(launches, machine).seconds;
}

}  // namespace

TEST_CASE("without its waits a warp issues an instruction per clock and waits for memory once") {
  const Work work = work_of(reading(), simple_machine());
  CHECK(work.issue_clocks == 100);  // of two warps
  CHECK(work.global_waits == 1);
  CHECK(work.shared_waits == 0);
  CHECK(work.other_waits == 0);
  CHECK(work.sectors_read == 1000);
  CHECK(work.bytes_written == 0);

  ReportedLaunch computing = reading();
  demand(computing, &Work::sectors_read) = 0;
  CHECK(work_of(computing, simple_machine()).global_waits == 0);
}

TEST_CASE("waits are clocks of the mean warp over latencies, without the queues") {
  // Latencies: 600 of DRAM, 30 of shared memory, 10 of a barrier. Half of each wait is a queue.
  ReportedLaunch launch = reading();
  demand(launch, &Work::barriers) = 4;
  launch.warp = WarpClocks{
      .issuing = 250, .global = 3600, .shared = 120, .barriers = 200, .other = 90, .utilization = 0.5};
  const Work work = work_of(launch, simple_machine());
  CHECK(work.issue_clocks == 250);
  CHECK(work.global_waits == Approx(3600 * 0.5 / 600));
  CHECK(work.shared_waits == Approx(120 * 0.5 / 30));
  CHECK(work.barriers == 4);
  CHECK(work.other_waits == Approx((90 * 0.5 + 200 * 0.5 - 4 * 10) / 30));

  launch.warp->utilization = 1;  // all of it is queues: as without waits
  const Work busy = work_of(launch, simple_machine());
  CHECK(busy.global_waits == 1);
  CHECK(busy.other_waits == 0);
  launch.warp->issuing = 0;
  CHECK(work_of(launch, simple_machine()).issue_clocks == 100);
}

TEST_CASE("waits that are demands of the launch stay what they are") {
  ReportedLaunch launch = reading();
  demand(launch, &Work::issue_clocks) = 730;
  demand(launch, &Work::global_waits) = 5;
  const Work work = work_of(launch, simple_machine());
  CHECK(work.issue_clocks == 730);
  CHECK(work.global_waits == 5);
}

TEST_CASE("a machine without a latency that waits are measured with is named") {
  ReportedLaunch launch = reading();
  launch.warp = WarpClocks{.global = 600};
  Machine<double> machine = simple_machine();
  machine.rates.dram_latency.reset();
  CHECK_THAT(error_of<MissingConstant>([&] { work_of(launch, machine); }), Contains("wait.dram"));
}

TEST_CASE("launches that the law cannot price say why") {
  struct Case {
    const char* says;
    void (*change)(ReportedLaunch&);
  };
  for (const auto& [says, change] : {
           Case{"", [](ReportedLaunch&) {}},
           {"its registers", [](ReportedLaunch& launch) { launch.registers.reset(); }},
           {"its shared memory", [](ReportedLaunch& launch) { launch.static_shared_bytes.reset(); }},
           {"its shared memory", [](ReportedLaunch& launch) { launch.dynamic_shared_bytes.reset(); }},
           {"its instructions", [](ReportedLaunch& launch) { demand(launch, &Work::instructions).reset(); }},
           {"that it reads", [](ReportedLaunch& launch) { demand(launch, &Work::sectors_read).reset(); }},
           {"that it writes", [](ReportedLaunch& launch) { demand(launch, &Work::sectors_written).reset(); }},
           {"from DRAM", [](ReportedLaunch& launch) { demand(launch, &Work::bytes_read).reset(); }},
           {"tensor cores", [](ReportedLaunch& launch) { launch.tensor = 1; }},
           {"", [](ReportedLaunch& launch) { launch.tensor = 0.1; }},
           {"doubles", [](ReportedLaunch& launch) { launch.fp64 = 3; }},
           {"", [](ReportedLaunch& launch) { launch.fp64 = 1; }},
           {"may launch kernels itself", [](ReportedLaunch& launch) { launch.launches_kernels = 1; }},
           {"", [](ReportedLaunch& launch) { launch.blocks_per_cluster = 4; }},
       }) {
    ReportedLaunch launch = reading();
    change(launch);
    const std::string why = why_not_priced(launch);
    INFO("expected: " << says << ", got: " << why);
    CHECK(why.empty() == std::string(says).empty());
    CHECK_THAT(why, Contains(says));
  }
}

TEST_CASE("a block that reads more than it can hold reads again and again") {
  // 64 threads of 32 registers and 1 KiB of shared memory hold 9216 bytes, which are 288 sectors.
  ReportedLaunch launch = reading();
  for (const auto& [sectors, again] : {std::pair{288.0, false}, std::pair{289.0, true}}) {
    demand(launch, &Work::sectors_read) = sectors;
    INFO(sectors);
    CHECK(reads_again(launch) == again);
    CHECK(counted_launch(launch, machine_of_blocks(), machine_of_blocks()).shape.fixed_grid == again);
  }
}

TEST_CASE("a reported launch takes the time of its demands") {
  // 10 blocks read 32,000 bytes each at 4 bytes per ns. A multiprocessor's five, as if six for its four
  // schedulers, issue 200 instructions each, four per ns. A warp issues 100 ns and waits 600.
  const Machine<double> machine = machine_of_blocks();
  const double expected = (10 * 32000 / 4. + 6 * 200 / 4. + 100 + 600) * 1e-9;
  CHECK(seconds(reading(), machine) == Approx(expected));

  std::vector<CountedLaunch> scaled{counted_launch(reading(), machine, machine)};
  set_reach(scaled, Caches::cold);
  scaled.front().scale = 1.5;
  scaled.front().repeats = 2;
  const RunTime<double> time = run_time(scaled, machine);
  CHECK(time.seconds == Approx(2 * 1.5 * expected));
  CHECK(time.launches.front().of(Resource::dram) == Approx(1.5 * 80e-6));
}

TEST_CASE("the shape of a launch is the target's: blocks resident, and at most its carve-out") {
  ReportedLaunch launch = reading();
  launch.carveout_bytes = 500 * 1024;
  launch.dynamic_shared_bytes = 99 * 1024;
  const Machine<double> machine = machine_of_blocks();
  const LaunchShape shape = counted_launch(launch, machine, machine).shape;
  CHECK(shape.blocks == 10);
  CHECK(shape.threads_per_block == 64);
  CHECK(shape.shared_bytes_per_block == 100 * 1024);
  CHECK(shape.resident == 2);  // of 101 KiB with what is reserved, in 228 KiB
  CHECK(shape.carveout == 228 * 1024);

  launch.dynamic_shared_bytes = 400 * 1024;
  CHECK_THAT(error_of<BlockTooLarge>([&] { counted_launch(launch, machine, machine); }),
             Contains("'simple' holds a block of Read: 64 threads with 410624 bytes"));
}

TEST_CASE("cold caches hold nothing, warm ones what the launch before touched") {
  const Machine<double> machine = machine_of_blocks();
  ReportedLaunch second = reading();
  second.blocks = 3;
  std::vector<CountedLaunch> launches{counted_launch(reading(), machine, machine),
                                      counted_launch(second, machine, machine)};
  set_reach(launches, Caches::warm);
  CHECK(launches[0].shape.reach_bytes == 3 * 32000);  // as in a loop
  CHECK(launches[1].shape.reach_bytes == 10 * 32000);
  set_reach(launches, Caches::cold);
  CHECK(launches[0].shape.reach_bytes > 1e12);

  CHECK(parse_caches("warm") == Caches::warm);
  CHECK(name(Caches::cold) == "cold");
  CHECK_THAT(error_of<std::invalid_argument>([] { parse_caches("hot"); }), Contains("choose cold or warm"));
}
