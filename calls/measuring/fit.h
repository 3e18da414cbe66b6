#pragma once

#include <fathom/calibration/fit.h>
#include <fathom/calls/listener.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fathom::calls {

struct FitOptions {
  std::vector<std::filesystem::path> datasets;  ///< may be empty with `refit`
  std::string profile;                          ///< of the GPU measured: a name or a path
  bool refit = false;          ///< first refit the machine's constants to the profile's raw samples
  bool force = false;          ///< write a refitted profile even if its measurements are implausible
  std::filesystem::path file;  ///< where the new profile is written; empty: in place
};

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
