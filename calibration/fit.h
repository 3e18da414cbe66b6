// Fits constants to samples, and an algorithm's factors to runs: non-linear least squares (Eigen).
#pragma once

#include <fathom/calibration/split.h>
#include <fathom/core/progress.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/laws/sensitivity.h>
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
  std::size_t other_input = 0;        ///< not random: for validation only
  std::size_t unchecked = 0;          ///< the output was never compared with a reference
  std::size_t clock_moved = 0;
  std::size_t without_work = 0;   ///< WorkUnavailable
  std::size_t not_predicted = 0;  ///< no multiprocessor holds a block, or a parameter or a rate is missing
  std::size_t beyond_most = 0;    ///< see most_fitted_runs
};

/// Of more runs, so many are fitted: the runs are sorted by type, parameters and n and cut into stretches of
/// equal length, and a generator with a fixed seed draws one run from each. Which runs are fitted depends on
/// the runs alone.
inline constexpr std::size_t most_fitted_runs = 400;

/// Of the logarithm of a factor, which is expected at 0, and of log(predicted / measured).
inline constexpr double prior_sigma = 0.1, expected_sigma = 0.05;

/// The most probable factors of the law `fitted` (model/laws/counted.h) after the algorithm's runs, of all
/// types together, for which is_for_fitting() holds. `dataset` names their origin. `work` is asked once for
/// each type and choice of parameters. Runs of other input, never checked, with a moved clock, without work
/// or that the law cannot predict are not fitted, and are added to `not_fitted` if it is given. Throws
/// MissingConstant if the profile has no rates, std::invalid_argument for an algorithm without kernels and
/// for fewer than five runs, and what `work` throws but WorkUnavailable.
AlgorithmFit fit_algorithm(const Descriptor& algorithm, const DeviceProfile& profile,
                           const std::vector<Measurement>& runs, const std::string& dataset,
                           const WorkLookup& work, NotFitted* not_fitted = nullptr,
                           const Progress& progress = {});

/// Throws std::invalid_argument for an algorithm that the law cannot predict, without a formula or without
/// kernels; and MissingConstant if a law of counted work finds no rates in the profile or, under `fitted`, no
/// fit.
void check_predictable(const DeviceProfile& profile, const Descriptor& algorithm, LawName law);

/// σ of log(measured / predicted) under the law `counted`, which uses no run: the root mean square over the
/// algorithms of data/h200, of which each weighs the same (docs/law.md). The uncertainty of the machine's
/// constants, of which most are known within 1 %, is little beside it. So few algorithms tell it only
/// roughly: the interval is that of Student's t for one more of them.
inline constexpr double error_of_counted_law = 0.079;
inline constexpr int algorithms_behind_error = 11;

/// Predicts problems of one algorithm, each with its 95 % interval: under `counted`, how far the law is off;
/// under `fitted`, the fit's residual and the uncertainty of its factors, propagated through the law by
/// derivatives (Boost.Math autodiff). The machine's constants are the same for the runs that were fitted, so
/// that the factors make up for their errors. `published` has no interval.
class Predictor {
 public:
  /// Profile and algorithm must outlive this. `work` is asked once for each type and choice of parameters and
  /// input, and only under laws for which uses_work() holds. Throws like check_predictable(), and
  /// std::invalid_argument if such a law gets no `work`.
  Predictor(const DeviceProfile& profile, const Descriptor& algorithm, const Law& law, WorkLookup work = {});
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  /// Throws like predict(), or like the WorkLookup and CountedRun; and std::invalid_argument for an input
  /// other than random under a law without work. Without an interval if the fit is too uncertain for one.
  Prediction operator()(const Problem& problem, Input input = Input::random);
  /// Under laws of counted work also with the bound and the kernels.
  Prediction explained(const Problem& problem, Input input = Input::random);
  /// Origin of the fit that the law uses; absent if it uses none.
  std::optional<std::string> fitted_from() const;
  /// How the time depends on the machine's constants. Throws like operator().
  std::vector<Sensitivity> sensitivities(const Problem& problem, Input input = Input::random);

 private:
  CountedRun run(const Problem& problem, Input input);
  void check_random(Input input) const;
  Prediction with_interval(Prediction prediction, const CountedRun& run) const;
  double variance_of_factors(const CountedRun& run, double time_s) const;

  const DeviceProfile& profile_;
  const Descriptor& algorithm_;
  Law law_;
  WorkLookup lookup_;
  std::map<Instantiation, std::map<Input, std::map<Parameters, std::shared_ptr<const AlgorithmWork>>>> work_;
  const AlgorithmFit* fit_ = nullptr;  ///< under `fitted`
  Factors<double> factors_;
  struct DualMachine;                                ///< Boost's autodiff takes long to compile
  std::shared_ptr<const DualMachine> dual_machine_;  ///< under `fitted`
};

}  // namespace fathom
