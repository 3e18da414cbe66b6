// Radix sort of up to a tile of elements by one block, in shared memory.
#pragma once

#include <fathom/algorithms/sort/radix/rank_tile.h>

namespace fathom {

/// The keys of one digit in a tile.
struct BinInTile {
  u32 first;  ///< position in the tile once it is in order
  u32 count;
};

/// A tile of threads × elements that a block sorts, stably. Between calls its elements are in registers, in
/// the order of DigitRows, and after a sort in shared memory as well.
template <class Element, class Threads, class Elements>
class BlockRadixSort {
  using Key = KeyOf<Element>;
  template <class T>
  using Items = Registers<T, Elements>;
  /// A value, or nothing that matters.
  template <class E>
  struct ValueOf {
    using type = u32;
  };
  template <class K, class V>
  struct ValueOf<Record<K, V>> {
    using type = V;
  };
  using Value = typename ValueOf<Element>::type;

 public:
  static int shared_memory(int threads, int elements, int bits) {
    return DigitRows::shared_memory(threads, 1 << bits) +
           SharedList<Element>::shared_memory(threads * elements) + shared_bytes<u32>(warp_width);
  }

  /// For digits of at most `bits` bits; a block has at least 2^bits threads.
  template <class Block>
  FATHOM_DEVICE
  BlockRadixSort(Block& block, Threads threads, Elements elements, int bits)
      : threads_(threads),
        elements_(elements),
        rows_(DigitRows::make(block, 1 << bits)),
        tile_(SharedList<Element>::make(block, threads * elements)),
        sums_(block.template shared<u32>(warp_width)),
        own_(DigitRows::first_of_thread(block, elements)),
        keys_(elements),
        values_(elements) {}

  /// Reads the first `count` elements of a list. What pads the tile is last in every order.
  FATHOM_DEVICE
  void load(ConstListOf<Element> list, int count) {
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) {
      const int at = position(i);
      keys_[i] = at < count ? keys_of(list).load(at) : from_ordered_bits<Key>(~BitsOf<Key>(0));
      if constexpr (has_values<Element>) values_[i] = at < count ? list.values.load(at) : Value{};
    }
  }

  /// Returns, in thread b, where the keys of digit b are.
  template <class Block>
  FATHOM_DEVICE
  BinInTile sort_by(Block& block, Digit digit) {
    Items<u32> ranks(elements_);
    rows_.rank(block, digit, keys_, elements_, ranks);
    block.barrier();
    const int bin = block.thread();
    const bool has_bin = bin < rows_.bins;
    const DigitColumn<Threads> column{rows_, has_bin ? bin : 0, threads_};
    const u32 count = has_bin ? column.sum() : 0;
    const u32 start = thread_prefix_in_block(block, count, sums_, Plus{}).exclusive_prefix;
    if (has_bin) column.store_ranks(start);
    block.barrier();
    rows_.rank_in_tile(block, elements_, ranks);
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) {
      tile_.keys.store(int(ranks[i]), keys_[i]);
      if constexpr (has_values<Element>) tile_.values.store(int(ranks[i]), values_[i]);
    }
    block.barrier();
    reload();
    return {start, count};
  }

  /// Sorts by all digits of a range, the lowest first.
  template <class Block>
  FATHOM_DEVICE
  void sort_by(Block& block, BitRange range, int bits) {
    FATHOM_NO_UNROLL
    for (int p = 0; p < range.digits(bits); ++p) sort_by(block, range.digit(p, bits));
  }

  /// Exchanges neighbours that are not in order, of the first `count` elements, in at most `rounds` rounds of
  /// odd and even pairs. Whether all are in order then.
  template <class Block>
  FATHOM_DEVICE
  bool exchange_neighbours(Block& block, BitRange range, int count, int rounds) {
    FATHOM_NO_UNROLL
    for (int round = 0; round < rounds; ++round) {
      bool exchanged = false;
      for (int first = 0; first < 2; ++first) {
        for (int at = first + 2 * block.thread(); at + 1 < count; at += 2 * threads_)
          exchanged |= put_pair_in_order(at, range);
        block.barrier();
      }
      if (block.lane() == 0) sums_.store(block.warp(), 0);
      if (block.ballot(exchanged) != 0 && block.lane() == 0) sums_.store(block.warp(), 1);
      block.barrier();
      const u32 any = block.lane() < block.warps() ? sums_.load(block.lane()) : 0;
      const bool in_order = block.ballot(any != 0) == 0;
      block.barrier();
      if (in_order) {
        reload();
        return true;
      }
    }
    reload();
    return false;
  }

  /// Writes the first `count` elements, that at position i of the tile to `place(key, i)`.
  template <class Block, class Place>
  FATHOM_DEVICE
  void store(Block& block, ListOf<Element> list, int count, Place place) const {
    FATHOM_NO_UNROLL
    for (int at = block.thread(); at < count; at += threads_) {
      const Key key = tile_.keys.load(at);
      const Index to = place(key, at);
      keys_of(list).store(to, key);
      if constexpr (has_values<Element>) list.values.store(to, tile_.values.load(at));
    }
  }

 private:
  FATHOM_DEVICE
  int position(int item) const { return own_ + item * DigitRows::lanes; }

  FATHOM_DEVICE
  void reload() {
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) {
      keys_[i] = tile_.keys.load(position(i));
      if constexpr (has_values<Element>) values_[i] = tile_.values.load(position(i));
    }
  }

  /// Whether it exchanged them.
  FATHOM_DEVICE
  bool put_pair_in_order(int at, BitRange range) const {
    const Key a = tile_.keys.load(at), b = tile_.keys.load(at + 1);
    if (!(range.of(b) < range.of(a))) return false;
    tile_.keys.store(at, b);
    tile_.keys.store(at + 1, a);
    if constexpr (has_values<Element>) {
      const Value value = tile_.values.load(at);
      tile_.values.store(at, tile_.values.load(at + 1));
      tile_.values.store(at + 1, value);
    }
    return true;
  }

  Threads threads_;
  Elements elements_;
  DigitRows rows_;
  SharedList<Element> tile_;
  Shared<u32> sums_;
  int own_;
  Items<Key> keys_;
  Items<Value> values_;
};

}  // namespace fathom
