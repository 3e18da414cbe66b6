// SPDX-License-Identifier: Apache-2.0
// The pass of a radix sort from the most significant digit that puts frequent keys at their places.
#pragma once

#include <fathom/algorithms/sort/radix/msd/key_classes.h>
#include <fathom/algorithms/sort/radix/msd/tiles_in_turn.h>
#include <fathom/algorithms/sort/radix/onesweep/split_by_digit.h>

namespace fathom {

/// SplitByDigit by the classes of keys in place of a digit, by a fixed grid, as SplitIfSkewed.
template <class Element, class Count, class Threads = Number, class Elements = Number, class Bits = Number>
struct SplitByClass : SplitByDigit<Element, Count, Threads, Elements, Bits> {
  using Split = SplitByDigit<Element, Count, Threads, Elements, Bits>;
  using Key = KeyOf<Element>;
  static constexpr const char* header = "fathom/algorithms/sort/radix/msd/split_by_class.h";

  Span<u32> tiles_taken;       ///< one; 0 before
  FrequentKeys<Key> frequent;  ///< classes, of which there are fewer than bins
  BitRange range;              ///< of the bits by which keys are sorted

  static int shared_memory(int threads, int elements, int bits) {
    return Split::shared_memory(threads, elements, bits) + shared_bytes<u32>(1) +
           KeyClasses<Key>::shared_memory() + shared_bytes<u8>(threads * elements);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const RadixPass todo = this->pass.load(0);
    if (todo.to == RadixPass::nowhere) return;
    const auto space = this->make_space(block);
    const auto taken = block.template shared<u32>(1);
    const auto keys = block.template shared<BitsOf<Key>>(FrequentKeys<Key>::padded);
    if (block.thread() < FrequentKeys<Key>::padded)
      keys.store(block.thread(), frequent.bits.load(block.thread()));
    const KeptClasses<Key> classes{
        {keys, int(frequent.count.load(0)), range},
        block.template shared<u8>(this->threads_per_block * this->elements_per_thread)};
    // Taking a tile has a barrier, which lets the threads read those keys.
    for_each_tile_in_turn(
        block, tiles_taken, taken, this->n, this->threads_per_block * this->elements_per_thread,
        [&](Index tile) { this->move_tile(block, todo, classes, this->lists, this->n, tile, space); });
  }
};

}  // namespace fathom
