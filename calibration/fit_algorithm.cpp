// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit.h>
#include <fathom/calibration/least_squares.h>
#include <fathom/calibration/predictor.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/core/interruption.h>
#include <fathom/model/constants.h>
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

namespace fathom {
namespace {

constexpr std::size_t folds = 5;
constexpr std::size_t fewest_runs = folds;

/// The weight of the prior's residual, log f/prior_sigma, relative to that of a run,
/// log(predicted/measured)/expected_sigma.
constexpr double prior_weight = expected_sigma / prior_sigma;

struct FittedRun {
  std::string type;
  std::map<std::string, int> parameter_set;
  double n;
  CountedRun counted;
  double measured_s;
};
using FittedRuns = std::vector<const FittedRun*>;

/// Tells the progress of one algorithm's fit.
class FitProgress {
 public:
  FitProgress(const Progress& progress, std::string what, std::size_t steps)
      : progress_(progress), what_(std::move(what)), steps_(steps) {}
  FitProgress(const FitProgress&) = delete;
  FitProgress& operator=(const FitProgress&) = delete;

  void step() {
    if (progress_) progress_(what_, done_, steps_);
    done_ = std::min(done_ + 1, steps_ - 1);
  }
  void end() {
    if (progress_) progress_("", steps_, steps_);
  }

 private:
  const Progress& progress_;
  std::string what_;
  std::size_t steps_, done_ = 0;
};

/// Work of an algorithm, asked for once.
class KnownWork {
 public:
  struct Answer {
    std::shared_ptr<const AlgorithmWork> work{};  ///< empty if it is not available or
    bool too_large = false;                       ///< no multiprocessor holds a block
  };
  KnownWork(const Descriptor& algorithm, const WorkLookup& lookup) : algorithm_(algorithm), lookup_(lookup) {}

  const Answer& of(const Problem& problem) {
    const auto [known, is_new] = known_[Instantiation(problem)].try_emplace(problem.parameters);
    if (is_new) {
      try {
        known->second.work = lookup_(algorithm_, Instantiation(problem), problem.parameters, Input::random);
      } catch (const WorkUnavailable&) {
      } catch (const BlockTooLarge&) {
        known->second.too_large = true;
      }
    }
    return known->second;
  }

