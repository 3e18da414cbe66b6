// SPDX-License-Identifier: Apache-2.0
// A tile in the registers of a block, and its elements counted by bucket.
#pragma once

#include <fathom/algorithms/sort/distribution/splitter/buckets.h>

namespace fathom {

/// Consecutive elements of a thread; those of neighbouring threads are next to them.
inline constexpr int group_size = 4;
/// Elements of a type that one access moves.
template <class T>
inline constexpr int vector_in_group = min(widest_vector<T>, group_size);

/// The place in the tile of a thread's element i.
template <class Threads, class Block>
FATHOM_DEVICE
int place_in_tile(const Block& block, Threads threads, int i) {
  return (i / group_size * threads + block.thread()) * group_size + i % group_size;
}

template <class Threads, class Elements>
FATHOM_DEVICE
bool is_whole(const TilePart& part, Threads threads, Elements elements) {
  return part.begin == part.first && part.end == part.first + threads * elements;
}

/// Elements outside the tile's part are copies of its first one.
template <class T, class Threads, class Elements, class Loaded, class Block>
FATHOM_DEVICE
void load_tile(Block& block, Span<const T> source, const TilePart& part, Threads threads, Elements elements,
               Registers<Loaded, Elements>& loaded) {
  constexpr int width = vector_in_group<T>;
  if (is_whole(part, threads, elements)) {
    const auto tile = source.from(part.first);
    FATHOM_UNROLL
    for (int i = 0; i < elements; i += width) {
      const auto vector = tile.template load_vector<width>(place_in_tile(block, threads, i));
      FATHOM_UNROLL
      for (int j = 0; j < width; ++j) loaded[i + j] = Loaded(vector.element[j]);
    }
  } else {
    FATHOM_UNROLL
    for (int i = 0; i < elements; ++i) {
      const Index at = part.first + place_in_tile(block, threads, i);
      loaded[i] = Loaded(source.load(part.contains(at) ? at : part.begin));
    }
  }
}

/// Records, in the same way.
template <class Key, class Value, class Threads, class Elements, class Block>
FATHOM_DEVICE
void load_tile(Block& block, SplitSpan<const Key, const Value> source, const TilePart& part, Threads threads,
               Elements elements, Registers<Record<Key, Value>, Elements>& loaded) {
  Registers<Key, Elements> keys(elements);
  Registers<Value, Elements> values(elements);
  load_tile(block, source.keys, part, threads, elements, keys);
  load_tile(block, source.values, part, threads, elements, values);
  FATHOM_UNROLL
  for (int i = 0; i < elements; ++i) loaded[i] = {keys[i], values[i]};
}

/// Elements of a thread that are classified or ranked at a time.
using Batch = Constant<8>;

/// Writes the bytes of a batch of a thread's elements, from element `first` on.
template <class Threads, class Block>
FATHOM_DEVICE
void store_batch(Block& block, const Registers<int, Batch>& numbers, int first, const TilePart& part,
                 bool whole, Threads threads, Span<u8> target) {
  if (whole) {
    const auto tile = target.from(part.first);
    FATHOM_UNROLL
    for (int i = 0; i < Batch{}; i += group_size) {
      Vector<u8, group_size> vector;
      FATHOM_UNROLL
      for (int j = 0; j < group_size; ++j) vector.element[j] = u8(numbers[i + j]);
      tile.store_vector(place_in_tile(block, threads, first + i), vector);
    }
  } else {
    FATHOM_UNROLL
    for (int i = 0; i < Batch{}; ++i) {
      const Index at = part.first + place_in_tile(block, threads, first + i);
      if (part.contains(at)) target.store(at, u8(numbers[i]));
    }
  }
}

/// Adds four neighbours to the counts of their buckets and calls ranked(j, rank of j in its bucket).
///
/// Those in one bucket are added together. A warp whose elements all belong to one bucket, as those of a
/// sorted input do, adds to a single counter, one lane after the other: with one addition per element this
/// would take several times as long as with random keys.
template <class Ranked>
FATHOM_DEVICE
void count_group(int bucket0, int bucket1, int bucket2, int bucket3, Shared<u32> counts, Ranked ranked) {
  const bool same1 = bucket1 == bucket0, same2 = bucket2 == bucket1, same3 = bucket3 == bucket2;
  const u32 run2 = same3 ? 2 : 1, run1 = same2 ? run2 + 1 : 1, run0 = same1 ? run1 + 1 : 1;
  u32 rank = counts.atomic_add(bucket0, run0);
  ranked(0, rank);
  ++rank;
  if (!same1) rank = counts.atomic_add(bucket1, run1);
  ranked(1, rank);
  ++rank;
  if (!same2) rank = counts.atomic_add(bucket2, run2);
  ranked(2, rank);
  ++rank;
  if (!same3) rank = counts.atomic_add(bucket3, 1);
  ranked(3, rank);
}

}  // namespace fathom
