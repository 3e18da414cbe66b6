// SPDX-License-Identifier: Apache-2.0
// Samples of a rank's elements, from which all ranks choose their cuts.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/gpus/cuts.h>

namespace fathom {

/// Sample i is drawn from the i-th of `count` equal shares of the keys: the middle one might meet keys of a
/// pattern. Further samples are behind all elements.
template <class Key>
struct SampleElements {
  static constexpr const char* header = "fathom/algorithms/gpus/sample_elements.h";

  Span<const Key> keys;
  Span<u64> bits, places;  ///< at least `count`
  Index count;             ///< at most as many as there are keys
  u64 rank;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index stride = block.blocks() * block.threads(), n = Index(keys.count);
    for (Index i = block.index() * block.threads() + block.thread(); i < Index(bits.count); i += stride) {
      if (i < count) {
        const Index begin = share_begin(i, n), length = share_begin(i + 1, n) - begin;
        const Index at = begin + Index(random(u64(i)) % u64(length));
        bits.store(i, u64(ordered_bits(keys.load(at))));
        places.store(i, place_of(rank, at));
      } else {
        bits.store(i, behind_all.bits);
        places.store(i, behind_all.place);
      }
    }
  }

 private:
  /// i·n/count, without i·n, which may be too large.
  FATHOM_DEVICE
  Index share_begin(Index i, Index n) const { return n / count * i + n % count * i / count; }

  /// Scrambled bits of a sample's number, others on each rank.
  FATHOM_DEVICE
  u64 random(u64 i) const {
    u64 mixed = (i + 1) * 0x9e3779b97f4a7c15ull + rank * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
    return mixed ^ mixed >> 32;
  }
};

}  // namespace fathom
