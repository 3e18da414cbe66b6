// SPDX-License-Identifier: Apache-2.0
// Samples of all ranks' elements, among which cuts are chosen.
#pragma once

#include <fathom/algorithms/gpus/cuts.h>

namespace fathom {

/// Every rank that has elements draws equally many samples, so that each of them stands for an equal share of
/// these: of fewer elements than samples, some are drawn more than once. The samples of a rank without
/// elements stand for none.
struct Sample {
  u32 rank, number;  ///< both below 2^16

  FATHOM_DEVICE
  static Sample from(u32 tag) { return {tag >> 16, tag & 0xffff}; }
  /// It is sorted beside the sample's key, and orders equal keys by rank and number.
  FATHOM_DEVICE
  u32 tag() const { return rank << 16 | number; }

  /// Where it is drawn from the n elements of its rank, of which all samples have equal shares: anywhere in
  /// its share, as the middle might meet keys of a pattern.
  FATHOM_DEVICE
  Index position(Index samples, Index n) const {
    const Index begin = share_begin(number, samples, n);
    const Index length = share_begin(number + 1, samples, n) - begin;
    return length > 1 ? begin + Index(random() % u64(length)) : begin;
  }

 private:
  /// i·n/samples, without i·n, which may be too large.
  FATHOM_DEVICE
  static Index share_begin(Index i, Index samples, Index n) {
    return n / samples * i + n % samples * i / samples;
  }
  /// Scrambled bits of the sample's number, others on each rank.
  FATHOM_DEVICE
  u64 random() const {
    u64 mixed = (u64(number) + 1) * 0x9e3779b97f4a7c15ull + u64(rank) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
    return mixed ^ mixed >> 32;
  }
};

}  // namespace fathom
