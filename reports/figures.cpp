#include <fathom/reports/figures.h>

#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace fathom::reports {
namespace {

constexpr const char* elements_axis = "n, elements";
constexpr const char* throughput_axis = "throughput (10⁹ elements/s)";

Layer line(std::string label, Colour colour, std::vector<Point> points, int dash = 0, double width = 2) {
  return {.label = std::move(label),
          .style = Style::line,
          .colour = colour,
          .points = std::move(points),
          .dash = dash,
          .width = width};
}
Layer markers(std::string label, Colour colour, Marker marker, std::vector<Point> points) {
  return {.label = std::move(label),
          .style = Style::points,
          .colour = colour,
          .points = std::move(points),
          .marker = marker};
}
Layer legend_line(std::string label, int dash) {
  return {.label = std::move(label),
          .style = Style::legend_only,
          .colour = Colour::grey,
          .size = 0,
          .dash = dash};
}
Layer legend_marker(std::string label, Marker marker, bool hollow) {
  return {.label = std::move(label),
          .style = Style::legend_only,
          .colour = Colour::grey,
          .marker = marker,
          .hollow = hollow};
}
/// A single point that stands out of its curve.
Layer highlight(std::string label, Marker marker, Point point) {
  Layer layer = markers(std::move(label), Colour::black, marker, {point});
  layer.hollow = true;
  layer.size = 1.5;
  return layer;
}

// 10^9 elements/s for n elements in so many seconds.
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

/// Top of the axis: a law that is far off, as the published one for small n, must not squeeze the others; it
/// leaves the picture at twice what was measured (or what the first law predicts).
std::optional<double> top_rate(const ThroughputCurve& curve) {
  const auto fastest = [](double so_far, const std::vector<Point>& points) {
    for (const Point& point : points) so_far = std::max(so_far, point.y);
    return so_far;
  };
  if (curve.predicted.empty()) return std::nullopt;
  const double trusted =
      fastest(fastest(0, measured_rates(curve.measured)), predicted_rates(curve.predicted.front().points));
  double highest = 0;
  for (const ThroughputCurve::Law& law : curve.predicted)
    highest = fastest(highest, predicted_rates(law.points));
  return highest > 2 * trusted ? std::optional(2 * trusted) : std::nullopt;
}

/// One algorithm: every law, its band, and the measured points, with the baselines behind them.
std::vector<Layer> single_curve(const ThroughputCurve& curve, const std::vector<ThroughputCurve>& baselines) {
  std::vector<Layer> bands, lines;
  for (const auto& [law, points] : curve.predicted) {
    const Colour colour = law == LawName::calibrated ? Colour::blue : Colour::vermillion;
    const int dash = law == LawName::calibrated ? 0 : 1;
    if (auto band = predicted_rate_band(points); !band.empty())
      bands.push_back(
          {.label = "95 % interval", .style = Style::band, .colour = colour, .points = std::move(band)});
    lines.push_back(line(fmt::format("predicted, {}", law_name(law)), colour, predicted_rates(points), dash));
  }
  std::vector<Layer> layers = std::move(bands);
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

/// Several algorithms: the first law of each, without bands; what has no prediction is joined by a dotted
/// line.
std::vector<Layer> several_curves(const std::vector<ThroughputCurve>& curves) {
  std::vector<Layer> layers;
  bool has_predicted = false;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const ThroughputCurve& curve = curves[k];
    const Colour colour = nth_colour(k);
    if (!curve.predicted.empty()) {
      has_predicted = true;
      const std::string label = curve.measured.empty() ? curve.label : "";
      layers.push_back(line(label, colour, predicted_rates(curve.predicted.front().points)));
    } else {
      layers.push_back(line("", colour, measured_rates(curve.measured), 2, 1.2));
    }
    if (!curve.measured.empty())
      layers.push_back(markers(curve.label, colour, nth_marker(k), measured_rates(curve.measured)));
  }
  if (has_predicted) layers.push_back(legend_line("predicted", 0));
  return layers;
}

template <class Points, class TimeOf>
std::optional<Point> fastest(const Points& points, TimeOf time_of, double unit) {
  if (points.empty()) return std::nullopt;
  const auto best = std::min_element(points.begin(), points.end(),
                                     [&](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
  return Point(best->x, time_of(*best) / unit);
}

double predicted_time(const PredictedPoint& point) {
  return point.prediction.time_s;
}
double measured_time(const MeasuredPoint& point) {
  return point.seconds.median;
}

/// (a^s + b^s)^(1/s), the max where s is absent.
double smooth_maximum(double a, double b, const std::optional<double>& s) {
  const double larger = std::max(a, b), smaller = std::min(a, b);
  // The larger is taken out of the power, which would overflow for a sharp knee.
  return s ? larger * std::pow(1 + std::pow(smaller / larger, *s), 1 / *s) : larger;
}

/// τ of models.md §9 in clocks: ((X/B)^s + (L/I + c)^s)^(1/s).
double law_clocks(const LevelConstants<double>& of, double X, double I) {
  return smooth_maximum(X / *of.bandwidth, *of.latency / I + of.issue.value_or(0), of.sharpness);
}

/// The same for a shared access at I = 1 that conflicts β-fold: it takes β slots, and its last data come β −
/// 1 slots of the multiprocessor's pipeline late (models.md §8), as model/predict.cpp has it.
double conflict_clocks(const Machine<double>& machine, double X, double beta) {
  const LevelConstants<double>& of = machine.at(Level::shared);
  const double slot = machine.warp_width / (*of.bandwidth * machine.cores_per_multiprocessor);
  return smooth_maximum(X * beta / *of.bandwidth, *of.latency + of.issue.value_or(0) + (beta - 1) * slot,
                        of.sharpness);
}

std::vector<Tick> byte_ticks(double low, double high) {
  const int first = int(std::ceil(std::log2(low))), last = int(std::floor(std::log2(high)));
  const int step = 1 + (last - first) / 8;
  std::vector<Tick> ticks;
  for (int k = first; k <= last; k += step) ticks.push_back({std::exp2(k), bytes(std::exp2(k))});
  return ticks;
}

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

std::vector<std::optional<double>> terms_of(const Prediction& prediction) {
  std::vector<std::optional<double>> terms;
  for (Level level : all_levels) terms.push_back(term_seconds(prediction, level));
  terms.push_back(launch_seconds(prediction));
  return terms;
}

/// Terms stacked on one another, each prediction's divided by `unit_of` it. Terms no prediction has are left
/// out.
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

}  // namespace

Figure throughput_figure(const std::string& id, const std::string& title,
                         const std::vector<ThroughputCurve>& curves,
                         const std::vector<ThroughputCurve>& baselines) {
  return {
      .id = id,
      .title = title,
      .description =
          "Throughput in elements per second against the number of elements, predicted as lines and "
          "measured as markers with quartile bars.",
      .x = {.label = elements_axis, .scale = Scale::log2},
      .y = {.label = throughput_axis, .high = curves.size() == 1 ? top_rate(curves.front()) : std::nullopt},
      .layers = curves.size() == 1 ? single_curve(curves.front(), baselines) : several_curves(curves)};
}

Figure sweep_figure(const std::string& id, const std::string& title, const Axis& parameter,
                    const std::vector<SweepCurve>& curves) {
  std::vector<PredictedPoint> predicted;
  std::vector<MeasuredPoint> measured;
  for (const SweepCurve& curve : curves) {
    predicted.insert(predicted.end(), curve.predicted.begin(), curve.predicted.end());
    measured.insert(measured.end(), curve.measured.begin(), curve.measured.end());
  }
  double longest = 0;
  for (const PredictedPoint& point : predicted) longest = std::max(longest, predicted_time(point));
  for (const MeasuredPoint& point : measured) longest = std::max(longest, point.seconds.high);
  const TimeUnit unit = time_unit(longest / 4);  // the lower part of the axis is where one looks

  Figure figure{
      .id = id,
      .title = title,
      .description = fmt::format("Time against {}, predicted as lines and measured as markers; the best "
                                 "predicted and the best measured point are marked.",
                                 parameter.label),
      .x = parameter,
      .y = {.label = fmt::format("time ({})", unit.symbol)},
      .layers = {}};
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const SweepCurve& curve = curves[k];
    const Colour colour = nth_colour(k);
    std::vector<Point> line_points, marker_points;
    for (const PredictedPoint& point : curve.predicted)
      line_points.emplace_back(point.x, predicted_time(point) / unit.seconds);
    for (const auto& [x, seconds] : curve.measured)
      marker_points.emplace_back(x, seconds.median / unit.seconds, seconds.low / unit.seconds,
                                 seconds.high / unit.seconds);
    const bool only_predicted = marker_points.empty();
    figure.layers.push_back(line(only_predicted ? curve.label : "", colour, line_points));
    figure.layers.push_back(markers(curve.label, colour, nth_marker(k), marker_points));
  }
  if (!predicted.empty()) figure.layers.push_back(legend_line("predicted", 0));
  if (!measured.empty()) figure.layers.push_back(legend_marker("measured", Marker::circle, false));
  if (const auto best = fastest(predicted, predicted_time, unit.seconds))
    figure.layers.push_back(highlight(fmt::format("best predicted: {:g}", best->x), Marker::diamond, *best));
  if (const auto best = fastest(measured, measured_time, unit.seconds))
    figure.layers.push_back(highlight(fmt::format("best measured: {:g}", best->x), Marker::square, *best));
  return figure;
}

Figure saturation_figure(const std::string& id, const std::string& title,
                         const LevelConstants<double>& constants,
                         const std::vector<SaturationSample>& samples) {
  Figure figure{
      .id = id,
      .title = title,
      .description =
          "Words per clock and core against parallelism X times I: measured points, and the "
          "fitted law as lines, rising with latency and level at the bandwidth.",
      .x = {.label = "parallelism X·I (threads per core × independent accesses)", .scale = Scale::log2},
      .y = {.label = "words per clock and core"},
      .layers = {}};
  std::set<double> all_I;
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  for (const SaturationSample& sample : samples) {
    all_I.insert(sample.I);
    lowest = std::min(lowest, sample.X * sample.I);
    highest = std::max(highest, sample.X * sample.I);
  }
  const bool has_law = constants.latency && constants.bandwidth;
  std::size_t k = 0;
  for (double I : all_I) {
    std::vector<Point> measured, law;
    double least_X = std::numeric_limits<double>::infinity(), most_X = 0;
    for (const SaturationSample& sample : samples) {
      if (sample.I != I) continue;
      measured.emplace_back(sample.X * I, sample.X / sample.clocks_per_access);
      least_X = std::min(least_X, sample.X);
      most_X = std::max(most_X, sample.X);
    }
    constexpr int steps = 60;
    for (int step = 0; has_law && step <= steps; ++step) {
      const double X = least_X * std::pow(most_X / least_X, double(step) / steps);
      law.emplace_back(X * I, X / law_clocks(constants, X, I));
    }
    figure.layers.push_back(line("", nth_colour(k), law));
    figure.layers.push_back(
        markers(fmt::format("measured, I = {:g}", I), nth_colour(k), nth_marker(k), measured));
    ++k;
  }
  if (has_law) {
    const double B = *constants.bandwidth, knee = *constants.latency * B;
    figure.layers.push_back(legend_line("fitted law", 0));
    figure.layers.push_back(
        line(fmt::format("B = {}", significant(B)), Colour::black, {{lowest, B}, {highest, B}}, 1, 1));
    figure.layers.push_back(
        line(fmt::format("knee L·B = {}", significant(knee)), Colour::black, {{knee, 0}, {knee, B}}, 2, 1.5));
  }
  return figure;
}

Figure footprint_figure(const std::string& id, const std::string& title, const Machine<double>& machine,
                        const std::vector<FootprintCurve>& curves) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0, fastest = 0;
  for (const FootprintCurve& curve : curves)
    for (const Point& point : curve.points) {
      smallest = std::min(smallest, point.x);
      largest = std::max(largest, point.x);
      fastest = std::max(fastest, point.y / 1e9);
    }
  Figure figure{.id = id,
                .title = title,
                .description =
                    "Bandwidth in gigabytes per second of one pass over the bytes touched, again and again: "
                    "rising while the start of a launch still counts, high where the bytes fit in the L2, "
                    "falling to that of global memory.",
                .x = {.label = "footprint", .scale = Scale::log2, .ticks = byte_ticks(smallest, largest)},
                .y = {.label = "bandwidth (GB/s)"},
                .layers = {}};
  constexpr Colour colours[] = {Colour::blue, Colour::orange};
  constexpr Marker shapes[] = {Marker::circle, Marker::square};
  const auto upright = [&](const std::string& label, Colour colour, double bytes) {
    return line(label, colour, {{bytes, 0}, {bytes, fastest}}, 2, 1.5);
  };
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::vector<Point> points;
    for (const Point& point : curves[i].points) points.emplace_back(point.x, point.y / 1e9);
    figure.layers.push_back(markers(curves[i].label, colours[i % 2], shapes[i % 2], points));
    if (const auto half = curves[i].half_bytes)
      figure.layers.push_back(upright("half from the L2 at " + bytes(*half), colours[i % 2], *half));
  }
  if (const auto global = bytes_per_second(machine, Level::global))
    figure.layers.push_back(
        line("global B", Colour::vermillion, {{smallest, *global / 1e9}, {largest, *global / 1e9}}, 1, 1.2));
  if (machine.l2_capacity)
    figure.layers.push_back(upright("L2 capacity, " + bytes(machine.l2_capacity->value), Colour::grey,
                                    machine.l2_capacity->value));
  return figure;
}

