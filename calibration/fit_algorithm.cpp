#include <fathom/calibration/fit.h>
#include <fathom/calibration/least_squares.h>
#include <fathom/calibration/run_parameters.h>
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

namespace fathom {
namespace {

constexpr int folds = 5;
constexpr int random_starts = 16;         ///< with 4, fits of a dozen constants missed the lowest minimum
constexpr Bounded inverse_q{1.0 / 8, 1};  ///< 1/q: from exact sum (q = 1) to nearly the maximum (q = 8)

/// A weak prior toward the default constants, as residuals: a free parameter (a logit between its bounds, on
/// a log scale) is expected within 2 of its default value, while runs are expected within 5 % of the law. The
/// prior barely affects constants that the runs determine; the others stay at their defaults.
constexpr double prior = 0.05 / 2;

struct FittedRun {
  Problem problem;
  Plan plan;
  std::map<std::string, int> parameter_set;
  double seconds;
};

/// Tells progress of one algorithm's fit, so often that an interrupt ends it at once.
class FitProgress {
 public:
  FitProgress(const Progress& progress, std::string what, std::size_t steps)
      : progress_(progress), what_(std::move(what)), steps_(steps) {}
  FitProgress(const FitProgress&) = delete;
  FitProgress& operator=(const FitProgress&) = delete;

  void step() { done_ = std::min(done_ + 1, steps_ - 1); }
  /// One evaluation of the law for `runs` runs.
  void evaluated(std::size_t runs) {
    constexpr std::size_t runs_per_report = 5000;  // some 10 ms
    evaluated_ += runs;
    if (!progress_ || evaluated_ < runs_per_report) return;
    evaluated_ = 0;
    progress_(what_, done_, steps_);
  }
  void end() {
    if (progress_) progress_("", steps_, steps_);
  }

 private:
  const Progress& progress_;
  std::string what_;
  std::size_t steps_, done_ = 0, evaluated_ = 0;
};

/// The free parameters: the formula's constants in order, then 1/q.
class AlgorithmLaw {
 public:
  AlgorithmLaw(const Descriptor& algorithm, const Machine<double>& machine, FitProgress& progress)
      : algorithm_(algorithm), machine_(machine), progress_(progress) {
    const std::vector<ConstantInfo>& constants = algorithm.formula->constants;
    defaults_.resize(Eigen::Index(constants.size()) + 1);
    for (const ConstantInfo& constant : constants) {
      defaults_[Eigen::Index(bounds_.size())] =
          Bounded{constant.lowest, constant.highest}.free(constant.default_value);
      bounds_.push_back({constant.lowest, constant.highest});
    }
    defaults_[Eigen::Index(bounds_.size())] = 0;  // halfway between sum and maximum
    bounds_.push_back(inverse_q);
  }

  const Eigen::VectorXd& defaults() const { return defaults_; }
  const Bounded& bounds(Eigen::Index i) const { return bounds_[std::size_t(i)]; }

