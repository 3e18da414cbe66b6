// SPDX-License-Identifier: Apache-2.0
// An exclusive scan by its definition: output[0] = identity, output[i] = output[i-1] ∘ input[i-1].
#pragma once

#include <fathom/algorithms/check/reduce_runs.h>

namespace fathom {

/// Counts the positions where the definition does not hold. If the operator is exact, on integers and on
/// small whole floating-point numbers, a count of 0 proves the whole scan by induction.
template <class T, class Operator>
struct CheckScan {
  static constexpr const char* header = "fathom/algorithms/check/check_scan.h";

  Span<const T> input;
  Span<const T> output;
  Span<u64> wrong;  ///< one counter, zeroed

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(input.count);
    const Index stride = block.blocks() * block.threads();
    u64 mismatches = 0;
    for (Index i = block.index() * block.threads() + block.thread(); i < n; i += stride) {
      const T expected =
          i == 0 ? identity_of<Operator, T>() : Operator{}(output.load(i - 1), input.load(i - 1));
      if (output.load(i) != expected) ++mismatches;
    }
    block.atomic_add(wrong, 0, mismatches);
  }
};

/// Counts the positions that differ from the reference by more than `tolerance` times the sum of magnitudes
/// up to there. One thread per run of `length` elements; before[r] and magnitudes_before[r] are the sums over
/// the runs before r.
template <class T, class Operator>
struct CheckRoundedScan {
  static constexpr const char* header = "fathom/algorithms/check/check_scan.h";

  Span<const T> input;
  Span<const T> output;
  Span<const Wide<T>> before;
  Span<const f64> magnitudes_before;
  Index length;
  f64 tolerance;
  Span<u64> wrong;  ///< one counter, zeroed

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index stride = block.blocks() * block.threads();
    u64 mismatches = 0;
    for (Index r = block.index() * block.threads() + block.thread(); r < Index(before.count); r += stride) {
      Wide<T> expected = before.load(r);
      f64 sum_of_magnitudes = magnitudes_before.load(r);
      const Index end = min((r + 1) * length, Index(input.count));
      for (Index i = r * length; i < end; ++i) {
        const f64 error = magnitude(f64(output.load(i)) - f64(expected));
        if (!(error <= tolerance * sum_of_magnitudes)) ++mismatches;  // true for NaN, too
        const Wide<T> element(input.load(i));
        expected = Operator{}(expected, element);
        sum_of_magnitudes += magnitude(element);
      }
    }
    block.atomic_add(wrong, 0, mismatches);
  }
};

}  // namespace fathom
