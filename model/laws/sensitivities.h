// SPDX-License-Identifier: Apache-2.0
// Derivatives of a predicted time with respect to the constants of the machine.
#pragma once

#include <fathom/model/laws/dual.h>
#include <fathom/model/laws/sensitivity.h>
#include <fathom/model/machine.h>

#include <functional>
#include <vector>

namespace fathom {

/// The same machine with every constant as a Dual of derivative 0.
Machine<Dual> as_dual(const Machine<double>& machine);

/// The number as the variable of differentiation.
Dual variable(double value);

/// What changes the time less, in absolute value, is not worth a row.
inline constexpr double least_sensitivity = 0.001;

/// By every constant that the machine has. Those of at most `least`, in absolute value, are left out; the
/// largest come first.
std::vector<Sensitivity> sensitivities(const Machine<double>& machine,
                                       const std::function<Dual(const Machine<Dual>&)>& seconds,
                                       double least = least_sensitivity);

}  // namespace fathom
