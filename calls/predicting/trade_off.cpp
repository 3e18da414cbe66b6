// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/trade_off.h>

#include <fathom/algorithms/registry.h>
#include <fathom/calibration/predictor.h>
#include <fathom/calibration/run_parameters.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace fathom::calls {
namespace {

using reports::TradeOff;

constexpr double n_without_measurements = 0x1p26;
constexpr std::size_t least_values = 8;  ///< fewer do not make a curve

const ParameterInfo& parameter_of(const Descriptor& algorithm, const std::string& name) {
  algorithm.check(
      {{name, algorithm.find_parameter(name) ? algorithm.find_parameter(name)->default_value : 0}});
  return *algorithm.find_parameter(name);
}

/// Runs that differ in one parameter only: the first run for each value.
using RunOfValue = std::map<int, const Measurement*>;

std::vector<RunOfValue> sweeps_of(const Descriptor& algorithm, const ParameterInfo& parameter,
                                  const std::vector<Dataset>& datasets) {
  using Others = std::tuple<std::string, bool, Order, double, std::map<std::string, int>>;
  std::map<Others, RunOfValue> found;
  for (const Dataset& dataset : datasets)
    for (const Measurement& run : dataset.runs) {
      const bool is_complete =
          std::all_of(algorithm.parameters.begin(), algorithm.parameters.end(),
                      [&](const ParameterInfo& info) { return run.problem.parameters.contains(info.name); });
      if (run.algorithm != algorithm.slug || run.input != Input::random || run.seconds.empty() ||
          !is_complete)
        continue;
      auto others = by_name(run.problem.parameters);
      others.erase(parameter.name);
      const Problem& problem = run.problem;
      found[{type_text(problem), problem.stable, problem.order, problem.n, std::move(others)}].try_emplace(
          problem.parameters.at(parameter.name), &run);
    }
  std::vector<RunOfValue> sweeps;
  for (auto& [others, sweep] : found) sweeps.push_back(std::move(sweep));
  return sweeps;
}

/// With the default value of the swept parameter.
Problem with_usual(Problem problem, const Descriptor& algorithm, const ParameterInfo& parameter) {
  problem.parameters.set(parameter.name, algorithm.default_parameters(problem).at(parameter.name));
  return problem;
}
Problem swept_problem(const Descriptor& algorithm, const ParameterInfo& parameter, const Measurement& run) {
  return with_usual(problem_of(algorithm, run), algorithm, parameter);
}

/// The sweep to show: see trade_off(). Empty if no sweep has enough of the values.
RunOfValue chosen_sweep(const Descriptor& algorithm, const ParameterInfo& parameter,
                        const std::vector<Dataset>& datasets, const Preference& preferred = {}) {
  const Problem usual =
      with_usual(preferred.problem.value_or(algorithm.problem(n_without_measurements)), algorithm, parameter);
  const auto preference = [&](const RunOfValue& sweep) {
    const Problem problem = swept_problem(algorithm, parameter, *sweep.begin()->second);
    return std::tuple(type_text(problem) == type_text(usual), problem.parameters == usual.parameters,
                      problem.parameters == algorithm.default_parameters(problem),
                      preferred.problem && problem.n == usual.n, problem.n, sweep.size());
  };
  std::vector<RunOfValue> sweeps = sweeps_of(algorithm, parameter, datasets);
  std::erase_if(sweeps, [&](const RunOfValue& sweep) {
    return double(sweep.size()) < preferred.least_share * double(parameter.values.size());
  });
  const auto best = std::max_element(
      sweeps.begin(), sweeps.end(),
      [&](const RunOfValue& a, const RunOfValue& b) { return preference(a) < preference(b); });
  return best == sweeps.end() ? RunOfValue{} : *best;
}

TradeOff::Law predicted_over(const DeviceProfile& profile, const Descriptor& algorithm,
                             const ParameterInfo& parameter, Problem problem, LawName law,
                             const WorkLookup& work, std::vector<reports::Unpredicted>& unpredicted) {
  Predictor predictor(profile, algorithm, Law{.law = law}, work);
  TradeOff::Law predicted{law, {}};
  for (int value : parameter.values) try {
      problem.parameters.set(parameter.name, value);
      Prediction prediction = predictor(problem);
      const Multiplicity multiplicity = predictor.multiplicity(problem);
      predicted.points.push_back({value, std::move(prediction), multiplicity.X, multiplicity.I});
    } catch (const WorkUnavailable& missing) {
      unpredicted.push_back(
          {.algorithm = algorithm.slug, .law = law, .problem = problem, .why = missing.what()});
    } catch (const std::invalid_argument&) {  // a multiprocessor cannot hold a block
    }
  return predicted;
}

}  // namespace

TradeOff trade_off(const DeviceProfile& profile, const Descriptor& algorithm, const std::string& parameter,
                   const std::vector<LawName>& laws, const std::vector<Dataset>& datasets,
                   const WorkLookup& work, const Preference& preferred) {
  const ParameterInfo& info = parameter_of(algorithm, parameter);
  const Machine<double>& machine = profile.machine;
  const LevelConstants<double>& global = machine.at(Level::global);
  const RunOfValue runs = chosen_sweep(algorithm, info, datasets, preferred);
  TradeOff result;
  result.algorithm = algorithm.slug;
  result.parameter = parameter;
  result.device = profile.name;
  result.problem = runs.empty() ? preferred.problem.value_or(algorithm.problem(n_without_measurements))
                                : swept_problem(algorithm, info, *runs.begin()->second);
  result.most_X = double(machine.limits.threads_per_multiprocessor) / machine.cores_per_multiprocessor;
  if (global.latency && global.bandwidth) result.knee = *global.latency * *global.bandwidth;
  for (const auto& [value, run] : runs) result.measured.push_back({value, quartiles(run->seconds)});
  if (!algorithm.formula) return result;
  for (LawName law : laws) try {
      if (!definition(law).applies_to(algorithm)) continue;
      auto predicted =
          predicted_over(profile, algorithm, info, result.problem, law, work, result.unpredicted);
      if (!predicted.points.empty()) result.predicted.push_back(std::move(predicted));
    } catch (const MissingConstant&) {  // the profile has no constants for this law
    }
  return result;
}

std::vector<TradeOff> trade_offs(const DeviceProfile& profile, const std::vector<LawName>& laws,
                                 const std::vector<Dataset>& datasets, const Progress& progress,
                                 const WorkLookup& work) {
  std::vector<const Algorithm*> swept, with_formula;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.parameters.empty() || algorithm.parameters.front().values.size() < least_values) continue;
    if (!chosen_sweep(algorithm, algorithm.parameters.front(), datasets).empty()) swept.push_back(&algorithm);
    if (algorithm.formula) with_formula.push_back(&algorithm);
  }
  std::vector<TradeOff> all;
  const auto& shown = swept.empty() ? with_formula : swept;
  for (const Algorithm* algorithm : shown) {
    if (progress) progress("trade-offs of " + algorithm->slug, all.size(), shown.size());
    all.push_back(trade_off(profile, *algorithm, algorithm->parameters.front().name, laws, datasets, work));
  }
  return all;
}

}  // namespace fathom::calls
