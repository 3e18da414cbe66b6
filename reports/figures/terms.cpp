// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/terms.h>

#include <fathom/reports/figures/sweeps.h>
#include <fathom/reports/figures/throughput.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace fathom::reports {
namespace {

// Fill patterns of gnuplot.
constexpr int solid = -1, crossed = 1, hatched = 4;

/// A part of the predicted time, and how its boxes look.
struct Part {
  std::string_view label;
  Colour colour;
  int pattern;
  double seconds;
};

struct Look {
  Resource resource;
  Colour colour;
  int pattern;
};
// Those that rarely matter share a colour with a kindred one.
constexpr std::array looks{
    Look{Resource::dram, Colour::blue, solid},         Look{Resource::l2, Colour::sky, solid},
    Look{Resource::shared, Colour::orange, solid},     Look{Resource::alu, Colour::green, solid},
    Look{Resource::fma, Colour::green, hatched},       Look{Resource::issue, Colour::vermillion, solid},
    Look{Resource::barriers, Colour::purple, hatched}, Look{Resource::in_flight, Colour::sky, hatched},
    Look{Resource::atomics, Colour::orange, hatched},  Look{Resource::starts, Colour::black, hatched},
    Look{Resource::waiting, Colour::purple, solid},    Look{Resource::link, Colour::vermillion, hatched}};
static_assert(looks.size() == all_resources.size(), "every resource has a look");

Part part_of(Resource resource, double seconds) {
  const Look& look = *std::ranges::find(looks, resource, &Look::resource);
  return {in_words(resource), look.colour, look.pattern, seconds};
}

Part part_of(Level level, double seconds) {
  switch (level) {
    case Level::global:
      return {"global", Colour::blue, solid, seconds};
    case Level::shared:
      return {"shared", Colour::orange, solid, seconds};
    case Level::registers:
      return {"registers", Colour::green, solid, seconds};
    case Level::l2:
      break;  // no formula counts its accesses
  }
  throw std::logic_error("a level has no colour");
}

Part launches(double seconds) {
  return {"launches", Colour::grey, solid, seconds};
}

/// Launches and resources, or levels: as many for every prediction of a law.
std::vector<Part> parts_of(const Prediction& prediction) {
  std::vector<Part> parts;
  const TimeShares shares = time_shares(prediction);
  if (prediction.resources) {
    parts.push_back(launches(shares.launch_s));
    for (const Resource resource : all_resources)
      parts.push_back(part_of(resource, shares.resource_s[std::size_t(resource)]));
  } else {
    for (const Level level : formula_levels)
      parts.push_back(part_of(level, shares.level_s[std::size_t(level)]));
  }
  return parts;
}

double sum(const std::vector<Part>& parts) {
  double seconds = 0;
  for (const Part& part : parts) seconds += part.seconds;
  return seconds;
}

/// The largest share of each part in the parts of one point.
std::vector<double> largest_shares(const std::vector<std::vector<Part>>& points) {
  std::vector<double> shares;
  for (const auto& parts : points) {
    const double all = sum(parts);
    shares.resize(parts.size());
    for (std::size_t k = 0; k < parts.size(); ++k) shares[k] = std::max(shares[k], parts[k].seconds / all);
  }
  return shares;
}

constexpr std::size_t most_parts = 7;  ///< more cannot be told apart
constexpr std::string_view others = "other";

/// Leaves the parts with the largest shares anywhere, at most so many, and `others`; none that is 0
/// everywhere.
void group_small_ones(std::vector<std::vector<Part>>& points) {
  const std::vector<double> shares = largest_shares(points);
  std::vector<double> ranked = shares;
  std::ranges::sort(ranked, std::greater());
  const double least = ranked.size() > most_parts ? ranked[most_parts - 1] : 0;
  for (auto& parts : points) {
    std::vector<Part> kept;
    Part rest{others, Colour::grey, crossed, 0};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (shares[k] == 0) continue;
      if (shares[k] >= least)
        kept.push_back(parts[k]);
      else
        rest.seconds += parts[k].seconds;
    }
    const bool any_small =
        std::ranges::any_of(shares, [&](double share) { return 0 < share && share < least; });
    if (any_small) kept.push_back(rest);
    parts = std::move(kept);
  }
}

Layer boxes(std::string_view label, Colour colour, int pattern) {
  return {.label = std::string(label), .style = Style::boxes, .colour = colour, .pattern = pattern};
}

/// Stacked parts, each divided by `unit_of` its prediction.
template <class UnitOf>
std::vector<Layer> stacked_parts(const std::vector<PredictedPoint>& predicted, UnitOf unit_of) {
  std::vector<std::vector<Part>> points;
  for (const PredictedPoint& point : predicted) points.push_back(parts_of(point.prediction));
  group_small_ones(points);
  std::vector<Layer> layers;
  for (const Part& part : points.front()) layers.push_back(boxes(part.label, part.colour, part.pattern));
  Layer in_turn = boxes("one after another", Colour::black, crossed);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double x = predicted[i].x;
    const Prediction& prediction = predicted[i].prediction;
    const double unit = unit_of(prediction);
    double top = 0;
    const auto stack = [&](Layer& layer, double seconds) {
      const double height = seconds / unit;
      layer.points.emplace_back(x, top + height, top, top + height);
      top += height;
    };
    for (std::size_t k = 0; k < layers.size(); ++k) stack(layers[k], points[i][k].seconds);
    if (const double seconds = time_shares(prediction).in_turn_s; seconds > 0) stack(in_turn, seconds);
  }
  if (!in_turn.points.empty()) layers.push_back(std::move(in_turn));
  return layers;
}

