// SPDX-License-Identifier: Apache-2.0
// One step of the sum by halving (nakano2012).
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// results[i] = a[i] ∘ a[i + distance], and a[i] alone if that is beyond the end, for all results. They may
/// be the first elements of the input, `distance` at most: a thread alone reads the element that it
/// overwrites. For commutative operators.
template <class T, class Operator, class Threads = Number>
struct HalvingStep {
  static constexpr const char* header = "fathom/algorithms/reduce/halving/halving_step.h";

  Span<const T> input;
  Span<T> results;
  Index distance;
  Threads threads_per_block;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index i = block.index() * threads_per_block + block.thread();
    if (i >= Index(results.count)) return;
    const T values[2]{element(i), element(i + distance)};  // both in flight
    results.store(i, Operator{}(values[0], values[1]));
  }

 private:
  FATHOM_DEVICE
  T element(Index i) const { return i < Index(input.count) ? input.load(i) : identity_of<Operator, T>(); }
};

}  // namespace fathom
