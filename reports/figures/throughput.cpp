// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/registry.h>
#include <fathom/reports/figures/throughput.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace fathom::reports {
namespace {

constexpr const char* throughput_axis = "throughput (10⁹ elements/s)";

// In 10^9 elements/s.
double rate(double n, double seconds) {
  return n / seconds / 1e9;
}

std::vector<Point> predicted_rates(const std::vector<PredictedPoint>& predicted) {
  std::vector<Point> points;
  for (const auto& [n, prediction] : predicted) points.emplace_back(n, rate(n, prediction.time_s));
  return points;
}

std::vector<Point> predicted_rate_band(const std::vector<PredictedPoint>& predicted) {
  std::vector<Point> points;
  for (const auto& [n, prediction] : predicted)
    if (prediction.interval_s)
      points.emplace_back(n, rate(n, prediction.time_s), rate(n, prediction.interval_s->high),
                          rate(n, prediction.interval_s->low));
  return points;
}

std::vector<Point> measured_rates(const std::vector<MeasuredPoint>& measured) {
  std::vector<Point> points;
  for (const auto& [n, seconds] : measured)
    points.emplace_back(n, rate(n, seconds.median), rate(n, seconds.high), rate(n, seconds.low));
  return points;
}

double highest(const std::vector<Point>& points) {
  double highest = 0;
  for (const Point& point : points) highest = std::max(highest, point.y);
  return highest;
}

double highest_end(const std::vector<Point>& band) {
  double highest = 0;
  for (const Point& point : band) highest = std::max(highest, point.high);
  return highest;
}

/// Top of the axis. A law that is far off (the published one at small n) or a wide interval must not compress
/// the other curves: it is cut off at twice the highest rate measured or predicted by the first law.
std::optional<double> top_rate(const ThroughputCurve& curve) {
  if (curve.predicted.empty()) return std::nullopt;
  const double trusted = std::max(highest(measured_rates(curve.measured)),
                                  highest(predicted_rates(curve.predicted.front().points)));
  double top = 0;
  for (const ThroughputCurve::Law& law : curve.predicted)
    top = std::max({top, highest(predicted_rates(law.points)), highest_end(predicted_rate_band(law.points))});
  return top > 2 * trusted ? std::optional(2 * trusted) : std::nullopt;
}

/// One algorithm: every law, its band, and the measured points, with the baselines behind them.
std::vector<Layer> single_curve(const ThroughputCurve& curve, const std::vector<ThroughputCurve>& baselines) {
  std::vector<Layer> layers, lines;
  for (const auto& [law, points] : curve.predicted) {
    if (auto band = predicted_rate_band(points); !band.empty())
      layers.push_back(interval_band(colour_of(law), std::move(band)));
    lines.push_back(
        line(fmt::format("predicted, {}", name(law)), colour_of(law), predicted_rates(points), dash_of(law)));
  }
  layers.insert(layers.end(), lines.begin(), lines.end());
  for (std::size_t k = 0; k < baselines.size(); ++k) {
    const std::vector<Point> rates = measured_rates(baselines[k].measured);
    layers.push_back(line("", Colour::green, rates, 2, 1.2));
    layers.push_back(markers(baselines[k].label + ", measured", Colour::green, nth_marker(k + 1), rates));
  }
  if (!curve.measured.empty())
    layers.push_back(
        markers("measured, quartiles", Colour::black, Marker::circle, measured_rates(curve.measured)));
  return layers;
}

/// Several algorithms: the first law of each, without bands. Markers without a prediction are joined by a
/// dotted line.
std::vector<Layer> several_curves(const std::vector<ThroughputCurve>& curves) {
  std::vector<Layer> layers;
  std::set<LawName> laws;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const ThroughputCurve& curve = curves[k];
    const Colour colour = nth_colour(k);
    if (!curve.predicted.empty()) {
      const auto& [law, points] = curve.predicted.front();
      laws.insert(law);
      const std::string label = curve.measured.empty() ? curve.label : "";
      layers.push_back(line(label, colour, predicted_rates(points), nth_dash(k)));
    } else {
      layers.push_back(line("", colour, measured_rates(curve.measured), 2, 1.2));
    }
    if (!curve.measured.empty())
      layers.push_back(markers(curve.label, colour, nth_marker(k), measured_rates(curve.measured)));
  }
  if (!laws.empty()) layers.push_back(legend_of_predictions(laws));
  return layers;
}

