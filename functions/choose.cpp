// SPDX-License-Identifier: Apache-2.0
#include <fathom/functions/choose.h>

#include <fathom/algorithms/case.h>
#include <fathom/counting/work.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/tune.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace fathom {
namespace {

/// An architecture for which the work of every algorithm is built in.
constexpr int counted_throughout = 90;

bool can_solve(const Algorithm& algorithm, const Problem& problem, bool in_place) try {
  if (!algorithm.make_call || algorithm.kind != problem.kind) return false;
  if (in_place && algorithm.separate_arrays) return false;
  const bool is_floating = problem.type == ElementType::f32 || problem.type == ElementType::f64;
  if (problem.kind == Kind::sort && is_floating) {
    if (algorithm.group != "sort/radix") return false;  // there may be NaN
    // Numbers of similar magnitude begin with the same bits: where that matters, all keys would be skewed.
    if (algorithm.skew) return false;
  }
  Problem usual = problem;
  usual.parameters = algorithm.default_parameters(problem);
  algorithm.check(usual);
  return true;
} catch (const std::invalid_argument&) {
  return false;
}

/// What the problem itself says about parameters: the mean length of lists, to the nearest value in ratio.
std::vector<std::pair<std::string, std::vector<int>>> given_by(const Problem& problem,
                                                               const Algorithm& algorithm) {
  const ParameterInfo* length = algorithm.find_parameter("length");
  if (problem.lists == 0 || !length) return {};
  const double mean = problem.n / problem.lists;
  const auto off = [&](int value) { return std::abs(std::log(value / mean)); };
  return {{length->name, {*std::ranges::min_element(length->values, {}, off)}}};
}

/// Infinite for a choice of which no block fits, or that the algorithm has no plan for.
double seconds_of(const Algorithm& algorithm, const Problem& problem, const AlgorithmWork& work,
                  const Machine<double>& machine) try {
  return CountedRun(algorithm, machine, problem, work).seconds(machine);
} catch (const std::invalid_argument&) {
  return std::numeric_limits<double>::infinity();
}

/// Of numbers of the same size without a sign, whose kernels do as much: the tables have all choices of
/// these, where they have but few of others.
std::optional<AlgorithmWork> work_of(const Algorithm& algorithm, Problem problem, int architecture) {
  problem.type = unsigned_like(problem.type);
  if (problem.value_type) problem.value_type = unsigned_like(*problem.value_type);
  return known_work({&algorithm, problem}, architecture);
}

/// Other parameters of the fastest algorithm than its defaults, which were measured to be fast, have to be
/// predicted to take so much less time, since of hundreds of predictions the least is often one that is far
/// off. The law is off by about as much in the mean.
constexpr double clearly_faster = 0.95;

std::optional<Choice> fastest(const Problem& problem, bool in_place, const Machine<double>& machine,
                              int architecture) {
  std::optional<Choice> best;
  double least = std::numeric_limits<double>::infinity();
  for (const Algorithm& algorithm : algorithms()) {
    if (!can_solve(algorithm, problem, in_place)) continue;
    const auto given = given_by(problem, algorithm);
    // Infinite if no work is known for these parameters.
    const auto seconds_with = [&](const Parameters& parameters) {
      Problem one = problem;
      one.parameters = parameters;
      const auto work = work_of(algorithm, one, architecture);
      return work ? seconds_of(algorithm, one, *work, machine) : std::numeric_limits<double>::infinity();
    };
    Parameters defaults = algorithm.default_parameters(problem);
    for (const auto& [name, values] : given) defaults.set(name, values.front());
    const double with_defaults = seconds_with(defaults);
    for (const Parameters& parameters : every_choice(algorithm, given))
      if (const double seconds = seconds_with(parameters); seconds < least) {
        least = seconds;
        const bool are_clearly_faster = seconds < clearly_faster * with_defaults;
        best = {&algorithm, are_clearly_faster ? parameters : defaults};
      }
  }
  return best;
}

}  // namespace

Choice choose(const Problem& problem, bool in_place, const DeviceProfile& profile) {
  if (profile.architecture)
    if (auto best = fastest(problem, in_place, profile.machine, *profile.architecture))
      return *std::move(best);
  if (auto best = fastest(problem, in_place, profile.machine, counted_throughout)) return *std::move(best);
  throw std::invalid_argument("no kernel of this library can do a " + std::string(name(problem.kind)) +
                              " of " + type_text(problem) + ": 'fathom algorithms' lists what each can do");
}

}  // namespace fathom
