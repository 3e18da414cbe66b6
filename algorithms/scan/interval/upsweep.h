// SPDX-License-Identifier: Apache-2.0
// The upsweep of the interval scan (nakano2012): the sums of the intervals of the next coarser level.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// sums[i] = input[2i] ∘ input[2i + 1].
template <class T, class Operator, class Threads = Number>
struct Upsweep {
  static constexpr const char* header = "fathom/algorithms/scan/interval/upsweep.h";

  Span<const T> input;
  Span<T> sums;
  Index pairs;
  Threads threads_per_block;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index i = block.index() * threads_per_block + block.thread();
    if (i >= pairs) return;
    const Vector<T, 2> pair = input.template load_vector<2>(2 * i);
    sums.store(i, Operator{}(pair.element[0], pair.element[1]));
  }
};

}  // namespace fathom
