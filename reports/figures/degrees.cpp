// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/degrees.h>

#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fathom::reports {
namespace {

Axis degree_axis(Input::Pattern pattern) {
  return {.label = pattern == Input::sortedness ? "sortedness (share of elements at their place)"
                                                : "entropy (bits per bit of the keys)",
          .low = -0.03,
          .high = 1.03,
          .ticks = {{0, "0"}, {0.25, "0.25"}, {0.5, "0.5"}, {0.75, "0.75"}, {1, "1"}}};
}

/// nullptr if no law predicts it.
const DegreeSweep::Law* drawn_law(const DegreeSweep& sweep) {
  for (const LawName law : drawn_laws)
    if (const auto found = std::ranges::find(sweep.predicted, law, &DegreeSweep::Law::name);
        found != sweep.predicted.end())
      return &*found;
  return nullptr;
}

TimeUnit unit_of(const std::vector<DegreeSweep>& sweeps) {
  double longest = 0;
  for (const DegreeSweep& sweep : sweeps) {
    for (const auto& [degree, seconds] : sweep.measured) longest = std::max(longest, seconds.high);
    if (const auto* law = drawn_law(sweep))
      for (const auto& [degree, prediction] : law->points) longest = std::max(longest, prediction.time_s);
  }
  return time_unit(longest);
}

std::string id_of(const DegreeSweep& sweep, const char* what) {
  return fmt::format("inputs-{}-{}-{}", pattern_name(sweep.pattern), what, type_text(sweep.problem));
}

bool has_times(const DegreeSweep& sweep) {
  return !sweep.measured.empty() || !sweep.predicted.empty();
}

}  // namespace

Figure degree_time_figure(const std::string& id, const std::string& title,
                          const std::vector<DegreeSweep>& sweeps) {
  const TimeUnit unit = unit_of(sweeps);
  Figure figure{.id = id,
                .title = title,
                .description =
                    "Time against the degree of the input, predicted as lines and measured as "
                    "markers.",
                .x = degree_axis(sweeps.front().pattern),
                .y = {.label = fmt::format("time ({})", unit.symbol)}};
  std::set<LawName> laws;
  bool any_measured = false;
  for (std::size_t k = 0; k < sweeps.size(); ++k) {
    const DegreeSweep& sweep = sweeps[k];
    std::vector<Point> predicted, measured;
    if (const auto* law = drawn_law(sweep)) {
      laws.insert(law->name);
      for (const auto& [degree, prediction] : law->points)
        predicted.emplace_back(degree, prediction.time_s / unit.seconds);
    }
    for (const auto& [degree, seconds] : sweep.measured)
      measured.emplace_back(degree, seconds.median / unit.seconds, seconds.low / unit.seconds,
                            seconds.high / unit.seconds);
    any_measured = any_measured || !measured.empty();
    if (!predicted.empty())
      figure.layers.push_back(
          line(measured.empty() ? sweep.algorithm : "", nth_colour(k), std::move(predicted), nth_dash(k)));
    if (!measured.empty())
      figure.layers.push_back(markers(sweep.algorithm, nth_colour(k), nth_marker(k), std::move(measured)));
  }
  if (!laws.empty()) figure.layers.push_back(legend_of_predictions(laws));
  if (any_measured) figure.layers.push_back(legend_marker("measured", Marker::circle, false));
  return figure;
}

Figure degree_conflict_figure(const std::string& id, const std::string& title,
                              const std::vector<DegreeSweep>& sweeps) {
  Figure figure{.id = id,
                .title = title,
                .description =
                    "Mean serialisation of reads of shared memory by bank conflicts, counted while "
                    "the kernels run on the CPU, against the degree of the input.",
                .x = degree_axis(sweeps.front().pattern),
                .y = {.label = "conflicts β of reads, counted (1: none)"}};
  for (std::size_t k = 0; k < sweeps.size(); ++k) {
    std::vector<Point> points;
    for (const auto& [degree, beta] : sweeps[k].conflicts) points.emplace_back(degree, beta);
    if (points.empty()) continue;
    figure.layers.push_back(line("", nth_colour(k), points, nth_dash(k)));
    figure.layers.push_back(markers(sweeps[k].algorithm, nth_colour(k), nth_marker(k), std::move(points)));
  }
  return figure;
}

std::vector<FigureOrMissing> degree_figures(const ReportInput& input) {
  std::map<std::pair<Input::Pattern, std::string>, std::vector<DegreeSweep>> groups;
  for (const DegreeSweep& sweep : input.degree_sweeps)
    groups[{sweep.pattern, name(Instantiation(sweep.problem))}].push_back(sweep);
  std::vector<FigureOrMissing> all;
  for (const auto& [key, sweeps] : groups) {
    const DegreeSweep& first = sweeps.front();
    const std::string over = fmt::format("{} by {}", key.second, pattern_name(key.first));
    if (std::ranges::any_of(sweeps, has_times))
      all.push_back(degree_time_figure(
          id_of(first, "time"),
          fmt::format("sorts of {}: time, n = {}, on {}", over, elements(first.problem.n), first.device),
          sweeps));
    if (std::ranges::any_of(sweeps, [](const auto& sweep) { return !sweep.conflicts.empty(); }))
      all.push_back(degree_conflict_figure(
          id_of(first, "conflicts"),
          fmt::format("sorts of {}: bank conflicts, n = {}", over, elements(first.counted_n)), sweeps));
  }
  return all;
}

}  // namespace fathom::reports
