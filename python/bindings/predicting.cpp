#include "arguments.h"
#include "functions.h"
#include "interrupt.h"

#include <fathom/calls/profiles.h>
#include <fathom/model/tune.h>
#include <fathom/reports/json/json.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
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

std::string tune(const Asked& asked, double n, const ValueLists& values, std::size_t top, std::size_t verify,
                 int gpu) {
  return interruptible([&](const calls::Listener& listener) {
    const calls::Question asking = question(asked, n, {});
    if (verify > 0) calls::check_verifiable(*asking.algorithm);
    const auto choices = every_choice(*asking.algorithm, {values.begin(), values.end()});
    reports::TuneReport report = calls::tune(asking, choices, top == 0 ? 0 : std::max(top, verify),
                                             calls::choose_profile(asked.device, listener), listener);
    if (verify > 0) calls::verify(report, verify, gpu, listener);
    return reports::json(report);
  });
}

}  // namespace

void add_predicting(nb::module_& module) {
  module.def("predict", predict, nb::arg("asked"), nb::arg("n"), nb::arg("parameters"));
  module.def("tune", tune, nb::arg("asked"), nb::arg("n"), nb::arg("parameters"), nb::arg("top"),
             nb::arg("verify"), nb::arg("gpu"));
}

}  // namespace fathom::python
