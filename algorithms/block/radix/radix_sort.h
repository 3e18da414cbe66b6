// SPDX-License-Identifier: Apache-2.0
// Radix sort of up to a tile of elements by one block, in shared memory.
#pragma once

#include <fathom/algorithms/block/radix/rank.h>
#include <fathom/algorithms/block/radix/record_sort.h>
#include <fathom/algorithms/block/reduce.h>

namespace fathom {

namespace detail {
template <class Element, class Threads, class Elements>
struct SortByCounting {
  using type = BlockValueSort<Element, Threads, Elements>;
};
template <class Key, class Value, class Threads, class Elements>
struct SortByCounting<Record<Key, Value>, Threads, Elements> {
  using type = BlockRecordSort<Record<Key, Value>, Threads, Elements>;
};
}  // namespace detail

/// The sort by counting of a tile of these elements: BlockValueSort of keys alone, BlockRecordSort of
/// records.
template <class Element, class Threads, class Elements>
using SortByCounting = typename detail::SortByCounting<Element, Threads, Elements>::type;

/// The keys of one digit in a tile.
struct BinInTile {
  u32 first;  ///< position in the tile once it is in order
  u32 count;
};

/// A tile of threads × elements that a block sorts, stably. A sort takes elements from registers, where they
/// are where ItemsOfWarp says, and leaves them in shared memory.
template <class Element, class Threads, class Elements>
class BlockRadixSort {
  using Key = KeyOf<Element>;
  template <class T>
  using Items = Registers<T, Elements>;
  using Value = ValueOf<Element>;

 public:
  static int shared_memory(int threads, int elements, int bits) {
    return DigitRows::shared_memory(threads, 1 << bits) + shared_memory_beside_rows(threads, elements);
  }
  static constexpr int shared_memory_beside_rows(int threads, int elements) {
    return TileOf<Element>::bytes(threads * elements) + shared_bytes<u32>(warp_width);
  }

  /// Digits have at most `bits` bits; a block has at least 2^bits threads.
  template <class Block>
  FATHOM_DEVICE
  BlockRadixSort(Block& block, Threads threads, Elements elements, int bits)
      : BlockRadixSort(block, threads, elements, DigitRows::make(block, 1 << bits)) {}
  template <class Block>
  FATHOM_DEVICE
  BlockRadixSort(Block& block, Threads threads, Elements elements, DigitRows rows)
      : threads_(threads),
        elements_(elements),
        rows_(rows),
        tile_(TileOf<Element>::in(block, threads * elements)),
        sums_(block.template shared<u32>(warp_width)),
        own_(ItemsOfWarp::first(block, elements)),
        keys_(elements),
        values_(elements) {}

  /// Returns a sort by counting in the same shared memory. The rows have BlockValueSort::words() words, at
  /// least. If it returns false, this sort can be used at once.
  FATHOM_DEVICE
  SortByCounting<Element, Threads, Elements> by_counting() const {
    return {threads_, elements_, rows_.words, tile_, sums_};
  }

  /// Reads the first `count` elements of a list: those that are sorted then.
  FATHOM_DEVICE
  void load(ConstListOf<Element> list, int count) {
    count_ = count;
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) {
      const int at = position(i);
      keys_[i] = at < count ? keys_of(list).load(at) : Key{};
      if constexpr (has_values<Element>) values_[i] = at < count ? list.values.load(at) : Value{};
    }
  }