 private:
  const Descriptor& algorithm_;
  const WorkLookup& lookup_;
  std::map<Instantiation, std::map<Parameters, Answer>> known_;
};

/// The run as the law sees it; absent if the law gives it no time.
std::optional<CountedRun> predictable(const Descriptor& algorithm, const Machine<double>& machine,
                                      const Problem& problem, const AlgorithmWork& work) {
  try {
    CountedRun run(algorithm, machine, problem, work);
    run.predicted(machine);
    return run;
  } catch (const std::invalid_argument&) {  // the law says that no multiprocessor can hold its block
  } catch (const MissingConstant&) {
  } catch (const ImpossibleTime&) {
  }
  return std::nullopt;
}

/// Whether the algorithm's kernels can run the problem: its work may be asked for.
bool is_solved(const Descriptor& algorithm, const Problem& problem) try {
  algorithm.check(problem);
  return std::ranges::all_of(algorithm.parameters, [&](const ParameterInfo& parameter) {
    return problem.parameters.contains(parameter.name);
  });
} catch (const std::invalid_argument&) {
  return false;
}

/// Checked runs of random input for which the law gives a time. The other inputs of a sort are left for
/// validation.
std::vector<FittedRun> runs_to_fit(const Descriptor& algorithm, const Machine<double>& machine,
                                   const std::vector<Measurement>& runs, const WorkLookup& lookup,
                                   NotFitted& left_out) {
  KnownWork known(algorithm, lookup);
  std::vector<FittedRun> fitted;
  for (const Measurement& run : runs) {
    if (run.algorithm != algorithm.slug || !is_for_fitting(run)) continue;
    if (run.input != Input::random) {
      ++left_out.other_input;
    } else if (!run.checked) {
      ++left_out.unchecked;
    } else if (run.clock_moved) {
      ++left_out.clock_moved;
    } else if (const Problem problem = problem_of(algorithm, run); !is_solved(algorithm, problem)) {
      ++left_out.not_predicted;
    } else if (const KnownWork::Answer& known_of_it = known.of(problem); known_of_it.too_large) {
      ++left_out.not_predicted;
    } else if (!known_of_it.work) {
      ++left_out.without_work;
    } else if (auto counted = predictable(algorithm, machine, problem, *known_of_it.work); !counted) {
      ++left_out.not_predicted;
    } else {
      fitted.push_back({name(Instantiation(problem)), by_name(problem.parameters), problem.n,
                        *std::move(counted), quartiles(run.seconds).median});
    }
  }
  return fitted;
}

/// At most `most` of the runs: one from each of `most` equal stretches when they are sorted by type,
/// parameters and n. Equal steps could meet one size only.
FittedRuns spread(const std::vector<FittedRun>& runs, std::size_t most) {
  FittedRuns all;
  for (const FittedRun& run : runs) all.push_back(&run);
  if (all.size() <= most) return all;
  std::ranges::stable_sort(all, [](const FittedRun* a, const FittedRun* b) {
    return std::tie(a->type, a->parameter_set, a->n) < std::tie(b->type, b->parameter_set, b->n);
  });
  std::mt19937_64 random(20150102);
  FittedRuns drawn;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t begin = i * all.size() / most, end = (i + 1) * all.size() / most;
    drawn.push_back(all[begin + random() % (end - begin)]);
  }
  return drawn;
}

/// The law as a function of the logarithms of its factors: work, waiting.
class AlgorithmLaw {
 public:
  AlgorithmLaw(std::string slug, const Machine<double>& machine, FitProgress& progress)
      : slug_(std::move(slug)), machine_(machine), progress_(progress) {}

  static Factors<double> factors(const Eigen::VectorXd& logs) {
    return {std::exp(logs[0]), std::exp(logs[1])};
  }

  double log_error(const FittedRun& run, const Factors<double>& factors) const {
    check_interruption();
    return std::log(run.counted.seconds(machine_, factors) / run.measured_s);
  }

  /// The log errors of the runs, then those of the prior.
  Residuals residuals(const FittedRuns& runs) const {
    return [this, &runs](const Eigen::VectorXd& logs, Eigen::VectorXd& result) {
      const Factors<double> tried = factors(logs);
      Eigen::Index i = 0;
      for (const FittedRun* run : runs) result[i++] = log_error(*run, tried);
      for (const double log : logs) result[i++] = prior_weight * log;
    };
  }
  static int count(const FittedRuns& runs) { return int(runs.size()) + 2; }

  Eigen::VectorXd fit(const FittedRuns& runs) const {
    progress_.step();
    const Minimum found = minimise(residuals(runs), count(runs), {Eigen::VectorXd::Zero(2)});
    if (!std::isfinite(found.sum_of_squares))
      throw std::invalid_argument(
          slug_ + ": no factors give every run a finite time: check the machine's constants in the profile");
    return found.x;
  }

 private:
  std::string slug_;
  const Machine<double>& machine_;
  FitProgress& progress_;
};

/// Numbers the groups of runs with equal keys in the order of their first appearance.
template <class Key>
std::vector<std::size_t> groups(const FittedRuns& runs, Key key) {
  std::map<std::decay_t<decltype(key(*runs.front()))>, std::size_t> known;
  std::vector<std::size_t> group;
  for (const FittedRun* run : runs) group.push_back(known.try_emplace(key(*run), known.size()).first->second);
  return group;
}

/// Cross-validated root mean square of the log error: each fold of whole groups is excluded from the fit in
/// turn. Absent if there is only one group.
std::optional<double> cross_validated_residual(const AlgorithmLaw& law, const FittedRuns& runs,
                                               const std::vector<std::size_t>& group) {
  if (*std::ranges::max_element(group) == 0) return std::nullopt;
  double sum = 0;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    FittedRuns kept, left_out;
    for (std::size_t i = 0; i < runs.size(); ++i)
      (group[i] % folds == fold ? left_out : kept).push_back(runs[i]);
    if (left_out.empty()) continue;
    const Factors<double> factors = law.factors(law.fit(kept));
    for (const FittedRun* run : left_out) sum += std::pow(law.log_error(*run, factors), 2);
  }
  return std::sqrt(sum / double(runs.size()));
}

