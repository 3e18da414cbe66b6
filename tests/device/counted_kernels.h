// Kernels whose accesses and instructions are known.
#pragma once

#include "launch.h"

namespace fathom::tests {

/// Lane i of every warp loads element i · stride.
struct StridedLoad {
  Span<const u32> input;
  int stride;
  template <class Block>
  void operator()(Block& block) const {
    input.load(block.thread() * stride);
  }
};

/// Each warp writes its rows of a word per lane, `step` words apart; blocks are 1024 words apart.
struct StoreRows {
  Span<u32> output;
  int rows, step;
  bool with_barrier;
  template <class Block>
  void operator()(Block& block) const {
    for (int row = 0; row < rows; ++row) {
      output.store(block.index() * 1024 + row * step + block.thread(), 1);
      if (with_barrier) block.barrier();
    }
  }
};

/// Lane 0 loads a word of each sector, and then once more.
struct LoadTwice {
  Span<const u32> input;
  int sectors;
  template <class Block>
  void operator()(Block& block) const {
    if (block.thread() > 0) return;
    for (int i = 0; i < 2 * sectors; ++i) input.load(i % sectors * 8);
  }
};

struct VectorCopy {
  Span<const u64> input;
  Span<u64> output;
  template <class Block>
  void operator()(Block& block) const {
    const Index i = (block.index() * block.threads() + block.thread()) * 2;
    output.template store_vector<2>(i, input.template load_vector<2>(i));
  }
};

/// Lane i writes word i · stride of shared memory.
template <class T>
struct StridedShared {
  int stride;
  template <class Block>
  void operator()(Block& block) const {
    const auto words = block.template shared<T>(32 * stride + 1);
    words.store(block.thread() * stride, T{});
  }
};

struct Broadcast {
  Span<const u32> input;
  template <class Block>
  void operator()(Block& block) const {
    const auto word = block.template shared<u32>(1);
    if (block.thread() == 0) word.store(0, input.load(7));
    block.barrier();
    word.load(0);
    input.load(7);
  }
};

/// Lane i runs a loop i % 4 times, then all lanes load once more.
struct UnevenLoop {
  Span<const u32> input;
  template <class Block>
  void operator()(Block& block) const {
    for (int i = 0; i < block.lane() % 4; ++i) input.load(i * 32 + block.lane());
    input.load(block.lane());
  }
};

/// Lanes take one of two branches.
struct Branches {
  Span<const u32> input;
  template <class Block>
  void operator()(Block& block) const {
    if (block.lane() % 2 == 0)
      input.load(block.lane());
    else
      input.load(block.lane());
    input.load(block.lane());
  }
};

struct EveryInstruction {
  Span<u32> counter;
  template <class Block>
  void operator()(Block& block) const {
    block.barrier();
    block.warp_barrier();
    block.warp_barrier();
    block.shuffle(block.lane(), 0);
    block.shuffle_up(block.lane(), 1);
    block.shuffle_xor(u64(1), 1);
    block.ballot(true);
    int a = block.lane(), b = 5;
    for (int i = 0; i < block.lane(); ++i) compare(a, b, Less{});
    compare_exchange(a, b, Less{});
    block.atomic_add(counter, block.thread() % 2, 1u);
  }
};

struct Touch {
  Span<u32> output;
  template <class Block>
  void operator()(Block& block) const {
    output.store(block.thread() % 10, u32(block.thread()));
  }
};

struct ThreeWords {
  u32 word[3];
};
struct LoadThreeWords {
  Span<const ThreeWords> input;
  template <class Block>
  void operator()(Block& block) const {
    input.load(block.thread());
  }
};

struct KeyWithValue {
  u32 key;
  u64 value;
};
struct LoadMember {
  Span<u64> output;
  template <class Block>
  void operator()(Block& block) const {
    const auto records = block.template shared<KeyWithValue>(block.threads());
    const int i = block.thread();
    records.store(i, {u32(i), 7});
    output.store(i, records.load(i, &KeyWithValue::key) + records.load(i, &KeyWithValue::value));
  }
};

struct Fill {
  Span<u32> output;
  template <class Block>
  void operator()(Block& block) const {
    for (int i = 0; i < 10; ++i)
      output.store((block.index() * 10 + i) * block.threads() + block.thread(), u32(block.index()));
  }
};

template <class Kernel>
KernelCounts counts_of(CountingExecutor& executor, const Kernel& kernel, BlockShape shape, Index blocks = 1) {
  executor.reset();
  launch(executor, kernel, shape, blocks);
  return executor.counts().at(0);
}

Span<const u32> constant(const DeviceArray<u32>& array) {
  return {array.data(), array.size()};
}

}  // namespace fathom::tests
