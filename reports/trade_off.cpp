// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/quantities.h>
#include <fathom/reports/trade_off.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::reports {
namespace {

/// "Measured bandwidth is highest at E = 17 (2622 GB/s), lowest at E = 3 (953 GB/s)"
template <class Points, class SecondsOf>
std::string extremes(const std::string& of_what, const TradeOff& over, const Points& points,
                     SecondsOf seconds_of) {
  const auto at = [&](const auto& point) {
    return fmt::format("{} = {} ({})", over.parameter, point.value,
                       bandwidth(bandwidth_at(over, seconds_of(point))));
  };
  const auto [fastest, slowest] =
      std::minmax_element(points.begin(), points.end(),
                          [&](const auto& a, const auto& b) { return seconds_of(a) < seconds_of(b); });
  return fmt::format("{} is highest at {}, lowest at {}", of_what, at(*fastest), at(*slowest));
}

/// "X goes from 82.7 to 2.59 threads per core by the published formula; X·I is below L·B = 7.47 from E = 12
/// on"
std::string multiplicity_words(const TradeOff& over, const TradeOff::Law& law) {
  std::string words =
      fmt::format("X goes from {} to {} threads per core {}", significant(law.points.front().X),
                  significant(law.points.back().X),
                  law.name == LawName::published ? "by the published formula" : "in the kernel");
  const auto saturates = [&](const TradeOff::Point& point) { return point.X * *point.I >= *over.knee; };
  if (!over.knee || !law.points.front().I || saturates(law.points.back())) return words;
  const auto last = std::find_if(law.points.rbegin(), law.points.rend(), saturates);
  return words + fmt::format("; X·I is below L·B = {}{}", significant(*over.knee),
                             last == law.points.rend()
                                 ? " throughout"
                                 : fmt::format(" from {} = {} on", over.parameter, last.base()->value));
}

}  // namespace

double bandwidth_at(const TradeOff& over, double seconds) {
  return input_and_output_bytes(over.problem) / seconds;
}

std::string setting_in_words(const TradeOff& over) {
  Parameters others;
  for (const auto& [name, value] : over.problem.parameters)
    if (name != over.parameter) others.set(name, value);
  std::string words = fmt::format("n = {}, {}", elements(over.problem.n), type_text(over.problem));
  if (others != Parameters{}) words += ", " + parameters(others);
  return words;
}

std::string in_words(const TradeOff& over) {
  std::vector<std::string> parts;
  if (!over.measured.empty())
    parts.push_back(extremes("Measured bandwidth", over, over.measured,
                             [](const TradeOff::Measured& point) { return point.seconds.median; }));
  for (const TradeOff::Law& law : over.predicted) {
    parts.push_back(extremes(fmt::format("Bandwidth under the {} law", name(law.name)), over, law.points,
                             [](const TradeOff::Point& point) { return point.prediction.time_s; }));
    parts.push_back(multiplicity_words(over, law));
  }
  return fmt::format("{} on {}, {}: {}.", over.algorithm, over.device, setting_in_words(over),
                     fmt::join(parts, ". "));
}

}  // namespace fathom::reports
