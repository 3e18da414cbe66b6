// SPDX-License-Identifier: Apache-2.0
// Stable sort of up to a tile of records by one block in shared memory: by counting.
#pragma once

#include <fathom/algorithms/block/tile.h>
#include <fathom/algorithms/block/value_sort.h>

namespace fathom {

/// Sorts up to threads × elements records as BlockValueSort does keys, but stably. For each record it puts a
/// word in order: the bits of the key in which the keys of a thread may differ, then the record's place in
/// the input, which decides where keys are equal. Keys and values are then gathered from their places. A word
/// is as long as a key: with all bits of the key, it would be longer, and its accesses to shared memory
/// dearer.
template <class Element, class Threads, class Elements>
class BlockRecordSort {
  using Key = KeyOf<Element>;
  using Value = ValueOf<Element>;
  using Bits = BitsOf<Key>;
  using Sort = BlockValueSort<Key, Threads, Elements>;
  template <class Item>
  using InRows = typename Sort::template InRows<Item>;

 public:
  /// Returns how many first bits of their keys, one at least, records must have in common for their words to
  /// have room for the others.
  FATHOM_DEVICE
  static constexpr int least_common_bits(int threads, int elements) {
    return max(1, bits_of_place(threads * elements) - Sort::most_thread_bits(threads, elements));
  }

  /// `counts` has Sort::words(), and `tile` room for all records.
  FATHOM_DEVICE
  BlockRecordSort(Threads threads, Elements elements, Shared<u32> counts, SplitTile<Key, Value> tile,
                  Shared<u32> sums)
      : threads_(threads),
        elements_(elements),
        tile_(tile),
        sort_(threads, elements, counts, tile.keys, sums) {}

  /// Sorts the records load(0), …, load(count − 1) by the last `last_bits` bits of their keys into the
  /// beginning of a list, which may be where they are loaded from. A thread asks for its records in ascending
  /// order. Returns false, having stored nothing, if there are too many keys of neighbouring values, or if
  /// keys have less than least_common_bits() in common.
  template <class Block, class Load>
  FATHOM_DEVICE
  bool sort(Block& block, int count, Load load, ListOf<Element> list, int last_bits) const {
    const int place_bits = bits_of_place(threads_ * elements_);
    const int differing_bits = last_bits - sort_.thread_bits(last_bits);
    if (differing_bits + place_bits > key_bits<Key>) return false;

    InRows<Key> keys(elements_);
    {
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
  FATHOM_DEVICE
  static constexpr int bits_of_place(int records) { return Sort::log2_up(records); }

  /// A record's word: the bits of the key from `first` on, then its place in the input.
  struct Words {
    int first;

    FATHOM_DEVICE
    Key word(const Key& key, int at) const {
      return __builtin_bit_cast(Key, Bits(ordered_bits(key) << first | Bits(at)));
    }
    FATHOM_DEVICE
    bool is_less(const Key& a, const Key& b) const {
      return __builtin_bit_cast(Bits, a) < __builtin_bit_cast(Bits, b);
    }
    FATHOM_DEVICE
    bool has_ties(int) const { return true; }
  };

  Threads threads_;
  Elements elements_;
  SplitTile<Key, Value> tile_;
  Sort sort_;
};

}  // namespace fathom
