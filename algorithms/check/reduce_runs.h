// SPDX-License-Identifier: Apache-2.0
// Reference results, computed differently from every kernel under test: run by run, one element after
// another.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// The type in which a reference result is computed: f32 needs one that rounds less.
template <class T>
struct WideType {
  using type = T;
};
template <>
struct WideType<f32> {
  using type = f64;
};
template <class T>
using Wide = typename WideType<T>::type;

/// |x| for types that round; exact types have no rounding error to bound.
template <class T>
FATHOM_DEVICE
f64 magnitude(const T&) {
  return 0;
}
FATHOM_DEVICE
f64 magnitude(const f64& x) {
  return x < 0 ? -x : x;
}

/// results[r] = in-order combination of the existing elements of [r·length, (r + 1)·length), and
/// magnitudes[r] = Σ|x| over them. One thread per run.
template <class T, class Operator>
struct ReduceRuns {
  static constexpr const char* header = "fathom/algorithms/check/reduce_runs.h";

  Span<const T> input;
  Span<Wide<T>> results;
  Span<f64> magnitudes;
  Index length;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index stride = block.blocks() * block.threads();
    for (Index r = block.index() * block.threads() + block.thread(); r < Index(results.count); r += stride) {
      Wide<T> result = identity_of<Operator, Wide<T>>();
      f64 sum_of_magnitudes = 0;
      const Index end = min((r + 1) * length, Index(input.count));
      for (Index i = r * length; i < end; ++i) {
        const Wide<T> element(input.load(i));
        result = Operator{}(result, element);
        sum_of_magnitudes += magnitude(element);
      }
      results.store(r, result);
      magnitudes.store(r, sum_of_magnitudes);
    }
  }
};

}  // namespace fathom
