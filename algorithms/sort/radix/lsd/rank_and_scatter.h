// The last step of a radix sort's pass (merrill2010 §3): every block ranks the keys of its share by their
// digits and moves them to their places.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/radix/key_bits.h>
#include <fathom/algorithms/sort/radix/lsd/tile_shares.h>

namespace fathom {

/// Stable. offsets[digit · blocks + block] is where the block's first key with this digit goes among the keys
/// of the digit, whose number is totals[digit]. Keys are given as their bits.
///
/// A tile's ranks come from one scan of all digits together (the source's multi-scan): every thread counts
/// its own keys in packed counters, one for each digit, and the scan over digits first and threads second
/// leaves in each the rank of the thread's first key. Counters have 16 bits, since tiles have more than 255
/// keys; the source scans fewer keys at a time in 8. The tile then goes through shared memory in the order of
/// its digits, so that consecutive threads mostly write consecutive addresses.
template <class Element, class Threads = Number, class Elements = Number, class DigitBits = Number>
struct RankAndScatter {
  static constexpr const char* header = "fathom/algorithms/sort/radix/lsd/rank_and_scatter.h";

  using Counters = PackedCounters<16>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const u64> offsets;
  Span<const u64> totals;
  Index n;
  TileShares shares;
  DigitOfBits<KeyOf<Element>> digit;
  Threads threads_per_block;
  Elements elements_per_thread;
  DigitBits digit_bits;

  static int shared_memory(int threads, int elements, int digit_bits) {
    return shared_bytes<Element>(threads * elements) + shared_bytes<u32>((words(digit_bits) + 1) * threads) +
           shared_bytes<u32>(warp_width) + 2 * shared_bytes<Index>(1 << digit_bits);
  }

  /// A thread has its elements, their ranks, and some forty registers more. Left alone, the compiler takes up
  /// to 168, and fewer blocks fit; with twenty more it spills.
  static constexpr int least_resident_blocks() {
    return blocks_with_registers(Threads{}, Elements{} * (int(sizeof(Element)) / 4 + 1) + 44);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile_size = threads_per_block * elements_per_thread, digits = 1 << digit_bits;
    const auto tile = block.template shared<Element>(tile_size);
    const Counters counters{block.template shared<u32>((words(digit_bits) + 1) * threads_per_block)};
    const auto sums = block.template shared<u32>(warp_width);
    const auto next = block.template shared<Index>(digits);       // where each digit's next key goes
    const auto to_output = block.template shared<Index>(digits);  // what to add to its place in the tile

    if (block.warp() == 0) find_first_places(block, next);
    const Index end = shares.end(block.index());
    for (Index i = shares.begin(block.index()); i < end; ++i) {
      const auto range = TileRange::number(i, tile_size, n);
      Registers<Element, Elements> elements(elements_per_thread);
      load_consecutive(block, input.from(range.first), range.count, tile, elements_per_thread, elements);

      Registers<u32, Elements> ranks(elements_per_thread);
      count_digits(block, elements, range.count, counters, ranks);
      block.barrier();
      scan(block, counters, sums);
      block.barrier();
      place_digits(block, counters, next, to_output);
      FATHOM_UNROLL
      for (int k = 0; k < elements_per_thread; ++k)
        tile.store(int(ranks[k] & 0xffff) + counter_of(block.thread(), counters, int(ranks[k] >> 16)),
                   elements[k]);
      block.barrier();
      scatter(block, tile, range.count, to_output);
      block.barrier();
    }
  }

 private:
  /// Where the block's first key of each digit goes.
  template <class Block>
  FATHOM_DEVICE
  void find_first_places(Block& block, Shared<Index> next) const {
    u64 before = 0;
    for (int first = 0; first < 1 << digit_bits; first += warp_width) {
      const int i = first + block.lane();
      const bool is_digit = i < 1 << digit_bits;
      const u64 total = is_digit ? totals.load(i) : 0;
      const u64 up_to_here = inclusive_scan_warp(block, total, Plus{});
      if (is_digit)
        next.store(i, Index(before + up_to_here - total + offsets.load(i * block.blocks() + block.index())));
      before += block.shuffle(up_to_here, warp_width - 1);
    }
  }

  /// Of a thread's counters.
  FATHOM_DEVICE
  static constexpr int words(int digit_bits) { return 1 << (digit_bits - 1); }

  FATHOM_DEVICE
  int word_of(int value, int thread) const {
    return (value & (words(digit_bits) - 1)) * threads_per_block + thread;
  }
  FATHOM_DEVICE
  int field_of(int value) const { return value >> (digit_bits - 1); }
  FATHOM_DEVICE
  int counter_of(int thread, Counters counters, int value) const {
    return int(counters.load(word_of(value, thread), field_of(value)));
  }

  /// Each rank becomes the element's digit, in the upper half, and its rank among the thread's equal digits.
  /// Elements behind the last one count as of the last digit, where they come last.
  template <class Block>
  FATHOM_DEVICE
  void count_digits(Block& block, const Registers<Element, Elements>& elements, int count, Counters counters,
                    Registers<u32, Elements>& ranks) const {
    FATHOM_UNROLL
    for (int i = 0; i <= words(digit_bits); ++i)
      counters.words.store(i * threads_per_block + block.thread(), 0);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const bool exists = block.thread() * elements_per_thread + i < count;
      const int value = exists ? digit.of(key_of(elements[i])) : (1 << digit_bits) - 1;
      ranks[i] = u32(value) << 16 | counters.increment(word_of(value, block.thread()), field_of(value));
    }
  }

  /// Exclusive, over all counters of the lower fields, then of the upper ones. Each thread adds up
  /// consecutive words; one word of zeros per thread makes their number odd, so that there are no bank
  /// conflicts.
  template <class Block>
  FATHOM_DEVICE
  void scan(Block& block, Counters counters, Shared<u32> sums) const {
    const int length = words(digit_bits) + 1;
    const auto mine = counters.words.from(block.thread() * length);
    u32 sum = 0;
    for (int i = 0; i < length; ++i) sum = Counters::add(sum, mine.load(i));
    const BlockPrefix<u32> place = thread_prefix_in_block(block, sum, sums, Plus{});
    u32 before = Counters::add(place.exclusive_prefix, place.aggregate << 16);
    for (int i = 0; i < length; ++i) {
      const u32 counted = mine.load(i);
      mine.store(i, before);
      before = Counters::add(before, counted);
    }
  }

  template <class Block>
  FATHOM_DEVICE
  void place_digits(Block& block, Counters counters, Shared<Index> next, Shared<Index> to_output) const {
    const int digits = 1 << digit_bits;
    for (int i = block.thread(); i < digits; i += threads_per_block) {
      const int begin = counter_of(0, counters, i);
      const int end =
          i + 1 < digits ? counter_of(0, counters, i + 1) : threads_per_block * elements_per_thread;
      const Index place = next.load(i);
      to_output.store(i, place - begin);
      next.store(i, place + end - begin);
    }
  }

  template <class Block>
  FATHOM_DEVICE
  void scatter(Block& block, Shared<Element> tile, int count, Shared<Index> to_output) const {
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const int at = i * threads_per_block + block.thread();
      if (at < count) {
        const Element element = tile.load(at);
        output.store(to_output.load(digit.of(key_of(element))) + at, element);
      }
    }
  }
};

}  // namespace fathom
