#include "report_input.h"

#include <fathom/algorithms/registry.h>
#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <iterator>

#include "arguments.h"
#include "comparison.h"
#include "counting.h"
#include "datasets.h"
#include "problem.h"
#include "profiles.h"
#include "provenance.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

constexpr ElementType predicted_type = ElementType::u32;

bool is_measured(const Algorithm& algorithm, ElementType type, const std::vector<Dataset>& datasets) {
  for (const Dataset& dataset : datasets)
    for (const Measurement& run : dataset.runs)
      if (run.algorithm == algorithm.slug && type_text(run.problem) == name(type)) return true;
  return false;
}

/// Predictions at default parameters for all sizes that fit in memory; none under a law for which the profile
/// has no constants.
std::vector<reports::PredictionReport> predictions(const DeviceProfile& profile, LawName law,
                                                   const std::vector<const Algorithm*>& wanted,
                                                   const Progress& progress) {
  std::vector<reports::PredictionReport> reports;
  for (const Algorithm* each : wanted) {
    const Algorithm& algorithm = *each;
    progress("predicting " + algorithm.slug, std::size_t(&each - wanted.data()), wanted.size());
    for (double n : parse_sizes("2^10..2^28")) {
      const Problem problem = algorithm.problem(n, predicted_type);
      if (bytes_needed(algorithm, problem, profile.machine) > profile.machine.global_memory.value) break;
      try {
        reports.push_back(
            {.algorithm = algorithm.slug,
             .device = profile.name,
             .law = law,
             .problem = problem,
             .prediction = predict_with_interval(profile, algorithm, problem, Law{.law = law})});
      } catch (const MissingConstant&) {
        return {};
      }
    }
  }
  return reports;
}

void note_other_gpu(const DeviceProfile& profile, const std::string& measured_on) {
  const std::string& gpu = profile.provenance.gpu;
  if (!gpu.empty() && !measured_on.empty() && gpu != measured_on)
    note(fmt::format("the runs were measured on '{}', the profile {} is of another GPU, '{}'", measured_on,
                     profile.name, gpu));
}

const std::string& chosen_parameter(const Algorithm& algorithm, const std::string& name) {
  if (algorithm.parameters.empty())
    throw UsageError(fmt::format("{} has no parameters to vary: choose another algorithm", algorithm.slug));
  if (name.empty()) return algorithm.parameters.front().name;
  if (const ParameterInfo* info = algorithm.find_parameter(name)) return info->name;
  throw unknown_parameter(algorithm.slug, algorithm.parameters, name);
}

}  // namespace

void add_report_options(CLI::App& command, ReportOptions& options) {
  add_dataset_arguments(command, options.datasets);
  command.add_option(
      "--device", options.device,
      "Profile: a name or a path [default: of the GPU measured, else of the GPU present, else h200]");
  command.add_option("--law", options.law, "calibrated or published [default: both]");
}

reports::ReportInput report_input(const ReportOptions& options) {
  reports::ReportInput input;
  input.datasets = read_datasets(options.datasets);
  input.date = now_utc();
  if (input.datasets.empty()) {
    input.profile = choose_profile(options.device);
  } else {
    input.profile = choose_profile(options.device, input.datasets.front());
    note_other_gpu(input.profile, input.datasets.front().provenance.gpu);
    input.comparisons = compare_laws(input.profile, input.datasets, parse_laws(options.law));
  }
  return input;
}

void add_predictions(reports::ReportInput& input, const ReportOptions& options, Predicted which,
                     const Progress& progress) {
  std::vector<const Algorithm*> wanted;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.formula && (which == Predicted::every_algorithm || input.datasets.empty() ||
                              is_measured(algorithm, predicted_type, input.datasets)))
      wanted.push_back(&algorithm);
  for (LawName law : parse_laws(options.law))
    for (auto& prediction : predictions(input.profile, law, wanted, progress))
      input.predictions.push_back(std::move(prediction));
}

void add_trade_offs(reports::ReportInput& input, const ReportOptions& options, const Progress& progress,
                    const TradeOffOptions& wanted) {
  const std::vector<LawName> laws = parse_laws(options.law);
  std::vector<reports::TradeOff> own;
  if (wanted.algorithms.empty() && wanted.parameter.empty())
    own = reports::trade_offs(input.profile, laws, input.datasets, progress);
  for (const std::string& slug : wanted.algorithms) {
    const Algorithm& algorithm = fathom::algorithm(slug);
    own.push_back(reports::trade_off(input.profile, algorithm, chosen_parameter(algorithm, wanted.parameter),
                                     laws, input.datasets));
  }
  if (wanted.algorithms.empty() && !wanted.parameter.empty())
    throw UsageError(fmt::format("--parameter {}: name its algorithm with --algorithm", wanted.parameter));
  input.trade_offs = own;
  for (const std::string& name : built_in_profiles()) {
    const DeviceProfile profile = built_in_profile(name);
    if (profile.origin != "published" || profile.name == input.profile.name) continue;
    for (const reports::TradeOff& one : own)
      if (progress("trade-offs on " + name, 0, 1); !one.predicted.empty())
        input.trade_offs.push_back(
            reports::trade_off(profile, algorithm(one.algorithm), one.parameter, {LawName::published}));
  }
}

void add_counts(reports::ReportInput& input, const Progress& progress) {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.formula && algorithm.plan) all.push_back(&algorithm);
  std::size_t done = 0;
  for (const Algorithm* algorithm : all) {
    const Progress within = [&](auto&&...) { progress("counting " + algorithm->slug, done, all.size()); };
    const Problem problem = algorithm->problem(1 << 18);
    try {
      reports::CountReport counts =
          count_report({algorithm, problem, Input::random}, input.profile, {}, within);
      std::vector<MachineSweep> sweeps = machine_sweeps(*algorithm, input.profile.machine, {}, within);
      input.counts.push_back(std::move(counts));
      std::ranges::move(sweeps, std::back_inserter(input.machine_sweeps));
    } catch (const BlockDoesNotFit& misfit) {
      input.notes.push_back(
          fmt::format("{} was not counted on {}: {}.", algorithm->slug, input.profile.name, misfit.what()));
      note(fmt::format("{} is left out of the counts: {}", algorithm->slug, misfit.what()));
    }
    ++done;
  }
  clear_progress();
}

}  // namespace fathom::cli
