#include "arguments.h"
#include "errors.h"
#include "functions.h"
#include "interrupt.h"

#include <fathom/calls/profiles.h>
#include <fathom/model/tune.h>
#include <fathom/reports/json/json.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace nb = nanobind;

namespace fathom::python {
namespace {

std::string predict(const Asked& asked, double n, const Values& values) {
  return interruptible([&](const calls::Listener& listener) {
    const calls::Question asking = question(asked, n, values);
    return reports::json(calls::predict(asking, calls::choose_profile(asked.device, listener), listener));
  });
}

/// The name of the law that the question is asked under, and whether it has intervals.
std::pair<std::string, bool> law(const Asked& asked) {
  const LawDefinition& chosen = definition(question(asked, 1, {}).law.law);
  return {std::string(chosen.name), chosen.has_intervals()};
}

/// The declarations of the options of a call: name, default and help.
template <class Options>
std::vector<std::tuple<std::string, OptionValues::mapped_type, std::string>> declared() {
  std::vector<std::tuple<std::string, OptionValues::mapped_type, std::string>> all;
  const Options defaults;
  for (const auto& one : calls::declarations<Options>())
    all.emplace_back(
        one.name,
        std::visit([&](auto member) -> OptionValues::mapped_type { return defaults.*member; }, one.member),
        as_written(one.help));
  return all;
}

std::string tune(const Asked& asked, double n, const ValueLists& values, const OptionValues& options,
                 std::size_t verify) {
  return interruptible([&](const calls::Listener& listener) {
    const auto [listed, gpu, exhaustive] = options_from<calls::TuneOptions>(options);
    const auto top = std::size_t(listed);
    const calls::Question asking = question(asked, n, {});
    if (verify > 0) calls::check_verifiable(*asking.algorithm);
    const auto choices = every_choice(*asking.algorithm, {values.begin(), values.end()});
    reports::TuneReport report =
        calls::tune(asking, choices, top == 0 ? 0 : std::max(top, verify), exhaustive,
                    calls::choose_profile(asked.device, listener), listener);
    if (verify > 0) calls::verify(report, verify, gpu, listener);
    return reports::json(report);
  });
}

}  // namespace

void add_predicting(nb::module_& module) {
  module.def("predict", predict, nb::arg("asked"), nb::arg("n"), nb::arg("parameters"));
  module.def("tune", tune, nb::arg("asked"), nb::arg("n"), nb::arg("parameters"), nb::arg("options"),
             nb::arg("verify"));
  module.def("law", law, nb::arg("asked"));
  module.def("prediction_options", declared<calls::PredictionOptions>);
}

}  // namespace fathom::python
