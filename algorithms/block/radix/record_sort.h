// SPDX-License-Identifier: Apache-2.0
// Stable sort of up to a tile of records by one block in shared memory: by counting.
#pragma once

#include <fathom/algorithms/block/radix/value_sort.h>
#include <fathom/algorithms/block/tile.h>

namespace fathom {

/// Sorts up to threads × elements records stably. Each is represented by a word as long as a key, which
/// BlockValueSort puts in order: the last bits of the key, without those in which the keys that one thread
/// puts in order agree, and then the record's place in the input. So no two words are alike, and equal keys
/// keep their order. Keys and values are gathered from the places afterwards. A word of all last bits, of
/// which the key can be made again, made sorts of 2^28 pairs 2 % faster, but has room for the place only if
/// many first bits are the same in all keys (data/h200-radix-sorts/bucket-kernels.txt, 4).
template <class Element, class Threads, class Elements>
class BlockRecordSort {
  using Key = KeyOf<Element>;
  using Value = ValueOf<Element>;
  using Bits = BitsOf<Key>;
  using Sort = BlockValueSort<Key, Threads, Elements>;
  template <class Item>
  using InRows = typename Sort::template InRows<Item>;

 public:
  /// Returns how many first bits, one at least, all keys must have in common for a word to have room for the
  /// place.
  FATHOM_DEVICE
  static constexpr int least_common_bits(int threads, int elements) {
    return max(1, ceil_log2(threads * elements) - Sort::most_thread_bits(threads, elements));
  }

  /// `counts` has BlockValueSort::words() words, `tile` room for all records, and `sums` warp_width words.
  FATHOM_DEVICE
  BlockRecordSort(Threads threads, Elements elements, Shared<u32> counts, SplitTile<Key, Value> tile,
                  Shared<u32> sums)
      : threads_(threads),
        elements_(elements),
        tile_(tile),
        sort_(threads, elements, counts, tile.keys, sums) {}

  /// Sorts the records load(0), …, load(count − 1) by the last `last_bits` bits of their keys into the
  /// beginning of a list, which may be where they are loaded from. A thread asks for its records in ascending
  /// order. Returns false, having stored nothing, if a thread would have too many keys, or if a word has no
  /// room for the place, as it has for at most key_bits − least_common_bits() last bits.
  template <class Block, class Load>
  FATHOM_DEVICE
  bool sort(Block& block, int count, Load load, ListOf<Element> list, int last_bits) const {
    const int place_bits = ceil_log2(threads_ * elements_);
    // At least one: a thread has two values or more.
    const int differing_bits = last_bits - sort_.thread_bits(last_bits);
    if (differing_bits + place_bits > key_bits<Key>) return false;

    InRows<Key> keys(elements_);
    {
      // In registers first, so that all loads are under way before the first value is stored.
      InRows<Value> values(elements_);
      const auto load_into = [&](Key& key, Value& value, int at) {
        const Element record = load(at);
        key = Key(record.key);
        value = Value(record.value);
      };
      sort_.for_each_row(
          block, count, [&](int i, int at) { load_into(keys.whole[i], values.whole[i], at); },
          [&](int at) { load_into(keys.last, values.last, at); });
      sort_.for_each_row(
          block, count, [&](int i, int at) { tile_.values.store(at, values.whole[i]); },
          [&](int at) { tile_.values.store(at, values.last); });
    }
    if (!sort_.order(block, count, keys, last_bits, Words{key_bits<Key> - differing_bits})) return false;

    InRows<u32> places(elements_);
    const auto place_at = [&](int at) {
      return u32(__builtin_bit_cast(Bits, tile_.keys.load(at))) & ((1u << place_bits) - 1);
    };
    sort_.for_each_row(
        block, count, [&](int i, int at) { places.whole[i] = place_at(at); },
        [&](int at) { places.last = place_at(at); });
    block.barrier();
    sort_.for_each_row(
        block, count, [&](int i, int at) { tile_.keys.store(at, keys.whole[i]); },
        [&](int at) { tile_.keys.store(at, keys.last); });
    block.barrier();
    const auto store = [&](int at, u32 place) { list.store(at, tile_.load(int(place))); };
    sort_.for_each_row(
        block, count, [&](int i, int at) { store(at, places.whole[i]); },
        [&](int at) { store(at, places.last); });
    return true;
  }

 private:
  /// A record's word: the bits of the key from `first` on, then its place in the input.
  struct Words {
    int first;

    FATHOM_DEVICE
    Key of(const Key& key, int at) const {
      return __builtin_bit_cast(Key, Bits(ordered_bits(key) << first | Bits(at)));
    }
    FATHOM_DEVICE
    bool is_less(const Key& a, const Key& b) const {
      return __builtin_bit_cast(Bits, a) < __builtin_bit_cast(Bits, b);
    }
    FATHOM_DEVICE
    bool may_tie(int) const { return true; }
  };

  Threads threads_;
  Elements elements_;
  SplitTile<Key, Value> tile_;
  Sort sort_;
};

}  // namespace fathom
