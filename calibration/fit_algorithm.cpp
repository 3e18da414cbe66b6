#include <fathom/calibration/fit.h>
#include <fathom/calibration/least_squares.h>
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

namespace fathom {
namespace {

constexpr int folds = 5;
constexpr int random_starts = 16;  ///< with 4, fits of a dozen constants ended beside the lowest minimum
constexpr Bounded inverse_q{1.0 / 8, 1};  ///< 1/q: q from perfect sum to nearly the maximum

/// A weak prior toward the standard constants, as residuals: a free parameter (a logit between its bounds, on
/// a log scale) is expected within 2 of its standard value, when runs are expected within 5 % of the law.
/// Constants that the runs tell are moved by it next to nothing; those that they don't tell stay put.
constexpr double prior = 0.05 / 2;

struct FittedRun {
  Problem problem;
  std::map<std::string, int> parameter_set;
  double seconds;
};

/// The free parameters: the formula's constants in their order, then 1/q.
class AlgorithmLaw {
 public:
  AlgorithmLaw(const Formula& formula, const Machine<double>& machine)
      : formula_(formula), machine_(machine) {
    standard_.resize(Eigen::Index(formula.constants.size()) + 1);
    for (const ConstantInfo& constant : formula.constants) {
      standard_[Eigen::Index(bounds_.size())] =
          Bounded{constant.lowest, constant.highest}.free(constant.standard);
      bounds_.push_back({constant.lowest, constant.highest});
    }
    standard_[Eigen::Index(bounds_.size())] = 0;  // half-way between sum and maximum
    bounds_.push_back(inverse_q);
  }

  const Eigen::VectorXd& standard() const { return standard_; }
  const Bounded& bounds(Eigen::Index i) const { return bounds_[std::size_t(i)]; }

