#include "launch.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace fathom;

namespace {

/// Reverses each block's elements through shared memory.
struct ReverseInBlock {
  Span<const u32> input;
  Span<u32> output;
  template <class Block>
  void operator()(Block& block) const {
    const auto part = block.template shared<u32>(block.threads());
    const Index first = block.index() * block.threads();
    part.store(block.thread(), input.load(first + block.thread()));
    block.barrier();
    output.store(first + block.thread(), part.load(block.threads() - 1 - block.thread()));
  }
};

/// One value of every shuffle and the ballot, per thread.
struct Exchanges {
  Span<u32> output;  // 5 per thread
  template <class Block>
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
