// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/profiles.h>
#include <fathom/calls/reporting/comparison.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>

#include <memory>

#include "arguments.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

reports::Groups parse_groups(const std::string& by) {
  if (by == "algorithm") return reports::Groups::algorithms;
  if (by == "type") return reports::Groups::types;
  if (by == "n") return reports::Groups::sizes;
  if (by == "parameters") return reports::Groups::parameters;
  throw UsageError("--by '" + by + "': choose algorithm, type, n or parameters");
}

}  // namespace

void add_validate(CLI::App& fathom) {
  struct Options {
    calls::ValidateOptions validate;
    std::string by = "algorithm";
    Output output;
  };
  CLI::App* command = fathom.add_subcommand(
      "validate",
      "Predicted against measured on runs not used in any fit: errors, and regret of the chosen parameters");
  command->footer("Example: fathom validate data/h200/*.json --smallest-n 2^20");
  auto options = std::make_shared<Options>();
  add_dataset_arguments(*command, options->validate.datasets)->required();
  add_options(*command, declared(options->validate));
  command->add_option("--by", options->by, "Group runs by algorithm, type, n, or parameters (and input)")
      ->capture_default_str();
  add_output_options(*command, options->output);
  command->callback([options] {
    const calls::ValidateOptions& asked = options->validate;
    const Answer answer(options->output, calls::inputs_of(asked.datasets, {asked.device}));
    const reports::Groups groups = parse_groups(options->by);
    const calls::Validated validated = calls::validate(asked, on_terminal());
    answer([&] { return reports::text(validated.comparisons, groups); },
           [&] { return reports::json(validated.comparisons); });
  });
}

}  // namespace fathom::cli
