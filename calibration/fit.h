// Samples → constants. Non-linear least squares (Eigen) with bootstrap intervals.
#pragma once

#include <fathom/calibration/dataset.h>
#include <fathom/model/formula.h>

namespace fathom {

/// Fits every constant of a machine from a calibration's raw series; fills machine, estimates, quality and
/// warnings of the profile, whose machine must hold the device's counts and limits already. Deterministic:
/// the bootstrap is seeded.
void fit_profile(DeviceProfile& profile);

/// Fits a formula's constants and q from the runs of its algorithm and type that is_for_fitting() admits.
/// Throws std::invalid_argument when there are fewer such runs than constants.
AlgorithmFit fit_algorithm(const Formula& formula, ElementType type, const Machine<double>& machine,
                           const std::vector<Run>& runs, const std::string& dataset);

/// The constants to predict with: the profile's fit for this type, else the formula's standard values.
struct ResolvedLaw {
  Law law;
  ConstantValues<double> constants;
  bool fitted;
};
ResolvedLaw resolve(const DeviceProfile& profile, const Formula& formula, ElementType type, Law law);

/// A prediction with its 95 % interval: the intervals of the machine's and the algorithm's constants carried
/// through the law by derivatives (Boost.Math autodiff), plus the fit's residual.
Prediction predict_with_interval(const DeviceProfile& profile, const Formula& formula, const Problem& problem,
                                 Law law);

}  // namespace fathom
