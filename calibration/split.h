// Which runs fits may see, and which are kept to judge them.
#pragma once

#include <fathom/core/measurement.h>

namespace fathom {

/// Fits and validation never share a point: the split is a fixed function of size and parameters, the same on
/// every machine and in every command, whatever the algorithm and the type. About half of all sizes and half
/// of all parameter sets are for fitting. A run takes part in fits when both its size and its parameters are;
/// every other run has a size or a parameter set that no fit has seen, and is for validation.
bool size_is_for_fitting(double n);
bool parameters_are_for_fitting(const Parameters& parameters);
bool is_for_fitting(const Measurement& run);
/// Neither the size nor the parameters of this run took part in any fit: the hardest part of validation.
bool is_unseen(const Measurement& run);

}  // namespace fathom