Figure conflict_figure(const std::string& id, const std::string& title, const Machine<double>& machine,
                       const std::vector<ConflictSample>& samples) {
  const LevelConstants<double>& shared = machine.at(Level::shared);
  std::map<double, std::vector<ConflictSample>> by_X;
  for (const ConflictSample& sample : samples) by_X[sample.X].push_back(sample);
  Figure figure{
      .id = id,
      .title = title,
      .description =
          "Clocks per shared access against the degree of its bank conflicts, measured as markers "
          "and by the law as lines, for several numbers of resident threads. The law's latency is fitted to "
          "the copy sweep, where a thread waits for loads but not for stores: about half of a "
          "load's, which is what a few threads see here.",
      .x = {.label = "conflict degree β", .scale = Scale::log2},
      .y = {.label = "clocks per access of a thread", .scale = Scale::log10}};
  const bool has_law = shared.latency && shared.bandwidth;
  std::size_t k = 0;
  for (const auto& [X, of_X] : by_X) {
    std::vector<Point> measured, law;
    for (const auto& [degree, _, clocks] : of_X) {
      measured.emplace_back(degree, clocks);
      if (has_law) law.emplace_back(degree, conflict_clocks(machine, X, degree));
    }
    figure.layers.push_back(line("", nth_colour(k), law));
    figure.layers.push_back(
        markers(fmt::format("measured, X = {:g}", X), nth_colour(k), nth_marker(k), measured));
    ++k;
  }
  if (has_law) figure.layers.push_back(legend_line("law, fitted to copies", 0));
  return figure;
}

