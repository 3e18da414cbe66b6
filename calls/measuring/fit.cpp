// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/fit.h>

#include <fathom/algorithms/registry.h>
#include <fathom/calls/datasets.h>
#include <fathom/calls/output_files.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/model/constants.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

namespace fathom::calls {
namespace {

/// The warnings of a fit that say why it has no value for the constant.
std::string reason_of_loss(std::string_view constant, const std::vector<std::string>& warnings) {
  const std::string_view group = constant.starts_with("launch") || constant == "kernel_gap" ? "launches"
                                 : constant == "block_start" || constant == "warp_start"    ? "block-start"
                                 : constant.starts_with("l2_") || constant == "dram_start"
                                     ? "footprint"
                                     : constant.substr(0, constant.find('.'));
  std::vector<std::string> reasons;
  for (const std::string& warning : warnings)
    if (warning.starts_with(group) && warning.find("L of the sweep") == warning.npos)
      reasons.push_back(warning);
  if (reasons.empty()) return "the profile has no usable series for it";
  return fmt::format("{}", fmt::join(reasons, "; "));
}

/// One note for each constant that the machine had before and has no longer.
void note_lost_constants(const Machine<double>& before, const DeviceProfile& after,
                         const Listener& listener) {
  std::map<std::string_view, double> old;
  for_each_constant(before, [&](std::string_view name, const std::optional<double>& value) {
    if (value) old.emplace(name, *value);
  });
  for_each_constant(after.machine, [&](std::string_view name, const std::optional<double>& value) {
    if (!value && old.contains(name))
      listener.note(fmt::format("the new fit has no value for {}, which was {:.4g}: {}", name, old.at(name),
                                reason_of_loss(name, after.warnings)));
  });
}

/// Fits the machine's constants to the raw samples in its profile.
void refit_machine(DeviceProfile& profile, const Listener& listener) {
  if (profile.series.empty())
    throw std::runtime_error(
        fmt::format("the profile {} has no raw samples to fit: its constants were published; omit `refit`",
                    profile.name));
  const Machine<double> before = profile.machine;
  fit_profile(profile, listener.progress);
  note_lost_constants(before, profile, listener);
}

std::string source(const FitOptions& options) {
  std::vector<std::string> names;
  for (const auto& file : options.datasets) names.push_back(file.filename().string());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "4 runs never checked, 2 runs with a moved clock"; empty if there are none.
std::string in_words(const NotFitted& left_out) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t runs, std::string_view why) {
    if (runs > 0) parts.push_back(fmt::format("{} {} {}", runs, runs == 1 ? "run" : "runs", why));
  };
  add(left_out.unknown_algorithm, "of unknown algorithms");
  add(left_out.other_input, "of input that is not random");
  add(left_out.unchecked, "never checked");
  add(left_out.clock_moved, "with a moved clock");
  add(left_out.without_work, "of kernels whose work is in no table");
  add(left_out.not_predicted, "that the law cannot predict");
  add(left_out.beyond_most, "beyond what a fit needs");
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// One fit for every algorithm among the runs that has kernels of its own.
void fit_algorithms(Fitted& fitted, const DeviceProfile& profile, const Dataset& dataset,
                    const std::string& source, const Listener& listener) {
  const WorkLookup work = work_lookup(profile, listener.progress);
  std::set<std::string> slugs;
  for (const Measurement& run : dataset.runs) {
    const Descriptor* algorithm = find_listed(run.algorithm);
    if (!algorithm)
      ++fitted.not_fitted.unknown_algorithm;
    else if (algorithm->plan)
      slugs.insert(run.algorithm);
  }
  for (const std::string& slug : slugs) {
    try {
      fitted.fits.push_back(fit_algorithm(*find_descriptor(slug), profile, dataset.runs, source, work,
                                          &fitted.not_fitted, listener.progress));
    } catch (const std::invalid_argument& too_few) {
      listener.note(fmt::format("{}{}", too_few.what(),
                                profile.find_fit(slug) ? "; its earlier fit in the profile is kept" : ""));
    }
  }
  if (const std::string words = in_words(fitted.not_fitted); !words.empty())
    listener.note("not fitted: " + words);
  if (fitted.fits.empty())
    throw std::runtime_error(
        "nothing was fitted: the datasets have too few runs of algorithms with kernels: bench more sizes and "
        "parameters");
}

void replace_fits(DeviceProfile& profile, const std::vector<AlgorithmFit>& fits) {
  for (const AlgorithmFit& fit : fits) {
    std::erase_if(profile.algorithms,
                  [&](const AlgorithmFit& old) { return old.algorithm == fit.algorithm; });
    profile.algorithms.push_back(fit);
  }
}

/// Without a file the profile is replaced in place, if it was read from one.
std::filesystem::path target_of(const FitOptions& options) {
  if (!options.file.empty()) return options.file;
  if (const auto read_from = profile_file(options.profile)) return *read_from;
  built_in_profile(options.profile);  // throws if there is no such profile
  throw std::invalid_argument(fmt::format(
      "the profile {} is built in: choose a file for the new one with `output`", options.profile));
}

}  // namespace

Fitted fit(const FitOptions& options, const Listener& listener) {
  if (options.datasets.empty() && !options.refit)
    throw std::invalid_argument("nothing to fit: give datasets, or `refit=true` for the machine's constants");
  const OutputFile target = claim_profile(target_of(options), options.datasets);
  DeviceProfile profile = find_profile(options.profile, listener, OldFits::dropped);
  if (options.refit) {
    refit_machine(profile, listener);
    check_plausible(profile, target.path(), options.force, listener);
  }
  Fitted fitted;
  fitted.file = target.path();
  if (!options.datasets.empty()) {
    const Dataset dataset = joined(options, listener);
    const std::string& measured_on = dataset.provenance.gpu;
    if (!profile.provenance.gpu.empty() && !measured_on.empty() && profile.provenance.gpu != measured_on)
      throw std::runtime_error(
          fmt::format("the runs were measured on '{}', the profile on '{}': choose the profile of that GPU "
                      "with `profile`",
                      measured_on, profile.provenance.gpu));
    fit_algorithms(fitted, profile, dataset, source(options), listener);
    replace_fits(profile, fitted.fits);
  }
  target.write(to_json(profile));
  return fitted;
}

}  // namespace fathom::calls
