// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/problem.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>

#include <memory>

#include "commands.h"
#include "output.h"

namespace fathom::cli {

void add_algorithms(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("algorithms", "The algorithms, with their kinds, types and parameters");
  command->footer("Example: fathom algorithms");
  struct Options {
    std::vector<std::string> formulas;
    reports::Verbosity verbosity = reports::Verbosity::brief;
    Output output;
  };
  auto options = std::make_shared<Options>();
  command->add_option("formulas", options->formulas, "Files with formulas, to be listed, too");
  add_verbose_option(*command, options->verbosity, "Also sources, and what each parameter means");
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, {options->formulas.begin(), options->formulas.end()});
    for (const std::string& formula : options->formulas) calls::algorithm_or_formula(formula);
    answer([&] { return reports::text(algorithms(), options->verbosity); },
           [] { return reports::json(algorithms()); });
  });
}

}  // namespace fathom::cli