Figure parity_figure(const std::string& id, const std::string& title, const std::vector<ComparedRun>& runs) {
  constexpr double unit = 1e-3;
  struct Group {
    std::vector<Point> fitted, validated;
  };
  std::map<std::string, Group> groups;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const ComparedRun& compared : runs) {
    if (!compared.predicted) continue;
    const Point point(compared.predicted->time_s / unit, compared.measured_s / unit);
    Group& group = groups[compared.run.algorithm + " " + compared.run.type];
    (compared.fitted ? group.fitted : group.validated).push_back(point);
    low = std::min({low, point.x, point.y});
    high = std::max({high, point.x, point.y});
  }
  low /= 1.3;
  high *= 1.3;
  Figure figure{.id = id,
                .title = title,
                .description =
                    "Measured against predicted time of every run, with lines of equality and of ten "
                    "percent either way; runs that took part in a fit are hollow.",
                .x = {.label = "predicted time (ms)", .scale = Scale::log10, .low = low, .high = high},
                .y = {.label = "measured time (ms)", .scale = Scale::log10, .low = low, .high = high},
                .layers = {line("equal", Colour::black, {{low, low}, {high, high}}, 0, 1),
                           line("±10 %", Colour::black, {{low, 1.1 * low}, {high, 1.1 * high}}, 1, 1),
                           line("", Colour::black, {{low, 0.9 * low}, {high, 0.9 * high}}, 1, 1)}};
  std::size_t k = 0;
  bool any_fitted = false;
  std::vector<Layer> validated;
  for (auto& [label, group] : groups) {
    any_fitted = any_fitted || !group.fitted.empty();
    Layer hollow = markers("", nth_colour(k), nth_marker(k), std::move(group.fitted));
    hollow.hollow = true;
    hollow.size = 0.45;
    figure.layers.push_back(std::move(hollow));
    validated.push_back(markers(label, nth_colour(k), nth_marker(k), std::move(group.validated)));
    validated.back().size = 0.45;
    ++k;
  }
  figure.layers.insert(figure.layers.end(), validated.begin(), validated.end());
  if (any_fitted) figure.layers.push_back(legend_marker("hollow: took part in a fit", Marker::circle, true));
  return figure;
}

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
                    "Predicted time split into its terms as stacked bars, with the predicted time they "
                    "make together and the measured times as markers.",
                .x = x,
                .y = {.label = fmt::format("time ({})", unit.symbol)},
                .layers = stacked_terms(predicted, [&](const Prediction&) { return unit.seconds; })};
  figure.layers.push_back(line("predicted time", Colour::black, totals));
  figure.layers.push_back(markers("measured", Colour::vermillion, Marker::circle, times));
  return figure;
}

