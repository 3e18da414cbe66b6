// SPDX-License-Identifier: Apache-2.0
// The passes by all digits that a radix sort from the most significant digit makes over skewed keys.
#pragma once

#include <fathom/algorithms/sort/radix/msd/skewed_keys.h>
#include <fathom/algorithms/sort/radix/msd/tiles_in_turn.h>
#include <fathom/algorithms/sort/radix/onesweep/split_by_digit.h>

namespace fathom {

/// SplitByDigit by a fixed grid, whose blocks take one tile after another: launched for every input, it costs
/// next to nothing where there is nothing to do.
template <class Element, class Count, class Threads = Number, class Elements = Number, class Bits = Number>
struct SplitIfSkewed : SplitByDigit<Element, Count, Threads, Elements, Bits> {
  using Split = SplitByDigit<Element, Count, Threads, Elements, Bits>;
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/split_if_skewed.h";

  Span<u32> tiles_taken;         ///< one; 0 before
  SkewedKeys skewed;             ///< not SkewedKeys::none, or the pass is left out
  RadixLists<Element> gathered;  ///< in place of `lists` for SkewedKeys::some

  static int shared_memory(int threads, int elements, int bits) {
    return Split::shared_memory(threads, elements, bits) + shared_bytes<u32>(1);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const RadixPass todo = this->pass.load(0);
    if (todo.to == RadixPass::nowhere) return;
    const auto space = this->make_space(block);
    const auto taken = block.template shared<u32>(1);
    const bool some = skewed.which.load(0) == SkewedKeys::some;
    const RadixLists<Element> of = some ? gathered : this->lists;
    const Index elements = some ? skewed.elements() : this->n;
    for_each_tile_in_turn(
        block, tiles_taken, taken, elements, this->threads_per_block * this->elements_per_thread,
        [&](Index tile) { this->move_tile(block, todo, todo.digit, of, elements, tile, space); });
  }
};

}  // namespace fathom
