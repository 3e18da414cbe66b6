// Host side of making inputs and checking outputs, on whatever executor the data lies.
#pragma once

#include <fathom/algorithms/check/digest_keys.h>
#include <fathom/algorithms/driver.h>
#include <fathom/device/executor.h>

namespace fathom {

/// The tiles of the pairwise mergesort that a conflict-heavy input is made for. By default those of its
/// default parameters.
struct TileShape {
  int threads = 256;
  int elements = 17;  ///< per thread
};

/// Fills `output` with an input pattern; `tile` matters to the conflict-heavy one only. T: u32, u64, f32,
/// f64, Pair.
template <class T>
void fill_input(Executor& executor, Span<T> output, Input input, TileShape tile = {});

template <class Key, class LessThan>
KeyDigest digest_keys(Executor& executor, Span<const Key> keys);

/// Throws KernelFailure when `output` is not `input`'s keys in order.
template <class Key, class LessThan>
void check_sorted(Executor& executor, Span<const Key> input, Span<const Key> output);

// Sums of floating-point numbers depend on the order of the additions. `depth` is the largest number of
// additions that an element goes through one after another: the result may be wrong by depth·ε·Σ|x|, and by
// the reference's own rounding. Depth 0 asks for equality, as does every type that does not round.

/// 0 where the input's sums are exact in any order (fill_input.h says when), else `depth`.
Index rounding_depth(Input input, Index depth);

/// Throws KernelFailure when output[0] is not the combination of all of `input`, in order.
template <class T, class Operator>
void check_reduction(Executor& executor, Span<const T> input, Span<const T> output, Index depth = 0);

/// Throws KernelFailure when `output` is not the exclusive scan of `input`.
template <class T, class Operator>
void check_exclusive_scan(Executor& executor, Span<const T> input, Span<const T> output, Index depth = 0);

/// The checks as drivers take them, for an algorithm of this depth on this input.
template <class T, class Operator>
auto reduction_check(Input input, Index depth) {
  return [depth = rounding_depth(input, depth)](Executor& executor, Span<const T> in, Span<const T> out) {
    check_reduction<T, Operator>(executor, in, out, depth);
  };
}
template <class T, class Operator>
auto exclusive_scan_check(Input input, Index depth) {
  return [depth = rounding_depth(input, depth)](Executor& executor, Span<const T> in, Span<const T> out) {
    check_exclusive_scan<T, Operator>(executor, in, out, depth);
  };
}

}  // namespace fathom
