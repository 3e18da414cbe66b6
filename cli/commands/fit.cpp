#include <fathom/algorithms/registry.h>
#include <fathom/calibration/fit.h>
#include <fathom/reports/json.h>
#include <fathom/reports/text.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "arguments.h"
#include "commands.h"
#include "datasets.h"
#include "output.h"
#include "profiles.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  std::vector<std::filesystem::path> datasets;
  std::string profile;
  bool refit = false, force = false;
  std::filesystem::path file;
  Output output;
};

/// Refits the machine's constants to the raw samples in its profile.
void refit_machine(DeviceProfile& profile) {
  if (profile.series.empty())
    throw std::runtime_error(
        fmt::format("the profile {} has no raw samples to fit: its constants were published; omit --refit",
                    profile.name));
  fit_profile(profile);
}

std::string source(const Options& options) {
  std::vector<std::string> names;
  for (const auto& file : options.datasets) names.push_back(file.filename().string());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// One fit for every algorithm with a formula and every type among the runs.
std::vector<AlgorithmFit> fit_algorithms(const DeviceProfile& profile, const Dataset& dataset,
                                         const std::string& source) {
  std::set<std::pair<std::string, std::string>> groups;
  for (const Measurement& run : dataset.runs)
    if (const Descriptor* algorithm = find_descriptor(run.algorithm); algorithm && algorithm->formula)
      groups.emplace(run.algorithm, type_text(run.problem));
  std::vector<AlgorithmFit> fits;
  for (const auto& [slug, type] : groups) {
    try {
      fits.push_back(fit_algorithm(*find_descriptor(slug), parse_type_text(type), profile.machine,
                                   dataset.runs, source));
    } catch (const std::invalid_argument& too_few) {
      note(too_few.what());
    }
  }
  if (fits.empty())
    throw std::runtime_error(
        "nothing was fitted: the datasets have too few runs of algorithms with a formula");
  return fits;
}

void replace_fits(DeviceProfile& profile, const std::vector<AlgorithmFit>& fits) {
  for (const AlgorithmFit& fit : fits) {
    std::erase_if(profile.algorithms, [&](const AlgorithmFit& old) {
      return old.algorithm == fit.algorithm && old.type == fit.type;
    });
    profile.algorithms.push_back(fit);
  }
}

/// Without -o the profile is replaced in place, if it was read from a file.
std::filesystem::path target_of(const Options& options) {
  if (!options.file.empty()) return options.file;
  if (const auto read_from = profile_file(options.profile)) return *read_from;
  built_in_profile(options.profile);  // throws if there is no such profile
  throw UsageError(
      fmt::format("the profile {} is built in: choose a file for the new one with -o", options.profile));
}

std::vector<AlgorithmFit> fit(const Options& options) {
  if (options.datasets.empty() && !options.refit)
    throw UsageError("nothing to fit: give datasets, or --refit for the machine's constants");
  const OutputFile target = claim_profile(target_of(options), options.datasets);
  DeviceProfile profile = find_profile(options.profile);

  if (options.refit) {
    refit_machine(profile);
    check_plausible(profile, target.path(), options.force);
  }
  std::vector<AlgorithmFit> fits;
  if (!options.datasets.empty()) {
    const Dataset dataset = joined(options.datasets);
    if (!profile.provenance.gpu.empty() && profile.provenance.gpu != dataset.provenance.gpu)
      throw std::runtime_error(
          fmt::format("the runs were measured on '{}', the profile on '{}': choose the profile of that GPU "
                      "with --profile",
                      dataset.provenance.gpu, profile.provenance.gpu));
    fits = fit_algorithms(profile, dataset, source(options));
    replace_fits(profile, fits);
  }
  target.write(to_json(profile));
  return fits;
}

}  // namespace

void add_fit(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand("fit", "Fit the constants of algorithms to measured runs");
  command->footer("Example: fathom fit data/h200/*.json --profile profiles/h200.json --refit -o h200.json");
  auto options = std::make_shared<Options>();
  add_dataset_arguments(*command, options->datasets);
  command->add_option("--profile", options->profile, "Profile of the GPU measured")->required();
  command->add_flag("--refit", options->refit,
                    "First refit the machine's constants to the profile's raw samples");
  command->add_flag("--force", options->force,
                    "With --refit: write the profile even if its measurements are implausible");
  command->add_option("-o,--output", options->file, "Write the profile here [default: in place]");
  add_json_option(*command, options->output);
  command->callback([options] {
    const Answer answer(options->output);
    const auto fits = fit(*options);
    answer([&] { return reports::text(fits); }, [&] { return reports::json(fits); });
  });
}

}  // namespace fathom::cli