  /// The same of `count` elements anywhere: place(i) is a list and where in it element i of the tile is. A
  /// thread asks for its elements in ascending order.
  template <class Place>
  FATHOM_DEVICE
  void load(int count, Place place) {
    count_ = count;
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) {
      keys_[i] = Key{};
      if constexpr (has_values<Element>) values_[i] = Value{};
      if (position(i) >= count) continue;
      const auto [list, at] = place(position(i));
      keys_[i] = keys_of(list).load(at);
      if constexpr (has_values<Element>) values_[i] = list.values.load(at);
    }
  }

  /// Returns, in thread b, where the keys of digit b are.
  template <class Block>
  FATHOM_DEVICE
  BinInTile sort_by(Block& block, Digit digit) {
    Items<u32> ranks(elements_);
    rows_.rank(block, digit, keys_, elements_, ItemsOfWarp::before(count_, own_), ranks);
    block.barrier();
    const int bin = block.thread();
    const bool has_bin = bin < rows_.bins;
    const auto column = rows_.column(has_bin ? bin : 0, threads_);
    const u32 in_bin = has_bin ? column.sum() : 0;
    const u32 start = thread_prefix_in_block(block, in_bin, sums_, Plus{}).exclusive_prefix;
    if (has_bin) column.store_ranks(start);
    block.barrier();
    rows_.rank_in_tile(block, elements_, ranks);
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) {
      if (position(i) >= count_) continue;
      keys_of(tile_).store(int(ranks[i]), keys_[i]);
      if constexpr (has_values<Element>) tile_.values.store(int(ranks[i]), values_[i]);
    }
    block.barrier();
    return {start, in_bin};
  }

  /// From shared memory to registers.
  FATHOM_DEVICE
  void reload() {
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) {
      if (position(i) >= count_) continue;
      keys_[i] = keys_of(tile_).load(position(i));
      if constexpr (has_values<Element>) values_[i] = tile_.values.load(position(i));
    }
  }

  /// Sorts by all digits of a range, the lowest first.
  template <class Block>
  FATHOM_DEVICE
  void sort_by(Block& block, BitRange range, int bits) {
    FATHOM_NO_UNROLL
    for (int p = 0; p < range.digits(bits); ++p) {
      if (p > 0) reload();
      sort_by(block, range.digit(p, bits));
    }
  }

  /// After a sort by some bits: whether more than `most` elements agree in all of them.
  template <class Block>
  FATHOM_DEVICE
  bool has_group_above(Block& block, int most, BitRange sorted_by) const {
    bool found = false;
    FATHOM_NO_UNROLL
    for (int at = block.thread(); at + most < count_; at += threads_)
      found |= sorted_by.of(keys_of(tile_).load(at)) == sorted_by.of(keys_of(tile_).load(at + most));
    const bool in_block = any_in_block(block, found, sums_);
    block.barrier();
    return in_block;
  }

  /// After a sort by some bits: where the element at a position belongs in the order of the bits of `range`,
  /// which include those. Looks at all elements that agree in them.
  FATHOM_DEVICE
  int place_by(const Key& key, int at, BitRange sorted_by, BitRange range) const {
    const auto group = sorted_by.of(key), own = range.of(key);
    int place = at;
    FATHOM_NO_UNROLL
    for (int i = at - 1; i >= 0; --i) {
      const Key before = keys_of(tile_).load(i);
      if (sorted_by.of(before) != group) break;
      place -= own < range.of(before);
    }
    FATHOM_NO_UNROLL
    for (int i = at + 1; i < count_; ++i) {
      const Key after = keys_of(tile_).load(i);
      if (sorted_by.of(after) != group) break;
      place += range.of(after) < own;
    }
    return place;
  }

  /// Writes the elements, that at position i of the tile to `place(key, i)`.
  template <class Block, class Place>
  FATHOM_DEVICE
  void store(Block& block, ListOf<Element> list, Place place) const {
    FATHOM_NO_UNROLL
    for (int at = block.thread(); at < count_; at += threads_) {
      const Key key = keys_of(tile_).load(at);
      const Index to = place(key, at);
      keys_of(list).store(to, key);
      if constexpr (has_values<Element>) list.values.store(to, tile_.values.load(at));
    }
  }

 private:
  FATHOM_DEVICE
  int position(int item) const { return own_ + item * warp_width; }

  Threads threads_;
  Elements elements_;
  DigitRows rows_;
  typename TileOf<Element>::type tile_;
  Shared<u32> sums_;
  int own_, count_ = 0;
  Items<Key> keys_;
  Items<Value> values_;
};

}  // namespace fathom
