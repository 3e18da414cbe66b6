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
  bool force = false;          ///< write the refitted profile even if its measurements are implausible
  std::filesystem::path file;  ///< where the new profile is written; empty: in place
};

struct Fitted {
  std::vector<AlgorithmFit> fits;  ///< the new ones, in the order of their slugs
  NotFitted not_fitted;
  std::filesystem::path file;  ///< where the profile was written
};

/// Fits the factors of every algorithm among the runs that has kernels, and writes the profile with them.
/// Notes constants that a refit loses, algorithms with too few runs, and the numbers of runs not fitted.
/// Throws std::invalid_argument if there is nothing to fit or a built-in profile would be replaced;
/// std::runtime_error for runs of another GPU, a refit without raw samples, and if no algorithm could be
/// fitted; and what claim_profile(), find_profile(), check_plausible(), joined(), fit_algorithm() and the
/// listener throw. Nothing is written then.
Fitted fit(const FitOptions& options, const Listener& listener);

}  // namespace fathom::calls
