// SPDX-License-Identifier: Apache-2.0
// Sort of up to a tile of keys by one block in shared memory, by counting; what sorts of records share with
// it.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/block/scan.h>

namespace fathom {

/// Sorts up to threads × elements keys by their last bits, in no particular order where they agree in these.
/// The first of these bits are a key's value, of about as many as there are keys. An atomic counts the value,
/// and returns the rank of the key among those that have it; the sums of the counts say where these begin.
/// Keys are then in the order of their values, and each thread puts those of a few neighbouring values in
/// order by insertion. Compared to a stable sort by two digits this takes half the accesses to shared memory,
/// but it pays only as long as keys are spread over the values evenly.
template <class Key, class Threads, class Elements>
class BlockValueSort {
 public:
  static constexpr u32 most_of_thread = 64;  ///< keys of its values; 4 to 36 in the mean, if spread evenly

  /// Returns how many words of shared memory the counts take.
  FATHOM_DEVICE
  static constexpr int words(int threads, int elements) {
    return values(threads, elements) + values_of_thread(threads, elements);
  }

  /// `counts` has so many words, and `tile` room for all keys.
  FATHOM_DEVICE
  BlockValueSort(Threads threads, Elements elements, Shared<u32> counts, Shared<Key> tile, Shared<u32> sums)
      : threads_(threads), elements_(elements), counts_(counts), tile_(tile), sums_(sums) {}

  /// Sorts the keys load(0), …, load(count − 1) by their last `last_bits` bits into the beginning of a list,
  /// which may be where they are loaded from. A thread asks for its keys in ascending order. Returns false,
  /// having stored nothing, if there are too many keys of neighbouring values.
  template <class Block, class Load>
  FATHOM_DEVICE
  bool sort(Block& block, int count, Load load, Span<Key> list, int last_bits) const {
    InRows<Key> keys(elements_);
    for_each_row(
        block, count, [&](int i, int at) { keys.whole[i] = load(at); },
        [&](int at) { keys.last = load(at); });
    if (!order(block, count, keys, last_bits, Keys{last_bits})) return false;
    const auto store = [&](int at) { list.store(at, tile_.load(at)); };
    for_each_row(
        block, count, [&](int, int at) { store(at); }, store);
    return true;
  }

  /// A thread's items of the rows of a block: item i of its thread is at thread + i · threads. The last row,
  /// which not all threads have, is apart.
  template <class Item>
  struct InRows {
    Registers<Item, Elements> whole;
    Item last{};

    FATHOM_DEVICE
    explicit InRows(Elements elements) : whole(elements) {}
  };
  /// Calls each(i, at) for the rows of a key per thread that `count` keys fill, and last(at) for the rest:
  /// only there lanes have to ask if they have a key.
  template <class Block, class Each, class Last>
  FATHOM_DEVICE
  void for_each_row(const Block& block, int count, Each each, Last last) const {
    FATHOM_UNROLL
    for (int i = 0; i < elements_; ++i) {
      if ((i + 1) * threads_ > count) break;
      each(i, block.thread() + i * threads_);
    }
    if (const int at = count / threads_ * threads_ + block.thread(); at < count) last(at);
  }

  /// Puts a word for each of `count` keys into the tile, in ascending order. Words are first placed by the
  /// keys' values; then each thread puts those of its own values in order by insertion, unless none can be
  /// out of it. words.of(key, at) is the word of a key and its place in the input, words.is_less(a, b) tells
  /// the order of two, and words.may_tie(bits) whether that may matter for keys that agree in the first
  /// `bits` of the last bits. All threads can read the tile afterwards. Returns false, having stored no word,
  /// if a thread has more than most_of_thread keys. `last_bits` are 1 to key_bits.
  template <class Block, class Words>
  FATHOM_DEVICE
  bool order(Block& block, int count, const InRows<Key>& keys, int last_bits, const Words& words) const {
    for_each_value(block, [&](int word) { counts_.store(word, 0); });
    block.barrier();

    const int bits = min(last_bits, value_bits());
    const Digit value{last_bits - bits, bits};
    // A key's rank is in the upper half of a word, and where its value is counted in the lower one.
    const auto rank = [&](const Key& key) {
      const int count = count_of(u32(value.of(key)));
      return counts_.atomic_add(count, 1) << 16 | u32(count);
    };
    InRows<u32> ranks(elements_);
    for_each_row(
        block, count, [&](int i, int) { ranks.whole[i] = rank(keys.whole[i]); },
        [&](int) { ranks.last = rank(keys.last); });
    block.barrier();

    u32 own = 0;
    for_each_value(block, [&](int word) { own += counts_.load(word); });
    const BlockPrefix<u32> before =
        thread_prefix_in_block(block, own > most_of_thread ? too_many : own, sums_, Plus{});
    if (before.aggregate != u32(count)) return false;
    u32 place = before.exclusive_prefix;
    for_each_value(block, [&](int word) {
      const u32 here = counts_.load(word);
      counts_.store(word, place);
      place += here;
    });
    block.barrier();

    const auto put = [&](const Key& key, u32 ranked, int at) {
      tile_.store(int(counts_.load(int(ranked & 0xffff)) + (ranked >> 16)), words.of(key, at));
    };
    for_each_row(
        block, count, [&](int i, int at) { put(keys.whole[i], ranks.whole[i], at); },
        [&](int at) { put(keys.last, ranks.last, at); });
    block.barrier();
    if (words.may_tie(bits)) {
      insert(int(before.exclusive_prefix), int(before.exclusive_prefix + own), words);
      block.barrier();
    }
    return true;
  }

