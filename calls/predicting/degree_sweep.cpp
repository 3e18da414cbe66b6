// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/degree_sweep.h>

#include <fathom/calibration/predictor.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/counting/count.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace fathom::calls {
namespace {

using reports::DegreeSweep;

constexpr double n_unmeasured = 0x1p26;
/// Some tiles of every sort, so that β is that of merges, too; more take seconds.
constexpr double counted_n = 0x1p15;
const std::vector<double> usual_degrees{0, 0.25, 0.5, 0.75, 1};

/// Runs that differ in the degree only: the first run of each.
using RunOfDegree = std::map<double, const Measurement*>;

double total_seconds(const RunOfDegree& runs) {
  double seconds = 0;
  for (const auto& [degree, run] : runs) seconds += quartiles(run->seconds).median;
  return seconds;
}

/// More degrees, then less time.
bool is_better(const RunOfDegree& a, const RunOfDegree& b) {
  return std::tuple(-double(a.size()), total_seconds(a)) < std::tuple(-double(b.size()), total_seconds(b));
}

using RunsOfAlgorithm = std::map<std::string, RunOfDegree>;  ///< by slug

std::size_t runs_in(const RunsOfAlgorithm& algorithms) {
  std::size_t runs = 0;
  for (const auto& [slug, of_degree] : algorithms) runs += of_degree.size();
  return runs;
}

/// Of each type and n, the best parameters of each algorithm with at least two degrees.
std::map<std::string, std::map<double, RunsOfAlgorithm>> runs_of(Input::Pattern pattern,
                                                                 const std::vector<Dataset>& datasets) {
  using Key = std::tuple<std::string, double, std::string, std::map<std::string, int>>;
  std::map<Key, RunOfDegree> by_key;
  for (const Dataset& dataset : datasets)
    for (const Measurement& run : dataset.runs)
      if (run.input.pattern == pattern && !run.seconds.empty() && run.problem.order == Order::ascending)
        by_key[{name(Instantiation(run.problem)), run.problem.n, run.algorithm,
                by_name(run.problem.parameters)}]
            .try_emplace(run.input.degree, &run);
  std::map<std::string, std::map<double, RunsOfAlgorithm>> best;
  for (const auto& [key, runs] : by_key) {
    if (runs.size() < 2) continue;
    const auto& [type, n, slug, parameters] = key;
    const auto [at, added] = best[type][n].try_emplace(slug, runs);
    if (!added && is_better(runs, at->second)) at->second = runs;
  }
  return best;
}

/// Of each type the n with the most runs, among several the largest.
std::vector<RunsOfAlgorithm> chosen_runs(Input::Pattern pattern, const std::vector<Dataset>& datasets) {
  std::vector<RunsOfAlgorithm> chosen;
  for (const auto& [type, by_n] : runs_of(pattern, datasets)) {
    const RunsOfAlgorithm* most = nullptr;
    for (const auto& [n, algorithms] : by_n)
      if (!most || runs_in(algorithms) >= runs_in(*most)) most = &algorithms;
    chosen.push_back(*most);
  }
  return chosen;
}

std::optional<DegreeSweep::Law> predicted(const DegreeQuestion& question, const Descriptor& algorithm,
                                          const Problem& problem, Input::Pattern pattern, LawName law,
                                          const std::vector<double>& degrees) try {
  if (!definition(law).applies_to(algorithm)) return std::nullopt;
  check_input(algorithm, law, Input(pattern));
  Predictor predictor(question.profile, algorithm, Law{.law = law}, question.work,
                      conflict_lookup(question.profile, question.progress));
  DegreeSweep::Law over{law, {}};
  for (const double degree : degrees) try {
      over.points.push_back({degree, predictor(problem, Input(pattern, degree))});
    } catch (const WorkUnavailable&) {
    }
  return over.points.empty() ? std::nullopt : std::optional(std::move(over));
} catch (const MissingConstant&) {
  return std::nullopt;
} catch (const std::invalid_argument&) {  // an input that the law cannot price, or a block that does not fit
  return std::nullopt;
}

/// Empty if the algorithm has no kernels of its own, or if a block of them does not fit.
std::vector<DegreeSweep::Conflicts> counted_conflicts(const DegreeQuestion& question,
                                                      const Algorithm& algorithm, const Problem& problem,
                                                      Input::Pattern pattern,
                                                      const std::vector<double>& degrees) try {
  std::vector<DegreeSweep::Conflicts> conflicts;
  if (!algorithm.is_countable()) return conflicts;
  for (const double degree : degrees) {
    Case one{&algorithm, problem, Input(pattern, degree)};
    one.problem.n = counted_n;
    const CountingDevice device = counting_device(question.profile.machine, one);
    conflicts.push_back({degree, conflict_of_reads(count(one, device, {}, question.progress).kernels)});
  }
  return conflicts;
} catch (const BlockDoesNotFit&) {
  return {};
}

DegreeSweep degree_sweep(const DegreeQuestion& question, const Algorithm& algorithm, Problem problem,
                         Input::Pattern pattern, const std::vector<double>& degrees) {
  DegreeSweep sweep;
  sweep.algorithm = algorithm.slug;
  sweep.device = question.profile.name;
  sweep.pattern = pattern;
  sweep.problem = std::move(problem);
  sweep.counted_n = counted_n;
  for (const LawName law : question.laws)
    if (auto over = predicted(question, algorithm, sweep.problem, pattern, law, degrees))
      sweep.predicted.push_back(*std::move(over));
  sweep.conflicts = counted_conflicts(question, algorithm, sweep.problem, pattern, degrees);
  return sweep;
}

DegreeSweep measured_sweep(const DegreeQuestion& question, const std::string& slug, const RunOfDegree& runs,
                           Input::Pattern pattern) {
  const Measurement& first = *runs.begin()->second;
  std::vector<double> degrees;
  for (const auto& [degree, run] : runs) degrees.push_back(degree);
  DegreeSweep sweep;
  const auto known = std::ranges::find(algorithms(), slug, &Algorithm::slug);
  if (known != algorithms().end())
    sweep = degree_sweep(question, *known, problem_of(*known, first), pattern, degrees);
  else
    sweep = {
        .algorithm = slug, .device = question.profile.name, .pattern = pattern, .problem = first.problem};
  for (const auto& [degree, run] : runs) sweep.measured.push_back({degree, quartiles(run->seconds)});
  return sweep;
}

void tell(const DegreeQuestion& question, Input::Pattern pattern, const std::string& slug, std::size_t done,
          std::size_t all) {
  question.progress(fmt::format("{} over {}", slug, reports::pattern_name(pattern)), done, all);
}

}  // namespace

