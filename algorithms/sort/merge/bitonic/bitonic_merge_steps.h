// SPDX-License-Identifier: Apache-2.0
// The first steps of a merge of the bitonic sort (agpu2015): those between keys of different tiles.
#pragma once

#include <fathom/algorithms/block/exchange.h>

namespace fathom {

/// log₂ `rows` consecutive steps of a merge, of which the last compares keys that are 2^low apart. Each
/// thread holds one key in each of `rows` rows of 2^low keys. The source does one step per pass; `rows` = 2
/// is that.
///
/// If `mirrored`, these are the first steps of the merge, whose first one compares mirror images. All
/// comparators then put the smaller key first, so keys missing at the end count as largest and need no
/// storage.
template <class Key, class LessThan, class Rows = Number>
struct BitonicMergeSteps {
  static constexpr const char* header = "fathom/algorithms/sort/merge/bitonic/bitonic_merge_steps.h";

  Span<Key> keys_in_place;
  Index n;
  int low;
  bool mirrored;
  Rows rows;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index thread = block.index() * block.threads() + block.thread();
    const Index stride = Index(1) << low, column = thread & (stride - 1);
    const Index lower = (thread - column) * rows + column;
    if (lower >= n) return;
    const Index upper = mirrored ? lower + stride - 1 - 2 * column : lower;
    const auto index = [&](int row) { return (row < rows / 2 ? lower : upper) + row * stride; };

    Registers<Key, Rows> keys(rows);
    const bool complete = index(rows - 1) < n;
    if (complete) {
      FATHOM_UNROLL
      for (int row = 0; row < rows; ++row) keys[row] = keys_in_place.load(index(row));
    } else {  // missing keys are those of the last rows; copies of the largest stay there
      FATHOM_UNROLL
      for (int row = 0; row < rows; ++row)
        if (index(row) < n) keys[row] = keys_in_place.load(index(row));
      Key largest = keys[0];
      FATHOM_UNROLL
      for (int row = 1; row < rows; ++row)
        if (index(row) < n && compare(largest, keys[row], LessThan{})) largest = keys[row];
      FATHOM_UNROLL
      for (int row = 1; row < rows; ++row)
        if (index(row) >= n) keys[row] = largest;
    }

    if (mirrored)
      compare_mirrored(keys, rows, LessThan{});
    else
      half_cleaner(keys, rows, rows / 2, LessThan{});
    half_cleaners(keys, rows, log2_of(rows) - 1, LessThan{});

    FATHOM_UNROLL
    for (int row = 0; row < rows; ++row)
      if (complete || index(row) < n) keys_in_place.store(index(row), keys[row]);
  }
};

}  // namespace fathom