Figure term_shares_figure(const std::string& id, const std::string& title,
                          const std::vector<PredictedPoint>& predicted) {
  const auto percent_of_sum = [](const Prediction& prediction) {
    double sum = 0;
    for (const auto& term : terms_of(prediction)) sum += term.value_or(0);
    return sum / 100;
  };
  return {.id = id,
          .title = title,
          .description =
              "Share of every term in the predicted time against the number of elements, as stacked bars.",
          .x = {.label = elements_axis, .scale = Scale::log2},
          .y = {.label = "share of the terms' sum (%)", .low = 0, .high = 100},
          .layers = stacked_terms(predicted, percent_of_sum)};
}

namespace {

const char* axis_label(MachineVariable variable) {
  switch (variable) {
    case MachineVariable::n:
      return elements_axis;
    case MachineVariable::threads:
      return "p, threads of the machine";
    case MachineVariable::width:
      return "w, banks";
    case MachineVariable::latency:
      return "l, time units until data arrive";
    case MachineVariable::rows:
      return "α, rows of a tile";
  }
  return "";
}

}  // namespace

Figure machine_figure(const std::string& id, const std::string& title, MachineVariable variable,
                      const std::vector<MachineSweep>& sweeps) {
  // Over n, units grow with n for all: per element one sees which grow by more.
  const bool per_element = variable == MachineVariable::n;
  Figure figure{
      .id = id,
      .title = title,
      .description =
          "Counted time units as markers, each algorithm's bound times the constant that fits best as a "
          "line. A bound adds terms for bandwidth, latency and depth; kernels have a constant of "
          "their own for each, so that a line is steeper or flatter where one term gives way to "
          "another.",
      .x = {.label = axis_label(variable), .scale = Scale::log2},
      .y = {.label = per_element ? "time units per element" : "time units", .scale = Scale::log10}};
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (std::size_t k = 0; k < sweeps.size(); ++k) {
    const MachineSweep& sweep = sweeps[k];
    std::vector<Point> counted, bound;
    for (const MachinePoint& point : sweep.points) {
      const double unit = per_element ? point.x : 1;
      counted.emplace_back(point.x, double(point.units) / unit);
      bound.emplace_back(point.x, sweep.constant() * point.bound / unit);
      low = std::min({low, counted.back().y, bound.back().y});
      high = std::max({high, counted.back().y, bound.back().y});
    }
    figure.layers.push_back(line("", nth_colour(k), std::move(bound), 0, 1.2));
    figure.layers.push_back(
        markers(fmt::format("{}, bound × {}", sweep.algorithm, significant(sweep.constant(), 2)),
                nth_colour(k), nth_marker(k), std::move(counted)));
  }
  figure.layers.push_back(legend_line("bound × constant", 0));
  if (high < 10 * low) {  // room for more than one tick
    figure.y.low = low / 2;
    figure.y.high = high * 2;
  }
  return figure;
}

