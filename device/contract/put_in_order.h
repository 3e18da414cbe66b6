// SPDX-License-Identifier: Apache-2.0
// The selections of a compare-exchange, in a file of their own: device/code recognises the instructions of
// compare-exchanges by it.
#pragma once

namespace fathom {

template <class T>
FATHOM_DEVICE
void put_in_order(T& a, T& b, bool swap) {
  const T low = swap ? b : a;
  const T high = swap ? a : b;
  a = low;
  b = high;
}

}  // namespace fathom
