// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/reporting/report.h>

#include <fathom/calls/datasets.h>
#include <fathom/calls/output_files.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/reporting/report_input.h>
#include <fathom/reports/html.h>
#include <fathom/reports/plot/plot.h>
#include <fathom/store/measurements_in.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace fathom::calls {
namespace {

namespace fs = std::filesystem;

void note_missing_figures(const Listener& listener) {
  if (const auto why_not = reports::why_not_drawn()) listener.note("the report has no figures: " + *why_not);
}

/// The first of the laws, in the order in which figures choose, by which both predict.
LawName shared_law(const reports::ReportInput& first, const reports::ReportInput& second) {
  const auto has = [](const reports::ReportInput& input, LawName law) {
    return std::ranges::any_of(input.predictions, [&](const auto& one) { return one.law == law; });
  };
  return has(first, LawName::counted) && has(second, LawName::counted) ? LawName::counted
                                                                       : LawName::published;
}

reports::ReportInput predictions_on(const std::string& device, const Listener& listener) {
  FigureOptions options;
  options.device = device;
  ReportInputs inputs(options, listener);
  inputs.add_predictions(Predicted::every_algorithm);
  return inputs.finish();
}

std::string comparison_of_profiles(const std::vector<std::string>& names, const Listener& listener) {
  reports::ReportInput first = predictions_on(names[0], listener),
                       second = predictions_on(names[1], listener);
  reports::ProfilePair pair{.first = first.profile,
                            .second = second.profile,
                            .law = shared_law(first, second),
                            .of_first = std::move(first.predictions),
                            .of_second = std::move(second.predictions)};
  for (const auto* notes : {&first.notes, &second.notes})
    std::ranges::copy(*notes, std::back_inserter(pair.notes));
  return reports::html_comparison(pair, listener.progress);
}

/// "profile" or "dataset". A name that is no file can only be a profile's.
std::string kind_of_measurements(const std::string& name) {
  if (!profile_file(name) && !fs::exists(name)) return "profile";
  std::string kind = measurements_in(name);
  if (kind.empty() && !fs::exists(name)) throw std::runtime_error(fmt::format("{} does not exist", name));
  if (kind.empty())
    throw std::invalid_argument(
        fmt::format("{} is neither a profile nor a dataset: `compare` takes two of a kind", name));
  return kind;
}

std::string comparison(const ReportOptions& options, const Listener& listener) {
  const std::vector<std::string>& names = options.compare;
  const std::string first = kind_of_measurements(names[0]), second = kind_of_measurements(names[1]);
  if (first != second)
    throw std::invalid_argument(
        fmt::format("`compare`: {} is a {} and {} a {}: compare two profiles or two datasets", names[0],
                    first, names[1], second));
  note_missing_figures(listener);
  if (first == "profile") return comparison_of_profiles(names, listener);
  const auto before_and_after = read_each(
      {.datasets = {names[0], names[1]}, .read_as = options.read_as, .vouch = options.vouch}, listener);
  return reports::html_comparison(reports::compare(before_and_after[0], before_and_after[1]),
                                  listener.progress);
}

std::string page(const ReportOptions& options, const Listener& listener) {
  const auto& compared = options.compare;
  if (!compared.empty()) {
    if (compared.size() != 2 || !options.datasets.empty() || !(options.device + options.law).empty())
      throw std::invalid_argument("`compare` takes two datasets or two profiles, and nothing beside them");
    return comparison(options, listener);
  }
  ReportInputs inputs(options, listener, DefaultLaws::first);
  inputs.add_comparisons();
  inputs.add_predictions(inputs.has_runs() ? Predicted::measured_ones : Predicted::every_algorithm);
  inputs.add_explanations();
  inputs.add_trade_offs();
  inputs.add_scalings_if_measured();
  if (inputs.has_runs()) inputs.add_degree_sweeps();
  inputs.add_counts();
  note_missing_figures(listener);
  return reports::html_report(inputs.finish(), listener.progress);
}

}  // namespace

void report(const ReportOptions& options, const fs::path& output,
            const std::function<std::string(std::string_view)>& spelling, const Listener& listener) {
  const auto& compared = options.compare;
  const OutputFile file =
      claim(output, compared.empty() ? inputs_of(options.datasets, {options.device})
                                     : std::vector<fs::path>{compared.begin(), compared.end()});
  file.write(spelling(page(options, listener)));
}

}  // namespace fathom::calls
