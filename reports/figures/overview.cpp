// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/overview.h>

#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>
#include <fathom/reports/figures/terms.h>
#include <fathom/reports/figures/throughput.h>
#include <fathom/reports/verdict.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>

namespace fathom::reports {
namespace {

constexpr std::size_t shown_per_baseline = 2;

/// By baseline, the verdicts with a speed, the fastest first.
std::map<std::string, std::vector<const Verdict*>> by_baseline(const std::vector<Verdict>& verdicts) {
  std::map<std::string, std::vector<const Verdict*>> found;
  for (const Verdict& one : verdicts)
    if (one.speed.value) found[one.speed.value->baseline].push_back(&one);
  for (auto& [baseline, all] : found)
    std::ranges::stable_sort(all, std::greater(), [](const Verdict* one) { return one->speed.value->ratio; });
  return found;
}

/// Time of `other` over that of `own`, with the quartiles of `own`, where both were measured.
std::vector<Point> ratios(const ThroughputCurve& own, const ThroughputCurve& other) {
  std::vector<Point> points;
  for (const MeasuredPoint& one : own.measured)
    for (const MeasuredPoint& beside : other.measured)
      if (one.x == beside.x)
        points.emplace_back(one.x, beside.seconds.median / one.seconds.median,
                            beside.seconds.median / one.seconds.high,
                            beside.seconds.median / one.seconds.low);
  return points;
}

}  // namespace

std::vector<FigureOrMissing> speed_figures(const ReportInput& input) {
  const BySubject all = configurations(input);
  const auto curve_of = [&](const std::string& algorithm, const std::string& type) {
    const auto found = all.find({algorithm, type});
    return found == all.end() ? ThroughputCurve{} : throughput_curve(found->first, found->second);
  };
  Figure figure{
      .id = "speed",
      .title = fmt::format("Speed against CUB on {}", input.profile.name),
      .description =
          "Time of the CUB baseline divided by the algorithm's, against the number of elements, with "
          "quartile bars: above 1 the algorithm is faster.",
      .x = {.label = elements_axis, .scale = Scale::log2},
      .y = {.label = "times as fast as CUB", .scale = Scale::log10}};
  std::size_t k = 0;
  double smallest = 0, largest = 0, low = 0.5, high = 2;
  const std::vector<Verdict> shown = headlines(verdicts(input.comparisons));
  for (const auto& [baseline, verdicts] : by_baseline(shown))
    for (const Verdict* one : std::span(verdicts).first(std::min(verdicts.size(), shown_per_baseline))) {
      std::vector<Point> points = ratios(curve_of(one->algorithm, one->type), curve_of(baseline, one->type));
      if (points.empty()) continue;
      smallest = k == 0 ? points.front().x : std::min(smallest, points.front().x);
      largest = std::max(largest, points.back().x);
      for (const Point& point : points) {
        low = std::min(low, point.low / 1.1);
        high = std::max(high, 1.1 * point.high);
      }
      figure.layers.push_back(line("", nth_colour(k), points, nth_dash(k), 1.5));
      figure.layers.push_back(markers(fmt::format("{} {} / {}", one->algorithm, one->type, baseline),
                                      nth_colour(k), nth_marker(k), std::move(points)));
      ++k;
    }
  if (k == 0)
    return {Missing{"Speed against CUB", "no algorithm was measured at the same n as its baseline",
                    "fathom bench ALGORITHM CUB-BASELINE --sizes 2^16..2^28 -o data.json"}};
  figure.y.low = low;
  figure.y.high = high;
  figure.layers.push_back(line("as fast as CUB", Colour::grey, {{smallest, 1}, {largest, 1}}, 1, 1.2));
  return {figure};
}

std::vector<FigureOrMissing> limits_figures(const ReportInput& input) {
  std::vector<PredictedPoint> points;
  std::vector<Tick> ticks;
  const std::vector<ProblemToExplain> problems = problems_to_explain(input.comparisons);
  for (const Verdict& one : headlines(verdicts(input.comparisons)))
    for (const ProblemToExplain& asked : problems) {
      if (asked.algorithm->slug != one.algorithm || name(Instantiation(asked.problem)) != one.type) continue;
      const auto found = std::ranges::find_if(input.predictions, [&](const PredictionReport& report) {
        return report.law == one.law && report.algorithm == one.algorithm && report.problem == asked.problem;
      });
      if (found == input.predictions.end()) continue;
      ticks.push_back({double(points.size() + 1), one.algorithm});
      points.push_back({double(points.size() + 1), found->prediction});
    }
  if (points.empty())
    return {Missing{"What limits each algorithm", "no measured run has a prediction by counted work",
                    "fathom calibrate -o profile.json"}};
  Figure figure = term_shares_figure(
      "limits",
      fmt::format("Where the predicted time goes, at the largest n measured, on {}", input.profile.name),
      points);
  figure.description =
      "Parts of the predicted time of each algorithm, in per cent of the time: first launches, then the "
      "resource that takes longest, then each as far as it takes longer than those before it.";
  figure.x = {
      .label = "", .low = 0.4, .high = double(points.size()) + 0.6, .ticks = ticks, .slanted_ticks = true};
  return {figure};
}

}  // namespace fathom::reports
