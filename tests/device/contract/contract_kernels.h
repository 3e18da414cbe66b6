// SPDX-License-Identifier: Apache-2.0
// One small kernel for each feature of the block contract beyond loads and stores. They run on the CPU and on
// a GPU against the same results, are compiled for every architecture, and their machine code is inspected.
#pragma once

#include <fathom/device/contract/contract.h>

namespace contract_kernels {

using namespace fathom;

inline constexpr const char* this_file = "fathom/tests/device/contract/contract_kernels.h";

// Operations on a value: by an atomic in shared or global memory, or by a warp.
struct Add {
  template <class T>
  FATHOM_DEVICE
  static T change(const Shared<T>& cells, int i, T value) { return cells.atomic_add(i, value); }
  template <class T>
  FATHOM_DEVICE
  static T change(const Span<T>& cells, int i, T value) { return cells.atomic_add_relaxed(i, value); }
  template <class Block, class T>
  FATHOM_DEVICE
  static T reduce(Block& block, T value) { return block.reduce_add(value); }
};
struct Minimum {
  template <class T>
  FATHOM_DEVICE
  static T change(const Shared<T>& cells, int i, T value) { return cells.atomic_min(i, value); }
  template <class T>
  FATHOM_DEVICE
  static T change(const Span<T>& cells, int i, T value) { return cells.atomic_min_relaxed(i, value); }
  template <class Block, class T>
  FATHOM_DEVICE
  static T reduce(Block& block, T value) { return block.reduce_min(value); }
};
struct Maximum {
  template <class T>
  FATHOM_DEVICE
  static T change(const Shared<T>& cells, int i, T value) { return cells.atomic_max(i, value); }
  template <class T>
  FATHOM_DEVICE
  static T change(const Span<T>& cells, int i, T value) { return cells.atomic_max_relaxed(i, value); }
  template <class Block, class T>
  FATHOM_DEVICE
  static T reduce(Block& block, T value) { return block.reduce_max(value); }
};
struct Or {
  template <class T>
  FATHOM_DEVICE
  static T change(const Shared<T>& cells, int i, T value) { return cells.atomic_or(i, value); }
  template <class T>
  FATHOM_DEVICE
  static T change(const Span<T>& cells, int i, T value) { return cells.atomic_or_relaxed(i, value); }
  template <class Block, class T>
  FATHOM_DEVICE
  static T reduce(Block& block, T value) { return block.reduce_or(value); }
};
struct And {
  template <class Block, class T>
  FATHOM_DEVICE
  static T reduce(Block& block, T value) { return block.reduce_and(value); }
};
struct ExclusiveOr {
  template <class Block, class T>
  FATHOM_DEVICE
  static T reduce(Block& block, T value) { return block.reduce_xor(value); }
};
struct Exchange {
  template <class T>
  FATHOM_DEVICE
  static T change(const Shared<T>& cells, int i, T value) { return cells.atomic_exchange(i, value); }
  template <class T>
  FATHOM_DEVICE
  static T change(const Span<T>& cells, int i, T value) { return cells.atomic_exchange_relaxed(i, value); }
};

inline constexpr int cells_per_block = 8;

/// Thread i changes cell i mod 8 of its block, which holds `start`. Output, per block: the final cells, then
/// the value that each thread found.
template <class T, class Operation>
struct SharedAtomic {
  Span<const T> input;
  Span<T> output;
  T start;
  static constexpr const char* header = this_file;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto cells = block.template shared<T>(cells_per_block);
    const Index result = block.index() * (cells_per_block + block.threads());
    if (block.thread() < cells_per_block) cells.store(block.thread(), start);
    block.barrier();
    const T value = input.load(block.index() * block.threads() + block.thread());
    output.store(result + cells_per_block + block.thread(),
                 Operation::change(cells, block.thread() % cells_per_block, value));
    block.barrier();
    if (block.thread() < cells_per_block) output.store(result + block.thread(), cells.load(block.thread()));
  }
};

/// The same with cells in global memory, one block.
template <class T, class Operation>
struct GlobalAtomic {
  Span<const T> input;
  Span<T> output;
  T start;
  static constexpr const char* header = this_file;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    if (block.thread() < cells_per_block) output.store(block.thread(), start);
    block.barrier();
    const T value = input.load(block.thread());
    output.store(cells_per_block + block.thread(),
                 Operation::change(output, block.thread() % cells_per_block, value));
  }
};

/// Which lanes have the same value as each. Values differ only in their top byte.
template <class T>
struct Match {
  Span<const T> input;
  Span<u32> output;
  static constexpr const char* header = this_file;

  FATHOM_DEVICE
  static T value_of(T random) { return (random & 7) << (8 * sizeof(T) - 8) | 5; }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index i = block.index() * block.threads() + block.thread();
    output.store(i, block.match(value_of(input.load(i))));
  }
};

template <class T, class Operation>
struct WarpReduce {
  Span<const T> input;
  Span<T> output;
  static constexpr const char* header = this_file;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index i = block.index() * block.threads() + block.thread();
    output.store(i, Operation::reduce(block, input.load(i)));
  }
};

/// Reverses each block's values of one or two bytes through shared memory.
template <class T>
struct NarrowElements {
  Span<const u32> input;
  Span<u32> output;
  static constexpr const char* header = this_file;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto elements = block.template shared<T>(block.threads());
    const Index i = block.index() * block.threads() + block.thread();
    elements.store(block.thread(), T(input.load(i)));
    block.barrier();
    output.store(i, elements.load(block.threads() - 1 - block.thread()));
  }
};

