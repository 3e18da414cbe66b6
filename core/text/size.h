// SPDX-License-Identifier: Apache-2.0
// Sizes as users write them, on the command line and in Python.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fathom {

struct Power {
  double base;   ///< at least 2
  int exponent;  ///< at least 0
};
/// "2^20"; absent for other text.
std::optional<Power> power_in(std::string_view text);

/// The number that the whole text is: "1000000", "1.5e3", "100M" (also k and G, powers of ten), "2^20".
/// Absent for other text, and for leading zeros. Infinite only for a power that no double holds.
std::optional<double> size_in(std::string_view text);

/// A whole number of elements as users write it: "2^26", "1e8", "1000003".
std::string elements(double n);

}  // namespace fathom
