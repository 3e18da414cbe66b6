// SPDX-License-Identifier: Apache-2.0
// A digit as the bucket of a key.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/sort/distribution/splitter/classify_keys.h>

namespace fathom {

/// Classifies keys by a digit. It needs no shared memory.
struct DigitOfKeys {
  static constexpr const char* header = "fathom/algorithms/sort/radix/recursive/digit_of_keys.h";

  Digit digit;

  struct InBlock {
    Digit digit;

    template <class Block, class Threads, class Key, class Elements>
    FATHOM_DEVICE
    void find_buckets(Block&, Threads, const Registers<Key, Elements>& key, int first,
                      Registers<int, Batch>& bucket) const {
      FATHOM_UNROLL
      for (int i = 0; i < Batch{}; ++i) bucket[i] = digit.of(key[first + i]);
    }
  };

  template <class Block, class Threads>
  FATHOM_DEVICE
  InBlock in_block(Block&, Threads, const TilePart&) const { return {digit}; }
};

}  // namespace fathom