/// Which configurations a curve has: those with these parameters; or, of an algorithm whose defaults depend
/// on n, those at their defaults.
struct Shown {
  std::optional<NamedValues> parameters{};

  bool has(const Configuration& one) const {
    return parameters ? one.parameters == *parameters : one.at_defaults;
  }
  auto operator<=>(const Shown&) const = default;
};

/// The parameters that cover the most sizes; among several, those that are fastest at the largest size.
Shown shown_in(const std::vector<Configuration>& all) {
  std::map<Shown, std::set<double>> sizes;
  std::set<NamedValues> defaults;
  std::size_t most = 0;
  double largest = 0;
  const auto covers = [&](const Shown& shown, double n) {
    auto& covered = sizes[shown];
    covered.insert(n);
    most = std::max(most, covered.size());
  };
  for (const Configuration& one : all) {
    covers({one.parameters}, one.n);
    if (one.at_defaults) covers({}, one.n), defaults.insert(one.parameters);
    largest = std::max(largest, one.n);
  }
  if (defaults.size() == 1) sizes.erase(Shown{});  // the same as by their values
  const auto seconds_at_largest = [&](const Shown& shown) {
    for (const Configuration& one : all)
      if (one.n == largest && shown.has(one)) return seconds_of(one);
    return std::numeric_limits<double>::infinity();
  };
  std::erase_if(sizes, [&](const auto& entry) { return entry.second.size() < most; });
  const auto fastest = std::min_element(sizes.begin(), sizes.end(), [&](const auto& a, const auto& b) {
    return seconds_at_largest(a.first) < seconds_at_largest(b.first);
  });
  return fastest == sizes.end() ? Shown{NamedValues{}} : fastest->first;
}

bool has_several_sizes(const ThroughputCurve& curve) {
  const auto several = [](const auto& points) { return points.size() > 1; };
  return several(curve.measured) ||
         std::any_of(curve.predicted.begin(), curve.predicted.end(),
                     [&](const ThroughputCurve::Law& law) { return several(law.points); });
}

/// Algorithms of the same kind and type, measured and without a prediction.
std::vector<ThroughputCurve> baselines_of(const Subject& of, const BySubject& all) {
  std::vector<ThroughputCurve> curves;
  for (const auto& [subject, configurations] : all) {
    if (subject.type != of.type || kind_name(subject.algorithm) != kind_name(of.algorithm)) continue;
    ThroughputCurve curve = throughput_curve(subject, configurations);
    if (curve.predicted.empty() && has_several_sizes(curve)) curves.push_back(std::move(curve));
  }
  return curves;
}

/// By kind and type.
using CurvesByKind = std::map<std::pair<std::string, std::string>, std::vector<ThroughputCurve>>;

/// Reductions and scans of one type in one figure: a scan moves twice the bytes of a reduction, and the
/// slowest takes a hundred times as long as the fastest, hence the logarithmic axis.
void add_reductions_and_scans(std::vector<FigureOrMissing>& all, const CurvesByKind& by_kind,
                              const std::string& device) {
  for (const auto& [key, reductions] : by_kind) {
    const auto& [kind, type] = key;
    const auto scans = by_kind.find({std::string(name(Kind::scan)), type});
    if (kind != name(Kind::reduce) || scans == by_kind.end()) continue;
    std::vector<ThroughputCurve> curves = reductions;
    curves.insert(curves.end(), scans->second.begin(), scans->second.end());
    for (ThroughputCurve& curve : curves)  // its parameters are in the figure of its own kind
      curve.label = curve.label.substr(0, curve.label.find(' '));
    Figure figure =
        throughput_figure(algorithms_figure_id("reduce-and-scan", type),
                          fmt::format("All reductions and scans, {}, on {}", type, device), curves);
    figure.y.scale = Scale::log2;
    all.push_back(std::move(figure));
  }
}

}  // namespace

