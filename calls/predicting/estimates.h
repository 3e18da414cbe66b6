// SPDX-License-Identifier: Apache-2.0
// Work that was not counted, estimated from what the tables and the cache have (model/laws/estimated_work.h).
#pragma once

#include <fathom/algorithms/case.h>
#include <fathom/model/work.h>
#include <fathom/store/profile.h>

#include <optional>

namespace fathom::calls {

/// The work of a case on the profile's GPU by `reference`, that of the same case with other parameters.
/// Absent if the tables have nothing similar with both parameters. Throws std::runtime_error if the profile
/// does not tell the architecture.
std::optional<AlgorithmWork> estimated_by(const Case& of, const DeviceProfile& profile,
                                          const AlgorithmWork& reference);

/// The same by that of an unsigned type of the same size, changed as from this type to the other on sm_90.
/// Absent if the tables do not have that, or if the type is unsigned itself.
std::optional<AlgorithmWork> estimated_by_type(const Case& of, const DeviceProfile& profile);

/// The same without a reference at hand: by the work of the algorithm's default parameters or, if that is not
/// known either, by estimated_by_type().
std::optional<AlgorithmWork> estimated_without_counting(const Case& of, const DeviceProfile& profile);

}  // namespace fathom::calls
