// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/sweeps.h>

#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <set>

namespace fathom::reports {
namespace {

constexpr std::size_t least_swept_values = 4;  ///< fewer do not make a curve
constexpr std::size_t most_curves = 5;         ///< more cannot be distinguished

template <class Points, class TimeOf>
std::optional<Point> fastest(const Points& points, TimeOf time_of, double unit) {
  if (points.empty()) return std::nullopt;
  const auto best = std::min_element(points.begin(), points.end(),
                                     [&](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
  return Point(best->x, time_of(*best) / unit);
}

/// The sweeps of each parameter at the smallest and the largest n: enough to show the dependence on n.
std::vector<Sweep> first_and_last(const std::vector<Sweep>& all) {
  std::map<std::string, std::vector<const Sweep*>> by_parameter;
  for (const Sweep& sweep : all) by_parameter[sweep.parameter].push_back(&sweep);
  std::vector<Sweep> chosen;
  for (const Sweep& sweep : all) {
    const auto& same = by_parameter.at(sweep.parameter);
    if (&sweep == same.front() || &sweep == same.back()) chosen.push_back(sweep);
  }
  return chosen;
}

/// In the order of the other parameters, without the slowest if there are too many.
std::vector<SweepCurve> sweep_curves(const Sweep& sweep) {
  std::vector<double> times;
  for (const auto& [others, configurations] : sweep.by_others) times.push_back(fastest_s(configurations));
  std::sort(times.begin(), times.end());
  const double slowest_shown = times[std::min(times.size(), most_curves) - 1];
  std::vector<SweepCurve> curves;
  for (const auto& [others, configurations] : sweep.by_others)
    if (fastest_s(configurations) <= slowest_shown)
      curves.push_back(sweep_curve(sweep.parameter, others, configurations));
  return curves;
}

std::vector<Point> in_unit(const std::vector<PredictedPoint>& predicted, double unit) {
  std::vector<Point> points;
  for (const PredictedPoint& point : predicted) points.emplace_back(point.x, predicted_time(point) / unit);
  return points;
}
std::vector<Point> in_unit(const std::vector<MeasuredPoint>& measured, double unit) {
  std::vector<Point> points;
  for (const auto& [x, seconds] : measured)
    points.emplace_back(x, seconds.median / unit, seconds.low / unit, seconds.high / unit);
  return points;
}

}  // namespace

Figure sweep_figure(const std::string& id, const std::string& title, const Axis& parameter,
                    const std::vector<SweepCurve>& curves) {
  std::vector<PredictedPoint> predicted;
  std::vector<MeasuredPoint> measured;
  std::set<LawName> laws;
  std::size_t without_work = 0;
  for (const SweepCurve& curve : curves) {
    if (!curve.predicted.empty()) laws.insert(curve.law);
    predicted.insert(predicted.end(), curve.predicted.begin(), curve.predicted.end());
    measured.insert(measured.end(), curve.measured.begin(), curve.measured.end());
    without_work += curve.without_work;
  }
  double longest = 0;
  for (const PredictedPoint& point : predicted) longest = std::max(longest, predicted_time(point));
  for (const MeasuredPoint& point : measured) longest = std::max(longest, point.seconds.high);
  const TimeUnit unit = time_unit(longest / 4);  // the lower part of the axis matters

  Figure figure{.id = id,
                .title = title,
                .description = fmt::format("Time against {}, predicted as lines and measured as markers; the "
                                           "best predicted and the best measured point are marked.",
                                           parameter.label),
                .note = left_out_note(without_work),
                .x = parameter,
                .y = {.label = fmt::format("time ({})", unit.symbol)},
                .layers = {}};
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const SweepCurve& curve = curves[k];
    const Colour colour = nth_colour(k);
    figure.layers.push_back(
        line(curve.measured.empty() ? curve.label : "", colour, in_unit(curve.predicted, unit.seconds)));
    figure.layers.push_back(
        markers(curve.label, colour, nth_marker(k), in_unit(curve.measured, unit.seconds)));
  }
  if (!laws.empty()) figure.layers.push_back(legend_of_predictions(laws));
  if (!measured.empty()) figure.layers.push_back(legend_marker("measured", Marker::circle, false));
  if (const auto best = fastest(predicted, predicted_time, unit.seconds))
    figure.layers.push_back(
        highlight(fmt::format("best predicted: {:.0f}", best->x), Marker::diamond, *best));
  if (const auto best = fastest(measured, measured_time, unit.seconds))
    figure.layers.push_back(highlight(fmt::format("best measured: {:.0f}", best->x), Marker::square, *best));
  return figure;
}

namespace {

Sweep sweep(const std::vector<Configuration>& all, double n, const std::string& parameter) {
  Sweep sweep{n, parameter, {}};
  for (const Configuration& one : all) {
    if (one.n != n || !one.parameters.contains(parameter)) continue;
    NamedValues others = one.parameters;
    others.erase(parameter);
    sweep.by_others[others].push_back(&one);
  }
  std::erase_if(sweep.by_others, [](const auto& entry) { return entry.second.size() < 2; });
  return sweep;
}

}  // namespace

std::vector<Sweep> sweeps(const std::vector<Configuration>& all) {
  std::map<double, std::map<std::string, std::set<int>>> values_at;
  for (const Configuration& one : all)
    for (const auto& [name, value] : one.parameters) values_at[one.n][name].insert(value);
  std::vector<Sweep> found;
  for (const auto& [n, by_name] : values_at) {
    std::vector<std::pair<std::size_t, std::string>> swept;
    for (const auto& [name, values] : by_name)
      if (values.size() >= least_swept_values) swept.emplace_back(values.size(), name);
    std::ranges::stable_sort(swept, std::greater(), [](const auto& one) { return one.first; });
    for (const auto& [values, name] : swept)
      if (Sweep one = sweep(all, n, name); !one.by_others.empty()) found.push_back(std::move(one));
  }
  return found;
}

double fastest_s(const std::vector<const Configuration*>& curve) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const Configuration* one : curve) fastest = std::min(fastest, seconds_of(*one));
  return fastest;
}