namespace {

/// Marks at 1 and at every fourth number of rows.
Axis rows_axis() {
  Axis axis{.label = "α, rows of a tile", .low = 0};
  for (int alpha : {1, 4, 8, 12, 16, 20, 24, 28, 32})
    axis.ticks.push_back({double(alpha), fmt::format("{}", alpha)});
  return axis;
}

/// A curve of predictions over α: of one GPU the laws are told apart, of several the GPUs.
struct RowsCurve {
  const TradeOff* gpu;
  const TradeOff::Law* law;
  std::string bandwidth_label, X_label;
  Colour colour;
  int dash = 0;
  double width = 2;
};

std::vector<RowsCurve> rows_curves(const std::vector<TradeOff>& gpus) {
  std::vector<RowsCurve> curves;
  if (gpus.size() == 1) {
    for (const TradeOff::Law& law : gpus.front().predicted)
      if (law.name == LawName::calibrated)
        curves.push_back(
            {&gpus.front(), &law, "predicted, calibrated", "occupancy of the kernel", Colour::blue});
      else
        curves.push_back(
            {&gpus.front(), &law, "predicted, published", "published formula", Colour::vermillion, 1, 1.2});
    return curves;
  }
  for (std::size_t k = 0; k < gpus.size(); ++k)
    if (const TradeOff& gpu = gpus[k]; !gpu.predicted.empty())
      curves.push_back({&gpu, &gpu.predicted.front(), gpu.device, gpu.device, nth_colour(k), int(k % 4)});
  return curves;
}

double scanned_rate(double n, double seconds) {
  return scanned_bytes_per_second(n, seconds) / 1e9;
}

std::vector<Point> rows_rates(const RowsCurve& curve) {
  std::vector<Point> points;
  for (const auto& [alpha, prediction, X] : curve.law->points)
    points.emplace_back(alpha, scanned_rate(curve.gpu->n, prediction.time_s));
  return points;
}

std::vector<Point> rows_rate_band(const RowsCurve& curve) {
  std::vector<Point> points;
  const double n = curve.gpu->n;
  for (const auto& [alpha, prediction, X] : curve.law->points)
    if (const auto& interval = prediction.interval_s)
      points.emplace_back(alpha, scanned_rate(n, prediction.time_s), scanned_rate(n, interval->high),
                          scanned_rate(n, interval->low));
  return points;
}

std::vector<Point> measured_rows_rates(const TradeOff& gpu) {
  std::vector<Point> points;
  for (const auto& [alpha, seconds] : gpu.measured)
    points.emplace_back(alpha, scanned_rate(gpu.n, seconds.median), scanned_rate(gpu.n, seconds.high),
                        scanned_rate(gpu.n, seconds.low));
  return points;
}

/// A horizontal line from the fewest to the most rows.
std::vector<Point> level_over_rows(const RowsCurve& curve, double level) {
  const auto& points = curve.law->points;
  return {{double(points.front().alpha), level}, {double(points.back().alpha), level}};
}

/// What X is to be compared with: L·B of each GPU, and of a single one the most threads that it holds.
std::vector<Layer> multiplicity_marks(const std::vector<RowsCurve>& curves, bool single) {
  std::vector<Layer> marks;
  if (single)
    marks.push_back(line("the most a core can hold", Colour::black,
                         level_over_rows(curves.front(), curves.front().gpu->most_X), 2, 1.5));
  const std::size_t gpus = single ? 1 : curves.size();
  for (std::size_t k = 0; k < gpus; ++k)
    if (const auto& knee = curves[k].gpu->knee)
      marks.push_back(line(fmt::format("L·B of {}: {}", curves[k].gpu->device, significant(*knee)),
                           single ? Colour::grey : curves[k].colour, level_over_rows(curves[k], *knee), 3,
                           1));
  return marks;
}

}  // namespace

