#include <fathom/reports/trade_off.h>

#include <fathom/algorithms/registry.h>
#include <fathom/calibration/fit.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace fathom::reports {
namespace {

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

/// The run's problem with the default value of the swept parameter.
Problem swept_problem(const Descriptor& algorithm, const ParameterInfo& parameter, const Measurement& run) {
  Problem problem = problem_of(algorithm, run);
  problem.parameters.set(parameter.name, parameter.default_value);
  return problem;
}

/// The sweep to show: see trade_off(). Empty if no sweep has at least 7/8 of the values.
RunOfValue chosen_sweep(const Descriptor& algorithm, const ParameterInfo& parameter,
                        const std::vector<Dataset>& datasets) {
  const Problem usual = algorithm.problem(1);
  const auto preference = [&](const RunOfValue& sweep) {
    const Problem problem = swept_problem(algorithm, parameter, *sweep.begin()->second);
    return std::tuple(type_text(problem) == type_text(usual), problem.parameters == usual.parameters,
                      problem.n, sweep.size());
  };
  std::vector<RunOfValue> sweeps = sweeps_of(algorithm, parameter, datasets);
  std::erase_if(sweeps,
                [&](const RunOfValue& sweep) { return 8 * sweep.size() < 7 * parameter.values.size(); });
  const auto best = std::max_element(
      sweeps.begin(), sweeps.end(),
      [&](const RunOfValue& a, const RunOfValue& b) { return preference(a) < preference(b); });
  return best == sweeps.end() ? RunOfValue{} : *best;
}

/// The phase with the most shared accesses; ties are broken by the number of all accesses.
const Phase& busiest_phase(const Phases& phases) {
  const auto accesses = [](const Phase& phase) {
    double shared = 0, all = 0;
    for (const Access& access : phase.accesses) {
      all += access.count;
      if (access.level == Level::shared) shared += access.count;
    }
    return std::pair(shared, all);
  };
  return *std::max_element(phases.begin(), phases.end(),
                           [&](const auto& a, const auto& b) { return accesses(a) < accesses(b); });
}

/// The minimum over all accesses to global memory; infinite if there are none.
double accesses_in_flight(const Phase& phase) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const Access& access : phase.accesses)
    if (access.level == Level::global) fewest = std::min(fewest, access.parallelism);
  return fewest;
}

/// X and I of TradeOff::Point.
struct Residency {
  double X;
  std::optional<double> I{};
};

Residency by_formula(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem) {
  const Phases phases = algorithm.formula->phases(profile.machine, problem);
  const Phase& busiest = busiest_phase(phases);
  return {busiest.multiplicity, accesses_in_flight(busiest)};
}

/// Of the kernel with the most wavefronts of shared memory in all its launches.
Residency of_kernel(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem,
                    const AlgorithmWork& work) {
  const Machine<double>& machine = profile.machine;
  const auto launches =
      counted_launches(problem.n, plan_with_work(algorithm, machine, problem, work), work, machine);
  const auto wavefronts = [](const CountedLaunch& launch) {
    return launch.work.shared_wavefronts * launch.shape.blocks * launch.repeats;
  };
  const CountedLaunch& busiest = *std::ranges::max_element(launches, {}, wavefronts);
  return {double(busiest.shape.resident) * busiest.shape.threads_per_block /
          machine.cores_per_multiprocessor};
}

TradeOff::Law predicted_over(const DeviceProfile& profile, const Descriptor& algorithm,
                             const ParameterInfo& parameter, Problem problem, LawName law,
                             const WorkLookup& work, std::vector<Unpredicted>& unpredicted) {
  std::shared_ptr<const AlgorithmWork> latest;  // each value is a new choice, whose work is asked for once
  const WorkLookup keep = [&](auto&&... of) { return latest = work(of...); };
  Predictor predictor(profile, algorithm, Law{.law = law}, work ? keep : WorkLookup());
  TradeOff::Law predicted{law, {}};
  for (int value : parameter.values) try {
      problem.parameters.set(parameter.name, value);
      const Prediction prediction = predictor(problem);
      const Residency residency = uses_work(law) ? of_kernel(profile, algorithm, problem, *latest)
                                                 : by_formula(profile, algorithm, problem);
      predicted.points.push_back({value, prediction, residency.X, residency.I});
    } catch (const WorkUnavailable& missing) {
      unpredicted.push_back(
          {.algorithm = algorithm.slug, .law = law, .problem = problem, .why = missing.what()});
    } catch (const std::invalid_argument&) {  // a multiprocessor cannot hold a block
    }
  return predicted;
}

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

TradeOff trade_off(const DeviceProfile& profile, const Descriptor& algorithm, const std::string& parameter,
                   const std::vector<LawName>& laws, const std::vector<Dataset>& datasets,
                   const WorkLookup& work) {
  const ParameterInfo& info = parameter_of(algorithm, parameter);
  const Machine<double>& machine = profile.machine;
  const LevelConstants<double>& global = machine.at(Level::global);
  const RunOfValue runs = chosen_sweep(algorithm, info, datasets);
  TradeOff result;
  result.algorithm = algorithm.slug;
  result.parameter = parameter;
  result.device = profile.name;
  result.problem = runs.empty() ? algorithm.problem(n_without_measurements)
                                : swept_problem(algorithm, info, *runs.begin()->second);
  result.most_X = double(machine.limits.threads_per_multiprocessor) / machine.cores_per_multiprocessor;
  if (global.latency && global.bandwidth) result.knee = *global.latency * *global.bandwidth;
  for (const auto& [value, run] : runs) result.measured.push_back({value, quartiles(run->seconds)});
  if (!algorithm.formula) return result;
  for (LawName law : laws) try {
      if (uses_work(law) && !algorithm.plan) continue;
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
