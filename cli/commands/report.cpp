#include <fathom/calls/output_files.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/report.h>
#include <fathom/store/json_fields.h>
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "output.h"
#include "report_options.h"
#include "terminal.h"

namespace fathom::cli {
namespace {

struct Options {
  ReportArguments report;
  std::vector<std::string> compared;  ///< two, or none
  std::filesystem::path file = "fathom-report.html";
  Output output;
};

std::string report_on_device(const ReportOptions& options, const Progress& progress) {
  ReportInputs inputs(options, progress);
  inputs.add_comparisons();
  inputs.add_predictions(inputs.has_runs() ? Predicted::measured_ones : Predicted::every_algorithm);
  inputs.add_explanations();
  inputs.add_trade_offs();
  inputs.add_counts();
  return reports::html_report(inputs.finish(), progress);
}

/// The first of the laws, in the order in which figures choose, by which both predict.
LawName shared_law(const reports::ReportInput& first, const reports::ReportInput& second) {
  const auto has = [](const reports::ReportInput& input, LawName law) {
    return std::ranges::any_of(input.predictions, [&](const auto& one) { return one.law == law; });
  };
  return has(first, LawName::counted) && has(second, LawName::counted) ? LawName::counted
                                                                       : LawName::published;
}

reports::ReportInput predictions_on(const std::string& device, const Progress& progress) {
  ReportInputs inputs({.datasets = {}, .device = device, .law = ""}, progress);
  inputs.add_predictions(Predicted::every_algorithm);
  return inputs.finish();
}

std::string comparison_of_profiles(const std::vector<std::string>& names, const Progress& progress) {
  reports::ReportInput first = predictions_on(names[0], progress),
                       second = predictions_on(names[1], progress);
  reports::ProfilePair pair{.first = first.profile,
                            .second = second.profile,
                            .law = shared_law(first, second),
                            .of_first = std::move(first.predictions),
                            .of_second = std::move(second.predictions)};
  for (const auto* notes : {&first.notes, &second.notes})
    std::ranges::copy(*notes, std::back_inserter(pair.notes));
  return reports::html_comparison(pair, progress);
}

/// "profile" or "dataset". A name that is no file can only be a profile's.
std::string kind_of(const std::string& name) {
  if (!profile_file(name) && !fs::exists(name)) return "profile";
  const std::string kind = measurements_in(name);
  if (kind.empty() && !fs::exists(name)) throw std::runtime_error(fmt::format("{} does not exist", name));
  if (kind.empty())
    throw UsageError(
        fmt::format("{} is neither a profile nor a dataset: --compare takes two of a kind", name));
  return kind;
}

std::string comparison(const std::vector<std::string>& names, const Progress& progress) {
  const std::string first = kind_of(names[0]), second = kind_of(names[1]);
  if (first != second)
    throw UsageError(fmt::format("--compare: {} is a {} and {} a {}: compare two profiles or two datasets",
                                 names[0], first, names[1], second));
  if (first == "profile") return comparison_of_profiles(names, progress);
  return reports::html_comparison(reports::compare(read_dataset(names[0]), read_dataset(names[1])), progress);
}

std::vector<fs::path> files_read(const Options& options) {
  if (options.compared.empty()) return inputs_of(options.report.datasets, options.report.device);
  return {options.compared.begin(), options.compared.end()};
}

}  // namespace

void add_report(CLI::App& fathom) {
  CLI::App* command = fathom.add_subcommand(
      "report", "One self-contained HTML file: the verdict on each algorithm, figures that react, tables");
  command->footer("Example: fathom report data/h200/*.json -o report.html");
  auto options = std::make_shared<Options>();
  add_report_options(*command, options->report);
  command
      ->add_option("--compare", options->compared,
                   "Two datasets, before and after a change, or two profiles, each a name or a path")
      ->expected(2)
      ->type_name("A B")
      ->excludes("datasets")
      ->excludes("--device")
      ->excludes("--law");
  command->add_option("-o,--output", options->file, "The HTML file")->capture_default_str();
  add_json_option(*command, options->output);
  command->callback([options] {
    const OutputFile file = calls::claim(options->file, files_read(*options));
    const Answer answer(options->output);
    const calls::Listener listener = on_terminal();
    file.write(options->compared.empty() ? calls::report(report_options(options->report), listener)
                                         : calls::comparing_report(options->compared, listener));
    answer([&] { return options->file.string(); },
           [&] {
             return dump({{"schema", "fathom.report"}, {"version", 1}, {"file", options->file.string()}}, 2);
           });
  });
}

}  // namespace fathom::cli