Figure rows_bandwidth_figure(const std::string& id, const std::string& title,
                             const std::vector<TradeOff>& gpus) {
  Figure figure{.id = id,
                .title = title,
                .description =
                    "Bandwidth of the matrix scan against the rows of a tile, predicted as lines and "
                    "measured as markers where it was. An element counts as one read and one write, though "
                    "the kernels read it twice.",
                .x = rows_axis(),
                .y = {.label = "bandwidth (GB/s), 2 accesses per element"}};
  std::vector<Layer> lines;
  for (const RowsCurve& curve : rows_curves(gpus)) {
    if (auto band = rows_rate_band(curve); gpus.size() == 1 && !band.empty())
      figure.layers.push_back({.label = "95 % interval",
                               .style = Style::band,
                               .colour = curve.colour,
                               .points = std::move(band)});
    lines.push_back(line(curve.bandwidth_label, curve.colour, rows_rates(curve), curve.dash, curve.width));
  }
  figure.layers.insert(figure.layers.end(), lines.begin(), lines.end());
  for (const TradeOff& gpu : gpus)
    if (auto rates = measured_rows_rates(gpu); !rates.empty())
      figure.layers.push_back(
          markers("measured, quartiles", Colour::black, Marker::circle, std::move(rates)));
  return figure;
}

Figure rows_multiplicity_figure(const std::string& id, const std::string& title,
                                const std::vector<TradeOff>& gpus) {
  Figure figure{.id = id,
                .title = title,
                .description =
                    "Threads per core against the rows of a tile. Where X·I is below L·B, global "
                    "memory waits for latency; the published law has I = 1.",
                .x = rows_axis(),
                .y = {.label = "multiplicity X (threads per core)", .scale = Scale::log2}};
  const std::vector<RowsCurve> curves = rows_curves(gpus);
  for (const RowsCurve& curve : curves) {
    std::vector<Point> points;
    for (const TradeOff::Point& point : curve.law->points) points.emplace_back(point.alpha, point.X);
    figure.layers.push_back(line(curve.X_label, curve.colour, std::move(points), curve.dash, curve.width));
  }
  if (curves.empty()) return figure;
  for (Layer& mark : multiplicity_marks(curves, gpus.size() == 1)) figure.layers.push_back(std::move(mark));
  return figure;
}

std::string algorithms_figure_id(const std::string& family, const std::string& type) {
  return fmt::format("algorithms-{}-{}", family, type);
}

}  // namespace fathom::reports
