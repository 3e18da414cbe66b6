// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/number.h>
#include <fathom/core/text/size.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace fathom {
namespace {

std::optional<double> finite_in(std::string_view text) {
  const auto value = decimal_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// "100M": decimal, as of any other number. Absent without such a letter.
std::optional<double> with_prefix_in(std::string_view text) {
  constexpr std::pair<char, double> prefixes[] = {{'k', 1e3}, {'M', 1e6}, {'G', 1e9}};
  for (const auto& [letter, factor] : prefixes)
    if (text.ends_with(letter))
      if (const auto number = finite_in(text.substr(0, text.size() - 1));
          number && std::isfinite(*number * factor))
        return *number * factor;
  return std::nullopt;
}

}  // namespace

std::optional<Power> power_in(std::string_view text) {
  const std::size_t at = text.find('^');
  if (at == text.npos) return std::nullopt;
  const auto base = finite_in(text.substr(0, at));
  const auto exponent = decimal_in<int>(text.substr(at + 1));
  if (!base || !exponent || *base < 2 || *exponent < 0) return std::nullopt;
  return Power{*base, *exponent};
}

std::optional<double> size_in(std::string_view text) {
  if (const auto power = power_in(text)) return std::pow(power->base, power->exponent);
  if (const auto number = finite_in(text)) return number;
  return with_prefix_in(text);
}

std::string elements(double n) {
  int exponent;
  if (n >= 1024 && std::frexp(n, &exponent) == 0.5) return fmt::format("2^{}", exponent - 1);
  int zeros = 0;
  double mantissa = n;
  while (mantissa >= 10 && std::fmod(mantissa, 10) == 0) {
    mantissa /= 10;
    ++zeros;
  }
  if (zeros < 3 || mantissa >= 100) return fmt::format("{:.0f}", n);
  return mantissa < 10 ? fmt::format("{:.0f}e{}", mantissa, zeros)
                       : fmt::format("{:.1f}e{}", mantissa / 10, zeros + 1);
}

}  // namespace fathom
