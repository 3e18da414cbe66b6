// SPDX-License-Identifier: Apache-2.0
// Fits constants to samples, and an algorithm's factors to runs: non-linear least squares (Eigen).
#pragma once

#include <fathom/calibration/fitting_split.h>
#include <fathom/core/progress.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/store/profile.h>

namespace fathom {

/// Fits every constant of a machine to a calibration's raw series. Fills machine, estimates, quality,
/// warnings and implausible of the profile, whose machine must already hold the device's counts and limits.
/// Deterministic: the bootstrap has a fixed seed.
void fit_profile(DeviceProfile& profile, const Progress& progress = {});

/// Fits only the links between GPUs to their raw series (benchmarks::of_links), and leaves all else as it is.
void fit_links(DeviceProfile& profile);

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

/// At most so many runs are fitted. Of more, the runs are sorted by type, parameters and n and cut into
/// stretches of equal length, and a generator with a fixed seed draws one run from each. Which runs are
/// fitted depends on the runs alone.
inline constexpr std::size_t most_fitted_runs = 400;

/// Standard deviations: of the logarithm of a factor, which is expected at 0, and of log(predicted /
/// measured).
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

}  // namespace fathom