inline constexpr int counters_per_block = 16;

/// Counts the values v mod 16 of a block. Output, per block: the counts, then the value that each thread
/// found in its counter.
template <class Field>
struct PackedHistogram {
  Span<const u32> input;
  Span<u32> output;
  static constexpr const char* header = this_file;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    using Counters = PackedCounters<8 * int(sizeof(Field))>;
    constexpr int words = counters_per_block / Counters::per_word;
    const Counters counters{block.template shared<u32>(words)};
    const Index result = block.index() * (counters_per_block + block.threads());
    if (block.thread() < words) counters.words.store(block.thread(), 0);
    block.barrier();
    const int value = int(input.load(block.index() * block.threads() + block.thread()) % counters_per_block);
    output.store(result + counters_per_block + block.thread(),
                 counters.atomic_increment(value % words, value / words));
    block.barrier();
    if (block.thread() < counters_per_block)
      output.store(result + block.thread(), counters.load(block.thread() % words, block.thread() / words));
  }
};

inline constexpr int values_per_thread = 9;

/// Each thread counts its 9 values in its own counters, whose words are interleaved with those of its
/// neighbours, and pairs of neighbours add theirs up. Output, per thread: the words of the sum, then the
/// value that it found in its counter each time.
template <class Field>
struct PackedColumns {
  Span<const u32> input;
  Span<u32> output;
  static constexpr const char* header = this_file;
  using Counters = PackedCounters<8 * int(sizeof(Field))>;
  static constexpr int words = counters_per_block / Counters::per_word;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Counters counters{block.template shared<u32>(words * block.threads())};
    const Index thread = block.index() * block.threads() + block.thread();
    const Index result = thread * (words + values_per_thread);
    FATHOM_UNROLL
    for (int word = 0; word < words; ++word) counters.words.store(word * block.threads() + block.thread(), 0);
    FATHOM_UNROLL
    for (int k = 0; k < values_per_thread; ++k) {
      const int value = int(input.load(thread * values_per_thread + k) % counters_per_block);
      output.store(result + words + k,
                   counters.increment(value % words * block.threads() + block.thread(), value / words));
    }
    FATHOM_UNROLL
    for (int word = 0; word < words; ++word) {
      const u32 own = counters.words.load(word * block.threads() + block.thread());
      output.store(result + word, Counters::add(own, block.shuffle_xor(own, 1)));
    }
  }
};

inline constexpr int rows_per_tile = 64;

/// Each warp reverses the rows of its tiles, which it fetches through `stages` stages, with two copies per
/// tile.
template <class Row, class Stages = Number>
struct CopyInStages {
  Span<const u32> input;
  Span<u32> output;
  int tiles;  ///< per warp
  Stages stages;
  static constexpr const char* header = this_file;
  static constexpr int width = int(sizeof(Row) / sizeof(u32));

  static int shared_memory(int threads, int stages) {
    const int warps = threads / warp_width;
    return shared_bytes<Row>(warps * stages * rows_per_tile) + shared_bytes<u64>(warps * stages);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int warp_rows = stages * rows_per_tile;
    const auto rows = block.template shared<Row>(block.warps() * warp_rows).from(block.warp() * warp_rows);
    const auto arrivals = block.template shared<u64>(block.warps() * stages).from(block.warp() * stages);
    const Index first = (block.index() * block.warps() + block.warp()) * tiles;
    auto pipeline = block.template copy_pipeline<Row>(arrivals, stages);

    for (int tile = 0; tile < min(int(stages), tiles); ++tile) begin(pipeline, rows, tile, first + tile);
    for (int tile = 0; tile < tiles; ++tile) {
      const int stage = tile % stages;
      pipeline.wait(stage);
      for (int row = block.lane(); row < rows_per_tile; row += warp_width)
        output.store_vector(((first + tile) * rows_per_tile + rows_per_tile - 1 - row) * width,
                            rows.load(stage * rows_per_tile + row));
      block.warp_barrier();
      if (tile + stages < tiles) begin(pipeline, rows, stage, first + tile + stages);
    }
  }

 private:
  template <class Pipeline>
  FATHOM_DEVICE
  void begin(Pipeline& pipeline, const Shared<Row>& rows, int stage, Index tile) const {
    constexpr int half = rows_per_tile / 2;
    const Index element = tile * rows_per_tile * width;
    const auto to = rows.from(stage * rows_per_tile);
    pipeline.begin(stage, input, element, to, half);
    pipeline.begin(stage, input, element + half * width, to.from(half), half);
  }
};

/// Each warp reverses one tile, using the copy without a pipeline.
template <class Row>
struct SingleCopy {
  Span<const u32> input;
  Span<u32> output;
  static constexpr const char* header = this_file;
  static constexpr int width = int(sizeof(Row) / sizeof(u32));

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto rows =
        block.template shared<Row>(block.warps() * rows_per_tile).from(block.warp() * rows_per_tile);
    const auto arrival = block.template shared<u64>(block.warps());
    const Index first = (block.index() * block.warps() + block.warp()) * rows_per_tile;
    block.begin_copy(input, first * width, rows, rows_per_tile, arrival);
    block.wait_for_copy(rows, arrival);
    for (int row = block.lane(); row < rows_per_tile; row += warp_width)
      output.store_vector((first + rows_per_tile - 1 - row) * width, rows.load(row));
  }
};

}  // namespace contract_kernels
