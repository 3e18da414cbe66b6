// SPDX-License-Identifier: Apache-2.0
// The radix sort of few elements: one block sorts them all.
#pragma once

#include <fathom/algorithms/block/radix/radix_sort.h>

namespace fathom {

/// As many elements as fit in a tile of threads × elements stay in shared memory. More go through global
/// memory for each digit, tile by tile.
template <class Element, class Threads = Number, class Elements = Number, class Bits = Number>
struct SortInOneBlock {
  static constexpr const char* header = "fathom/algorithms/sort/radix/single/sort_in_one_block.h";

  using Sort = BlockRadixSort<Element, Threads, Elements>;
  using Key = KeyOf<Element>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  ListOf<Element> other;  ///< work space, of n elements if they do not fit in a tile
  BitRange range;         ///< not empty
  Index n;
  Threads threads_per_block;  ///< at least 2^bits
  Elements elements_per_thread;
  Bits bits;

  static int shared_memory(int threads, int elements, int bits) {
    return Sort::shared_memory(threads, elements, bits) + shared_bytes<u32>(1 << bits) +
           shared_bytes<Index>(1 << bits) + shared_bytes<Index>(warp_width);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    Sort sort(block, threads_per_block, elements_per_thread, bits);
    if (n <= threads_per_block * elements_per_thread) {
      sort.load(input, int(n));
      sort.sort_by(block, range, bits);
      sort.store(block, output, [](const Key&, int at) { return Index(at); });
    } else {
      sort_tiles(block, sort);
    }
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  void sort_tiles(Block& block, Sort& sort) const {
    const auto counts = block.template shared<u32>(1 << bits);
    const auto offsets = block.template shared<Index>(1 << bits);
    const auto sums = block.template shared<Index>(warp_width);
    const int digits = range.digits(bits), bin = block.thread(),
              tile_size = threads_per_block * elements_per_thread;
    const bool has_bin = bin < 1 << bits;
    ConstListOf<Element> from = input;
    FATHOM_NO_UNROLL
    for (int p = 0; p < digits; ++p) {
      const Digit digit = range.digit(p, bits);
      const ListOf<Element> to = (digits - p) % 2 == 1 ? output : other;
      if (has_bin) counts.store(bin, 0);
      block.barrier();
      FATHOM_NO_UNROLL
      for (Index i = bin; i < n; i += threads_per_block)
        counts.atomic_add(digit.of(keys_of(from).load(i)), 1u);
      block.barrier();
      const Index count = has_bin ? counts.load(bin) : 0;
      Index first = thread_prefix_in_block(block, count, sums, Plus{}).exclusive_prefix;
      FATHOM_NO_UNROLL
      for (Index tile = 0; tile < n; tile += tile_size) {
        const int in_tile = int(min<Index>(n - tile, tile_size));
        sort.load(from.from(tile), in_tile);
        const BinInTile found = sort.sort_by(block, digit);
        if (has_bin) offsets.store(bin, first - found.first);
        first += found.count;
        block.barrier();
        sort.store(block, to, [&](const Key& key, int at) { return offsets.load(digit.of(key)) + at; });
      }
      block.barrier();  // before other threads read what this one has written
      from = read_only(to);
    }
  }
};

}  // namespace fathom
