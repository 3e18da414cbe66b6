// SPDX-License-Identifier: Apache-2.0
// One step of the naive scan (nakano2012).
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// output[i] = a[i − distance] ∘ a[i], and a[i] alone for the first `distance` elements, where a is the input
/// shifted up by `shift` places, which are filled with the operator's identity.
template <class T, class Operator, class Threads = Number>
struct HillisSteeleStep {
  static constexpr const char* header = "fathom/algorithms/scan/naive/hillis_steele_step.h";

  Span<const T> input;
  Span<T> output;
  Index n;
  Index distance;
  Index shift;
  Threads threads_per_block;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index i = block.index() * threads_per_block + block.thread();
    if (i >= n) return;
    const T own = element(i);
    output.store(i, i < distance ? own : Operator{}(element(i - distance), own));
  }

 private:
  FATHOM_DEVICE
  T element(Index i) const { return i < shift ? identity_of<Operator, T>() : input.load(i - shift); }
};

}  // namespace fathom
