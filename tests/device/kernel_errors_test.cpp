// SPDX-License-Identifier: Apache-2.0
// What a kernel does wrong, besides races, is reported with its place.
#include "launch.h"

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

struct WritePastTheEnd {
  Span<u32> output;
  void operator()(Block& block) const {
    output.store(block.index() * block.threads() + block.thread() + 1, 0);
  }
};

struct BarrierForHalf {
  void operator()(Block& block) const {
    if (block.thread() < 32) block.barrier();
  }
};

struct PollForEver {
  Span<u32> flag;
  static constexpr bool blocks_communicate = true;
  void operator()(Block&) const {
    while (flag.load_acquire(0) == 0) {
    }
  }
};

}  // namespace

TEST_CASE("an access out of bounds is reported with kernel, block, thread and source location") {
  CountingExecutor executor;
  const DeviceArray<u32> output(executor, 128);
  CHECK_THROWS_WITH(launch(executor, WritePastTheEnd{output.span()}, {64}, 2),
                    Contains("WritePastTheEnd, block 1, thread 63 (kernel_errors_test.cpp:") &&
                        Contains("global memory: index 128 outside [0, 128)"));
  const auto shared_past_the_end = [](Block& block) { block.shared<u32>(8).store(block.thread(), 1); };
  CHECK_THROWS_WITH(launch(executor, shared_past_the_end, {32, 32}, 1),
                    Contains("thread 8") && Contains("shared memory: index 8 outside [0, 8)"));
  CHECK_THROWS_WITH(launch(executor, shared_past_the_end, {32, 16}, 1),
                    Contains("uses 32 bytes of shared memory; the launch gave the block 16"));
  const auto misaligned = [to = output.span()](Block& block) {
    to.store_vector<4>(block.thread() * 4 + 1, {});
  };
  CHECK_THROWS_WITH(launch(executor, misaligned, {32}, 1), Contains("not a multiple of 16 bytes"));
  std::vector<u32> host(64);
  CHECK_THROWS_WITH(launch(executor, WritePastTheEnd{{host.data(), host.size()}}, {32}, 1),
                    Contains("not allocated"));
}

TEST_CASE("threads that wait forever are listed with their source locations") {
  CountingExecutor executor;
  CHECK_THROWS_WITH(
      launch(executor, BarrierForHalf{}, {64}, 1),
      Contains("BarrierForHalf, block 0: threads wait forever: threads 0 to 31 at the barrier in "
               "kernel_errors_test.cpp:") &&
          Contains("threads 32 to 63 ended"));
  const auto two_barriers = [](Block& block) {
    if (block.thread() < 32)
      block.barrier();
    else
      block.barrier();
  };
  CHECK_THROWS_WITH(launch(executor, two_barriers, {64}, 1), Contains("different barriers"));
  const auto apart = [](Block& block) {
    block.lane() < 16 ? void(block.shuffle(u32(1), 0)) : void(block.ballot(true));
  };
  CHECK_THROWS_WITH(launch(executor, apart, {32}, 1),
                    Contains("threads 0 to 15 at the shuffle") && Contains("threads 16 to 31 at the ballot"));
  const auto others_apart = [](Block& block) {
    block.lane() < 16 ? void(block.match(1)) : void(block.reduce_or(1));
  };
  CHECK_THROWS_WITH(launch(executor, others_apart, {32}, 1),
                    Contains("threads 0 to 15 at the match in kernel_errors_test.cpp:") &&
                        Contains("threads 16 to 31 at the reduce in kernel_errors_test.cpp:"));
  const DeviceArray<u32> flag(executor, 1);
  executor.fill(flag.data(), 0, flag.bytes());
  CHECK_THROWS_WITH(launch(executor, PollForEver{flag.span()}, {32}, 1), Contains("polls forever"));
}

TEST_CASE("if several blocks fail, the first one is reported") {
  CountingExecutor executor({.workers = 4});
  const DeviceArray<u32> output(executor, 32);
  for (int trial = 0; trial < 20; ++trial)
    CHECK_THROWS_WITH(launch(executor, WritePastTheEnd{output.span()}, {32}, 50), Contains("block 0,"));
}

TEST_CASE("a block that does not fit on a multiprocessor or is not made of whole warps is rejected") {
  CountingExecutor executor({.memory_bytes = 1000});
  CHECK_THROWS_WITH(launch(executor, BarrierForHalf{}, {33}, 1), Contains("whole warps"));
  CHECK_THROWS_WITH(launch(executor, BarrierForHalf{}, {32, 1 << 20}, 1),
                    Contains("does not fit on a multiprocessor"));
  CHECK_THROWS_WITH(DeviceArray<u32>(executor, 251), Contains("need 1004 bytes"));
}
