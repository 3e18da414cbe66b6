// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/parity.h>

#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace fathom::reports {
namespace {

constexpr double marker_size = 0.4;

struct RunsOfGroup {
  std::vector<Point> fitted, validated;
};

/// By algorithm only: with types as well there would be too many groups to distinguish.
std::map<std::string, RunsOfGroup> grouped(LawName law, const std::vector<ComparedRun>& runs) {
  std::map<std::string, RunsOfGroup> groups;
  for (const ComparedRun& compared : runs) {
    if (!compared.predicted) continue;
    RunsOfGroup& group = groups[compared.run->algorithm];
    (law == LawName::fitted && compared.fitted ? group.fitted : group.validated)
        .emplace_back(compared.run->problem.n, compared.predicted->time_s / compared.measured_s);
  }
  return groups;
}

}  // namespace

Figure parity_figure(const std::string& id, const std::string& title, LawName law,
                     const std::vector<ComparedRun>& runs) {
  auto groups = grouped(law, runs);
  double smallest = std::numeric_limits<double>::infinity(), largest = 0, furthest = 1.3;
  for (const auto& [label, group] : groups)
    for (const auto* points : {&group.fitted, &group.validated})
      for (const Point& point : *points) {
        smallest = std::min(smallest, point.x);
        largest = std::max(largest, point.x);
        furthest = std::max({furthest, point.y, 1 / point.y});
      }
  furthest *= 1.03;
  Figure figure{.id = id,
                .title = title,
                .description =
                    "Predicted time over the measured one of every run, all element types, against the "
                    "number of elements, with a line at 1 and a band at ±5 %: above 1 the prediction is too "
                    "long.",
                .x = {.label = elements_axis, .scale = Scale::log2},
                .y = {.label = "predicted / measured time",
                      .scale = Scale::log10,
                      .low = 1 / furthest,
                      .high = furthest},
                .layers = {{.label = "±5 %",
                            .style = Style::band,
                            .colour = Colour::grey,
                            .points = {{smallest, 1, 0.95, 1.05}, {largest, 1, 0.95, 1.05}}},
                           line("", Colour::grey, {{smallest, 1}, {largest, 1}}, 0, 1)}};
  std::size_t k = 0;
  bool any_fitted = false;
  std::vector<Layer> validated;  // on top of the hollow ones
  for (auto& [label, group] : groups) {
    any_fitted = any_fitted || !group.fitted.empty();
    Layer hollow = markers("", nth_colour(k), nth_marker(k), std::move(group.fitted));
    hollow.hollow = true;
    hollow.size = marker_size;
    figure.layers.push_back(std::move(hollow));
    validated.push_back(markers(label, nth_colour(k), nth_marker(k), std::move(group.validated)));
    validated.back().size = marker_size;
    ++k;
  }
  figure.layers.insert(figure.layers.end(), validated.begin(), validated.end());
  if (any_fitted) {
    figure.description += " Runs that a fit may use are hollow.";
    figure.layers.push_back(legend_marker("hollow: may be fitted", Marker::circle, true));
  }
  return figure;
}

std::vector<FigureOrMissing> parity_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  for (const LawComparison& compared : input.comparisons) {
    const LawName law = compared.law;
    const Comparison& comparison = compared.comparison;
    const bool any = std::any_of(comparison.runs.begin(), comparison.runs.end(),
                                 [](const ComparedRun& run) { return run.predicted.has_value(); });
    if (!any) continue;
    Figure figure =
        parity_figure(fmt::format("parity-{}", name(law)),
                      fmt::format("Predicted over measured time on {}, law {}", comparison.device, name(law)),
                      law, comparison.runs);
    figure.note = left_out_note(std::size_t(std::ranges::count_if(
        input.unpredicted, [&](const Unpredicted& one) { return one.measured && one.law == law; })));
    all.push_back(std::move(figure));
  }
  if (all.empty())
    all.push_back(
        Missing{"Predicted over measured time", "no measured run has a prediction", bench_sizes_command});
  return all;
}

}  // namespace fathom::reports
