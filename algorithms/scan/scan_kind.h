// SPDX-License-Identifier: Apache-2.0
// The two kinds of scan, as types that kernels are specialised for.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// output[i] combines the operator's identity and the elements before i.
struct Exclusive {
  static constexpr bool with_own_element = false;
};
/// output[i] combines the elements up to and including i.
struct Inclusive {
  static constexpr bool with_own_element = true;
};

/// The output of a scan for `element`, where `before` combines all that precedes it. Updates `before` to
/// include the element.
template <class Kind, class T, class Operator>
FATHOM_DEVICE
T scan_step(T& before, const T& element, Operator combine) {
  const T result = Kind::with_own_element ? combine(before, element) : before;
  before = combine(before, element);
  return result;
}

}  // namespace fathom
