// SPDX-License-Identifier: Apache-2.0
// Finds keys that many elements have, and counts the classes of keys that they divide the others into.
#pragma once

#include <fathom/algorithms/block/first_without.h>
#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/radix/msd/key_classes.h>
#include <fathom/algorithms/sort/radix/msd/skewed_keys.h>

namespace fathom {

/// Where all keys are to be sorted by all digits, looks for frequent ones in a sample: those of which it has
/// several, so many that no more keys are frequent than FrequentKeys has room for. If the others seem to be
/// rare enough, adds its keys to the count of each class, and 1 to that of each digit in which its keys
/// differ from the first frequent one. Any number of blocks, each with an equal share of the keys, and all
/// with the same sample.
template <class Key, class Threads = Number>
struct CountClasses {
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/count_classes.h";

  using Frequent = FrequentKeys<Key>;
  using Bits = BitsOf<Key>;

  Span<const Key> keys;
  Span<const u32> which;  ///< SkewedKeys::which; nothing is done unless it is `all`
  Frequent frequent;
  Span<u64> counts;  ///< of the classes, and behind them of the digits
  BitRange range;
  Index n;
  ClassCosts costs;
  int digit_bits;
  Threads threads_per_block;  ///< at least `samples`, and as many as there are classes and digits

  static constexpr int samples = 512;
  static constexpr int in_flight = 8;  ///< keys that a thread loads at a time
  static constexpr int levels = 5;
  /// A key is frequent if the sample has more than this of it, at the lowest level at which there are few
  /// enough such keys; at the last one there are.
  FATHOM_DEVICE
  static constexpr int least(int level) { return 1 << level; }
  static_assert(samples / (1 << (levels - 1)) <= Frequent::most + 1);

  /// Returns which of n keys, fewer than 2^32, is the i-th of the sample. Neighbours are taken together,
  /// which reads fewer sectors, and groups of them not at equal distances, in which keys may repeat.
  FATHOM_DEVICE
  static Index place_of_sample(int i, Index n) {
    constexpr u32 of_group = 8, groups = samples / of_group;
    const u32 group = u32(i) / of_group, share = max(u32(n) / groups, of_group) - of_group + 1;
    const Index first = Index(group) * n / groups + group * 2654435761u % share;
    return min(first + i % int(of_group), n - 1);
  }

  static int shared_memory() {
    return KeyClasses<Key>::shared_memory() + shared_bytes<Bits>(samples) + shared_bytes<Bits>(1) +
           shared_bytes<u32>(levels) + shared_bytes<u64>(warp_width) +
           shared_bytes<u32>(Frequent::classes * copies) + shared_bytes<Bits>(1);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    if (which.load(0) != SkewedKeys::all || costs.most == 0) return;
    const auto found = block.template shared<Bits>(Frequent::padded);
    const int count = find_frequent(block, found);
    if (block.index() == 0 && block.thread() < Frequent::padded && count > 0)
      frequent.bits.store(block.thread(), found.load(block.thread()));
    if (count > 0) count_all(block, {found, count, range}, found.load(0));
  }

 private:
  static constexpr int copies = warp_width;  ///< of a counter, one per lane, each in a bank of its own

