// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace fathom {

/// The number that the whole text is, in decimal digits; absent for other text and for a number that the type
/// does not hold. Of a floating-point type it may be infinite or not a number: "inf", "nan".
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The same without leading zeros: some read 010 as eight.
template <class Number>
std::optional<Number> decimal_in(std::string_view text) {
  const bool has_leading_zero = text.size() > 1 && text[0] == '0' && '0' <= text[1] && text[1] <= '9';
  return has_leading_zero ? std::nullopt : number_in<Number>(text);
}

}  // namespace fathom
