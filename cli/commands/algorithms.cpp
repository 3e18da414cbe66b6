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
  command->footer(
      "Examples: fathom algorithms\n"
      "          fathom algorithms radix-msd -v");
  struct Options {
    std::vector<std::string> names;
    reports::Verbosity verbosity = reports::Verbosity::brief;
    Output output;
  };
  auto options = std::make_shared<Options>();
  command->add_option("names", options->names, "Only these: algorithms, or files with formulas");
  add_verbose_option(*command, options->verbosity, "Also sources, and what each parameter means");
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, {options->names.begin(), options->names.end()});
    std::vector<AnyAlgorithm> listed;
    for (const std::string& name : options->names) listed.push_back(calls::any_algorithm(name));
    if (options->names.empty()) listed = all_algorithms();
    answer([&] { return reports::text(listed, options->verbosity); }, [&] { return reports::json(listed); });
  });
}

}  // namespace fathom::cli
