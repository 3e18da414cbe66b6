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
    std::deque<Algorithm> chosen;
    std::deque<GroupAlgorithm> chosen_of_several;
    for (const std::string& name : options->names)
      if (const GroupAlgorithm* on_several = find_group_algorithm(name))
        chosen_of_several.push_back(*on_several);
      else
        chosen.push_back(calls::algorithm_or_formula(name));
    const bool all = options->names.empty();
    const std::deque<Algorithm>& listed = all ? algorithms() : chosen;
    const std::deque<GroupAlgorithm>& of_several = all ? group_algorithms() : chosen_of_several;
    const auto text = [&] {
      const reports::Verbosity verbosity = options->verbosity;
      if (of_several.empty()) return reports::text(listed, verbosity);
      if (listed.empty()) return reports::text(of_several, verbosity);
      return reports::text(listed, verbosity) + "\n" + reports::text(of_several, verbosity);
    };
    answer(text, [&] { return reports::json(listed, of_several); });
  });
}

}  // namespace fathom::cli
