// SPDX-License-Identifier: Apache-2.0
// Splits measured runs into those for fitting and those for validation.
#pragma once

#include <fathom/core/measurement.h>

namespace fathom {

/// Fits and validation never share a point: the split is a fixed function of size and parameters, independent
/// of machine, command, algorithm and type. About half of all sizes and half of all parameter sets are for
/// fitting. A run is for fitting if both its size and its parameters are; every other run has a size or a
/// parameter set that no fit has seen and is for validation.
bool size_is_for_fitting(double n);
bool parameters_are_for_fitting(const Parameters& parameters);
bool is_for_fitting(const Measurement& run);
/// Whether neither the size nor the parameters of this run are for fitting: the hardest part of validation.
bool is_unseen(const Measurement& run);

}  // namespace fathom
