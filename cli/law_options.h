// The options of predictions: the cost law, the input, and changes of the machine.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/model/laws/predict.h>

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

/// Throws UsageError for options that the law does not have, std::invalid_argument for an algorithm that it
/// cannot predict.
Law chosen_law(const LawOptions& options, const Algorithm& algorithm);

}  // namespace fathom::cli
