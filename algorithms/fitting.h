// SPDX-License-Identifier: Apache-2.0
// Default parameters on devices with little shared memory.
#pragma once

#include <fathom/algorithms/registry.h>

namespace fathom {

/// The algorithm, with plans, workloads and calls that lower the parameters named in Descriptor::fits_by as
/// long as a block would need more shared memory than it may have. Only values that are defaults for
/// some n are lowered: what else is asked for has to fit. On sm_90, where all defaults fit as they are,
/// nothing is lowered.
Algorithm with_fitting_defaults(Algorithm algorithm);

}  // namespace fathom
