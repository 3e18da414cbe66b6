// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

namespace fathom::reports {
namespace {

struct NamedUnit {
  double size;
  std::string_view symbol;
};

constexpr std::array time_units{NamedUnit{1, "s"}, NamedUnit{1e-3, "ms"}, NamedUnit{1e-6, "µs"},
                                NamedUnit{1e-9, "ns"}};
constexpr std::array byte_units{NamedUnit{0x1p40, "TiB"}, NamedUnit{0x1p30, "GiB"}, NamedUnit{0x1p20, "MiB"},
                                NamedUnit{0x1p10, "KiB"}, NamedUnit{1, "B"}};

/// The largest unit that does not exceed the value; the smallest unit for smaller values.
template <std::size_t count>
const NamedUnit& fitting(const std::array<NamedUnit, count>& descending, double value) {
  // 0.9995 of a unit would print as "1000" of the next smaller one.
  const auto fits = [&](const NamedUnit& unit) { return std::abs(value) >= 0.9995 * unit.size; };
  const auto found = std::find_if(descending.begin(), descending.end(), fits);
  return found == descending.end() ? descending.back() : *found;
}

template <class Values>
std::string joined_parameters(const Values& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text.empty() ? "-" : text;
}

}  // namespace

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  // The exponent after rounding: 9.996 is printed as 10.0, not as 10.00.
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  if (exponent < -4 || exponent > 6) return scientific;
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

std::string time(double seconds) {
  const NamedUnit& unit = fitting(time_units, seconds);
  return fmt::format("{} {}", significant(seconds / unit.size), unit.symbol);
}

TimeUnit time_unit(double seconds) {
  const NamedUnit& unit = fitting(time_units, seconds);
  return {unit.size, std::string(unit.symbol)};
}

std::string time_range(const Interval& seconds) {
  const NamedUnit& unit = fitting(time_units, (seconds.low + seconds.high) / 2);
  return fmt::format("{} to {} {}", significant(seconds.low / unit.size),
                     significant(seconds.high / unit.size), unit.symbol);
}

std::string bytes(double count) {
  const NamedUnit& unit = fitting(byte_units, count);
  return fmt::format("{:.4g} {}", count / unit.size, unit.symbol);
}

std::string bandwidth(double bytes_per_second) {
  return significant(bytes_per_second / 1e9) + " GB/s";
}

std::string throughput(double elements_per_second) {
  return significant(elements_per_second / 1e9);
}

std::string percent(double share) {
  return significant(100 * share) + " %";
}

std::string signed_percent(double share) {
  const std::string text = fmt::format("{:+.1f} %", 100 * share);
  return text.front() == '-' ? "−" + text.substr(1) : text;
}

std::string quantity(double value, Unit unit) {
  switch (unit) {
    case Unit::seconds:
      return time(value);
    case Unit::bytes:
      return bytes(value);
    case Unit::bytes_per_second:
      return bandwidth(value);
    case Unit::clocks:
      return significant(value) + " clocks";
    case Unit::words_per_clock_per_core:
      return significant(value) + " words/clock/core";
    case Unit::per_clock:
      return significant(value) + " /clock";
    case Unit::sectors_per_second:
      return fmt::format("{} G sectors/s", significant(value / 1e9));
    case Unit::number:
      return significant(value);
  }
  throw std::logic_error("a unit has no text");
}

std::string hertz(double value) {
  return fmt::format("{:.0f} MHz", value / 1e6);
}

std::string parameters(const Parameters& values) {
  return joined_parameters(values);
}
std::string parameters(const std::map<std::string, int>& values) {
  return joined_parameters(values);
}

}  // namespace fathom::reports
