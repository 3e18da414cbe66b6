// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"
#include "functions.h"
#include "interrupt.h"

#include <fathom/calls/launches/import.h>
#include <fathom/calls/launches/launches.h>
#include <fathom/calls/launches/machine_code.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/tuning/contenders.h>
#include <fathom/calls/tuning/tuning.h>
#include <fathom/model/tune.h>
#include <fathom/reports/json/json.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace fathom::python {
namespace {

/// The entrants of a comparison; `entrant_of` gives that of an algorithm's name.
template <class Options, class EntrantOf>
std::pair<std::vector<calls::Entrant>, std::vector<reports::NotCompared>> entrants(
    const std::vector<std::string>& names, const Options& asked, const EntrantOf& entrant_of) {
  calls::Contenders found = calls::contenders(names, asked.type, asked.stable, asked);
  std::vector<calls::Entrant> all = calls::entrants(found, entrant_of);
  return {std::move(all), std::move(found.left_out)};
}

std::string predict(const std::string& algorithm, double n, const Values& values,
                    const OptionValues& options) {
  return interruptible([&](const calls::Listener& listener) {
    const auto asked = options_from<calls::PredictOptions>(options);
    const calls::Question asking = question(descriptor(calls::any_algorithm(algorithm)), n, values, asked);
    return reports::json(calls::predict(asking, calls::choose_profile(asked.device, listener), listener));
  });
}

std::string predict_several(const std::vector<std::string>& names, double n, const Values& values,
                            const OptionValues& options) {
  return interruptible([&](const calls::Listener& listener) {
    const auto asked = options_from<calls::PredictOptions>(options);
    auto [all, left_out] = entrants(names, asked, [&](const Algorithm& one) {
      const calls::Question about = question(one, n, values, asked);
      return calls::Entrant{about, {about.problem.parameters}};
    });
    const DeviceProfile profile = calls::choose_profile(asked.device, listener);
    return reports::json(calls::predict(all, std::move(left_out), profile, listener));
  });
}

calls::Entrant entrant(const Descriptor& algorithm, double n, const ValueLists& values,
                       const calls::TuneOptions& asked) {
  return {question(algorithm, n, {}, asked), calls::usual_choices(algorithm, {values.begin(), values.end()})};
}

std::string tune(const std::string& algorithm, double n, const ValueLists& values,
                 const OptionValues& options) {
  return interruptible([&](const calls::Listener& listener) {
    const auto asked = options_from<calls::TuneOptions>(options);
    return reports::json(
        calls::tune(entrant(descriptor(calls::any_algorithm(algorithm)), n, values, asked), asked, listener));
  });
}

std::string tune_several(const std::vector<std::string>& names, double n, const ValueLists& values,
                         const OptionValues& options) {
  return interruptible([&](const calls::Listener& listener) {
    const auto asked = options_from<calls::TuneOptions>(options);
    auto [all, left_out] =
        entrants(names, asked, [&](const Algorithm& one) { return entrant(one, n, values, asked); });
    return reports::json(calls::tune(all, std::move(left_out), asked, listener));
  });
}

std::string import_report(const std::string& report, const std::string& file, const std::string& command) {
  return interruptible(
      [&](const calls::Listener&) { return reports::json(calls::import_report(report, file, command)); });
}

/// The options of launches of a report and of machine code; some are declared with other calls.
struct LaunchQuestion {
  explicit LaunchQuestion(const OptionValues& values) {
    calls::PredictOptions common;
    calls::Declarations all = declared(common);
    for (const calls::Declarations& more : {declared(launches), declared(machine_code)})
      all.insert(all.end(), more.begin(), more.end());
    set_options(all, values);
    device = common.device;
    machine_code.caches = launches.caches;
    launches.what_if = machine_code.what_if = common.what_if;
    launches.sensitivities = machine_code.sensitivities = common.sensitivities;
  }
  calls::LaunchesOptions launches;
  calls::MachineCodeOptions machine_code;
  std::string device;
};

std::string predict_launches(const std::string& file, const OptionValues& options) {
  return interruptible([&](const calls::Listener& listener) {
    const LaunchQuestion asked(options);
    return reports::json(calls::predict_launches(file, asked.launches,
                                                 calls::choose_profile(asked.device, listener), listener));
  });
}

std::string predict_machine_code(const std::string& file, const OptionValues& options) {
  return interruptible([&](const calls::Listener& listener) {
    const LaunchQuestion asked(options);
    return reports::json(
        calls::predict_machine_code(file, asked.machine_code, calls::choose_profile(asked.device, listener)));
  });
}

}  // namespace

void add_predicting(nb::module_& module) {
  module.def("check_names", check_names);
  module.def("predict", predict);
  module.def("predict_several", predict_several);
  module.def("tune", tune);
  module.def("tune_several", tune_several);
  module.def("are_compared", calls::are_compared);
  module.def("import_report", import_report);
  module.def("predict_launches", predict_launches);
  module.def("predict_machine_code", predict_machine_code);
}

}  // namespace fathom::python
