#include <fathom/calibration/compare.h>
#include <fathom/calibration/run_parameters.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace fathom {
namespace {

constexpr std::size_t fewest_parameter_sets = 8;  ///< a regret over fewer is meaningless

std::optional<Prediction> prediction_of(const DeviceProfile& profile, const Descriptor& algorithm,
                                        const Measurement& run, const Law& law) {
  try {
    return predict_with_interval(profile, algorithm, problem_of(algorithm, run), law);
  } catch (const MissingConstant&) {        // the law does not apply to this machine, …
  } catch (const std::invalid_argument&) {  // … to this configuration, …
  } catch (const std::out_of_range&) {      // … or to a run without all parameters
  }
  return std::nullopt;
}

ComparedRun compared(const DeviceProfile& profile, const Measurement& run, const Descriptor* algorithm,
                     const Law& law) {
  ComparedRun result;
  result.run = run;
  result.measured_s = quartiles(run.seconds).median;
  result.fitted = is_for_fitting(run);
  if (algorithm && algorithm->formula) result.predicted = prediction_of(profile, *algorithm, run, law);
  if (result.predicted)
    result.relative_error = (result.predicted->time_s - result.measured_s) / result.measured_s;
  return result;
}

std::string size_text(double n) {
  const double exponent = std::log2(n);
  return exponent == std::floor(exponent) ? fmt::format("n = 2^{:.0f}", exponent)
                                          : fmt::format("n = {:.0f}", n);
}

ErrorSummary summary(const std::string& algorithm, const std::string& type, const Law& law,
                     const std::string& group, const std::vector<const ComparedRun*>& runs) {
  ErrorSummary result{algorithm, type,        law.law == LawName::published ? "published" : "calibrated",
                      group,     runs.size(), {},
                      {},        {}};
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
                                    const std::vector<const ComparedRun*>& runs) {
  std::vector<const ComparedRun*> unseen;
  std::map<double, std::vector<const ComparedRun*>> by_size;
  std::map<std::pair<std::string, int>, std::vector<const ComparedRun*>> by_parameter;
  for (const ComparedRun* run : runs) {
    if (is_unseen(run->run)) unseen.push_back(run);
    by_size[run->run.problem.n].push_back(run);
    for (const auto& parameter : run->run.problem.parameters) by_parameter[parameter].push_back(run);
  }
  std::vector<ErrorSummary> result{summary(algorithm, type, law, "all", runs),
                                   summary(algorithm, type, law, "size and parameters unseen", unseen)};
  for (const auto& [n, of_size] : by_size)
    result.push_back(summary(algorithm, type, law, size_text(n), of_size));
  for (const auto& [parameter, of_parameter] : by_parameter)
    result.push_back(summary(algorithm, type, law, fmt::format("{} = {}", parameter.first, parameter.second),
                             of_parameter));
  return result;
}

std::optional<Regret> regret(const Descriptor& algorithm, const std::vector<const ComparedRun*>& runs) {
  std::set<std::map<std::string, int>> parameter_sets;
  for (const ComparedRun* run : runs) parameter_sets.insert(by_name(run->run.problem.parameters));
  if (parameter_sets.size() < fewest_parameter_sets) return std::nullopt;
  const ComparedRun* picked = *std::min_element(runs.begin(), runs.end(), [](const auto* a, const auto* b) {
    return a->predicted->time_s < b->predicted->time_s;
  });
  const ComparedRun* best = *std::min_element(
      runs.begin(), runs.end(), [](const auto* a, const auto* b) { return a->measured_s < b->measured_s; });
  return Regret{best->run.algorithm,
                type_text(best->run.problem),
                best->run.problem.n,
                problem_of(algorithm, picked->run).parameters,
                problem_of(algorithm, best->run).parameters,
                picked->measured_s,
                best->measured_s,
                picked->measured_s / best->measured_s - 1};
}

}  // namespace

Comparison compare(const DeviceProfile& profile, const Dataset& dataset, const DescriptorLookup& find,
                   const Law& law, double smallest_n) {
  Comparison comparison;
  comparison.device = profile.name;
  for (const Measurement& run : dataset.runs)
    if (!run.seconds.empty()) comparison.runs.push_back(compared(profile, run, find(run.algorithm), law));

  std::map<std::pair<std::string, std::string>, std::vector<const ComparedRun*>> held_out;
  std::map<std::tuple<std::string, std::string, double>, std::vector<const ComparedRun*>> at_size;
  for (const ComparedRun& run : comparison.runs) {
    const Problem& problem = run.run.problem;
    if (!run.predicted || run.run.input != Input::random || problem.n < smallest_n || run.run.clock_moved)
      continue;
    auto& group = held_out[{run.run.algorithm, type_text(problem)}];
    if (!run.fitted) group.push_back(&run);
    at_size[{run.run.algorithm, type_text(problem), problem.n}].push_back(&run);
  }
  for (const auto& [key, runs] : held_out)
    for (ErrorSummary& one : summaries(key.first, key.second, law, runs))
      comparison.summaries.push_back(std::move(one));
  for (const auto& [key, runs] : at_size)
    if (auto one = regret(*find(std::get<0>(key)), runs)) comparison.regrets.push_back(std::move(*one));
  return comparison;
}

}  // namespace fathom
