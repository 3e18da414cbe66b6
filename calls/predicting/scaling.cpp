// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/scaling.h>

#include <fathom/algorithms/registry.h>
#include <fathom/calibration/predictor.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/model/links.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

namespace fathom::calls {
namespace {

using reports::Scaling;

/// Their work is in the tables that ship.
constexpr std::array predicted_gpus{1, 2, 4, 8};

bool counts(const Measurement& run) {
  return run.input == Input::random && run.checked && !run.clock_moved && !run.seconds.empty() &&
         run.problem.order == Order::ascending && !run.problem.stable;
}

int gpus_of(const Measurement& run) {
  return run.problem.parameters.contains("gpus") ? run.problem.parameters.at("gpus") : 1;
}

Problem default_problem(const Descriptor& algorithm, double n, const Instantiation& type, int gpus) {
  Problem problem = algorithm.problem(n, type);
  if (algorithm.for_several_gpus()) problem.parameters.set("gpus", gpus);
  return problem;
}

int most_linked(const Links& links) {
  int most = 1;
  for (const LinkCurve& curve : links.curves)
    if (!is_with_host(curve.kind) && curve.hosts == 1) most = std::max(most, curve.gpus);
  return most;
}

/// That of the largest copies between two GPUs, in bytes per second.
std::optional<double> rate_of_link(const Links& links) {
  std::optional<double> rate;
  for (const LinkCurve& curve : links.curves)
    if (curve.kind == ExchangeKind::peer_copy && curve.gpus == fewest_gpus(curve.kind))
      rate = 1 / curve.ranges.back().per_byte.value;
  return rate;
}

std::optional<reports::ExchangeRate> largest_exchange(const Descriptor& algorithm, const Problem& problem,
                                                      const Machine<double>& machine) {
  const Links& links = required_links(machine);
  const int gpus = algorithm.gpus_of(problem);
  if (gpus > most_linked(links)) return std::nullopt;
  std::optional<Exchange> largest;
  for (const RankStep& step : algorithm.steps(problem, plan_device(machine)))
    if (step.exchange && (!largest || step.exchange->bytes > largest->bytes)) largest = step.exchange;
  if (!largest || gpus < fewest_gpus(largest->kind)) return std::nullopt;
  const double rate = largest->bytes / exchange_time(*largest, gpus, links).seconds;
  const std::optional<double> link = rate_of_link(links);
  return reports::ExchangeRate{largest->kind, rate, link ? std::optional(rate / *link) : std::nullopt};
}

/// One algorithm and type.
class Curves {
 public:
  Curves(const ScalingQuestion& question, const GroupAlgorithm& algorithm, const Instantiation& type,
         std::vector<reports::Unpredicted>& unpredicted)
      : question_(question), algorithm_(algorithm), type_(type), unpredicted_(unpredicted) {
    result_ = {.algorithm = algorithm.slug,
               .type = name(type),
               .device = question.profile.name,
               .law = question.law,
               .alone = {},
               .most_linked = most_linked(required_links(question.profile.machine)),
               .points = {},
               .totals = {},
               .per_gpu = {}};
    predictors_[algorithm.slug] =
        std::make_unique<Predictor>(question.profile, algorithm, Law{.law = question.law}, question.work);
  }

  void add_measured(const std::vector<Dataset>& datasets) {
    std::set<double> totals, per_gpu;
    for (const Dataset& dataset : datasets)
      for (const Measurement& run : dataset.runs) {
        if (!is_own(run)) continue;
        const int gpus = gpus_of(run);
        add(run.problem.n, gpus, run);
        if (gpus == 1) continue;
        totals.insert(run.problem.n);
        if (std::fmod(run.problem.n, gpus) == 0) per_gpu.insert(run.problem.n / gpus);
      }
    if (totals.empty()) return;
    result_.totals = reports::spread({totals.begin(), totals.end()});
    result_.per_gpu = reports::spread({per_gpu.begin(), per_gpu.end()});
    for (const Dataset& dataset : datasets)
      for (const Measurement& run : dataset.runs)
        if (is_alone(run)) add(run.problem.n, 1, run);
  }

  void choose_sizes() {
    for (const double n : {0x1p24, 0x1p27, 0x1p30})
      if (n >= question_.smallest_n) result_.totals.push_back(n);
    for (const double n : {0x1p20, 0x1p24, 0x1p28})
      if (n >= question_.smallest_n) result_.per_gpu.push_back(n);
  }

  bool has_sizes() const { return !result_.totals.empty(); }

  Scaling predicted() && {
    for (const auto& [slug, predictor] : predictors_)
      if (slug != algorithm_.slug || predictors_.size() == 1) result_.alone.push_back(slug);
    for (const int gpus : predicted_gpus) {
      for (const double n : result_.totals) points_[{n, gpus}];
      for (const double n : result_.per_gpu) points_[{n * gpus, gpus}];
    }
    for (auto& [at, measured] : points_) {
      const auto& [n, gpus] = at;
      Scaling::Point point{.n = n, .gpus = gpus, .measured = measured, .predicted = fastest(n, gpus)};
      if (gpus > 1 && point.predicted)
        point.exchange = largest_exchange(algorithm_, default_problem(algorithm_, n, type_, gpus),
                                          question_.profile.machine);
      if (point.measured || point.predicted) result_.points.push_back(std::move(point));
    }
    return std::move(result_);
  }

