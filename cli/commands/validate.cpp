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
  std::string device, law, by, smallest_n = "1";
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

reports::Details parse_details(const std::string& by) {
  if (by.empty()) return reports::Details::none;
  if (by == "n") return reports::Details::sizes;
  if (by == "parameters") return reports::Details::parameters;
  throw UsageError("--by '" + by + "': choose n or parameters");
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
  command->add_option(
      "--by", options->by,
      "Also errors by n, or by parameters and input [default: one line per algorithm and type]");
  command->add_option("--smallest-n", options->smallest_n, "Omit runs with a smaller n: 2^20")
      ->capture_default_str();
  add_output_options(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output, inputs_of(options->datasets, options->device));
    const double smallest_n = parse_count(options->smallest_n);
    const std::vector<Dataset> datasets = read_datasets(options->datasets);
    const DeviceProfile profile = choose_profile(options->device, datasets.front());
    const reports::Details details = parse_details(options->by);
    const auto comparisons = compare_laws(profile, datasets, laws_of(options->law, profile), smallest_n);
    answer([&] { return reports::text(comparisons, details); }, [&] { return reports::json(comparisons); });
  });
}

}  // namespace fathom::cli
