#include <fathom/calls/measuring/fit.h>
#include <fathom/calls/profiles.h>
#include <fathom/model/constants.h>
#include <fathom/reports/json/json.h>
#include <fathom/reports/text/text.h>
#include <fmt/format.h>

#include <memory>

#include "arguments.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct FitArguments {
  calls::FitOptions fit;
  Output output;
};

/// Refuses, in terms of options, what calls::fit() would refuse as well.
void check_fit(const calls::FitOptions& options) {
  if (options.datasets.empty() && !options.refit)
    throw UsageError("nothing to fit: give datasets, or --refit for the machine's constants");
  if (!options.file.empty() || calls::profile_file(options.profile)) return;
  built_in_profile(options.profile);  // throws if there is no such profile
  throw UsageError(
      fmt::format("the profile {} is built in: choose a file for the new one with -o", options.profile));
}

}  // namespace

void add_fit(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("fit", "Fit two factors per algorithm to measured runs, for the law fitted");
  command->footer("Example: fathom fit data/h200/*.json --profile profiles/h200.json --refit -o h200.json");
  auto options = std::make_shared<FitArguments>();
  add_dataset_arguments(*command, options->fit.datasets);
  command->add_option("--profile", options->fit.profile, "Profile of the GPU measured")->required();
  command->add_flag("--refit", options->fit.refit,
                    "First refit the machine's constants to the profile's raw samples");
  command->add_flag("--force", options->fit.force,
                    "With --refit: write the profile even if its measurements are implausible");
  command->add_option("-o,--output", options->fit.file, "Write the profile here [default: in place]");
  add_json_option(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output);
    check_fit(options->fit);
    const calls::Fitted fitted = calls::fit(options->fit, on_terminal());
    answer([&] { return reports::text(fitted.fits, fitted.file.string()); },
           [&] { return reports::json(fitted.fits, fitted.not_fitted); });
  });
}

}  // namespace fathom::cli
