// SPDX-License-Identifier: Apache-2.0
// The passes of a radix sort, about which the device decides, since it alone knows the keys.
#pragma once

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/block/records.h>

namespace fathom {

/// One pass over all elements. A sort has three lists to move them between.
struct RadixPass {
  enum List { input, output, other, nowhere };

  Digit digit;
  int from;
  int to;      ///< `nowhere`: the pass is left out
  int parity;  ///< not that of the pass before (DigitStates)
};

/// The three lists of a sort as the kernels of its passes see them.
template <class Element>
struct RadixLists {
  ConstListOf<Element> input;
  ListOf<Element> output;
  ListOf<Element> other;  ///< work space

  FATHOM_DEVICE
  ConstListOf<Element> source(const RadixPass& pass) const {
    return one_of(pass.from == RadixPass::input, input, read_only(list(pass.from)));
  }
  FATHOM_DEVICE
  ListOf<Element> target(const RadixPass& pass) const { return list(pass.to); }

 private:
  FATHOM_DEVICE
  ListOf<Element> list(int which) const { return one_of(which == RadixPass::output, output, other); }
};

}  // namespace fathom
