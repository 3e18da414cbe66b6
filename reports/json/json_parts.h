// SPDX-License-Identifier: Apache-2.0
// What the files of JSON results share.
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/reports/json/json.h>
#include <fathom/store/json_fields.h>

#include <optional>
#include <string>

// A namespace of its own: several names are those of other functions of the reports.
namespace fathom::reports::json_parts {

// Keeps keys in the order they are written, which is the order of the documentation.
using Json = nlohmann::ordered_json;

inline Json head(const char* schema) {
  return {{"schema", schema}, {"version", json_version}};
}
inline std::string printed(const Json& value) {
  return dump(value, 2) + '\n';
}

inline Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}
inline Json or_null(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}
inline Json throughput(double n, double seconds) {
  return seconds > 0 ? Json(n / seconds) : Json();
}

/// A count of elements is written as the integer it is.
inline Json count(double value) {
  return value == double((long long)value) ? Json((long long)value) : Json(value);
}

template <class Items, class ToJson>
Json list_of(const Items& items, ToJson to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

template <class Values>
Json object_of(const Values& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

using fathom::text_or_null;
inline Json text_or_null(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json();
}

// Of predictions.
Json terms(const Prediction& prediction);
Json bottleneck(const Prediction& prediction);
Json saving(const Prediction& prediction);  ///< what 10 % more of the bottleneck would save
Json kernel_time(const KernelTime& kernel);
Json sensitivity_list(const std::optional<std::vector<Sensitivity>>& sensitivities);

}  // namespace fathom::reports::json_parts
