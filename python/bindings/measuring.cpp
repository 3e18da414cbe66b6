#include "arguments.h"
#include "functions.h"
#include "interrupt.h"

#include <fathom/calls/datasets.h>
#include <fathom/calls/measuring/bench.h>
#include <fathom/calls/measuring/calibrate.h>
#include <fathom/calls/measuring/fit.h>
#include <fathom/calls/predicting/counting.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/reporting/comparison.h>
#include <fathom/calls/reporting/plot.h>
#include <fathom/reports/json/json.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace nb = nanobind;

namespace fathom::python {
namespace {

std::vector<std::filesystem::path> paths(const std::vector<std::string>& files) {
  return {files.begin(), files.end()};
}

std::string count(const std::string& algorithm, double n, const Values& values, const std::string& type,
                  bool stable, const std::string& input, const std::string& device,
                  const std::string& machine, int width, int latency, u64 threads, u64 memory_words,
                  const std::optional<std::string>& architecture, double memory_limit) {
  return interruptible([&](const calls::Listener& listener) {
    const Algorithm& counted = calls::countable(fathom::algorithm(algorithm));
    const Case one{.algorithm = &counted,
                   .problem = calls::checked_problem(counted, checked_count(n), type, stable,
                                                     parameters_of(counted, values)),
                   .input = parse_input(input)};
    const DeviceProfile profile = calls::choose_profile(device, listener);
    std::vector<MachineChoice> machines;
    if (!machine.empty())
      machines.push_back(
          calls::machine_choice({machine, width, latency, threads, memory_words}, profile.machine));
    calls::check_host_memory(one, profile.machine, memory_limit);
    return reports::json(calls::count_report(
        one, profile, machines, listener.progress,
        architecture ? std::optional(calls::parse_architecture(*architecture)) : std::nullopt));
  });
}

/// The profile, and its file.
std::pair<std::string, std::string> calibrate(const std::string& file, const std::string& name, int gpu,
                                              bool quick, bool force, const std::string& command) {
  return interruptible([&](const calls::Listener& listener) {
    const calls::Calibrated calibrated = calls::calibrate({file, name, gpu, quick, force, command}, listener);
    return std::pair(to_json(calibrated.profile), calibrated.file.string());
  });
}

/// Small sizes first, so that an interrupted sweep has complete sizes. Parameters of other algorithms do not
/// count for one that lacks them; one that none has is an error.
std::vector<Case> bench_cases(const std::vector<std::string>& slugs, std::vector<double> sizes,
                              const ValueLists& values, const std::vector<std::string>& types, bool stable,
                              const std::vector<std::string>& inputs) {
  std::vector<const Algorithm*> algorithms;
  for (const std::string& slug : slugs) algorithms.push_back(&calls::algorithm_with_kernel(slug));
  for (const auto& [name, each] : values)
    if (std::ranges::none_of(algorithms, [&](const Algorithm* one) { return one->find_parameter(name); }))
      algorithms.front()->check(Parameters{{name, 0}});  // throws, naming the nearest
  std::ranges::sort(sizes);
  std::vector<Case> cases;
  for (const double n : sizes)
    for (const Algorithm* algorithm : algorithms) {
      ValueLists own = values;
      std::erase_if(own, [&](const auto& one) { return !algorithm->find_parameter(one.first); });
      for (const std::string& type : types)
        for (const Parameters& parameters : grid_of(*algorithm, own))
          for (const std::string& input : inputs)
            cases.push_back(
                {.algorithm = algorithm,
                 .problem = calls::checked_problem(*algorithm, checked_count(n), type, stable, parameters),
                 .input = parse_input(input)});
    }
  return cases;
}

std::string bench(const std::vector<std::string>& algorithms, const std::vector<double>& sizes,
                  const ValueLists& values, const std::vector<std::string>& types, bool stable,
                  const std::vector<std::string>& inputs, const std::string& file, int repeats, int gpu,
                  const std::string& command) {
  return interruptible([&](const calls::Listener& listener) {
    return to_json(calls::bench(bench_cases(algorithms, sizes, values, types, stable, inputs),
                                {file, repeats, gpu, command}, listener));
  });
}

/// The answer, and the file of the profile.
std::pair<std::string, std::string> fit(const std::vector<std::string>& datasets, const std::string& profile,
                                        bool refit, bool force, const std::string& file) {
  return interruptible([&](const calls::Listener& listener) {
    const calls::Fitted fitted = calls::fit({paths(datasets), profile, refit, force, file}, listener);
    return std::pair(reports::json(fitted.fits, fitted.not_fitted), fitted.file.string());
  });
}

std::string validate(const std::vector<std::string>& files, const std::string& device, const std::string& law,
                     double smallest_n) {
  return interruptible([&](const calls::Listener& listener) {
    const std::vector<Dataset> datasets = calls::read_datasets(paths(files), listener.progress);
    const DeviceProfile profile = calls::choose_profile(device, datasets.front(), listener);
    const auto laws = law.empty() ? laws_of(profile) : std::vector{parse_law(law)};
    return reports::json(calls::compare_laws(profile, datasets, laws, checked_count(smallest_n), listener));
  });
}

std::vector<std::string> plot(const std::string& kind, const std::vector<std::string>& datasets,
                              const std::string& file, const std::string& device, const std::string& law,
                              const std::vector<std::string>& algorithms, const std::string& parameter) {
  return interruptible([&](const calls::Listener& listener) {
    calls::ReportOptions options{paths(datasets), device, {}};
    if (!law.empty()) options.law = parse_law(law);
    std::vector<std::string> drawn;
    for (const auto& path :
         calls::plot(reports::parse_figure_kind(kind), options, {algorithms, parameter}, file, listener))
      drawn.push_back(path.string());
    return drawn;
  });
}

}  // namespace

void add_measuring(nb::module_& module) {
  module.def("count", count, nb::arg("algorithm"), nb::arg("n"), nb::arg("parameters"), nb::kw_only(),
             nb::arg("type"), nb::arg("stable"), nb::arg("input"), nb::arg("device"), nb::arg("machine"),
             nb::arg("width"), nb::arg("latency"), nb::arg("threads"), nb::arg("memory_words"),
             nb::arg("architecture").none(), nb::arg("memory_limit"));
  module.def("calibrate", calibrate, nb::kw_only(), nb::arg("file"), nb::arg("name"), nb::arg("gpu"),
             nb::arg("quick"), nb::arg("force"), nb::arg("command"));
  module.def("bench", bench, nb::arg("algorithms"), nb::arg("sizes"), nb::arg("parameters"), nb::kw_only(),
             nb::arg("types"), nb::arg("stable"), nb::arg("inputs"), nb::arg("file"), nb::arg("repeats"),
             nb::arg("gpu"), nb::arg("command"));
  module.def("fit", fit, nb::arg("datasets"), nb::kw_only(), nb::arg("profile"), nb::arg("refit"),
             nb::arg("force"), nb::arg("file"));
  module.def("validate", validate, nb::arg("datasets"), nb::kw_only(), nb::arg("device"), nb::arg("law"),
             nb::arg("smallest_n"));
  module.def("plot", plot, nb::arg("kind"), nb::arg("datasets"), nb::kw_only(), nb::arg("file"),
             nb::arg("device"), nb::arg("law"), nb::arg("algorithms"), nb::arg("parameter"));
}

}  // namespace fathom::python
