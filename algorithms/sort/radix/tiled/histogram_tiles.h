// SPDX-License-Identifier: Apache-2.0
// The second step of the tiled radix sort's pass (satish2009): the histogram of every tile.
#pragma once

#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/radix/key_bits.h>

namespace fathom {

/// Counts the keys of tiles of threads × elements keys, each sorted by the digit: counts[digit · blocks +
/// tile] are the keys with this digit, and starts[digit · blocks + tile] is the place of their first in the
/// tile. One block per tile; a digit begins and ends where neighbours differ.
template <class Bits, class Threads = Number, class Elements = Number>
struct HistogramTiles {
  static constexpr const char* header = "fathom/algorithms/sort/radix/tiled/histogram_tiles.h";

  Span<const Bits> keys;
  Span<u64> counts;
  Span<u32> starts;
  Index n;
  DigitOfBits<Bits> digit;
  int digits;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int threads, int elements, int digits) {
    return shared_bytes<u32>(threads * elements) + 2 * shared_bytes<u32>(digits);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const auto range = TileRange::number(block.index(), threads_per_block * elements_per_thread, n);
    const auto values = block.template shared<u32>(range.size);
    const auto begin = block.template shared<u32>(digits);
    const auto end = block.template shared<u32>(digits);

    for (int i = block.thread(); i < digits; i += threads_per_block) {
      begin.store(i, 0);
      end.store(i, 0);
    }
    Registers<u32, Elements> value(elements_per_thread);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const int at = i * threads_per_block + block.thread();
      value[i] = at < range.count ? u32(digit.of(keys.load(range.first + at)))
                                  : u32(digits);  // none behind the last key
      values.store(at, value[i]);
    }
    block.barrier();
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const int at = i * threads_per_block + block.thread();
      const u32 before = at > 0 ? values.load(at - 1) : u32(digits);
      if (value[i] != before) {
        if (at < range.count) begin.store(int(value[i]), u32(at));
        if (at > 0) end.store(int(before), u32(at));
      }
    }
    if (range.is_whole() && block.thread() == threads_per_block - 1)
      end.store(int(value[elements_per_thread - 1]), u32(range.size));
    block.barrier();
    for (int i = block.thread(); i < digits; i += threads_per_block) {
      const Index to = i * block.blocks() + block.index();
      counts.store(to, end.load(i) - begin.load(i));
      starts.store(to, begin.load(i));
    }
  }
};

}  // namespace fathom
