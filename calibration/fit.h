// Fits constants to samples: non-linear least squares (Eigen) with bootstrap intervals.
#pragma once

#include <fathom/calibration/split.h>
#include <fathom/model/descriptor.h>
#include <fathom/store/profile.h>

namespace fathom {

/// Fits every constant of a machine to a calibration's raw series. Fills machine, estimates, quality,
/// warnings and implausible of the profile, whose machine must already hold the device's counts and limits.
/// Deterministic: the bootstrap has a fixed seed.
void fit_profile(DeviceProfile& profile);

/// Fits a formula's constants and q to the runs of its algorithm and type for which is_for_fitting() holds.
/// Throws std::invalid_argument if there are fewer such runs than constants, and for an algorithm without a
/// formula.
AlgorithmFit fit_algorithm(const Descriptor& algorithm, const KeyAndValue& type,
                           const Machine<double>& machine, const std::vector<Measurement>& runs,
                           const std::string& dataset);

/// The law and the constants for predictions: those of the profile's fit for the problem's type, else the
/// formula's default values. Under `calibrated` the fit also gives the composition, unless `law` names one.
struct ResolvedLaw {
  Law law;
  ConstantValues<double> constants;
  bool fitted;
};
/// Throws std::invalid_argument for an algorithm without a formula, and if the fit does not have all its
/// constants.
ResolvedLaw resolve(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem,
                    const Law& law);

/// A prediction with its 95 % interval: the intervals of the machine's and the algorithm's constants,
/// propagated through the law by derivatives (Boost.Math autodiff), plus the fit's residual. Without a fit
/// there is no interval.
Prediction predict_with_interval(const DeviceProfile& profile, const Descriptor& algorithm,
                                 const Problem& problem, const Law& law);

}  // namespace fathom