std::vector<Input::Pattern> patterns_with_degree() {
  return {Input::sortedness, Input::entropy};
}

Input::Pattern parse_pattern_with_degree(std::string_view text) {
  std::string names;
  for (const Input::Pattern pattern : patterns_with_degree()) {
    const std::string name = reports::pattern_name(pattern);
    if (name == text) return pattern;
    names += (names.empty() ? "" : " or ") + name;
  }
  throw std::invalid_argument(fmt::format("`parameter` {}: choose {}", text, names));
}

reports::DegreeSweep conflicts_over_degree(const DegreeQuestion& question, const Algorithm& algorithm,
                                           Problem problem, Input::Pattern pattern) {
  DegreeSweep sweep;
  sweep.algorithm = algorithm.slug;
  sweep.device = question.profile.name;
  sweep.pattern = pattern;
  sweep.problem = std::move(problem);
  sweep.problem.n = counted_n;
  sweep.counted_n = counted_n;
  sweep.conflicts = counted_conflicts(question, algorithm, sweep.problem, pattern, usual_degrees);
  return sweep;
}

std::vector<reports::DegreeSweep> degree_sweeps(const DegreeQuestion& question, Input::Pattern pattern,
                                                const std::vector<Dataset>& datasets,
                                                const std::vector<const Algorithm*>& unmeasured) {
  std::vector<DegreeSweep> sweeps;
  for (const RunsOfAlgorithm& chosen : chosen_runs(pattern, datasets))
    for (const auto& [slug, runs] : chosen) {
      tell(question, pattern, slug, sweeps.size(), sweeps.size() + chosen.size());
      sweeps.push_back(measured_sweep(question, slug, runs, pattern));
    }
  if (!sweeps.empty()) return sweeps;
  for (const Algorithm* algorithm : unmeasured) {
    tell(question, pattern, algorithm->slug, sweeps.size(), unmeasured.size());
    sweeps.push_back(
        degree_sweep(question, *algorithm, algorithm->problem(n_unmeasured), pattern, usual_degrees));
  }
  return sweeps;
}

}  // namespace fathom::calls
