// SPDX-License-Identifier: Apache-2.0
// Points in the plane, ordered by |x| + |y|: keys that cost more to compare than to copy.
#pragma once

#include <fathom/core/elements/element.h>

namespace fathom {

struct alignas(8) Point {
  i32 x, y;

  /// |x| + |y|, exact: up to 2^32.
  FATHOM_DEVICE
  constexpr u64 distance() const { return u64(magnitude(x)) + magnitude(y); }
  FATHOM_DEVICE
  friend constexpr bool operator<(const Point& a, const Point& b) { return a.distance() < b.distance(); }
  FATHOM_DEVICE
  friend constexpr bool operator==(const Point& a, const Point& b) { return a.x == b.x && a.y == b.y; }

 private:
  FATHOM_DEVICE
  static constexpr u32 magnitude(i32 x) { return x < 0 ? 0 - u32(x) : u32(x); }  // of −2^31, too
};

template <>
struct Element<Point> {
  static constexpr const char* name = "point";

  FATHOM_DEVICE
  static constexpr Point least() { return {0, 0}; }
  FATHOM_DEVICE
  static constexpr Point greatest() { return {-2147483647 - 1, -2147483647 - 1}; }

  /// The point at distance `value` about equally far from both axes, in one of two quadrants.
  FATHOM_DEVICE
  static constexpr Point key(u64 value) {
    const i32 half = i32(value / 2);
    return {value % 2 == 0 ? half : -half, i32(0 - (value - value / 2))};  // -2^31 is an i32, 2^31 is not
  }
  /// Some are near the origin, so that points at the same distance occur.
  FATHOM_DEVICE
  static constexpr Point random_key(u64 bits) {
    if (detail::is_special(bits)) return {i32(bits / 64 % 4) - 2, i32(bits / 256 % 4) - 2};
    return {i32(bits), i32(bits >> 32)};
  }
};

}  // namespace fathom
