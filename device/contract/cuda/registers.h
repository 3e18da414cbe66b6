// SPDX-License-Identifier: Apache-2.0
// Arrays in registers and comparisons of their elements under CUDA.
#pragma once

#include <fathom/device/contract/put_in_order.h>
#include <fathom/device/contract/types.h>

namespace fathom {

template <class T, class Count>
struct Registers;
template <class T, int count>
struct Registers<T, Constant<count>> {
  T element[count];
  FATHOM_DEVICE
  explicit Registers(Constant<count>) {}
  FATHOM_DEVICE
  T& operator[](int i) { return element[i]; }
  FATHOM_DEVICE
  const T& operator[](int i) const { return element[i]; }
};

/// less(a, b). The counting executor counts it as one instruction.
template <class T, class LessThan>
FATHOM_DEVICE
bool compare(const T& a, const T& b, LessThan less) {
  return less(a, b);
}

/// Puts two elements in order.
template <class T, class LessThan>
FATHOM_DEVICE
void compare_exchange(T& a, T& b, LessThan less) {
  put_in_order(a, b, less(b, a));
}

}  // namespace fathom
