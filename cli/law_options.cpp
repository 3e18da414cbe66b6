#include "law_options.h"

#include <fathom/calls/predicting/problem.h>
#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "arguments.h"

namespace fathom::cli {

void add_law_options(CLI::App& command, LawOptions& options) {
  command.add_option("--law", options.law,
                     "Law: counted, fitted or published [default: counted; published without kernels]");
  command
      .add_option("--ceiling", options.ceiling,
                  "Round L/(X·I) up: as-printed, always, never (published only)")
      ->capture_default_str();
  command.add_option("--compose", options.composition,
                     "Composition of the levels' times: sum, max, or an exponent q (published only) "
                     "[default: sum]");
}

void add_prediction_options(CLI::App& command, PredictionOptions& options) {
  command
      .add_option("--input", options.input,
                  "Input pattern of sorts: " + input_names() + " (counted and fitted only)")
      ->capture_default_str();
  command
      .add_option(
          "--what-if", options.what_if,
          "Change a constant of the machine: --what-if dram.bandwidth=1.5x, --what-if wait.dram=600; may "
          "be repeated")
      ->allow_extra_args(false);
  command.add_flag("--sensitivities", options.sensitivities,
                   "By how many per cent the time changes with 1 % of each constant");
}

Input chosen_input(const PredictionOptions& options, LawName law) {
  const Input input = parse_input(options.input);
  if (input != Input::random && !definition(law).knows_inputs)
    throw UsageError(fmt::format("--input {}: the law {} knows random input only: choose --law counted",
                                 options.input, name(law)));
  return input;
}

Law chosen_law(const LawOptions& options, const Algorithm& algorithm) {
  const LawName default_law = algorithm.plan ? LawName::counted : LawName::published;
  Law law{.law = options.law.empty() ? default_law : parse_law(options.law),
          .ceiling = parse_ceiling(options.ceiling)};
  calls::check_law(algorithm, law.law);
  if (!definition(law.law).has_readings && (!options.composition.empty() || law.ceiling != Ceiling::as_printed))
    throw UsageError(
        fmt::format("the law {} has no --ceiling and no --compose: choose --law published", name(law.law)));
  if (!options.composition.empty()) law.composition = parse_composition(options.composition);
  return law;
}

}  // namespace fathom::cli
