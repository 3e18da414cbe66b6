// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"
#include "errors.h"
#include "functions.h"
#include "interrupt.h"

#include <fathom/calls/profiles.h>
#include <fathom/reports/json/json.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>

namespace nb = nanobind;

namespace fathom::python {
namespace {

/// Absent if it is derived from other values.
std::optional<OptionValue> default_of(const calls::Declaration& option) {
  const auto* text = std::get_if<std::string*>(&option.value);
  const auto* size = std::get_if<double*>(&option.value);
  if ((text && (*text)->empty()) || (size && **size == 0)) return std::nullopt;
  if (size) return int(**size);
  return std::visit([](auto* value) -> OptionValue { return *value; }, option.value);
}

/// What a value is, in the order of the types in calls::Declaration.
constexpr const char* kinds[] = {"flag", "number", "size", "text", "list"};

/// Name, kind, default and meaning of each option of a call.
using Listing = std::vector<std::tuple<std::string, std::string, std::optional<OptionValue>, std::string>>;

template <class Options>
Listing options_of() {
  Options defaults;
  Listing all;
  for (const calls::Declaration& one : declared(defaults)) {
    std::string help = as_written(one.help);
    if (!one.only_for.empty()) help += " (only for " + std::string(one.only_for) + ")";
    all.emplace_back(one.name, kinds[one.value.index()], default_of(one), std::move(help));
  }
  return all;
}

}  // namespace

void add_listings(nb::module_& module) {
  module.def("algorithms", [] { return reports::json(all_algorithms()); });
  module.def("devices", [] {
    return interruptible(
        [](const calls::Listener& listener) { return reports::json(calls::known_devices(listener)); });
  });
  module.def("options", [] {
    return std::map<std::string, Listing>{
        {"predict", options_of<calls::PredictOptions>()},     {"tune", options_of<calls::TuneOptions>()},
        {"bench", options_of<calls::BenchOptions>()},         {"count", options_of<calls::CountOptions>()},
        {"calibrate", options_of<calls::CalibrateOptions>()}, {"fit", options_of<calls::FitOptions>()},
        {"validate", options_of<calls::ValidateOptions>()},   {"plot", options_of<calls::PlotOptions>()},
        {"report", options_of<calls::ReportOptions>()}};
  });
}

}  // namespace fathom::python
