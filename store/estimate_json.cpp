// SPDX-License-Identifier: Apache-2.0
#include <fathom/store/estimate_json.h>
#include <fmt/format.h>

namespace fathom {
namespace {

nlohmann::ordered_json interval_to_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return nlohmann::ordered_json::array({exact(interval->low), exact(interval->high)});
}

std::optional<Interval> parse_interval(const Field& field, Range range) {
  if (field.is_null()) return std::nullopt;
  const std::vector<double> ends = field.numbers(range);
  if (ends.size() != 2 || ends[0] > ends[1]) field.fail("must be [low, high] or null");
  return Interval{ends[0], ends[1]};
}

}  // namespace

nlohmann::ordered_json estimate_to_json(const Estimate& estimate, std::string_view unit) {
  return {{fmt::format("value{}", unit), exact(estimate.value)},
          {fmt::format("interval{}", unit), interval_to_json(estimate.interval)}};
}

Estimate parse_estimate(const Field& field, std::string_view unit, Range range) {
  return {field.at(fmt::format("value{}", unit)).number(range),
          parse_interval(field.at(fmt::format("interval{}", unit)), range)};
}

}  // namespace fathom