 private:
  bool is_wanted(const Measurement& run) const {
    return counts(run) && Instantiation(run.problem) == type_ && run.problem.n >= question_.smallest_n;
  }
  /// With default parameters.
  bool is_own(const Measurement& run) const {
    if (run.algorithm != algorithm_.slug || !is_wanted(run)) return false;
    const int gpus = gpus_of(run);
    return 1 <= gpus && gpus <= most_gpus &&
           problem_of(algorithm_, run) == default_problem(algorithm_, run.problem.n, type_, gpus);
  }
  /// Tells whether the run is that of an algorithm of one GPU which does the same. Baselines are measured
  /// only.
  bool is_alone(const Measurement& run) {
    const Descriptor* one = find_descriptor(run.algorithm);
    if (!one || !is_wanted(run) || run.problem.kind != algorithm_.kind) return false;
    if (!one->baseline) add_predictor(*one);
    return true;
  }

  void add_predictor(const Descriptor& algorithm) {
    std::unique_ptr<Predictor>& predictor = predictors_[algorithm.slug];
    if (!predictor && definition(question_.law).applies_to(algorithm))
      predictor = std::make_unique<Predictor>(question_.profile, algorithm, Law{.law = question_.law},
                                              question_.work);
  }

  /// Of several runs the fastest counts.
  void add(double n, int gpus, const Measurement& run) {
    std::optional<Quartiles>& known = points_[{n, gpus}];
    const Quartiles seconds = quartiles(run.seconds);
    if (!known || seconds.median < known->median) known = seconds;
  }

  std::optional<Prediction> fastest(double n, int gpus) {
    if (gpus > 1) return predict(algorithm_, n, gpus);
    std::optional<Prediction> least;
    for (const std::string& slug : result_.alone) {
      std::optional<Prediction> one = predict(*find_listed(slug), n, 1);
      if (one && (!least || one->time_s < least->time_s)) least = std::move(one);
    }
    return least;
  }

  /// Nothing where the GPUs have no room for it, or its work is not known.
  std::optional<Prediction> predict(const Descriptor& algorithm, double n, int gpus) {
    const auto& predictor = predictors_.at(algorithm.slug);
    const Problem problem = default_problem(algorithm, n, type_, gpus);
    const Machine<double>& machine = question_.profile.machine;
    if (!predictor || bytes_needed(algorithm, problem, machine) > machine.global_memory.value)
      return std::nullopt;
    try {
      return predictor->explained(problem);
    } catch (const WorkUnavailable& unavailable) {
      unpredicted_.push_back({.algorithm = algorithm.slug,
                              .law = question_.law,
                              .problem = problem,
                              .measured = bool(points_.at({n, gpus})),
                              .why = unavailable.what()});
    } catch (const BlockTooLarge&) {
    }
    return std::nullopt;
  }

  const ScalingQuestion& question_;
  const GroupAlgorithm& algorithm_;
  Instantiation type_;
  std::vector<reports::Unpredicted>& unpredicted_;
  std::map<std::string, std::unique_ptr<Predictor>> predictors_{};  ///< by slug
  std::map<std::pair<double, int>, std::optional<Quartiles>> points_{};
  Scaling result_{};
};

/// In the order in which they were measured.
std::vector<Instantiation> types_of(const GroupAlgorithm& algorithm, const std::vector<Dataset>& datasets) {
  if (datasets.empty()) return {ElementType::u32, ElementType::u64};
  std::vector<Instantiation> types;
  for (const Dataset& dataset : datasets)
    for (const Measurement& run : dataset.runs)
      if (const Instantiation type(run.problem);
          run.algorithm == algorithm.slug && counts(run) && std::ranges::find(types, type) == types.end())
        types.push_back(type);
  return types;
}

}  // namespace

const GroupAlgorithm& algorithm_of_several_gpus(std::string_view slug) {
  if (const GroupAlgorithm* found = find_group_algorithm(slug); found && !found->baseline) return *found;
  const AnyAlgorithm other = any_algorithm(std::string(slug));
  std::vector<std::string> slugs;
  for (const GroupAlgorithm& one : group_algorithms())
    if (!one.baseline) slugs.push_back(one.slug);
  const std::string why = descriptor(other).baseline ? "is a baseline, which no law predicts"
                                                     : fmt::format("runs on {}", list_info(other).runs_on);
  throw std::invalid_argument(fmt::format("{} {}: choose {}", slug, why, fmt::join(slugs, ", ")));
}

bool has_several_gpus(const std::vector<Dataset>& datasets) {
  return std::ranges::any_of(datasets, [](const Dataset& dataset) {
    return std::ranges::any_of(dataset.runs, [](const Measurement& run) {
      const GroupAlgorithm* found = find_group_algorithm(run.algorithm);
      return found && !found->baseline;
    });
  });
}

ScalingAnswer scalings(const ScalingQuestion& question, const std::vector<const GroupAlgorithm*>& algorithms,
                       const std::vector<Dataset>& datasets) {
  ScalingAnswer answer;
  std::size_t done = 0;
  for (const GroupAlgorithm* algorithm : algorithms) {
    question.progress("predicting " + algorithm->slug, done++, algorithms.size());
    for (const Instantiation& type : types_of(*algorithm, datasets)) {
      Curves curves(question, *algorithm, type, answer.unpredicted);
      if (datasets.empty())
        curves.choose_sizes();
      else
        curves.add_measured(datasets);
      if (curves.has_sizes()) answer.scalings.push_back(std::move(curves).predicted());
    }
  }
  return answer;
}

}  // namespace fathom::calls
