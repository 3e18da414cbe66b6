// SPDX-License-Identifier: Apache-2.0
#include "launch.h"

#include <catch2/catch.hpp>

using namespace fathom;

namespace {

/// Thread i reads the i-th of the given addresses.
struct Gather {
  Span<const u32> addresses;
  void operator()(Block& block) const {
    const auto memory = block.shared<u32>(64);
    for (int i = block.thread(); i < 64; i += block.threads()) memory.store(i, 0);
    block.barrier();
    memory.load(int(addresses.load(block.thread())));
  }
};

/// Every thread reads `rounds` elements, contiguously over all threads, waiting for the others in between.
struct ContiguousAccess {
  Span<const u32> input;
  int rounds;
  void operator()(Block& block) const {
    for (int round = 0; round < rounds; ++round) {
      input.load(round * block.threads() + block.thread());
      block.barrier();
    }
  }
};

/// Two launches of three warps; each warp makes two shared accesses of two slots, a global access and a
/// shuffle.
struct Costs {
  Span<const u32> input;
  void operator()(Block& block) const {
    const auto words = block.shared<u32>(2 * block.threads());
    words.store(2 * block.thread(), input.load(block.index() * block.threads() + block.thread()));
    words.load(2 * block.thread());
    block.shuffle(u32(1), 0);
  }
};

u64 time_of(const LaunchTrace& trace, const MemoryMachine& machine, std::size_t request, u64 threads) {
  return machine.time(trace.memory_machines[request], threads);
}

}  // namespace

TEST_CASE("a kernel's trace costs as much as its accesses written by hand") {
  const int width = 4, latency = 3;
  CountingExecutor executor({}, {{{MachineKind::dmm, width}, {MachineKind::umm, width}}, {}});
  // The first eight threads are the worked example of nakano2012; the rest read one word.
  std::vector<u32> addresses(32, 0);
  const std::vector<u32> example{0, 1, 6, 10, 8, 9, 14, 15};
  std::copy(example.begin(), example.end(), addresses.begin());
  const DeviceArray<u32> array(executor, std::span<const u32>(addresses));
  executor.reset();
  launch(executor, Gather{{array.data(), array.size()}}, {32, 256}, 1);
  REQUIRE(executor.traces().size() == 1);

  const MemoryMachine dmm(MachineKind::dmm, width, latency), umm(MachineKind::umm, width, latency);
  // Stores: two conflict-free rounds of eight warps; then, after the barrier, 2 + 1 + 6·1 slots.
  const u64 stores = 2 * 8 + latency - 1, loads = 2 + 1 + 6 + latency - 1;
  CHECK(time_of(executor.traces()[0], dmm, 0, 32) == stores + loads);
  // Global memory: eight warps read four consecutive words each.
  CHECK(time_of(executor.traces()[0], umm, 1, 32) == 8 + latency - 1);
}

TEST_CASE("contiguous access takes (n/p)·(p/w + l - 1) units (nakano2012)") {
  for (const int width : {4, 8, 32})
    for (const int latency : {1, 5, 40}) {
      CountingExecutor executor({}, {{{MachineKind::umm, width}}, {}});
      const DeviceArray<u32> array(executor, 64 * 6);
      executor.reset();
      launch(executor, ContiguousAccess{{array.data(), array.size()}, 6}, {64}, 1);
      INFO("w = " << width << ", l = " << latency);
      CHECK(time_of(executor.traces()[0], {MachineKind::umm, width, latency}, 0, 64) ==
            u64(6 * (64 / width + latency - 1)));
    }
}

TEST_CASE("the AGPU counts instructions, including conflicts, and blocks of global memory") {
  const int width = 16;
  CountingExecutor executor({}, {{}, width});
  const DeviceArray<u32> array(executor, 3 * 32);
  executor.reset();
  for (int i = 0; i < 2; ++i) launch(executor, Costs{{array.data(), array.size()}}, {32, 256}, 3);
  REQUIRE(executor.traces().size() == 2);
  // Per warp of 16: one global load, two shared accesses at a stride of two (2 slots each), one shuffle.
  const u64 instructions = 2 * (1 + 2 * 2 + 1);
  Agpu agpu(3 * width, width, 1000);
  for (const LaunchTrace& trace : executor.traces()) {
    REQUIRE(trace.agpu_blocks.size() == 3);
    for (const Agpu::Block& block : trace.agpu_blocks) {
      CHECK(block.instructions == instructions);
      CHECK(block.io == 2);
    }
    agpu.launch(trace.agpu_blocks, trace.shared_words_per_block);
  }
  CHECK(agpu.costs().time == 2 * instructions);
  CHECK(agpu.costs().io == 2 * 3 * 2);
  CHECK(agpu.costs().shared_words == 64);
  CHECK(agpu.costs().multiplicity == 1000.0 / 64);
}
