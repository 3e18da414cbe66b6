// The options of predictions: the cost law, the input, and changes of the machine.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/calibration/fit.h>

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace fathom::cli {

struct LawOptions {
  std::string law;  ///< empty: counted or, of an algorithm without kernels, published
  std::string ceiling = "as-printed";
  std::string composition;  ///< empty: the sum
};

void add_law_options(CLI::App& command, LawOptions& options);

/// --input, --what-if and --sensitivities: of what, and on which machine, the time is predicted.
struct PredictionOptions {
  std::string input = "random";
  std::vector<std::string> what_if;
  bool sensitivities = false;
};

void add_prediction_options(CLI::App& command, PredictionOptions& options);

/// Throws UsageError for an input that the law does not know.
Input chosen_input(const PredictionOptions& options, LawName law);

/// Changes the profile's machine. What is changed counts as exactly known. Throws std::invalid_argument for
/// changes that cannot be made.
void apply_what_if(const std::vector<std::string>& changes, DeviceProfile& profile);

/// Throws UsageError also for options that the law does not have, and for an algorithm that it cannot
/// predict.
Law chosen_law(const LawOptions& options, const Algorithm& algorithm);

/// The work of algorithms on the profile's GPU: find_work() (algorithms/work.h). The function throws
/// std::runtime_error if the profile does not tell the GPU's architecture, and BlockTooLarge for kernels of
/// which no block fits.
WorkLookup work_lookup(const DeviceProfile& profile);

}  // namespace fathom::cli
