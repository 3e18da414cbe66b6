// SPDX-License-Identifier: Apache-2.0
// How the groups of lists of a pass are cut into rows by separators (agpu2015 §7.3).
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// A pass merges groups of `ways` neighbouring sorted lists of `run` keys; at the end of the data lists may
/// be shorter or empty. Of every list each s-th key is a sample, s = `interval`; of a group's samples, in
/// order, each K-th one, K = `ways`, is the separator behind which a row ends. Equivalent keys are in the
/// order of their lists, and so no two are equal: it does not matter how often a key is repeated.
///
/// No row has 2Ks keys: between two separators, and behind the last one that a row needs, are at most K
/// samples. A list with c of them has less than (c + 1)·s keys in the row, since between two of its samples
/// there are s − 1 others; over all K lists that is less than Ks + Ks.
struct SeparatedRows {
  Index n, run;
  int ways;
  Index interval;
  Index rows_per_group;  ///< of a whole group: the samples of a list, or one

  /// About `wanted` rows for a whole group, 1 ≤ wanted ≤ run.
  static SeparatedRows of(Index n, Index run, int ways, Index wanted) {
    const Index interval = ceil_div(run, wanted);
    return {n, run, ways, interval, run / interval};
  }

  FATHOM_DEVICE
  Index group_size() const { return run * ways; }
  FATHOM_DEVICE
  Index groups() const { return ceil_div(n, group_size()); }
  FATHOM_DEVICE
  Index count() const { return groups() * rows_per_group; }
  FATHOM_DEVICE
  Index list_first(Index group, int list) const { return min(group * group_size() + list * run, n); }
  FATHOM_DEVICE
  Index list_size(Index group, int list) const {
    return list_first(group, list + 1) - list_first(group, list);
  }
  /// The last row needs none, and the rows behind it are empty.
  FATHOM_DEVICE
  Index separators(Index group) const {
    const Index keys = min(n - group * group_size(), group_size());
    const Index samples = keys / run * (run / interval) + keys % run / interval;
    return min(samples / ways, rows_per_group - 1);
  }
};

}  // namespace fathom