SweepCurve sweep_curve(const std::string& parameter, const NamedValues& others,
                       const std::vector<const Configuration*>& configurations) {
  SweepCurve curve;
  if (!others.empty()) curve.label = parameters(others);
  for (const Configuration* one : configurations) {
    const double x = one->parameters.at(parameter);
    curve.without_work += one->without_work;
    if (one->run) curve.measured.push_back({x, quartiles(one->run->seconds)});
  }
  for (const LawName law : drawn_laws) {
    for (const Configuration* one : configurations)
      if (const auto found = one->predicted.find(law); found != one->predicted.end())
        curve.predicted.push_back({double(one->parameters.at(parameter)), *found->second});
    if (curve.predicted.empty()) continue;
    curve.law = law;
    break;
  }
  return curve;
}

Axis sweep_axis(const Subject& subject, const Sweep& sweep) {
  std::vector<int> values;
  for (const auto& [others, configurations] : sweep.by_others)
    for (const Configuration* one : configurations) values.push_back(one->parameters.at(sweep.parameter));
  return parameter_axis(subject.algorithm, sweep.parameter, values);
}

std::string sweep_id(const Subject& subject, const Sweep& sweep) {
  return fmt::format("{}-{:.0f}-{}", subject.id(), sweep.n, sweep.parameter);
}

std::vector<FigureOrMissing> sweep_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  for (const auto& [subject, configurations] : configurations(input))
    for (const Sweep& sweep : first_and_last(sweeps(configurations))) {
      Figure figure = sweep_figure("sweep-" + sweep_id(subject, sweep),
                                   fmt::format("{} over {} at n = {}, on {}", subject.words(),
                                               sweep.parameter, elements(sweep.n), input.profile.name),
                                   sweep_axis(subject, sweep), sweep_curves(sweep));
      figure.of = {subject.algorithm, subject.type, sweep.parameter, sweep.n};
      all.push_back(std::move(figure));
    }
  if (all.empty())
    all.push_back(Missing{"Parameter sweeps",
                          "no parameter was measured at four or more values for the same n",
                          bench_grid_command});
  return all;
}

}  // namespace fathom::reports
