// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/arena_executor.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/recording_executor.h>

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

TEST_CASE("an arena's allocations follow each other in its memory, each from a multiple of 256 bytes on") {
  CountingExecutor cpu;
  const DeviceArray<char> memory(cpu, 1024);
  ArenaExecutor arena(cpu, memory.data(), memory.size());
  CHECK(arena.allocate(1) == memory.data());
  CHECK(arena.allocate(256) == memory.data() + 256);
  CHECK(arena.allocate(0) == memory.data() + 512);
  CHECK(arena.allocate(257) == memory.data() + 512);
  CHECK_THROWS_AS(arena.allocate(1), OutOfDeviceMemory);
  CHECK_THROWS_WITH(arena.allocate(300), Contains("need 512 bytes") && Contains("0 of its 1024 are left"));
}

TEST_CASE("a recording says how large an arena has to be for the same allocations") {
  RecordingExecutor recorder(any_device());
  for (const std::size_t bytes : {1, 256, 300}) recorder.allocate(bytes);
  CHECK(recorder.allocated_bytes() == 557);
  CHECK(recorder.arena_bytes() == 256 + 256 + 512);
}

TEST_CASE("an arena fills and copies on its executor") {
  CountingExecutor cpu;
  const DeviceArray<unsigned char> memory(cpu, 512);
  ArenaExecutor arena(cpu, memory.data(), memory.size());
  const DeviceArray<unsigned char> first(arena, 3), second(arena, 3);
  arena.fill(first.data(), 7, 3);
  arena.copy(second.data(), first.data(), 3);
  CHECK(second.download() == std::vector<unsigned char>{7, 7, 7});
  CHECK(arena.multiprocessors() == cpu.multiprocessors());
}
