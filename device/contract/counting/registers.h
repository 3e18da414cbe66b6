// SPDX-License-Identifier: Apache-2.0
// Arrays in registers and comparisons of their elements on the CPU.
#pragma once

#include <fathom/device/contract/counting/accesses.h>

#include <cstring>
#include <utility>
#include <vector>

namespace fathom {

/// Undefined until they are written: filled with a pattern, so that a kernel that relies on them goes wrong.
template <class T, class Count>
class Registers {
 public:
  explicit Registers(int count) : elements_(std::size_t(count)) {
    std::memset(static_cast<void*>(elements_.data()), 0xa5, elements_.size() * sizeof(T));
  }
  T& operator[](int i) { return elements_.at(std::size_t(i)); }
  const T& operator[](int i) const { return elements_.at(std::size_t(i)); }

 private:
  std::vector<T> elements_;
};

/// less(a, b), counted as one instruction.
template <class T, class LessThan>
bool compare(const T& a, const T& b, LessThan less) {
  counting::compared();
  return less(a, b);
}

/// Puts two elements in order.
template <class T, class LessThan>
void compare_exchange(T& a, T& b, LessThan less) {
  counting::exchanged(sizeof(T));
  if (less(b, a)) std::swap(a, b);
}

}  // namespace fathom
