// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"
#include "errors.h"
#include "functions.h"
#include "interrupt.h"

#include <fathom/calls/measuring/bench.h>
#include <fathom/calls/measuring/calibrate.h>
#include <fathom/calls/measuring/fit.h>
#include <fathom/calls/predicting/counting.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/reporting/comparison.h>
#include <fathom/calls/reporting/plot.h>
#include <fathom/calls/reporting/report.h>
#include <fathom/reports/json/json.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace nb = nanobind;

namespace fathom::python {
namespace {

std::string count(const std::string& algorithm, double n, const Values& values, const OptionValues& options) {
  return interruptible([&](const calls::Listener& listener) {
    const auto asked = options_from<calls::CountOptions>(options);
    const Algorithm& counted = calls::countable(calls::algorithm_or_formula(algorithm));
    const Case one{.algorithm = &counted,
                   .problem = calls::checked_problem(counted, checked_count(n), asked.type, asked.stable,
                                                     parameters_of(counted, values)),
                   .input = parse_input(asked.input)};
    const DeviceProfile profile = calls::choose_profile(asked.device, listener);
    const auto machines = calls::machines_of(asked, profile.machine);
    calls::check_host_memory(one, profile.machine, asked.memory_limit);
    return reports::json(
        calls::count_report(one, profile, machines, listener.progress, calls::architecture_of(asked)));
  });
}

/// The profile, and its file.
std::pair<std::string, std::string> calibrate(const OptionValues& options, const std::string& file,
                                              const std::string& command) {
  return interruptible([&](const calls::Listener& listener) {
    auto asked = options_from<calls::CalibrateOptions>(options);
    asked.file = file;
    asked.command = command;
    const calls::Calibrated calibrated = calls::calibrate(asked, listener);
    return std::pair(to_json(calibrated.profile), calibrated.file.string());
  });
}

/// Parameters of other algorithms do not count for one that lacks them.
std::string bench(const std::vector<std::string>& slugs, const std::vector<double>& sizes,
                  const ValueLists& values, const OptionValues& options, const std::string& file,
                  const std::string& command) {
  return interruptible([&](const calls::Listener& listener) {
    auto asked = options_from<calls::BenchOptions>(options);
    asked.file = file;
    asked.command = command;
    const calls::Benched benched = calls::benched(slugs, asked);
    std::ranges::for_each(sizes, checked_count);
    const auto choices = [&](const Descriptor& algorithm) {
      ValueLists own = values;
      std::erase_if(own, [&](const auto& one) { return !algorithm.find_parameter(one.first); });
      return grid_of(algorithm, own);
    };
    return to_json(calls::bench(benched, sizes, asked, choices, listener));
  });
}

template <class Options>
Options options_with(const std::vector<std::string>& datasets, const OptionValues& values) {
  Options options = options_from<Options>(values);
  options.datasets = {datasets.begin(), datasets.end()};
  return options;
}

/// The answer, and the file of the profile.
std::pair<std::string, std::string> fit(const std::vector<std::string>& datasets, const OptionValues& options,
                                        const std::string& file) {
  return interruptible([&](const calls::Listener& listener) {
    auto asked = options_with<calls::FitOptions>(datasets, options);
    asked.file = file;
    const calls::Fitted fitted = calls::fit(asked, listener);
    return std::pair(reports::json(fitted.fits, fitted.not_fitted), fitted.file.string());
  });
}

std::string validate(const std::vector<std::string>& datasets, const OptionValues& options) {
  return interruptible([&](const calls::Listener& listener) {
    const auto asked = options_with<calls::ValidateOptions>(datasets, options);
    return reports::json(calls::validate(asked, listener).comparisons);
  });
}

std::vector<std::string> plot(const std::string& kind, const std::vector<std::string>& datasets,
                              const OptionValues& options, const std::string& file) {
  return interruptible([&](const calls::Listener& listener) {
    const auto asked = options_with<calls::PlotOptions>(datasets, options);
    std::vector<std::string> drawn;
    for (const auto& path : calls::plot(reports::parse_figure_kind(kind), asked, file, listener))
      drawn.push_back(path.string());
    return drawn;
  });
}

void report(const std::vector<std::string>& datasets, const OptionValues& options, const std::string& file) {
  run_interruptibly([&](const calls::Listener& listener) {
    const auto asked = options_with<calls::ReportOptions>(datasets, options);
    calls::report(asked, file, with_arguments, listener);
  });
}

}  // namespace

void add_measuring(nb::module_& module) {
  module.def("count", count);
  module.def("calibrate", calibrate);
  module.def("bench", bench);
  module.def("fit", fit);
  module.def("validate", validate);
  module.def("plot", plot);
  module.def("report", report);
}

}  // namespace fathom::python
