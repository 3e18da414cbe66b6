// SPDX-License-Identifier: Apache-2.0
// Where the ranks' parts of a sorted array begin, chosen among samples of every rank's elements.
//
// Elements are in the order of their keys' bits (block/digits.h), those with equal keys in the order of their
// ranks, and of their positions there: no two are equal, so that any number of equal keys can be cut. That is
// also the order of a stable sort.
#pragma once

#include <fathom/device/contract/contract.h>

#ifndef __CUDACC_RTC__
#include <functional>
#include <span>
#include <vector>
#endif

namespace fathom {

/// The place of an element among those with equal keys.
FATHOM_DEVICE
u64 place_of(u64 rank, Index position) {
  return rank << 48 | u64(position);
}

FATHOM_DEVICE
u64 rank_of(u64 place) {
  return place >> 48;
}
FATHOM_DEVICE
Index position_of(u64 place) {
  return Index(place & ((u64(1) << 48) - 1));
}

/// A part begins with the first element that does not come before its cut.
struct Cut {
  u64 bits;
  u64 place;

  FATHOM_DEVICE
  bool comes_after(u64 other_bits, u64 other_place) const {
    return other_bits < bits || (other_bits == bits && other_place < place);
  }
};
/// The cut behind all elements, and a sample of none.
inline constexpr Cut behind_all{~u64(0), ~u64(0)};

/// A cut as sorted runs see it, of whose elements it is not known any more where they came from: of those
/// with its key, all of earlier runs come before it and none of later ones, and of this run before/of, at its
/// beginning.
struct RunCut {
  u64 bits;
  u64 run;  ///< see number_of_run()
  u64 before, of;
};
/// Runs are in the order of their ranks, and of their slices there.
FATHOM_DEVICE
u64 number_of_run(u64 rank, u64 slice) {
  return rank << 32 | slice;
}

#ifndef __CUDACC_RTC__
/// A rank has so many elements, and draws so many samples, each of which stands for an equal share of them.
struct Sampled {
  Index elements;
  Index samples;  ///< none only of no elements
};

/// The cuts in front of all of `parts` parts but the first, which are to be of one size. `samples` are those
/// of all ranks, in order; more, behind them, are ignored.
///
/// A rank's samples are in the middle of equal shares of its elements in order. So of a rank with n elements
/// and s samples, the number that comes before any cut is known within n/2s; and one of the samples is within
/// half of the largest share of the place that is wanted. With n elements in all and s samples of every rank,
/// a part is off by less than n/s plus the largest share.
std::vector<Cut> choose_cuts(std::span<const Cut> samples, std::span<const Sampled> of_rank,
                             std::size_t parts);

/// A cut that was chosen among these samples, in order. `run_of` is the number of the run that the element at
/// a place has become part of. Which share of that run's elements with the cut's key comes before it, the
/// samples tell.
RunCut in_run(const Cut& cut, std::span<const Cut> samples, const std::function<u64(u64 place)>& run_of);
#endif

}  // namespace fathom
