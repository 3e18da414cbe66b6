// --law, --ceiling and --compose: which cost law a prediction is made with.
#pragma once

#include <fathom/calibration/fit.h>

#include <CLI/App.hpp>
#include <string>

namespace fathom::cli {

struct LawOptions {
  std::string law = "calibrated", ceiling = "as-printed";
  std::string composition;  ///< empty: the algorithm's fitted exponent, else the sum
};

void add_law_options(CLI::App& command, LawOptions& options);

/// The law that was asked for. A composition given by hand also goes into the profile's fits, in place of the
/// fitted one.
Law chosen_law(const LawOptions& options, DeviceProfile& profile);

}  // namespace fathom::cli
