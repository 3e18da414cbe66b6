// SPDX-License-Identifier: Apache-2.0
// The first step of the tiled radix sort's pass (satish2009): every block sorts a tile by one digit.
#pragma once

#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/radix/key_bits.h>

namespace fathom {

/// Sorts each tile of threads × elements elements by `bits` bits of the digit, stably, by as many 1-bit
/// splits in shared memory. One block per tile.
template <class Element, class Threads = Number, class Elements = Number>
struct SplitTiles {
  static constexpr const char* header = "fathom/algorithms/sort/radix/tiled/split_tiles.h";

  ConstListOf<Element> input;
  ListOf<Element> output;
  Index n;
  DigitOfBits<KeyOf<Element>> digit;
  int bits;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements) {
    return shared_bytes<Element>(threads * elements) + shared_bytes<int>(warp_width);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto range = TileRange::number(block.index(), threads_per_block * elements_per_thread, n);
    const auto tile = block.template shared<Element>(range.size);
    const auto sums = block.template shared<int>(warp_width);

    Registers<Element, Elements> elements(elements_per_thread);
    load_consecutive(block, input.from(range.first), range.count, tile, elements_per_thread, elements);
    for (int bit = 0; bit < bits; ++bit) {
      split(block, bit, range.count, elements, tile, sums);
      block.barrier();
      load_strided(elements, elements_per_thread, block.thread() * elements_per_thread, 1,
                   [&](int at) { return tile.load(at); });
    }
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const int at = i * threads_per_block + block.thread();
      if (at < range.count) output.store(range.first + at, tile.load(at));
    }
  }

 private:
  /// Moves the elements with a 0 in this bit ahead of the others. Those behind the last one have ones, and
  /// stay behind.
  template <class Block>
  FATHOM_DEVICE
  void split(Block& block, int bit, int count, const Registers<Element, Elements>& elements,
             Shared<Element> tile, Shared<int> sums) const {
    const int begin = block.thread() * elements_per_thread;
    u32 ones = 0;  // bit i: of element i
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i)
      ones |= (begin + i < count ? u32(digit.of(key_of(elements[i]))) >> bit & 1 : 1u) << i;
    int zeros = 0;
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) zeros += ~ones >> i & 1;
    const BlockPrefix<int> before = thread_prefix_in_block(block, zeros, sums, Plus{});
    int next_zero = before.exclusive_prefix;
    int next_one = before.aggregate + begin - before.exclusive_prefix;
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i)
      tile.store(ones >> i & 1 ? next_one++ : next_zero++, elements[i]);
  }
};

}  // namespace fathom
