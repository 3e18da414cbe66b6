// SPDX-License-Identifier: Apache-2.0
// A part of the ranks as the bucket of a key.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/gpus/cuts.h>
#include <fathom/algorithms/sort/distribution/splitter/classify_keys.h>

namespace fathom {

/// Classifies a rank's elements, in any order, by the part that they belong to (ClassifyKeys). A key is
/// compared with each cut.
struct PartsByCuts {
  static constexpr const char* header = "fathom/algorithms/gpus/split/parts_by_cuts.h";

  Span<const Cut> cuts;
  u64 rank;

  static int shared_memory(int parts) { return shared_bytes<u64>(parts) * 2; }

  struct InBlock {
    TilePart part;
    u64 rank;
    int cuts;
    Shared<u64> bits, places;

    template <class Block, class Threads, class Key, class Elements>
    FATHOM_DEVICE
    void find_buckets(Block& block, Threads threads, const Registers<Key, Elements>& key, int first,
                      Registers<int, Batch>& bucket) const {
      FATHOM_UNROLL
      for (int i = 0; i < Batch{}; ++i) bucket[i] = 0;
      for (int each = 0; each < cuts; ++each) {
        const Cut cut{bits.load(each), places.load(each)};
        FATHOM_UNROLL
        for (int i = 0; i < Batch{}; ++i) {
          const Index at = part.first + place_in_tile(block, threads, first + i);
          bucket[i] += cut.comes_after(u64(ordered_bits(key[first + i])), place_of(rank, at)) ? 0 : 1;
        }
      }
    }
  };

  /// Called by all threads; a barrier must follow.
  template <class Block, class Threads>
  FATHOM_DEVICE
  InBlock in_block(Block& block, Threads threads, const TilePart& part) const {
    const int count = int(cuts.count);
    const auto bits = block.template shared<u64>(count + 1), places = block.template shared<u64>(count + 1);
    for (int i = block.thread(); i < count; i += threads) {
      const Cut cut = cuts.load(i);
      bits.store(i, cut.bits);
      places.store(i, cut.place);
    }
    return {part, rank, count, bits, places};
  }
};

}  // namespace fathom
