// Samples → constants. Non-linear least squares (Eigen) with bootstrap intervals.
#pragma once

#include <fathom/calibration/split.h>
#include <fathom/model/descriptor.h>
#include <fathom/store/profile.h>

namespace fathom {

/// Fits every constant of a machine from a calibration's raw series; fills machine, estimates, quality and
/// warnings of the profile, whose machine must hold the device's counts and limits already. Deterministic:
/// the bootstrap is seeded.
void fit_profile(DeviceProfile& profile);

/// Fits a formula's constants and q from those runs of its algorithm and type that is_for_fitting() admits.
/// Throws std::invalid_argument when there are fewer such runs than constants, and for an algorithm without a
/// formula.
AlgorithmFit fit_algorithm(const Descriptor& algorithm, const KeyAndValue& type,
                           const Machine<double>& machine, const std::vector<Measurement>& runs,
                           const std::string& dataset);

/// The law and the constants to predict with: those of the profile's fit for the problem's type, else the
/// formula's default values. Under `calibrated` the fit gives the composition too, unless `law` names one.
struct ResolvedLaw {
  Law law;
  ConstantValues<double> constants;
  bool fitted;
};
/// Throws std::invalid_argument for an algorithm without a formula, and when the fit has not all its
/// constants.
ResolvedLaw resolve(const DeviceProfile& profile, const Descriptor& algorithm, const Problem& problem,
                    const Law& law);

/// A prediction with its 95 % interval: the intervals of the machine's and the algorithm's constants carried
/// through the law by derivatives (Boost.Math autodiff), plus the fit's residual. Without a fit there is no
/// interval.
Prediction predict_with_interval(const DeviceProfile& profile, const Descriptor& algorithm,
                                 const Problem& problem, const Law& law);

}  // namespace fathom
