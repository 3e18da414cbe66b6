// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/constants.h>

#include "../support/machines.h"

#include <catch2/catch.hpp>

#include <set>

using namespace fathom;

TEST_CASE("the tightest limit determines the occupancy") {
  OccupancyLimits limits;  // 2048 threads, 32 blocks, 65536 registers
  limits.shared_bytes_per_multiprocessor = 100 * 1024;
  limits.shared_bytes_per_block = 99 * 1024;
  limits.shared_bytes_reserved = 1024;

  CHECK(resident_blocks(limits, 256, 0, 0) == 8);  // threads: 2048/256
  CHECK(resident_blocks(limits, 32, 0, 0) == 32);  // blocks
  CHECK(resident_blocks(limits, 33, 0, 0) == 32);  // two warps each: 2048/64
  CHECK(resident_blocks(limits, 96, 0, 0) == 21);  // 2048/96 = 21.3
  // Shared memory: 19 KiB and the 1 KiB reserved per block; 100/20.
  CHECK(resident_blocks(limits, 256, 0, 19 * 1024) == 5);
  // Registers: 64·32 = 2048 for a warp, 16384/2048 = 8 warps per scheduler, 32 in all, 8 of them a block.
  CHECK(resident_blocks(limits, 256, 64, 0) == 4);
  // 65·32 = 2080 → 2304, 7 warps per scheduler, 28 in all.
  CHECK(resident_blocks(limits, 256, 65, 0) == 3);
  // 168·32 = 5376: 12.19 warps fit in the file, but 3 per scheduler: 12, enough for one block of 8, not for
  // two.
  CHECK(resident_blocks(limits, 256, 168, 0) == 1);
}

TEST_CASE("a block that does not fit has zero resident copies") {
  OccupancyLimits limits;
  limits.shared_bytes_per_multiprocessor = 100 * 1024;
  limits.shared_bytes_per_block = 48 * 1024;
  CHECK(resident_blocks(limits, 1025, 0, 0) == 0);
  CHECK(resident_blocks(limits, 0, 0, 0) == 0);
  CHECK(resident_blocks(limits, 128, 0, 48 * 1024 + 1) == 0);
  CHECK(resident_blocks(limits, 1024, 65, 0) == 0);
  CHECK(resident_blocks(limits, 32, 2147483648., 0) == 0);  // more registers than an int holds
}

TEST_CASE("P and M are the device's totals") {
  const Machine<double> machine = tests::m4000();
  CHECK(machine.P() == 1664);
  CHECK(machine.M() == Approx(1248 * 1024 / 4));
}

TEST_CASE("every constant is visited once, under the profile's name") {
  std::set<std::string_view> names;
  const Machine<double> machine = tests::complete_machine();
  for_each_constant(machine, [&](std::string_view name, const std::optional<double>& value) {
    CHECK(value);
    CHECK(names.insert(name).second);
  });
  CHECK(names.size() == constants<double>().size());
  CHECK(names.count("register.latency") == 1);
}

TEST_CASE("levels have the names used in files") {
  CHECK(name(Level::global) == "global");
  CHECK(name(Level::l2) == "l2");
  CHECK(name(Level::shared) == "shared");
  CHECK(name(Level::registers) == "register");
}
