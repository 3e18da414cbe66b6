// SPDX-License-Identifier: Apache-2.0
// The downsweep of the interval scan (nakano2012): from the prefix sums of a level to those of the next finer
// one.
#pragma once

#include <fathom/algorithms/scan/scan_kind.h>

namespace fathom {

/// Scan of `count` elements, given the inclusive scan of the sums of their pairs. May be in place.
///
/// One thread per pair. The paper copies the prefix sum of every second element. One more addition instead
/// lets one kernel serve both kinds of scan, reads elements as whole pairs, and reads every prefix sum once.
template <class T, class Operator, class Kind, class Threads = Number>
struct Downsweep {
  static constexpr const char* header = "fathom/algorithms/scan/interval/downsweep.h";

  Span<const T> input;
  Span<T> output;
  Span<const T> prefixes;  ///< ⌊count/2⌋: of carry and the first 1, 2, … pairs
  Span<const T> carry;     ///< one element that precedes the first, or empty
  Span<T> total;           ///< one element, set to the combination of carry and all elements; or empty
  Index count;
  Threads threads_per_block;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Operator combine{};
    const Index i = block.index() * threads_per_block + block.thread();
    if (2 * i >= count) return;
    T before = before_pair(i);
    if (2 * i + 1 < count) {
      Vector<T, 2> pair = input.template load_vector<2>(2 * i);
      pair.element[0] = scan_step<Kind>(before, pair.element[0], combine);
      pair.element[1] = scan_step<Kind>(before, pair.element[1], combine);
      output.store_vector(2 * i, pair);
    } else {
      const T last = input.load(2 * i);
      output.store(2 * i, scan_step<Kind>(before, last, combine));
    }
    if (total.count > 0 && 2 * i + 2 >= count) total.store(0, before);
  }

 private:
  FATHOM_DEVICE
  T before_pair(Index i) const {
    if (i > 0) return prefixes.load(i - 1);
    return carry.count > 0 ? carry.load(0) : identity_of<Operator, T>();
  }
};

}  // namespace fathom