  /// Returns how many bits, the first of the last `last_bits`, are the same in all keys that one thread puts
  /// in order.
  FATHOM_DEVICE
  int thread_bits(int last_bits) const {
    return max(0, min(last_bits, value_bits()) - ceil_log2(of_thread()));
  }
  /// The most that it returns, for enough last bits.
  FATHOM_DEVICE
  static constexpr int most_thread_bits(int threads, int elements) {
    return ceil_log2(values(threads, elements) / values_of_thread(threads, elements));
  }

 private:
  static constexpr u32 too_many = 1 << 20;  ///< more than a tile has

  /// The number of values is a power of two.
  FATHOM_DEVICE
  static constexpr int values(int threads, int elements) {
    int values = 1;
    while (2 * values <= min(16, 2 * elements) * threads) values *= 2;
    return values;
  }
  /// The number of neighbouring ones that a thread puts in order is one, too.
  FATHOM_DEVICE
  static constexpr int values_of_thread(int threads, int elements) {
    int of_thread = 1;
    while (of_thread * threads < values(threads, elements)) of_thread *= 2;
    return of_thread;
  }
  FATHOM_DEVICE
  constexpr int value_bits() const { return ceil_log2(values(threads_, elements_)); }
  FATHOM_DEVICE
  constexpr int of_thread() const { return values_of_thread(threads_, elements_); }

  /// The i-th values of all threads that have some are a row, with a word more: so threads read their counts
  /// from different banks, and neighbouring values, which sorted keys have, are counted in different ones.
  FATHOM_DEVICE
  constexpr int in_row() const { return values(threads_, elements_) / of_thread(); }
  FATHOM_DEVICE
  int count_of(u32 value) const {
    return int(value % u32(of_thread())) * (in_row() + 1) + int(value / u32(of_thread()));
  }
  /// Calls each(word) for the words of the thread's values, in their order.
  template <class Block, class Each>
  FATHOM_DEVICE
  void for_each_value(const Block& block, Each each) const {
    if (block.thread() >= in_row()) return;
    FATHOM_UNROLL
    for (int i = 0; i < of_thread(); ++i) each(i * (in_row() + 1) + block.thread());
  }

  /// Words that are the keys themselves, in the order of their last bits.
  struct Keys {
    int last_bits;

    FATHOM_DEVICE
    Key of(const Key& key, int) const { return key; }
    FATHOM_DEVICE
    bool is_less(const Key& a, const Key& b) const {
      const int first_bits = key_bits<Key> - last_bits;
      return ordered_bits(a) << first_bits < ordered_bits(b) << first_bits;
    }
    FATHOM_DEVICE
    bool may_tie(int bits) const { return bits < last_bits; }
  };

  /// Puts [begin, end) of the tile in order. A step either moves `key` below `lower`, the word before its
  /// place `to`, or takes the next word: with a loop for the moves within one over the words, the lanes of a
  /// warp would wait at each word for the one that moves the furthest.
  template <class Words>
  FATHOM_DEVICE
  void insert(int begin, int end, const Words& words) const {
    if (end - begin < 2) return;
    Key largest = tile_.load(begin), lower = largest;
    int at = begin + 1, to = at;
    Key key = tile_.load(at);
    FATHOM_NO_UNROLL
    while (at < end) {
      const bool passes = to > begin && words.is_less(key, lower);
      if (passes | (to < at)) tile_.store(to, passes ? lower : key);
      if (!passes && to == at) largest = key;
      at += passes ? 0 : 1;
      to = passes ? to - 1 : at;
      const Key next = tile_.load(passes ? max(to - 1, begin) : min(at, end - 1));
      key = passes ? key : next;
      lower = passes ? next : largest;
    }
  }

  Threads threads_;
  Elements elements_;
  Shared<u32> counts_;
  Shared<Key> tile_;
  Shared<u32> sums_;
};

}  // namespace fathom
