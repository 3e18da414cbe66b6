// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/tune.h>

#include <algorithm>
#include <stdexcept>

namespace fathom {

std::vector<Parameters> combinations(const Assignments& values) {
  std::vector<Parameters> all(1);
  for (const auto& [name, of_one] : values) {
    std::vector<Parameters> longer;
    for (const Parameters& shorter : all)
      for (const int value : of_one) check_interruption(), longer.emplace_back(shorter).set(name, value);
    all = std::move(longer);
  }
  return all;
}

std::vector<Parameters> every_choice(const Descriptor& algorithm, const Assignments& chosen) {
  for (const auto& [name, values] : chosen) {
    if (values.empty()) throw std::invalid_argument("no values are given for the parameter '" + name + "'");
    for (int value : values) algorithm.check({{name, value}});
  }
  Assignments all;
  for (const ParameterInfo& info : algorithm.parameters) {
    const auto given = std::ranges::find(chosen, info.name, &Assignments::value_type::first);
    all.emplace_back(info.name, given != chosen.end() ? given->second
                                : info.of_problem     ? std::vector{info.default_value}
                                                      : info.values);
  }
  return combinations(all);
}

Ranking rank_choices(const Descriptor& algorithm, Problem problem, const std::vector<Parameters>& choices,
                     const std::function<Prediction(const Problem&)>& predict) {
  for (const Parameters& choice : choices) algorithm.check(choice);
  Ranking ranking;
  ranking.choices.reserve(choices.size());
  std::string misfit = "none is given";
  for (const Parameters& choice : choices) {
    check_interruption();
    problem.parameters = choice;
    try {
      ranking.choices.push_back({choice, predict(problem)});
    } catch (const WorkUnavailable& unavailable) {
      ++ranking.without_work;
      ranking.why = unavailable.what();
    } catch (const std::invalid_argument& error) {  // a block that does not fit is not a candidate
      misfit = error.what();
    }
  }
  if (ranking.choices.empty() && ranking.without_work > 0) throw WorkUnavailable(ranking.why);
  if (ranking.choices.empty()) throw std::runtime_error("no choice of parameters can run: " + misfit);
  std::ranges::stable_sort(ranking.choices, {},
                           [](const RankedChoice& choice) { return choice.prediction.time_s; });
  return ranking;
}

std::size_t tied_times(const std::vector<double>& seconds) {
  const double most = seconds.front() * (1 + tie_width);
  return std::size_t(std::ranges::upper_bound(seconds, most) - seconds.begin());
}

std::size_t tied_choices(const std::vector<RankedChoice>& ranking) {
  std::vector<double> seconds;
  for (const RankedChoice& choice : ranking) seconds.push_back(choice.prediction.time_s);
  return tied_times(seconds);
}

}  // namespace fathom
