// --law, --ceiling and --compose: the cost law of a prediction.
#pragma once

#include <fathom/calibration/fit.h>

#include <CLI/App.hpp>
#include <string>

namespace fathom::cli {

struct LawOptions {
  std::string law = "calibrated", ceiling = "as-printed";
  std::string composition;  ///< empty: the fitted one, else the sum
};

void add_law_options(CLI::App& command, LawOptions& options);

Law chosen_law(const LawOptions& options);

}  // namespace fathom::cli
