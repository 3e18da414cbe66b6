// Fits constants to samples: non-linear least squares (Eigen) with bootstrap intervals.
#pragma once

#include <fathom/calibration/split.h>
#include <fathom/core/progress.h>
#include <fathom/model/predict_counted.h>
#include <fathom/model/sensitivities.h>
#include <fathom/store/profile.h>

#include <map>
#include <memory>

namespace fathom {

/// Fits every constant of a machine to a calibration's raw series. Fills machine, estimates, quality,
/// warnings and implausible of the profile, whose machine must already hold the device's counts and limits.
/// Deterministic: the bootstrap has a fixed seed.
void fit_profile(DeviceProfile& profile, const Progress& progress = {});

/// Numbers of runs that fits do not use although the split (split.h) would
/// permit it. A run counts once, under the first of these that applies.
struct NotFitted {
  std::size_t unknown_algorithm = 0;  ///< not in the registry; counted by the caller of fit_algorithm()
  std::size_t other_input = 0;        ///< formulas assume the conflict degrees of random input
  std::size_t unchecked = 0;          ///< the output was never compared with a reference
  std::size_t clock_moved = 0;
  std::size_t not_predicted = 0;  ///< no multiprocessor holds a block, or a parameter is missing
  std::size_t beyond_most = 0;    ///< see fitted_runs_per_parameter
};

/// Of more runs than this for each free parameter (the formula's constants and q), so many are fitted: the
/// runs are sorted by parameters and n and cut into stretches of equal length, and a generator with a fixed
/// seed draws one run from each. Which runs are fitted depends on the runs alone, and datasets below the
/// limit are fitted whole.
inline constexpr std::size_t fitted_runs_per_parameter = 45;
/// Beyond that limit the random starts, most of a fit's time, are first compared on so many of the runs,
/// drawn likewise, and only the best is then fitted to the others, too.
inline constexpr std::size_t compared_runs_per_parameter = 15;

/// Fits a formula's constants and q to the runs of its algorithm and type for which is_for_fitting() holds.
/// Runs of other input, never checked, with a moved clock or that the law cannot predict are not fitted, and
/// are added to `not_fitted` if it is given. Throws std::invalid_argument if there are fewer runs than
/// constants, if no constants give finite times, and for an algorithm without a formula.
AlgorithmFit fit_algorithm(const Descriptor& algorithm, const KeyAndValue& type,
                           const Machine<double>& machine, const std::vector<Measurement>& runs,
                           const std::string& dataset, NotFitted* not_fitted = nullptr,
                           const Progress& progress = {});

/// The law and the constants for predictions: those of the profile's fit for the problem's type, else the
/// formula's default values. Under `calibrated` the fit also gives the composition, unless `law` names one.
struct ResolvedLaw {
  Law law;
  ConstantValues<double> constants;
  bool fitted;
};
/// Throws std::invalid_argument for an algorithm without a formula, and if the fit does not have all its
/// constants. Under `counted` and `fitted` there are no constants: throws std::invalid_argument for an
/// algorithm without kernels, and MissingConstant if the profile has no rates or, under `fitted`, no fit.
ResolvedLaw resolve(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem,
                    const Law& law);

/// σ of log(measured / predicted) under the law `counted`, which uses no run: the root mean square over the
/// algorithms of data/h200, of which each weighs the same (docs/law.md). The uncertainty of the machine's
/// constants, below 1 %, is no matter beside it.
inline constexpr double error_of_counted_law = 0.101;

/// Predicts problems of one algorithm and type, each with its 95 % interval: the intervals of the machine's
/// and the algorithm's constants, propagated through the law by derivatives (Boost.Math autodiff), plus the
/// fit's residual. Without a fit there is no interval, except under the law `counted`.
class Predictor {
 public:
  /// Of `of_type`, only the type counts. Profile and algorithm must outlive this. `work` is asked once for
  /// each choice of parameters and input, and only under laws for which uses_work() holds. Throws like
  /// resolve(), and std::invalid_argument if such a law gets no `work`.
  Predictor(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& of_type, const Law& law,
            WorkLookup work = {});
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  /// Throws like predict(), or like the WorkLookup and CountedRun; and std::invalid_argument for an input
  /// other than random under a law without work. Without an interval if the constants are too uncertain for
  /// one.
  Prediction operator()(const Problem& problem, Input input = Input::random);
  /// Under laws of counted work also with the bound and the kernels.
  Prediction explained(const Problem& problem, Input input = Input::random);
  /// Origin of the fit that the law uses; absent if it uses none.
  std::optional<std::string> fitted_from() const;
  /// How the time depends on the machine's constants. Throws like operator().
  std::vector<Sensitivity> sensitivities(const Problem& problem, Input input = Input::random);

 private:
  struct Uncertain {
    Dual* constant;  ///< in machine_
    double value, sigma;
  };

  CountedRun run(const Problem& problem, Input input);
  void check_random(Input input) const;
  double slope(Dual& constant, double value, const Problem& problem, const Plan& plan);
  double machine_variance(const Problem& problem, const Plan& plan);
  double algorithm_variance(const Problem& problem, const Plan& plan);

  const DeviceProfile& profile_;
  const Descriptor& algorithm_;
  ResolvedLaw resolved_;
  WorkLookup lookup_;
  std::map<Input, std::map<Parameters, std::shared_ptr<const AlgorithmWork>>> work_;
  // What follows is empty without a fit.
  const AlgorithmFit* fit_ = nullptr;
  std::vector<std::optional<std::size_t>> places_;
  Machine<Dual> machine_;
  ConstantValues<Dual> constants_;
  std::vector<Uncertain> uncertain_;
};

/// The prediction of a Predictor for one problem.
Prediction predict_with_interval(const DeviceProfile& profile, const Descriptor& algorithm,
                                 const Problem& problem, const Law& law);

}  // namespace fathom
