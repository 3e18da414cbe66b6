// SPDX-License-Identifier: Apache-2.0
// The last step of the tiled radix sort's pass (satish2009): every tile's elements go to their places.
#pragma once

#include <fathom/algorithms/sort/radix/key_bits.h>

namespace fathom {

/// Moves tiles of threads × elements elements, each sorted by the digit. offsets[digit · blocks + tile] is
/// where the tile's first element with this digit goes, and starts[…] its place in the tile. One block per
/// tile.
template <class Element, class Threads = Number, class Elements = Number>
struct ScatterTiles {
  static constexpr const char* header = "fathom/algorithms/sort/radix/tiled/scatter_tiles.h";

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const u64> offsets;
  Span<const u32> starts;
  Index n;
  DigitOfBits<KeyOf<Element>> digit;
  int digits;
  Threads threads_per_block;
  Elements elements_per_thread;

  static int shared_memory(int digits) { return shared_bytes<Index>(digits); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index first = block.index() * threads_per_block * elements_per_thread;
    const auto to_output = block.template shared<Index>(digits);  // what to add to a place in the tile
    for (int i = block.thread(); i < digits; i += threads_per_block) {
      const Index from = i * block.blocks() + block.index();
      to_output.store(i, Index(offsets.load(from)) - starts.load(from));
    }
    block.barrier();
    Registers<Element, Elements> elements(elements_per_thread);
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const Index at = first + i * threads_per_block + block.thread();
      if (at < n) elements[i] = input.load(at);
    }
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_thread; ++i) {
      const int at = i * threads_per_block + block.thread();
      if (first + at < n) output.store(to_output.load(digit.of(key_of(elements[i]))) + at, elements[i]);
    }
  }
};

}  // namespace fathom
