// SPDX-License-Identifier: Apache-2.0
// Strong types for scalars that are easily confused. Mixing them up does not compile
// (tests/core/units_test.cpp).
#pragma once

#include <compare>

namespace fathom {

/// A number with a unit. `Unit` is a tag type; arithmetic that changes the unit is defined below.
template <class Unit, class Real = double>
struct Quantity {
  Real value{};

  constexpr Quantity() = default;
  constexpr explicit Quantity(Real v) : value(v) {}

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, Real factor) { return Quantity{a.value * factor}; }
  friend constexpr Quantity operator*(Real factor, Quantity a) { return Quantity{factor * a.value}; }
  friend constexpr Quantity operator/(Quantity a, Real divisor) { return Quantity{a.value / divisor}; }
  friend constexpr Real operator/(Quantity a, Quantity b) { return a.value / b.value; }
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  friend constexpr auto operator<=>(Quantity a, Quantity b) = default;
};

using Seconds = Quantity<struct SecondUnit>;
using Clocks = Quantity<struct ClockUnit>;  ///< cycles of the multiprocessors' clock
using Hertz = Quantity<struct HertzUnit>;
using Bytes = Quantity<struct ByteUnit>;
using Elements = Quantity<struct ElementUnit>;  ///< of the sorted or scanned type

constexpr Seconds operator/(Clocks clocks, Hertz rate) {
  return Seconds{clocks.value / rate.value};
}
constexpr Clocks operator*(Seconds time, Hertz rate) {
  return Clocks{time.value * rate.value};
}

}  // namespace fathom
