#include <fathom/reports/figures/terms.h>

#include <fathom/reports/figures/sweeps.h>
#include <fathom/reports/figures/throughput.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fathom::reports {
namespace {

struct TermLook {
  const char* label;
  Colour colour;
  int pattern;
};
/// Neighbours differ in lightness or pattern.
constexpr TermLook term_looks[] = {{"global", Colour::blue, -1},
                                   {"L2", Colour::sky, -1},
                                   {"shared", Colour::orange, 2},
                                   {"registers", Colour::green, -1},
                                   {"launches", Colour::grey, 1}};

/// In the order of the looks.
std::vector<std::optional<double>> terms_of(const Prediction& prediction) {
  std::vector<std::optional<double>> terms;
  for (Level level : all_levels) terms.push_back(term_seconds(prediction, level));
  terms.push_back(launch_seconds(prediction));
  return terms;
}

/// Stacked terms, each divided by `unit_of` its prediction. Terms that no prediction has are omitted.
template <class UnitOf>
std::vector<Layer> stacked_terms(const std::vector<PredictedPoint>& predicted, UnitOf unit_of) {
  std::vector<Layer> layers;
  for (const TermLook& look : term_looks)
    layers.push_back(
        {.label = look.label, .style = Style::boxes, .colour = look.colour, .pattern = look.pattern});
  std::vector<bool> present(layers.size());
  for (const auto& [x, prediction] : predicted) {
    double top = 0;
    const auto terms = terms_of(prediction);
    for (std::size_t k = 0; k < terms.size(); ++k) {
      present[k] = present[k] || terms[k];
      const double height = terms[k].value_or(0) / unit_of(prediction);
      layers[k].points.emplace_back(x, top + height, top, top + height);
      top += height;
    }
  }
  std::vector<Layer> kept;
  for (std::size_t k = 0; k < layers.size(); ++k)
    if (present[k]) kept.push_back(std::move(layers[k]));
  return kept;
}

std::optional<Figure> terms_over_n(const Subject& subject, const std::vector<Configuration>& configurations,
                                   const std::string& device) {
  const ThroughputCurve curve = throughput_curve(subject, configurations);
  if (curve.predicted.empty()) return std::nullopt;
  // Other sizes would make the bars too narrow.
  std::vector<PredictedPoint> powers;
  int exponent;
  for (const PredictedPoint& point : curve.predicted.front().points)
    if (std::frexp(point.x, &exponent) == 0.5) powers.push_back(point);
  if (powers.size() < 2) return std::nullopt;
  return term_shares_figure(
      "terms-" + subject.id(),
      fmt::format("{} {} on {}: where the time goes", curve.label, subject.type, device), powers);
}

/// At the largest n swept, over the swept parameter, with the fastest values of the others.
std::optional<Figure> terms_over_parameter(const Subject& subject,
                                           const std::vector<Configuration>& configurations,
                                           const std::string& device) {
  const std::vector<Sweep> swept = sweeps(configurations);
  if (swept.empty()) return std::nullopt;
  const Sweep& largest = swept.back();
  const auto fastest = std::min_element(
      largest.by_others.begin(), largest.by_others.end(),
      [](const auto& a, const auto& b) { return fastest_s(a.second) < fastest_s(b.second); });
  const SweepCurve curve = sweep_curve(largest.parameter, fastest->first, fastest->second);
  if (curve.predicted.empty()) return std::nullopt;
  return terms_figure("terms-" + sweep_id(subject, largest),
                      fmt::format("{}{}{} at n = {}, on {}: where the time goes", subject.words(),
                                  curve.label.empty() ? "" : ", ", curve.label, elements(largest.n), device),
                      sweep_axis(subject, largest), curve.predicted, curve.measured);
}

}  // namespace

Figure terms_figure(const std::string& id, const std::string& title, const Axis& x,
                    const std::vector<PredictedPoint>& predicted,
                    const std::vector<MeasuredPoint>& measured) {
  double longest = 0;
  for (const PredictedPoint& point : predicted) longest = std::max(longest, predicted_time(point));
  const TimeUnit unit = time_unit(longest / 4);
  std::vector<Point> totals, times;
  for (const PredictedPoint& point : predicted)
    totals.emplace_back(point.x, predicted_time(point) / unit.seconds);
  for (const MeasuredPoint& point : measured)
    times.emplace_back(point.x, measured_time(point) / unit.seconds);
  Figure figure{.id = id,
                .title = title,
                .description =
                    "The terms of the predicted time as stacked bars, the predicted time as a line, and the "
                    "measured times as markers. Where terms overlap, the time is less than their sum.",
                .x = x,
                .y = {.label = fmt::format("time ({})", unit.symbol)},
                .layers = stacked_terms(predicted, [&](const Prediction&) { return unit.seconds; })};
  figure.layers.push_back(line("predicted time", Colour::black, totals));
  figure.layers.push_back(markers("measured", Colour::vermillion, Marker::circle, times));
  return figure;
}

Figure term_shares_figure(const std::string& id, const std::string& title,
                          const std::vector<PredictedPoint>& predicted) {
  return {.id = id,
          .title = title,
          .description =
              "Share of every term in the predicted time against the number of elements, as stacked bars.",
          .x = {.label = elements_axis, .scale = Scale::log2},
          .y = {.label = "share of the terms' sum (%)", .low = 0, .high = 100},
          .layers = stacked_terms(
              predicted, [](const Prediction& prediction) { return sum_of_terms(prediction) / 100; })};
}

std::vector<FigureOrMissing> terms_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  for (const auto& [subject, configurations] : configurations(input)) {
    if (auto figure = terms_over_n(subject, configurations, input.profile.name)) all.push_back(*figure);
    if (auto figure = terms_over_parameter(subject, configurations, input.profile.name))
      all.push_back(*figure);
  }
  if (all.empty())
    all.push_back(Missing{"Time split into its terms", "nothing was predicted at several sizes or parameters",
                          bench_sizes_command});
  return all;
}

}  // namespace fathom::reports
