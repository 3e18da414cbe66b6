// SPDX-License-Identifier: Apache-2.0
// The last step of a radix sort's pass (merrill2010 §3): every block ranks the keys of its share by their
// digits and moves them to their places.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/sort/radix/lsd/digit_counters.h>
#include <fathom/algorithms/sort/radix/lsd/tile_shares.h>

namespace fathom {

/// Stable. offsets[digit · blocks + block] is where the block's first key with this digit goes among the keys
/// of the digit, whose number is totals[digit]. Keys are given as their bits.
///
/// A tile's ranks come from DigitCounters. The tile then goes through shared memory in the order of
/// its digits, so that consecutive threads mostly write consecutive addresses.
template <class Element, class Threads = Number, class Elements = Number, class DigitBits = Number>
struct RankAndScatter {
  static constexpr const char* header = "fathom/algorithms/sort/radix/lsd/rank_and_scatter.h";

  using Counters = DigitCounters<Threads, DigitBits>;

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
    return shared_bytes<Element>(threads * elements) + Counters::shared_memory(threads, digit_bits) +
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
    const auto counters = Counters::make(block, threads_per_block, digit_bits);
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
      counters.count_digits(block, elements, elements_per_thread, digit, range.count, ranks);
      block.barrier();
      counters.scan(block, sums);
      block.barrier();
      place_digits(block, counters, next, to_output);
      FATHOM_UNROLL
      for (int k = 0; k < elements_per_thread; ++k)
        tile.store(int(ranks[k] & 0xffff) + counters.counter_of(block.thread(), int(ranks[k] >> 16)),
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

  template <class Block>
  FATHOM_DEVICE
  void place_digits(Block& block, const Counters& counters, Shared<Index> next,
                    Shared<Index> to_output) const {
    const int digits = 1 << digit_bits;
    for (int i = block.thread(); i < digits; i += threads_per_block) {
      const int begin = counters.counter_of(0, i);
      const int end =
          i + 1 < digits ? counters.counter_of(0, i + 1) : threads_per_block * elements_per_thread;
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