/// " The bottleneck is launches up to n = 2^14, then DRAM: there, at n = 2^28, 10 % faster saves 5.5 %."
std::string bottlenecks_in_words(const std::vector<PredictedPoint>& predicted) {
  std::string words, current;
  double until = 0;
  for (const auto& [n, prediction] : predicted) {
    if (!prediction.bound) return "";
    const std::string next = in_words(*prediction.bound);
    if (!current.empty() && next != current)
      words += fmt::format("{} up to n = {}, then ", current, elements(until));
    current = next;
    until = n;
  }
  const Prediction& last = predicted.back().prediction;
  return fmt::format(" The bottleneck is {}{}: there, at n = {}, 10 % faster saves {}.", words, current,
                     elements(until), percent(last.bound->saved_s / last.time_s));
}

std::string meaning_of_parts(const std::vector<PredictedPoint>& predicted) {
  if (!predicted.front().prediction.resources) return "The parts are the levels of memory.";
  return "They add up to the time: first launches, then the resource that takes longest, then each as far as "
         "it takes longer than those before it. What works at the same time as a longer one is not seen.";
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
  Figure figure = term_shares_figure("terms-" + subject.id(),
                                     fmt::format("{} {} on {}: where the time goes, law {}", curve.label,
                                                 subject.type, device, name(curve.predicted.front().name)),
                                     powers);
  figure.of = {.algorithm = subject.algorithm, .type = subject.type};
  figure.note = left_out_note(curve.without_work);
  return figure;
}

/// At the largest n swept, over the swept parameter, with the fastest values of the others.
std::optional<Figure> terms_over_parameter(const Subject& subject,
                                           const std::vector<Configuration>& configurations,
                                           const std::string& device) {
  const std::vector<Sweep> swept = sweeps(configurations);
  if (swept.empty()) return std::nullopt;
  const Sweep& largest = *std::ranges::find(swept, swept.back().n, &Sweep::n);
  const auto fastest = std::min_element(
      largest.by_others.begin(), largest.by_others.end(),
      [](const auto& a, const auto& b) { return fastest_s(a.second) < fastest_s(b.second); });
  const SweepCurve curve = sweep_curve(largest.parameter, fastest->first, fastest->second);
  if (curve.predicted.empty()) return std::nullopt;
  Figure figure = terms_figure(
      "terms-" + sweep_id(subject, largest),
      fmt::format("{}{}{} at n = {}, on {}: where the time goes, law {}", subject.words(),
                  curve.label.empty() ? "" : ", ", curve.label, elements(largest.n), device, name(curve.law)),
      sweep_axis(subject, largest), curve.predicted, curve.measured);
  figure.of = {subject.algorithm, subject.type, largest.parameter, largest.n};
  figure.note = left_out_note(curve.without_work);
  return figure;
}

}  // namespace

Figure terms_figure(const std::string& id, const std::string& title, const Axis& x,
                    const std::vector<PredictedPoint>& predicted,
                    const std::vector<MeasuredPoint>& measured) {
  double longest = 0;
  for (const PredictedPoint& point : predicted) longest = std::max(longest, predicted_time(point));
  for (const MeasuredPoint& point : measured) longest = std::max(longest, measured_time(point));
  const TimeUnit unit = time_unit(longest / 4);
  std::vector<Point> totals, times;
  for (const PredictedPoint& point : predicted)
    totals.emplace_back(point.x, predicted_time(point) / unit.seconds);
  for (const MeasuredPoint& point : measured)
    times.emplace_back(point.x, measured_time(point) / unit.seconds);
  Figure figure{
      .id = id,
      .title = title,
      .description = fmt::format("Parts of the predicted time as stacked bars, the predicted time as "
                                 "a line, and the measured times as markers. {}",
                                 meaning_of_parts(predicted)),
      .x = x,
      .y = {.label = fmt::format("time ({})", unit.symbol)},
      .layers = stacked_parts(predicted, [&](const Prediction&) { return unit.seconds; })};
  figure.layers.push_back(line("predicted time", Colour::black, totals));
  figure.layers.push_back(markers("measured", Colour::black, Marker::circle, times));
  return figure;
}

Figure term_shares_figure(const std::string& id, const std::string& title,
                          const std::vector<PredictedPoint>& predicted) {
  const auto unit = [](const Prediction& prediction) { return prediction.time_s / 100; };
  return {.id = id,
          .title = title,
          .description = fmt::format("Parts of the predicted time against the number of elements, in per "
                                     "cent of the time. {}{}",
                                     meaning_of_parts(predicted), bottlenecks_in_words(predicted)),
          .x = {.label = elements_axis, .scale = Scale::log2},
          .y = {.label = "share of the predicted time (%)", .high = 100},
          .layers = stacked_parts(predicted, unit)};
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
