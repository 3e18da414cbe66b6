// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/cuda/gpu_activity.h>

#include <catch2/catch.hpp>

#include <unistd.h>

using namespace fathom;

TEST_CASE("NVML's answers about a GPU are read") {
  const GpuActivity activity = gpu_activity("0000:1A:00.0", FAKE_NVML);
  REQUIRE(activity.processes.size() == 2);
  CHECK(activity.processes[0].pid == 1000001);
  CHECK(activity.processes[0].bytes == 5e9);
  CHECK_FALSE(activity.processes[1].bytes);
  CHECK(activity.busy_percent == 97);
  CHECK(activity.celsius == 84);
  CHECK(activity.watts.value() == Approx(698.7));
  CHECK(activity.watts_allowed.value() == Approx(700));
  CHECK(activity.slowed_by == std::vector<std::string>{"the power limit", "its temperature"});
}

TEST_CASE("without NVML, or for an unknown GPU, nothing is known about its activity") {
  for (const GpuActivity& activity : {gpu_activity("0000:1A:00.0", "no-such-library.so.1"),
                                      gpu_activity("0000:FF:00.0", FAKE_NVML), gpu_activity("", FAKE_NVML)}) {
    CHECK(activity.processes.empty());
    CHECK_FALSE(activity.busy_percent);
    CHECK_FALSE(activity.celsius);
    CHECK_FALSE(activity.watts);
    CHECK(activity.slowed_by.empty());
  }
}

TEST_CASE("disturbances of a GPU are put into words") {
  using Lines = std::vector<std::string>;
  const int self = getpid();
  GpuActivity before, at_end, afterwards;
  const auto found = [&] { return disturbances(before, at_end, afterwards, self); };
  CHECK(found().empty());

  SECTION("this process alone, under its own number and, in a container, under another") {
    for (int pid : {self, 1000007}) {
      at_end.processes = {{pid, 4e9}};
      CHECK(found().empty());
    }
  }
  SECTION("others, by number if numbers hold") {
    before.processes = {{1000001, 5e9}};
    at_end.processes = {{1000001, 5e9}, {self, 4e9}, {1000002, {}}};
    CHECK(found() == Lines{"2 other processes use the GPU: 1000001 (5000 MB), 1000002"});
    at_end.processes = {{1000001, 5e9}, {1000003, 4e9}};
    CHECK(found() == Lines{"another process uses the GPU"});
    at_end.processes = {};
    CHECK(found() == Lines{"another process uses the GPU"});
  }
  SECTION("work of others") {
    before.busy_percent = 100;
    at_end.busy_percent = 100;  // this process's own
    afterwards.busy_percent = 3;
    CHECK(found() == Lines{"the GPU was 100 % busy before the calibration began"});
    before.busy_percent = 0;
    afterwards.busy_percent = 98;
    CHECK(found() == Lines{"the GPU was 98 % busy after the calibration, with other work"});
  }
  SECTION("limits") {
    at_end = gpu_activity("0000:1A:00.0", FAKE_NVML);
    at_end.processes.clear();
    CHECK(found() ==
          Lines{"the clock was held down by the power limit, its temperature (699 of 700 W, 84 °C)"});
  }
}
