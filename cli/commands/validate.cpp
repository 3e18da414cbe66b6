#include <fathom/calls/datasets.h>
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

struct ValidateOptions {
  std::vector<std::filesystem::path> datasets;
  std::string device, law, by = "algorithm", smallest_n = "1";
  Output output;
};

reports::Groups parse_groups(const std::string& by) {
  if (by == "algorithm") return reports::Groups::algorithms;
  if (by == "type") return reports::Groups::types;
  if (by == "n") return reports::Groups::sizes;
  if (by == "parameters") return reports::Groups::parameters;
  throw UsageError("--by '" + by + "': choose algorithm, type, n or parameters");
}

}  // namespace

void add_validate(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand(
      "validate",
      "Predicted against measured on runs not used in any fit: errors, and regret of the chosen parameters");
  command->footer("Example: fathom validate data/h200/*.json --smallest-n 2^20");
  auto options = std::make_shared<ValidateOptions>();
  add_dataset_arguments(*command, options->datasets)->required();
  command->add_option("--device", options->device,
                      "Profile: a name or a path [default: of the GPU measured]");
  command->add_option("--law", options->law,
                      "counted, fitted or published [default: all that the profile allows]");
  command->add_option("--by", options->by, "Group runs by algorithm, type, n, or parameters (and input)")
      ->capture_default_str();
  command->add_option("--smallest-n", options->smallest_n, "Omit runs with a smaller n: 2^20")
      ->capture_default_str();
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, calls::inputs_of(options->datasets, options->device));
    const double smallest_n = parse_count(options->smallest_n);
    const calls::Listener listener = on_terminal();
    const std::vector<Dataset> datasets = calls::read_datasets(options->datasets, listener.progress);
    const DeviceProfile profile = calls::choose_profile(options->device, datasets.front(), listener);
    const reports::Groups groups = parse_groups(options->by);
    const auto laws = options->law.empty() ? laws_of(profile) : std::vector{parse_law(options->law)};
    const auto comparisons = calls::compare_laws(profile, datasets, laws, smallest_n, listener);
    answer([&] { return reports::text(comparisons, groups); }, [&] { return reports::json(comparisons); });
  });
}

}  // namespace fathom::cli
