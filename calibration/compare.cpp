// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/compare.h>
#include <fathom/calibration/fitting_split.h>
#include <fathom/calibration/run_parameters.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

namespace fathom {
namespace {

constexpr std::size_t fewest_parameter_sets = 8;  ///< a regret over fewer is meaningless

/// The runs of one algorithm and type.
struct Group {
  const Descriptor* algorithm;  ///< nullptr if it is unknown
  std::unique_ptr<Predictor> predictor{};
  bool has_fit = false;       ///< in the profile
  bool knows_inputs = false;  ///< the law does, of this algorithm
  std::string reason{};       ///< why there is no predictor for a formula
  std::vector<const ComparedRun*> held_out{};
  std::map<Input, std::vector<const ComparedRun*>> of_input{};  ///< other than random
  std::map<double, std::vector<const ComparedRun*>> at_size{};
};

using GroupKey = std::pair<std::string, std::string>;  // slug, type

/// Calls `predict`, and says in one phrase why it failed if it did.
template <class Predict>
std::string failure_of(Predict predict) {
  try {
    predict();
    return {};
  } catch (const MissingConstant&) {
    return "the profile lacks a constant or a fit";
  } catch (const WorkUnavailable&) {
    return "the work of its kernels is in no table";
  } catch (const BlockTooLarge&) {
    return "no multiprocessor holds a block";
  } catch (const ImpossibleTime&) {
    return "the predicted time is not finite and positive";
  } catch (const std::invalid_argument&) {
    return "parameters out of range";
  } catch (const std::out_of_range&) {
    return "a parameter is missing";
  }
}

Group group_of(const DeviceProfile& profile, const Descriptor* algorithm, const Law& law,
               const WorkLookup& work) {
  Group group{.algorithm = algorithm};
  group.has_fit = algorithm && profile.find_fit(algorithm->slug);
  group.knows_inputs = definition(law.law).knows_inputs && !(algorithm && algorithm->steps);
  if (algorithm && definition(law.law).applies_to(*algorithm))
    group.reason =
        failure_of([&] { group.predictor = std::make_unique<Predictor>(profile, *algorithm, law, work); });
  return group;
}

/// Formulas predict every input as random, and so do all laws for several GPUs and for data in host memory.
ComparedRun compared(const Measurement& run, Group& group, std::string& reason) {
  ComparedRun result{
      &run, quartiles(run.seconds).median, {}, {}, group.has_fit && run.checked && is_for_fitting(run)};
  reason = group.reason;
  if (!group.predictor) return result;
  reason = failure_of([&] {
    Prediction prediction =
        (*group.predictor)(problem_of(*group.algorithm, run), group.knows_inputs ? run.input : Input::random);
    prediction.phases = {};  // ten times the rest of it
    result.relative_error = (prediction.time_s - result.measured_s) / result.measured_s;
    result.predicted = std::move(prediction);
  });
  return result;
}

/// Whether summaries and regrets may include the run; otherwise it is counted under the first reason.
bool counts(const ComparedRun& compared, const Group& group, const Law& law, const std::string& reason,
            LeftOut& left_out) {
  if (!group.algorithm)
    ++left_out.unknown_algorithm;
  else if (group.algorithm->baseline)
    ++left_out.baselines;
  else if (!definition(law.law).applies_to(*group.algorithm))
    ++left_out.without_formula;
  else if (!compared.run->checked)
    ++left_out.unchecked;
  else if (compared.run->clock_moved)
    ++left_out.clock_moved;
  else if (!compared.predicted)
    ++left_out.not_predicted[reason];
  else
    return true;
  return false;
}

/// The GPU that a profile describes.
const std::string& gpu_of(const DeviceProfile& profile) {
  return profile.provenance.gpu.empty() ? profile.machine.name : profile.provenance.gpu;
}

std::string size_text(double n) {
  const double exponent = std::log2(n);
  return exponent == std::floor(exponent) ? fmt::format("n = 2^{:.0f}", exponent)
                                          : fmt::format("n = {:.0f}", n);
}

ErrorSummary summary(const std::string& algorithm, const std::string& type, const Law& law,
                     const std::string& group, const std::vector<const ComparedRun*>& runs) {
  ErrorSummary result{algorithm, type, std::string(name(law.law)), group, runs.size(), {}, {}, {}};
  if (runs.empty()) return result;
  double sum = 0, worst = 0;
  std::size_t with_interval = 0, within = 0;
  for (const ComparedRun* run : runs) {
    sum += std::abs(*run->relative_error);
    worst = std::max(worst, std::abs(*run->relative_error));
    if (const auto& interval = run->predicted->interval_s) {
      ++with_interval;
      within += interval->low <= run->measured_s && run->measured_s <= interval->high;
    }
  }
  result.mean_absolute_relative_error = sum / double(runs.size());
  result.worst = worst;
  if (with_interval > 0) result.within_interval = double(within) / double(with_interval);
  return result;
}

/// In the order of the report: all, unseen, by size, by each parameter.
std::vector<ErrorSummary> summaries(const std::string& algorithm, const std::string& type, const Law& law,
                                    const Group& group) {
  const std::vector<const ComparedRun*>& runs = group.held_out;
  std::vector<const ComparedRun*> unseen;
  std::map<double, std::vector<const ComparedRun*>> by_size;
  std::map<std::pair<std::string, int>, std::vector<const ComparedRun*>> by_parameter;
  for (const ComparedRun* run : runs) {
    if (is_unseen(*run->run)) unseen.push_back(run);
    by_size[run->run->problem.n].push_back(run);
    for (const auto& parameter : run->run->problem.parameters) by_parameter[parameter].push_back(run);
  }
  std::vector<ErrorSummary> result{summary(algorithm, type, law, "all", runs),
                                   summary(algorithm, type, law, "size and parameters unseen", unseen)};
  for (const auto& [n, of_size] : by_size)
    result.push_back(summary(algorithm, type, law, size_text(n), of_size));
  for (const auto& [parameter, of_parameter] : by_parameter)
    result.push_back(summary(algorithm, type, law, fmt::format("{} = {}", parameter.first, parameter.second),
                             of_parameter));
  for (const auto& [input, of_input] : group.of_input)
    result.push_back(summary(algorithm, type, law, fmt::format("input = {}", fathom::name(input)), of_input));
  return result;
}

std::optional<Regret> regret(const Descriptor& algorithm, const std::vector<const ComparedRun*>& runs) {
  std::set<std::map<std::string, int>> parameter_sets;
  for (const ComparedRun* run : runs) parameter_sets.insert(by_name(run->run->problem.parameters));
  if (parameter_sets.size() < fewest_parameter_sets) return std::nullopt;
  const ComparedRun* picked = *std::min_element(runs.begin(), runs.end(), [](const auto* a, const auto* b) {
    return a->predicted->time_s < b->predicted->time_s;
  });
  const ComparedRun* best = *std::min_element(
      runs.begin(), runs.end(), [](const auto* a, const auto* b) { return a->measured_s < b->measured_s; });
  return Regret{best->run->algorithm,
                name(Instantiation(best->run->problem)),
                best->run->problem.n,
                problem_of(algorithm, *picked->run).parameters,
                problem_of(algorithm, *best->run).parameters,
                picked->measured_s,
                best->measured_s,
                picked->measured_s / best->measured_s - 1};
}

}  // namespace

MeanErrors mean_errors(const Comparison& comparison, double smallest_n) {
  std::map<std::string, std::vector<double>> errors;
  for (const ComparedRun& one : comparison.runs)
    if (one.held_out && one.run->problem.n >= smallest_n)
      errors[one.run->algorithm].push_back(std::abs(*one.relative_error));
  MeanErrors means;
  double sum = 0;
  for (const auto& [algorithm, of_runs] : errors)
    sum += means.over_runs[algorithm] =
        std::accumulate(of_runs.begin(), of_runs.end(), 0.0) / double(of_runs.size());
  if (!errors.empty()) means.over_algorithms = sum / double(errors.size());
  return means;
}

Comparison compare(const DeviceProfile& profile, std::span<const Dataset> datasets,
                   const DescriptorLookup& find, const Law& law, double smallest_n, const Progress& progress,
                   const WorkLookup& work) {
  constexpr std::size_t runs_per_report = 64;
  Comparison comparison;
  comparison.device = profile.name;
  std::size_t total = 0;
  for (const Dataset& dataset : datasets) {
    total += dataset.runs.size();
    if (comparison.measured_on.empty()) comparison.measured_on = dataset.provenance.gpu;
  }
  comparison.other_gpu = !comparison.measured_on.empty() && comparison.measured_on != gpu_of(profile);
  comparison.runs.reserve(total);  // groups point into it

  std::map<GroupKey, Group> groups;
  std::string reason;
  for (const Dataset& dataset : datasets)
    for (const Measurement& run : dataset.runs) {
      if (progress && comparison.runs.size() % runs_per_report == 0)
        progress("comparing runs", comparison.runs.size(), total);
      if (run.seconds.empty()) continue;
      GroupKey key{run.algorithm, name(Instantiation(run.problem))};
      auto found = groups.find(key);
      if (found == groups.end())
        found = groups.emplace(std::move(key), group_of(profile, find(run.algorithm), law, work)).first;
      Group& group = found->second;
      ComparedRun& one = comparison.runs.emplace_back(compared(run, group, reason));
      if (!counts(one, group, law, reason, comparison.left_out)) continue;
      if (run.problem.n < smallest_n) continue;
      if (run.input != Input::random) {
        if (group.knows_inputs) group.of_input[run.input].push_back(&one);
        continue;
      }
      one.held_out = !one.fitted;
      one.fitted ? void(++comparison.left_out.fitted) : group.held_out.push_back(&one);
      group.at_size[run.problem.n].push_back(&one);
    }

  for (const auto& [key, group] : groups) {
    if (group.at_size.empty()) continue;
    for (ErrorSummary& one : summaries(key.first, key.second, law, group))
      comparison.summaries.push_back(std::move(one));
  }
  for (const auto& [key, group] : groups)
    for (const auto& [n, runs] : group.at_size)
      if (auto one = regret(*group.algorithm, runs)) comparison.regrets.push_back(std::move(*one));
  if (progress) progress("", total, total);
  return comparison;
}

}  // namespace fathom
