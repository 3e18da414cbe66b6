// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/crossover.h>

#include <fathom/calibration/predictor.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/calls/predicting/problem.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

namespace fathom::calls {
namespace {

using reports::Crossover;

constexpr int least_power = 10, most_power = 28;

bool solves(const Algorithm& algorithm, const Instantiation& type) {
  try {
    algorithm.check(algorithm.problem(1, type));
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

/// Predictions of all contenders, size by size.
class Contest {
 public:
  Contest(const CrossoverQuestion& question, const std::vector<const Algorithm*>& contenders,
          const Instantiation& type)
      : question_(question), type_(type) {
    for (const Algorithm* one : contenders) try {
        if (solves(*one, type))
          entries_.push_back({one, std::make_unique<Predictor>(question.profile, *one,
                                                               Law{.law = question.law}, question.work)});
      } catch (const MissingConstant& missing) {
        missing_constant_ = missing.what();
      }
  }

  void run() {
    for (int power = least_power; power <= most_power; ++power) {
      question_.progress(fmt::format("predicting on {}", name(type_)), std::size_t(power - least_power),
                         std::size_t(most_power - least_power));
      for (Entry& one : entries_) predict(one, std::exp2(power));
    }
  }

  CrossoverAnswer answer(const std::vector<Dataset>& datasets) &&;

 private:
  struct Entry {
    const Algorithm* algorithm;
    std::unique_ptr<Predictor> predictor;
    std::vector<Crossover::Time> predicted{};
  };

  /// Adds nothing where the GPU cannot run it, or its work is not known.
  void predict(Entry& entry, double n) {
    const Problem problem = entry.algorithm->problem(n, type_);
    const Machine<double>& machine = question_.profile.machine;
    if (bytes_needed(*entry.algorithm, problem, machine) > machine.global_memory.value) return;
    try {
      entry.predicted.push_back({n, (*entry.predictor)(problem).time_s});
    } catch (const WorkUnavailable& unavailable) {
      unpredicted_.push_back({.algorithm = entry.algorithm->slug,
                              .law = question_.law,
                              .problem = problem,
                              .why = unavailable.what()});
    } catch (const MissingConstant& missing) {
      missing_constant_ = missing.what();
    } catch (const BlockTooLarge&) {
    }
  }

  const CrossoverQuestion& question_;
  Instantiation type_;
  std::vector<Entry> entries_;
  std::vector<reports::Unpredicted> unpredicted_;
  std::string missing_constant_;
};

/// Medians of the runs at default parameters.
std::vector<Crossover::Time> measured(const Algorithm& algorithm, const Instantiation& type,
                                      const std::vector<Dataset>& datasets) {
  std::map<double, double> fastest;
  for (const Dataset& dataset : datasets)
    for (const Measurement& run : dataset.runs) {
      if (run.algorithm != algorithm.slug || run.input != Input::random || !run.checked || run.clock_moved ||
          run.seconds.empty() || problem_of(algorithm, run) != algorithm.problem(run.problem.n, type))
        continue;
      const double median = quartiles(run.seconds).median;
      const auto [at, is_new] = fastest.emplace(run.problem.n, median);
      if (!is_new) at->second = std::min(at->second, median);
    }
  std::vector<Crossover::Time> times;
  for (const auto& [n, seconds] : fastest) times.push_back({n, seconds});
  return times;
}

CrossoverAnswer Contest::answer(const std::vector<Dataset>& datasets) && {
  CrossoverAnswer answer{{.type = name(type_), .device = question_.profile.name, .law = question_.law},
                         std::move(unpredicted_),
                         std::move(missing_constant_)};
  for (const Entry& entry : entries_) {
    answer.crossover.kind = entry.algorithm->kind;
    Crossover::Contender& one = answer.crossover.contenders.emplace_back();
    one.algorithm = entry.algorithm->slug;
    one.predicted = entry.predicted;
    one.measured = measured(*entry.algorithm, type_, datasets);
  }
  return answer;
}

}  // namespace

CrossoverAnswer crossover(const CrossoverQuestion& question, const std::vector<const Algorithm*>& contenders,
                          const Instantiation& type, const std::vector<Dataset>& datasets) {
  Contest contest(question, contenders, type);
  contest.run();
  return std::move(contest).answer(datasets);
}

}  // namespace fathom::calls
