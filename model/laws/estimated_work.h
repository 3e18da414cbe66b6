// SPDX-License-Identifier: Apache-2.0
// Work that was not counted, estimated from counted work of another element type or architecture.
#pragma once

#include <fathom/core/problem.h>
#include <fathom/model/descriptor.h>
#include <fathom/model/laws/law.h>
#include <fathom/model/machine.h>
#include <fathom/model/work.h>

#include <optional>

namespace fathom {

/// Three works of an algorithm, all counted.
struct CountedRelatives {
  const AlgorithmWork& same_case;        ///< the case of the estimate, but for other parameters
  const AlgorithmWork& same_parameters;  ///< another case, for the parameters of the estimate
  const AlgorithmWork& neither;          ///< that other case, for the parameters of `same_case`
};

/// The work of a case for the parameters of `same_parameters`: that of the other case, changed as from
/// `neither` to `same_case` in a run of n elements on the machine, kernel by kernel and demand by demand: in
/// proportion or, where one is more than twice the other, by their difference. Kernels that `same_case` does
/// not launch at this n stay as they are. Absent if one of the others has more than twice the instructions in
/// one of the cases: they do different work. Throws what plan_with_work() throws.
std::optional<AlgorithmWork> estimated_work(const Descriptor& algorithm, const Machine<double>& machine,
                                            double n, const CountedRelatives& relatives);

/// The error of times by estimated work: that of the law, 0.079, and that of the estimates, 0.110 (the root
/// mean square of data/predictions/estimated-work.json), together.
inline constexpr LawError error_of_estimates{.sigma = 0.135, .algorithms = 11};

}  // namespace fathom
