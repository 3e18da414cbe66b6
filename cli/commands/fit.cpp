// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/fit.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>

#include <memory>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {

void add_fit(CLI::App& fathom) {
  struct Options {
    calls::FitOptions fit;
    Output output;
  };
  CLI::App* command =
      fathom.add_subcommand("fit", "Fit two factors per algorithm to measured runs, for the law fitted");
  command->footer("Example: fathom fit data/h200/*.json --profile profiles/h200.json --refit -o h200.json");
  auto options = std::make_shared<Options>();
  add_dataset_arguments(*command, options->fit.datasets);
  add_options(*command, declared(options->fit));
  command->get_option("--profile")->required();
  command->add_option("-o,--output", options->fit.file, "Write the profile here [default: in place]");
  add_json_option(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output);
    const calls::Fitted fitted = calls::fit(options->fit, on_terminal());
    answer([&] { return reports::text(fitted.fits, fitted.file.string()); },
           [&] { return reports::json(fitted.fits, fitted.not_fitted); });
  });
}

}  // namespace fathom::cli
