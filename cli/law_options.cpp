#include "law_options.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "arguments.h"

namespace fathom::cli {

void add_law_options(CLI::App& command, LawOptions& options) {
  command.add_option("--law", options.law, "Cost law: calibrated or published")->capture_default_str();
  command
      .add_option("--ceiling", options.ceiling,
                  "Round L/(X·I) up: as-printed, always, never (published only)")
      ->capture_default_str();
  command.add_option(
      "--compose", options.composition,
      "Composition of the levels' times: sum, max, or an exponent q [default: the fitted one, else sum]");
}

Law chosen_law(const LawOptions& options) {
  Law law{.law = parse_law(options.law), .ceiling = parse_ceiling(options.ceiling)};
  if (!options.composition.empty()) law.composition = parse_composition(options.composition);
  return law;
}

}  // namespace fathom::cli
