// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/calibration/fit.h>
#include <fathom/calls/listener.h>
#include <fathom/calls/options.h>

#include <filesystem>
#include <vector>

namespace fathom::calls {

struct Fitted {
  std::vector<AlgorithmFit> fits;  ///< of this call
  NotFitted not_fitted;
  std::filesystem::path file;  ///< where the profile was written
};

/// Fits two factors for every algorithm among the runs that has kernels of its own, and writes the profile
/// with them. Notes runs and algorithms that are not fitted, and constants that a refit has lost. Throws
/// std::invalid_argument without anything to fit and for a built-in profile without a file to write to;
/// std::runtime_error for runs of another GPU, for a refit of published constants, and if there are too few
/// runs; and what claim_profile(), find_profile(), check_plausible() and joined() throw. Nothing is written
/// then.
Fitted fit(const FitOptions& options, const Listener& listener);

}  // namespace fathom::calls
