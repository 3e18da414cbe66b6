#include <fathom/reports/json.h>
#include <fathom/reports/text.h>

#include <memory>

#include "arguments.h"
#include "commands.h"
#include "comparison.h"
#include "datasets.h"
#include "output.h"
#include "profiles.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  std::vector<std::filesystem::path> datasets;
  std::string device, law, by = "algorithm", smallest_n = "1";
  Output output;
};

/// The named law; else all that predict something from this profile.
std::vector<LawName> laws_of(const std::string& law, const DeviceProfile& profile) {
  if (!law.empty()) return {parse_law(law)};
  std::vector<LawName> laws;
  if (profile.architecture && profile.machine.rates.overlap) {
    laws.push_back(LawName::counted);
    if (!profile.algorithms.empty()) laws.push_back(LawName::fitted);
  }
  laws.push_back(LawName::published);
  return laws;
}

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
  auto options = std::make_shared<Options>();
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
    const Answer answer(options->output, inputs_of(options->datasets, options->device));
    const double smallest_n = parse_count(options->smallest_n);
    const std::vector<Dataset> datasets = read_datasets(options->datasets);
    const DeviceProfile profile = choose_profile(options->device, datasets.front());
    const reports::Groups groups = parse_groups(options->by);
    const auto comparisons = compare_laws(profile, datasets, laws_of(options->law, profile), smallest_n);
    answer([&] { return reports::text(comparisons, groups); }, [&] { return reports::json(comparisons); });
  });
}

}  // namespace fathom::cli
