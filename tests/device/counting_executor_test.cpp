// SPDX-License-Identifier: Apache-2.0
#include "launch.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

using namespace fathom;

namespace {

/// Reverses each block's elements through shared memory.
struct ReverseInBlock {
  Span<const u32> input;
  Span<u32> output;
  void operator()(Block& block) const {
    const auto part = block.shared<u32>(block.threads());
    const Index first = block.index() * block.threads();
    part.store(block.thread(), input.load(first + block.thread()));
    block.barrier();
    output.store(first + block.thread(), part.load(block.threads() - 1 - block.thread()));
  }
};

/// One value of every shuffle and the ballot, per thread.
struct Exchanges {
  Span<u32> output;  // 5 per thread
  void operator()(Block& block) const {
    const u32 mine = u32(block.thread() * 10);
    const auto put = [&](int slot, u32 value) { output.store(block.thread() * 5 + slot, value); };
    put(0, block.shuffle(mine, 3));
    put(1, block.shuffle_up(mine, 2));
    put(2, block.shuffle_down(mine, 2));
    put(3, block.shuffle_xor(mine, 1));
    put(4, block.ballot(block.lane() % 4 == 0));
  }
};

/// Each thread's turn, as an atomic of its warp counts it.
struct TakeTurns {
  static constexpr u32 threads = 96;
  Span<u32> output;
  void operator()(Block& block) const {
    const auto turns = block.shared<u32>(block.warps());
    if (block.lane() == 0) turns.store(block.warp(), 0);
    block.warp_barrier();
    output.store(block.thread(), turns.atomic_add(block.warp(), 1));
  }
};

/// Hours of loads in the chosen block, nothing in the others.
struct EndlessBlock {
  Span<const u32> input;
  Span<u32> output;
  Index endless;
  void operator()(Block& block) const {
    if (block.index() != endless || block.thread() != 0) return;
    u32 sum = 0;
    for (Index i = 0; i < Index(1) << 40; ++i) sum += input.load(i % 4);
    output.store(0, sum);
  }
};

/// Hours of loads on one host thread, for which the other one waits to begin.
struct EndlessElsewhere {
  Span<const u32> input;
  Span<u32> output;
  std::thread::id except;
  std::atomic<bool>* begun;
  void operator()(Block& block) const {
    if (block.thread() != 0) return;
    u32 sum = 0;
    if (std::this_thread::get_id() == except) {
      while (!*begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else {
      *begun = true;
      for (Index i = 0; i < Index(1) << 40; ++i) sum += input.load(i % 4);
    }
    output.store(0, sum);
  }
};

/// Hours of barriers without any access.
struct EndlessBarriers {
  void operator()(Block& block) const {
    for (Index i = 0; i < Index(1) << 40; ++i) block.warp_barrier();
  }
};

struct Enough {};

}  // namespace

TEST_CASE("threads of a block synchronise at barriers and share memory") {
  CountingExecutor executor;
  std::vector<u32> values(3 * 64);
  std::iota(values.begin(), values.end(), 0u);
  const DeviceArray<u32> input(executor, std::span<const u32>(values)), output(executor, values.size());
  launch(executor, ReverseInBlock{{input.data(), input.size()}, output.span()}, {64, 64 * 4}, 3);
  const auto result = output.download();
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(result[i] == i / 64 * 64 + 63 - i % 64);
}

TEST_CASE("shuffles and ballots exchange values only within the warp") {
  CountingExecutor executor;
  const DeviceArray<u32> output(executor, 64 * 5);
  launch(executor, Exchanges{output.span()}, {64}, 1);
  const auto result = output.download();
  for (u32 thread = 0; thread < 64; ++thread) {
    const u32 lane = thread % 32, warp = thread - lane;
    INFO("thread " << thread);
    CHECK(result[thread * 5 + 0] == (warp + 3) * 10);
    CHECK(result[thread * 5 + 1] == (lane >= 2 ? thread - 2 : thread) * 10);
    CHECK(result[thread * 5 + 2] == (lane < 30 ? thread + 2 : thread) * 10);
    CHECK(result[thread * 5 + 3] == (thread ^ 1) * 10);
    CHECK(result[thread * 5 + 4] == 0x11111111u);
  }
}

TEST_CASE("lanes of a warp take their turns in order, or backwards, or change the direction") {
  // The first turns end at the barrier, the second ahead of the atomics, the third with them.
  for (const auto& [order, backwards] :
       {std::pair(LaneOrder::forwards, false), std::pair(LaneOrder::backwards, true),
        std::pair(LaneOrder::forwards_and_back, false), std::pair(LaneOrder::backwards_and_forth, true)}) {
    CountingExecutor executor({.lane_order = order});
    const DeviceArray<u32> output(executor, TakeTurns::threads);
    launch(executor, TakeTurns{output.span()}, {TakeTurns::threads, shared_bytes<u32>(3)}, 1);
    std::vector<u32> expected;
    for (u32 thread = 0; thread < TakeTurns::threads; ++thread)
      expected.push_back(backwards ? 31 - thread % 32 : thread % 32);
    CHECK(output.download() == expected);
  }
}

TEST_CASE("launches of a kernel under two names are counted apart") {
  CountingExecutor executor;
  const std::vector<u32> values(64, 1);
  const DeviceArray<u32> input(executor, std::span<const u32>(values)), output(executor, values.size());
  const ReverseInBlock kernel{{input.data(), input.size()}, output.span()};
  Launch plain = make_launch<ReverseInBlock>(2, {32, 128}), named = plain;
  named.kernel = &variant_of(*plain.kernel, 7);
  executor.reset();
  for (const Launch* one : {&plain, &named, &plain}) executor.launch(*executor.prepare(*one), 2, kernel);
  REQUIRE(executor.counts().size() == 2);
  CHECK(executor.counts()[0].kernel.ends_with("ReverseInBlock"));
  CHECK(executor.counts()[0].launches == 2);
  CHECK(executor.counts()[1].kernel.ends_with("ReverseInBlock<7>"));
  CHECK(executor.counts()[1].launches == 1);
}

TEST_CASE("a launch reports its progress, also within a block") {
  std::set<std::string> kernels;
  std::size_t most_done = 0, calls = 0;
  CountingExecutor executor({.workers = 1}, {},
                            [&](std::string_view kernel, std::size_t done, std::size_t total) {
                              kernels.emplace(kernel);
                              most_done = std::max(most_done, done);
                              CHECK(total == 3);
                              ++calls;
                            });
  std::vector<u32> values(3 * 1024);
  const DeviceArray<u32> input(executor, std::span<const u32>(values)), output(executor, values.size());
  for (int i = 0; i < 10; ++i)
    launch(executor, ReverseInBlock{{input.data(), input.size()}, output.span()}, {1024, 1024 * 4}, 3);
  CHECK(calls > 0);
  CHECK(kernels == std::set<std::string>{"ReverseInBlock"});
  CHECK(most_done <= 3);
}

TEST_CASE(
    "what progress throws ends a launch, however long its blocks are and on whichever worker they run") {
  const int workers = GENERATE(1, 2, 3);
  const Index endless = GENERATE(0, 1, 2);
  int calls = 0;
  CountingExecutor executor({.workers = workers}, {}, [&](auto&&...) {
    if (++calls == 3) throw Enough();
  });
  const DeviceArray<u32> input(executor, 4), output(executor, 1);
  INFO(workers << " workers, block " << endless);
  CHECK_THROWS_AS(launch(executor, EndlessBlock{{input.data(), 4}, output.span(), endless}, {32}, 3), Enough);
  CHECK(calls == 3);  // once it has thrown, it is not called again
  SECTION("and the executor can be used again") {
    CHECK_NOTHROW(launch(executor, EndlessBlock{{input.data(), 4}, output.span(), 3}, {32}, 3));
  }
}

TEST_CASE("what progress throws ends a launch of which only another worker still has a block") {
  int calls_at_the_last = 0;
  CountingExecutor executor({.workers = 2}, {},
                            [&](std::string_view, std::size_t finished, std::size_t total) {
                              if (finished + 1 == total && ++calls_at_the_last == 3) throw Enough();
                            });
  const DeviceArray<u32> input(executor, 4), output(executor, 1);
  std::atomic<bool> begun = false;
  const EndlessElsewhere kernel{{input.data(), 4}, output.span(), std::this_thread::get_id(), &begun};
  CHECK_THROWS_AS(launch(executor, kernel, {32}, 2), Enough);
}

TEST_CASE("what progress throws ends a launch whose threads only wait for each other") {
  CountingExecutor executor({}, {}, [](auto&&...) { throw Enough(); });
  CHECK_THROWS_AS(launch(executor, EndlessBarriers{}, {64}, 1), Enough);
}