  ConstantValues<double> constants(const Eigen::VectorXd& x) const {
    ConstantValues<double> values(algorithm_.formula->constants.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = bounds_[i].value(x[Eigen::Index(i)]);
    return values;
  }
  double q(const Eigen::VectorXd& x) const { return 1 / inverse_q.value(x[x.size() - 1]); }

  double log_error(const Eigen::VectorXd& x, const ConstantValues<double>& constants,
                   const FittedRun& run) const {
    const Law law{.law = LawName::calibrated, .composition = Composition{q(x)}};
    return std::log(predicted_seconds<double>(algorithm_, machine_, run.problem, run.plan, law, constants) /
                    run.seconds);
  }

  /// The log errors of the runs, then those of the prior.
  Residuals residuals(const std::vector<FittedRun>& runs) const {
    return [this, &runs](const Eigen::VectorXd& x, Eigen::VectorXd& result) {
      progress_.evaluated(runs.size());
      const ConstantValues<double> values = constants(x);
      Eigen::Index i = 0;
      for (const FittedRun& run : runs) result[i++] = log_error(x, values, run);
      for (Eigen::Index j = 0; j < x.size(); ++j) result[i++] = prior * (x[j] - defaults_[j]);
    };
  }
  int count(const std::vector<FittedRun>& runs) const { return int(runs.size()) + int(defaults_.size()); }

  Eigen::VectorXd fit(const std::vector<FittedRun>& runs, const std::vector<Eigen::VectorXd>& starts,
                      int evaluations) const {
    Minimum best{starts.front(), std::numeric_limits<double>::infinity()};
    for (const Eigen::VectorXd& start : starts) {
      const Minimum found = minimise(residuals(runs), count(runs), {start}, evaluations);
      if (found.sum_of_squares < best.sum_of_squares) best = found;
      progress_.step();
    }
    if (!std::isfinite(best.sum_of_squares))
      throw std::invalid_argument(
          algorithm_.slug +
          ": no constants give every run a finite time: check the machine's constants in the profile");
    return best.x;
  }

 private:
  const Descriptor& algorithm_;
  const Machine<double>& machine_;
  FitProgress& progress_;
  std::vector<Bounded> bounds_;
  Eigen::VectorXd defaults_;
};

/// The plan of a run for which the law gives a time.
std::optional<Plan> predictable(const Descriptor& algorithm, const Machine<double>& machine,
                                const Problem& problem) {
  try {
    Plan plan = checked_plan(algorithm, machine, problem, LawName::calibrated);
    predict(algorithm, machine, problem, plan, Law{}, algorithm.formula->default_constants());
    return plan;
  } catch (const std::invalid_argument&) {  // the law says that no multiprocessor can hold its block
  } catch (const std::out_of_range&) {      // a parameter is missing
  } catch (const ImpossibleTime&) {
  }
  return std::nullopt;
}

/// Checked runs of random input for which the law gives a time. Random only, since formulas assume the
/// conflict degrees of random input.
std::vector<FittedRun> runs_to_fit(const Descriptor& algorithm, const KeyAndValue& type,
                                   const Machine<double>& machine, const std::vector<Measurement>& runs,
                                   NotFitted& left_out) {
  std::vector<FittedRun> fitted;
  for (const Measurement& run : runs) {
    if (run.algorithm != algorithm.slug) continue;
    if (run.problem.type != type.key || run.problem.value_type != type.value) continue;
    if (!is_for_fitting(run)) continue;
    if (run.input != Input::random) {
      ++left_out.other_input;
    } else if (!run.checked) {
      ++left_out.unchecked;
    } else if (run.clock_moved) {
      ++left_out.clock_moved;
    } else {
      const Problem problem = problem_of(algorithm, run);
      if (auto plan = predictable(algorithm, machine, problem))
        fitted.push_back(
            {problem, std::move(*plan), by_name(run.problem.parameters), quartiles(run.seconds).median});
      else
        ++left_out.not_predicted;
    }
  }
  return fitted;
}

/// At most `most` of the runs: one from each of `most` equal stretches when they are sorted by parameters and
/// n. Equal steps could meet one size only.
std::vector<FittedRun> spread(std::vector<FittedRun> runs, std::size_t most) {
  if (runs.size() <= most) return runs;
  std::stable_sort(runs.begin(), runs.end(), [](const FittedRun& a, const FittedRun& b) {
    return std::tie(a.parameter_set, a.problem.n) < std::tie(b.parameter_set, b.problem.n);
  });
  std::mt19937_64 random(20150102);
  std::vector<FittedRun> drawn;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t begin = i * runs.size() / most, end = (i + 1) * runs.size() / most;
    drawn.push_back(std::move(runs[begin + random() % (end - begin)]));
  }
  return drawn;
}

std::vector<Eigen::VectorXd> starting_points(const Eigen::VectorXd& defaults) {
  std::mt19937_64 random(20150101);
  std::normal_distribution<double> shift(0, 1);
  std::vector<Eigen::VectorXd> starts{defaults};
  for (int i = 0; i < random_starts; ++i) {
    starts.push_back(defaults);
    for (double& value : starts.back()) value += shift(random);
  }
  return starts;
}

/// Numbers the groups of runs with equal keys in the order of their first appearance.
template <class Key>
std::vector<std::size_t> groups(const std::vector<FittedRun>& runs, Key key) {
  std::map<decltype(key(runs.front())), std::size_t> known;
  std::vector<std::size_t> group;
  for (const FittedRun& run : runs) group.push_back(known.try_emplace(key(run), known.size()).first->second);
  return group;
}

/// Cross-validated root mean square of the log error: each fold of whole groups is excluded from the fit in
/// turn. Absent if there is only one group.
std::optional<double> cross_validated_residual(const AlgorithmLaw& law, const std::vector<FittedRun>& runs,
                                               const std::vector<std::size_t>& group,
                                               const Eigen::VectorXd& start) {
  if (*std::max_element(group.begin(), group.end()) == 0) return std::nullopt;
  double sum = 0;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<FittedRun> kept, left_out;
    for (std::size_t i = 0; i < runs.size(); ++i)
      (group[i] % folds == fold ? left_out : kept).push_back(runs[i]);
    if (left_out.empty()) continue;
    const Eigen::VectorXd x = law.fit(kept, {start}, 200);
    const ConstantValues<double> constants = law.constants(x);
    for (const FittedRun& run : left_out) sum += std::pow(law.log_error(x, constants, run), 2);
  }
  return std::sqrt(sum / double(runs.size()));
}

/// Users predict for unseen sizes and for unseen parameters: the worse of the two errors. If single runs were
/// excluded, their neighbours of almost the same size would still be fitted.
double cross_validated_residual(const AlgorithmLaw& law, const std::vector<FittedRun>& runs,
                                const Eigen::VectorXd& start) {
  const auto by_size = cross_validated_residual(
      law, runs, groups(runs, [](const FittedRun& run) { return run.problem.n; }), start);
  const auto by_parameters = cross_validated_residual(
      law, runs, groups(runs, [](const FittedRun& run) { return run.parameter_set; }), start);
  if (by_size || by_parameters) return std::max(by_size.value_or(0), by_parameters.value_or(0));
  std::vector<std::size_t> each(runs.size());
  std::iota(each.begin(), each.end(), 0);
  return *cross_validated_residual(law, runs, each, start);
}

/// Covariance of the free parameters: residual²·(JᵀJ)⁻¹. J includes the prior's rows, which keep it finite
/// for constants that the runs do not determine. A bootstrap over runs would take minutes for nearly the same
/// result.
Eigen::MatrixXd free_covariance(const AlgorithmLaw& law, const std::vector<FittedRun>& runs,
                                const Eigen::VectorXd& x, double residual) {
  const Eigen::MatrixXd J = jacobian(law.residuals(runs), law.count(runs), x);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(x.size(), x.size());
  return residual * residual * (J.transpose() * J).ldlt().solve(identity);
}

void require_formula(const Descriptor& algorithm) {
  if (!algorithm.formula)
    throw std::invalid_argument(algorithm.slug + " is measured only: it has no formula for predictions");
}

std::string text_of(const KeyAndValue& type) {
  Problem problem;
  problem.type = type.key;
  problem.value_type = type.value;
  return type_text(problem);
}

/// The formula's constants sorted by name, with their positions in the formula.
std::vector<std::pair<std::string, std::size_t>> sorted_constants(const Formula& formula) {
  std::vector<std::pair<std::string, std::size_t>> sorted;
  for (const ConstantInfo& constant : formula.constants) sorted.emplace_back(constant.name, sorted.size());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

bool has_rates(const Machine<double>& machine) {
  bool found = false;
  for_each_rate(machine.rates, [&](std::string_view, const auto& rate) { found = found || rate; });
  return found;
}

/// Throws if the law cannot predict the algorithm on this profile.
void require_work(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem,
                  LawName law) {
  if (!algorithm.plan)
    throw std::invalid_argument(
        fmt::format("{} has no kernels whose work could be counted: choose --law published", algorithm.slug));
  if (!has_rates(profile.machine))
    throw MissingConstant(
        profile.origin == "published"
            ? fmt::format("profile '{}' has published constants, not the rates that the law {} needs: choose "
                          "--law published",
                          profile.name, name(law))
            : fmt::format("profile '{}' was calibrated by an older version, without the rates that the law "
                          "{} needs: run fathom calibrate, or choose --law published",
                          profile.name, name(law)));
  if (law == LawName::fitted)
    throw MissingConstant(
        fmt::format("profile '{}' has no fit of {} {} for the law fitted: choose --law counted", profile.name,
                    algorithm.slug, type_text(problem)));
}

}  // namespace

AlgorithmFit fit_algorithm(const Descriptor& algorithm, const KeyAndValue& type,
                           const Machine<double>& machine, const std::vector<Measurement>& runs,
                           const std::string& dataset, NotFitted* not_fitted, const Progress& progress) {
  require_formula(algorithm);
  const std::size_t free_count = algorithm.formula->constants.size() + 1;
  NotFitted ignored;
  NotFitted& left_out = not_fitted ? *not_fitted : ignored;
  std::vector<FittedRun> usable = runs_to_fit(algorithm, type, machine, runs, left_out);
  if (usable.size() < free_count || usable.size() < folds)
    throw std::invalid_argument(fmt::format(
        "{} {}: {} runs for fitting are too few for {} constants: bench more sizes and parameters",
        algorithm.slug, text_of(type), usable.size(), free_count));
  const std::size_t most = fitted_runs_per_parameter * free_count;
  const bool too_many = usable.size() > most;
  if (too_many) left_out.beyond_most += usable.size() - most;
  const std::vector<FittedRun> fitted = spread(std::move(usable), most);

  FitProgress steps(progress, fmt::format("fitting {} {}", algorithm.slug, text_of(type)),
                    random_starts + 2 + 2 * folds);
  const AlgorithmLaw law(algorithm, machine, steps);
  std::vector<Eigen::VectorXd> starts = starting_points(law.defaults());
  if (too_many) starts = {law.fit(spread(fitted, compared_runs_per_parameter * free_count), starts, 1000)};
  const Eigen::VectorXd x = law.fit(fitted, starts, 1000);
  const ConstantValues<double> constants = law.constants(x);

  AlgorithmFit fit;
  fit.algorithm = algorithm.slug;
  fit.type = text_of(type);
  fit.q = law.q(x);
  fit.residual = cross_validated_residual(law, fitted, x);
  fit.runs = fitted.size();
  fit.dataset = dataset;

  // Sorted by name, so that the file does not depend on the order in which a formula lists its constants.
  const Eigen::MatrixXd covariance = free_covariance(law, fitted, x, fit.residual);
  if (!covariance.allFinite())
    throw std::invalid_argument(
        fmt::format("{} {}: the curvature at the minimum is not finite: check the "
                    "machine's constants in the profile",
                    algorithm.slug, text_of(type)));
  const auto sorted = sorted_constants(*algorithm.formula);
  for (const auto& [name, i] : sorted) {
    const auto at = Eigen::Index(i);
    const Bounded& bounds = law.bounds(at);
    const double spread = 1.96 * std::sqrt(covariance(at, at));
    fit.constants.emplace_back(
        name, Estimate{constants[i], Interval{bounds.value(x[at] - spread), bounds.value(x[at] + spread)}});
  }
  for (const auto& [row_name, i] : sorted)
    for (const auto& [column_name, j] : sorted) {
      const auto row = Eigen::Index(i), column = Eigen::Index(j);
      fit.covariance.push_back(covariance(row, column) * law.bounds(row).slope(x[row]) *
                               law.bounds(column).slope(x[column]));
    }
  steps.end();
  return fit;
}

ResolvedLaw resolve(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem,
                    const Law& law) {
  if (uses_work(law.law)) {
    require_work(profile, algorithm, problem, law.law);
    return {law, {}, false};
  }
  require_formula(algorithm);
  const Formula& formula = *algorithm.formula;
  ResolvedLaw resolved{law, formula.default_constants(), false};
  const AlgorithmFit* fit =
      law.law == LawName::calibrated ? profile.find_fit(algorithm.slug, problem) : nullptr;
  if (!fit) return resolved;
  for (std::size_t i = 0; i < formula.constants.size(); ++i) {
    const Estimate* fitted = fit->find(formula.constants[i].name);
    if (!fitted)
      throw std::invalid_argument(
          fmt::format("profile '{}': the fit of {} {} has no constant '{}': fit it again", profile.name,
                      fit->algorithm, fit->type, formula.constants[i].name));
    resolved.constants[i] = fitted->value;
  }
  if (!law.composition) resolved.law.composition = Composition{fit->q};
  resolved.fitted = true;
  return resolved;
}

}  // namespace fathom
