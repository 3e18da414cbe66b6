// SPDX-License-Identifier: Apache-2.0
// Quantities as text: three significant digits and a suitable unit.
#pragma once

#include <fathom/core/text/size.h>
#include <fathom/model/constants.h>
#include <fathom/model/laws/predict.h>

#include <map>
#include <optional>
#include <string>

namespace fathom::reports {

std::string significant(double value,
                        int digits = 3);  ///< no exponent between 1e-4 and 1e6: "0.0123", "12.3", "123000"
std::string time(double seconds);         ///< "1.23 ms"; units s, ms, µs, ns
std::string time_range(const Interval& seconds);  ///< "1.20 to 1.26 ms", in the unit of its midpoint
std::string bytes(double count);                  ///< binary units: "256 KiB"
std::string bandwidth(double bytes_per_second);   ///< "4120 GB/s", decimal
std::string throughput(
    double elements_per_second);  ///< in 10^9 elements/s, without the unit, which is in the heading
using fathom::elements;
std::string percent(double share);              ///< 0.0748 → "7.48 %"
std::string signed_percent(double share);       ///< "+7.5 %", "−0.3 %"
std::string quantity(double value, Unit unit);  ///< of a machine's constant
std::string hertz(double value);                ///< "1980 MHz"

/// The unit of a figure's axis for times up to this one.
struct TimeUnit {
  double seconds;
  std::string symbol;
};
TimeUnit time_unit(double seconds);

std::string parameters(const Parameters& values);  ///< "E = 15, t = 128"; "-" when there are none
std::string parameters(const std::map<std::string, int>& values);

/// Formats a value that may be unknown; "-" when it is.
template <class T, class Format>
std::string known(const std::optional<T>& value, Format format) {
  return value ? format(*value) : "-";
}

}  // namespace fathom::reports