  ConstantValues<double> constants(const Eigen::VectorXd& x) const {
    ConstantValues<double> values(formula_.constants.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = bounds_[i].value(x[Eigen::Index(i)]);
    return values;
  }
  double q(const Eigen::VectorXd& x) const { return 1 / inverse_q.value(x[x.size() - 1]); }

  double log_error(const Eigen::VectorXd& x, const ConstantValues<double>& constants,
                   const FittedRun& run) const {
    const Law law{LawName::calibrated, Ceiling::as_printed, {q(x)}};
    return std::log(predicted_seconds<double>(formula_, machine_, run.problem, law, constants) / run.seconds);
  }

  /// The runs' log errors, then the prior's.
  Residuals residuals(const std::vector<FittedRun>& runs) const {
    return [this, &runs](const Eigen::VectorXd& x, Eigen::VectorXd& result) {
      const ConstantValues<double> values = constants(x);
      Eigen::Index i = 0;
      for (const FittedRun& run : runs) result[i++] = log_error(x, values, run);
      for (Eigen::Index j = 0; j < x.size(); ++j) result[i++] = prior * (x[j] - standard_[j]);
    };
  }
  int count(const std::vector<FittedRun>& runs) const { return int(runs.size()) + int(standard_.size()); }

  Eigen::VectorXd fit(const std::vector<FittedRun>& runs, const std::vector<Eigen::VectorXd>& starts,
                      int evaluations) const {
    return minimise(residuals(runs), count(runs), starts, evaluations).x;
  }

 private:
  const Formula& formula_;
  const Machine<double>& machine_;
  std::vector<Bounded> bounds_;
  Eigen::VectorXd standard_;
};

Parameters parameters_of(const Formula& formula, const Run& run) {
  Parameters parameters;
  for (const ParameterInfo& info : formula.parameters)
    if (const auto found = run.parameters.find(info.name); found != run.parameters.end())
      parameters.set(info.name, found->second);
  return parameters;
}

/// Checked runs of random input, for which the law gives a time: conflict degrees are those of random input.
std::vector<FittedRun> runs_to_fit(const Formula& formula, ElementType type, const Machine<double>& machine,
                                   const std::vector<Run>& runs) {
  std::vector<FittedRun> fitted;
  for (const Run& run : runs) {
    if (run.algorithm != formula.slug || run.type != name(type) || run.input != "random") continue;
    if (!run.checked || run.clock_moved || !is_for_fitting(run)) continue;
    const Problem problem{run.n, type, parameters_of(formula, run)};
    try {
      predicted_seconds<double>(formula, machine, problem, Law{}, formula.standard_constants());
    } catch (const std::invalid_argument&) {  // no multiprocessor holds its block, so the law says
      continue;
    } catch (const std::out_of_range&) {  // a parameter is not given
      continue;
    }
    fitted.push_back({problem, run.parameters, quartiles(run.seconds).median});
  }
  return fitted;
}

std::vector<Eigen::VectorXd> starting_points(const Eigen::VectorXd& standard) {
  std::mt19937_64 random(20150101);
  std::normal_distribution<double> shift(0, 1);
  std::vector<Eigen::VectorXd> starts{standard};
  for (int i = 0; i < random_starts; ++i) {
    starts.push_back(standard);
    for (double& value : starts.back()) value += shift(random);
  }
  return starts;
}

/// Numbers the runs' groups in the order in which they first appear: runs with equal keys are of one group.
template <class Key>
std::vector<std::size_t> groups(const std::vector<FittedRun>& runs, Key key) {
  std::map<decltype(key(runs.front())), std::size_t> known;
  std::vector<std::size_t> group;
  for (const FittedRun& run : runs) group.push_back(known.try_emplace(key(run), known.size()).first->second);
  return group;
}

/// Root mean square of the log error of runs that the constants were not fitted to: every fold of whole
/// groups in turn is left out. Nothing where there is one group only.
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

/// Predictions are made for sizes that no fit has seen and for parameters that none has seen: the worse of
/// the two. Leaving out single runs would leave in their twins of almost the same size.
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

/// Of the free parameters: residual²·(JᵀJ)⁻¹, the prior's rows included, which keep it finite where runs tell
/// nothing. A bootstrap over runs would take minutes to say much the same.
Eigen::MatrixXd free_covariance(const AlgorithmLaw& law, const std::vector<FittedRun>& runs,
                                const Eigen::VectorXd& x, double residual) {
  const Eigen::MatrixXd J = jacobian(law.residuals(runs), law.count(runs), x);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(x.size(), x.size());
  return residual * residual * (J.transpose() * J).ldlt().solve(identity);
}

}  // namespace

AlgorithmFit fit_algorithm(const Formula& formula, ElementType type, const Machine<double>& machine,
                           const std::vector<Run>& runs, const std::string& dataset) {
  const std::vector<FittedRun> fitted = runs_to_fit(formula, type, machine, runs);
  if (fitted.size() < formula.constants.size() + 1 || fitted.size() < folds)
    throw std::invalid_argument(fmt::format(
        "{} {}: {} runs that may be fitted are too few for {} constants: bench more sizes and parameters",
        formula.slug, name(type), fitted.size(), formula.constants.size() + 1));
  const AlgorithmLaw law(formula, machine);
  const Eigen::VectorXd x = law.fit(fitted, starting_points(law.standard()), 1000);
  const ConstantValues<double> constants = law.constants(x);

  AlgorithmFit fit;
  fit.algorithm = formula.slug;
  fit.type = std::string(name(type));
  fit.q = law.q(x);
  fit.residual = cross_validated_residual(law, fitted, x);
  fit.runs = fitted.size();
  fit.dataset = dataset;

  const Eigen::MatrixXd covariance = free_covariance(law, fitted, x, fit.residual);
  std::map<std::string, Eigen::Index> order;  // that of fit.constants
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const auto at = Eigen::Index(i);
    const Bounded& bounds = law.bounds(at);
    const double spread = 1.96 * std::sqrt(covariance(at, at));
    fit.constants[formula.constants[i].name] = {
        constants[i], Interval{bounds.value(x[at] - spread), bounds.value(x[at] + spread)}};
    order[formula.constants[i].name] = at;
  }
  for (const auto& [row_name, row] : order)
    for (const auto& [column_name, column] : order)
      fit.covariance.push_back(covariance(row, column) * law.bounds(row).slope(x[row]) *
                               law.bounds(column).slope(x[column]));
  return fit;
}

ResolvedLaw resolve(const DeviceProfile& profile, const Formula& formula, ElementType type, Law law) {
  ResolvedLaw resolved{law, formula.standard_constants(), false};
  const AlgorithmFit* fit =
      law.law == LawName::calibrated ? profile.find_fit(formula.slug, name(type)) : nullptr;
  if (!fit) return resolved;
  for (std::size_t i = 0; i < formula.constants.size(); ++i) {
    const auto found = fit->constants.find(formula.constants[i].name);
    if (found == fit->constants.end())
      throw std::invalid_argument(
          fmt::format("profile '{}': its fit of {} {} lacks the constant {}: fit it anew", profile.name,
                      fit->algorithm, fit->type, formula.constants[i].name));
    resolved.constants[i] = found->second.value;
  }
  resolved.law.composition.q = fit->q;
  resolved.fitted = true;
  return resolved;
}

}  // namespace fathom