  /// Puts them into `found` as FrequentKeys::bits says. Returns FrequentKeys::count, which the first block
  /// stores.
  template <class Block>
  FATHOM_DEVICE
  int find_frequent(Block& block, Shared<Bits> found) const {
    const auto sample = block.template shared<Bits>(samples);
    const auto differing = block.template shared<Bits>(1);
    const auto keys_at_level = block.template shared<u32>(levels);
    const auto sums = block.template shared<u64>(warp_width);
    const int thread = block.thread();
    const bool has_sample = thread < samples;
    if (has_sample) sample.store(thread, range.of(keys.load(place_of_sample(thread, n))));
    if (thread < Frequent::padded) found.store(thread, ~Bits(0));
    if (thread == 0) differing.store(0, 0);
    fill_shared(block, threads_per_block, keys_at_level, levels, 0u);
    block.barrier();
    sort_sample(block, sample);

    const Bits own = has_sample ? sample.load(thread) : 0;
    const bool is_first = has_sample && (thread == 0 || sample.load(thread - 1) != own);
    int equal = 0;
    if (is_first) {
      equal = first_without(thread, samples, [&](int i) { return sample.load(i) == own; }) - thread;
      differing.atomic_or(0, own ^ sample.load(0));
      for (int level = 0; level < levels; ++level)
        if (equal > least(level)) keys_at_level.atomic_add(level, 1u);
    }
    block.barrier();
    int level = 0;
    while (keys_at_level.load(level) > u32(Frequent::most)) ++level;
    const bool is_frequent = equal > least(level);
    // Their number in the upper half of a word, and that of their samples in the lower one.
    const u64 here = is_frequent ? u64(1) << 32 | u64(equal) : 0;
    const BlockPrefix<u64> before = thread_prefix_in_block(block, here, sums, Plus{});
    if (is_frequent) found.store(int(before.exclusive_prefix >> 32), own);
    const int count = int(before.aggregate >> 32), covered = int(u32(before.aggregate));
    // Keys that the sample lacks may have more digits.
    const int digits = covered == samples ? digits_with(differing.load(0)) : range.digits(digit_bits);
    const bool are_rare = costs.pays(Index(samples - covered) * n / samples, digits);
    if (block.index() == 0 && thread == 0) frequent.count.store(0, are_rare ? u32(count) : 0);
    block.barrier();
    return are_rare ? count : 0;
  }

  /// Batcher's bitonic sort.
  template <class Block>
  FATHOM_DEVICE
  static void sort_sample(Block& block, Shared<Bits> sample) {
    FATHOM_NO_UNROLL
    for (int run = 2; run <= samples; run *= 2) FATHOM_NO_UNROLL
    for (int distance = run / 2; distance > 0; distance /= 2) {
      const int at = 2 * block.thread() - (block.thread() & (distance - 1));
      if (at < samples) {
        const Bits one = sample.load(at), other = sample.load(at + distance);
        const bool ascending = (at & run) == 0;
        sample.store(at, ascending ? min(one, other) : max(one, other));
        sample.store(at + distance, ascending ? max(one, other) : min(one, other));
      }
      block.barrier();
    }
  }

  FATHOM_DEVICE
  bool has_digit(Bits set, int p) const {
    return (set >> p * digit_bits & ((Bits(1) << digit_bits) - 1)) != 0;
  }
  /// Digits with a bit that is set.
  FATHOM_DEVICE
  int digits_with(Bits set) const {
    int digits = 0;
    for (int p = 0; p < range.digits(digit_bits); ++p) digits += has_digit(set, p);
    return digits;
  }

  template <class Block>
  FATHOM_DEVICE
  void count_all(Block& block, const KeyClasses<Key>& classes, Bits some_key) const {
    const auto counted = block.template shared<u32>(Frequent::classes * copies);
    const auto differing = block.template shared<Bits>(1);
    fill_shared(block, threads_per_block, counted, Frequent::classes * copies, 0u);
    if (block.thread() == 0) differing.store(0, 0);
    block.barrier();
    const auto own = counted.from(block.lane());
    Bits differing_of_thread = 0;
    const auto count = [&](const Key& key) {
      const Bits bits = range.of(key);
      differing_of_thread |= bits ^ some_key;
      own.atomic_add(classes.of_bits(bits) * copies, 1u);
    };
    for_each_in_grid<in_flight>(
        block, threads_per_block, keys, n,
        [&](const auto& loaded) {
          FATHOM_UNROLL
          for (int i = 0; i < in_flight; ++i) count(loaded[i]);
        },
        count);
    differing.atomic_or(0, differing_of_thread);
    block.barrier();
    const int at = block.thread(), p = at - Frequent::classes;
    if (at < Frequent::classes) {
      u64 sum = 0;
      for (int i = 0; i < copies; ++i)  // each lane begins with another copy, in another bank
        sum += counted.load(at * copies + (block.lane() + i) % copies);
      if (sum > 0) counts.atomic_add_relaxed(at, sum);
    } else if (p < range.digits(digit_bits) && has_digit(differing.load(0), p)) {
      counts.atomic_add_relaxed(at, u64(1));
    }
  }
};

}  // namespace fathom
