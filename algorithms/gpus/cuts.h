// SPDX-License-Identifier: Apache-2.0
// Where the ranks' parts of a sorted array begin.
//
// Elements are in the order of their keys' bits (block/digits.h), those with equal keys in the order of their
// ranks, and of their positions there: no two are equal, so that any number of equal keys can be cut. That is
// also the order of a stable sort.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// A part begins behind the elements that come before its cut, in sorted runs, of whose elements it is not
/// known any more where they came from: of those with its key, all of earlier runs come before it and none of
/// later ones, and of this run before/of, at its beginning.
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

}  // namespace fathom