/// Users predict for unseen sizes and for unseen parameters: the worse of the two errors. If single runs were
/// excluded, their neighbours of almost the same size would still be fitted.
double cross_validated_residual(const AlgorithmLaw& law, const FittedRuns& runs) {
  const auto by_size = cross_validated_residual(law, runs, groups(runs, std::mem_fn(&FittedRun::n)));
  const auto by_parameters =
      cross_validated_residual(law, runs, groups(runs, std::mem_fn(&FittedRun::parameter_set)));
  if (by_size || by_parameters) return std::max(by_size.value_or(0), by_parameters.value_or(0));
  std::vector<std::size_t> each(runs.size());
  std::iota(each.begin(), each.end(), 0);
  return *cross_validated_residual(law, runs, each);
}

/// The covariance of the logarithms of the factors: σ²·(JᵀJ)⁻¹, where J includes the prior's rows. σ is that
/// of the runs, but not less than expected: a few runs that agree by chance do not make a factor certain.
Eigen::Matrix2d covariance(const AlgorithmLaw& law, const FittedRuns& runs, const Eigen::VectorXd& logs,
                           double residual) {
  const Eigen::MatrixXd J = jacobian(law.residuals(runs), law.count(runs), logs);
  const Eigen::Matrix2d information = J.transpose() * J;
  return std::pow(std::max(residual, expected_sigma), 2) * information.inverse();
}

Estimate estimate(double log, double variance) {
  const double spread = 1.96 * std::sqrt(variance);
  return {std::exp(log), Interval{std::exp(log - spread), std::exp(log + spread)}};
}

}  // namespace

AlgorithmFit fit_algorithm(const Descriptor& algorithm, const DeviceProfile& profile,
                           const std::vector<Measurement>& runs, const std::string& dataset,
                           const WorkLookup& work, NotFitted* not_fitted, const Progress& progress) {
  check_predictable(profile, algorithm, LawName::counted);
  NotFitted ignored;
  NotFitted& left_out = not_fitted ? *not_fitted : ignored;
  FitProgress steps(progress, "fitting " + algorithm.slug, 2 + 2 * folds);
  steps.step();
  const std::vector<FittedRun> usable = runs_to_fit(algorithm, profile.machine, runs, work, left_out);
  if (usable.size() < fewest_runs)
    throw std::invalid_argument(
        fmt::format("{}: {} runs for fitting are too few, {} are needed: bench more sizes and parameters",
                    algorithm.slug, usable.size(), fewest_runs));
  const FittedRuns fitted = spread(usable, most_fitted_runs);
  left_out.beyond_most += usable.size() - fitted.size();

  const AlgorithmLaw law(algorithm.slug, profile.machine, steps);
  const Eigen::VectorXd logs = law.fit(fitted);
  const double residual = cross_validated_residual(law, fitted);
  const Eigen::Matrix2d of_logs = covariance(law, fitted, logs, residual);
  steps.end();
  return {.algorithm = algorithm.slug,
          .factors = {estimate(logs[0], of_logs(0, 0)), estimate(logs[1], of_logs(1, 1))},
          .covariance = {of_logs(0, 0), of_logs(0, 1), of_logs(1, 0), of_logs(1, 1)},
          .residual = residual,
          .runs = fitted.size(),
          .dataset = dataset};
}

}  // namespace fathom