Figure throughput_figure(const std::string& id, const std::string& title,
                         const std::vector<ThroughputCurve>& curves,
                         const std::vector<ThroughputCurve>& baselines) {
  std::size_t without_work = 0;
  for (const ThroughputCurve& curve : curves) without_work += curve.without_work;
  return {
      .id = id,
      .title = title,
      .description =
          "Throughput in elements per second against the number of elements, predicted as lines and "
          "measured as markers with quartile bars.",
      .note = left_out_note(without_work),
      .x = {.label = elements_axis, .scale = Scale::log2},
      .y = {.label = throughput_axis, .high = curves.size() == 1 ? top_rate(curves.front()) : std::nullopt},
      .layers = curves.size() == 1 ? single_curve(curves.front(), baselines) : several_curves(curves)};
}

ThroughputCurve throughput_curve(const Subject& subject, const std::vector<Configuration>& all) {
  const Shown shown = shown_in(all);
  ThroughputCurve curve;
  curve.label = subject.algorithm;
  if (!shown.parameters)
    curve.label += " (defaults)";
  else if (!shown.parameters->empty())
    curve.label += fmt::format(" ({})", parameters(*shown.parameters));
  for (LawName law : drawn_laws) {
    ThroughputCurve::Law of_law{law, {}};
    for (const Configuration& one : all)
      if (shown.has(one) && one.predicted.contains(law))
        of_law.points.push_back({one.n, *one.predicted.at(law)});
    if (!of_law.points.empty()) curve.predicted.push_back(std::move(of_law));
  }
  curve.without_work = std::size_t(std::ranges::count_if(
      all, [&](const Configuration& one) { return shown.has(one) && one.without_work; }));
  for (const Configuration& one : all)
    if (shown.has(one) && one.run) curve.measured.push_back({one.n, quartiles(one.run->seconds)});
  return curve;
}

std::vector<FigureOrMissing> throughput_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  const BySubject by_subject = configurations(input);
  for (const auto& [subject, of_subject] : by_subject) {
    const ThroughputCurve curve = throughput_curve(subject, of_subject);
    const bool is_baseline = curve.predicted.empty() && find_descriptor(subject.algorithm);
    if (is_baseline || !has_several_sizes(curve)) continue;  // baselines are drawn with the others
    Figure figure = throughput_figure(
        "throughput-" + subject.id(),
        fmt::format("{} {} on {}", curve.label, subject.type, input.profile.name), {curve},
        curve.predicted.empty() ? std::vector<ThroughputCurve>{} : baselines_of(subject, by_subject));
    figure.of = {.algorithm = subject.algorithm, .type = subject.type};
    all.push_back(std::move(figure));
  }
  if (all.empty())
    all.push_back(Missing{"Throughput against n", "no algorithm was predicted or measured at several sizes",
                          bench_sizes_command});
  return all;
}

std::vector<FigureOrMissing> algorithm_figures(const ReportInput& input) {
  CurvesByKind by_kind;
  for (const auto& [subject, configurations] : configurations(input))
    if (ThroughputCurve curve = throughput_curve(subject, configurations); has_several_sizes(curve))
      by_kind[{kind_name(subject.algorithm), subject.type}].push_back(std::move(curve));
  std::vector<FigureOrMissing> all;
  add_reductions_and_scans(all, by_kind, input.profile.name);
  for (const auto& [key, curves] : by_kind) {
    const auto& [kind, type] = key;
    if (curves.size() < 2) continue;
    all.push_back(throughput_figure(
        algorithms_figure_id(kind, type),
        fmt::format("Throughput of {} algorithms, {}, on {}", kind, type, input.profile.name), curves));
  }
  if (all.empty())
    all.push_back(Missing{"Algorithms compared", "no two algorithms of a kind were measured at several sizes",
                          bench_sizes_command});
  return all;
}

std::string algorithms_figure_id(const std::string& kind, const std::string& type) {
  return "algorithms-" + Subject{kind, type}.id();
}

}  // namespace fathom::reports
