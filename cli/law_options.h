// --law, --ceiling and --compose: the cost law of a prediction.
#pragma once

#include <fathom/calibration/fit.h>

#include <CLI/App.hpp>
#include <string>

namespace fathom::cli {

struct LawOptions {
  std::string law = "counted", ceiling = "as-printed";
  std::string composition;  ///< empty: the fitted one, else the sum
};

void add_law_options(CLI::App& command, LawOptions& options);

/// Throws UsageError also for options that the law does not have.
Law chosen_law(const LawOptions& options);

/// The work of algorithms on the profile's GPU: find_work() (algorithms/work.h). The function throws
/// std::runtime_error if the profile does not tell the GPU's architecture.
WorkLookup work_lookup(const DeviceProfile& profile);

}  // namespace fathom::cli
