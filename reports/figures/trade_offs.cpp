// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/trade_offs.h>

#include <fathom/algorithms/registry.h>
#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fathom::reports {
namespace {

std::vector<int> values_of(const std::vector<TradeOff>& gpus) {
  std::set<int> values;
  for (const TradeOff& gpu : gpus) {
    for (const TradeOff::Law& law : gpu.predicted)
      for (const TradeOff::Point& point : law.points) values.insert(point.value);
    for (const TradeOff::Measured& point : gpu.measured) values.insert(point.value);
  }
  return {values.begin(), values.end()};
}

/// Ticks at the first value and at multiples of a power of two.
std::vector<Tick> ticks_of_consecutive(const std::vector<int>& values) {
  constexpr std::size_t most_ticks = 10;
  int step = 1;
  while (values.size() / std::size_t(step) > most_ticks) step *= 2;
  std::vector<Tick> ticks;
  for (int value : values)
    if (value == values.front() || value % step == 0)
      ticks.push_back({double(value), fmt::format("{}", value)});
  return ticks;
}

Axis axis_of(const std::vector<TradeOff>& gpus) {
  const std::vector<int> values = values_of(gpus);
  Axis axis = parameter_axis(gpus.front().algorithm, gpus.front().parameter, values);
  if (!values.empty() && values.back() - values.front() + 1 == int(values.size()))
    axis.ticks = ticks_of_consecutive(values);
  return axis;
}

/// A curve of predictions: one per law for a single GPU, one per GPU for several.
struct Curve {
  const TradeOff* gpu;
  const TradeOff::Law* law;
  std::string bandwidth_label, X_label;
  Colour colour;
  int dash = 0;
  double width = 2;
};

std::vector<Curve> curves_of(const std::vector<TradeOff>& gpus) {
  std::vector<Curve> curves;
  if (gpus.size() == 1) {
    for (const TradeOff::Law& law : gpus.front().predicted)
      curves.push_back({&gpus.front(), &law, fmt::format("predicted, {}", name(law.name)),
                        law.name == LawName::published ? "published formula" : "occupancy of the kernel",
                        colour_of(law.name), dash_of(law.name), law.name == LawName::published ? 1.2 : 2.0});
    return curves;
  }
  for (std::size_t k = 0; k < gpus.size(); ++k)
    if (const TradeOff& gpu = gpus[k]; !gpu.predicted.empty())
      curves.push_back({&gpu, &gpu.predicted.front(), gpu.device, gpu.device, nth_colour(k), int(k % 4)});
  return curves;
}

double rate(const TradeOff& gpu, double seconds) {
  return bandwidth_at(gpu, seconds) / 1e9;
}

std::vector<Point> predicted_rates(const Curve& curve) {
  std::vector<Point> points;
  for (const TradeOff::Point& point : curve.law->points)
    points.emplace_back(point.value, rate(*curve.gpu, point.prediction.time_s));
  return points;
}

std::vector<Point> predicted_rate_band(const Curve& curve) {
  std::vector<Point> points;
  for (const TradeOff::Point& point : curve.law->points)
    if (const auto& interval = point.prediction.interval_s)
      points.emplace_back(point.value, rate(*curve.gpu, point.prediction.time_s),
                          rate(*curve.gpu, interval->high), rate(*curve.gpu, interval->low));
  return points;
}

std::vector<Point> measured_rates(const TradeOff& gpu) {
  std::vector<Point> points;
  for (const auto& [value, seconds] : gpu.measured)
    points.emplace_back(value, rate(gpu, seconds.median), rate(gpu, seconds.high), rate(gpu, seconds.low));
  return points;
}

/// A horizontal line from the first to the last value.
std::vector<Point> level(const Curve& curve, double y) {
  const auto& points = curve.law->points;
  return {{double(points.front().value), y}, {double(points.back().value), y}};
}

/// Reference lines for X: L·B of each GPU, and the maximum of resident threads for a single one.
std::vector<Layer> multiplicity_marks(const std::vector<Curve>& curves, bool single) {
  std::vector<Layer> marks;
  if (single)
    marks.push_back(line("maximum threads per core", Colour::black,
                         level(curves.front(), curves.front().gpu->most_X), 2, 1.5));
  const std::size_t gpus = single ? 1 : curves.size();
  for (std::size_t k = 0; k < gpus; ++k)
    if (const auto& knee = curves[k].gpu->knee)
      marks.push_back(
          line(fmt::format("latency × bandwidth of {}: {}", curves[k].gpu->device, significant(*knee)),
               single ? Colour::grey : curves[k].colour, level(curves[k], *knee), 3, 1));
  return marks;
}

bool is_empty(const TradeOff& gpu) {
  return gpu.predicted.empty() && gpu.measured.empty();
}

/// Algorithm, parameter and type.
std::string id_of(const TradeOff& over) {
  return fmt::format("{}-{}", Subject{over.algorithm, type_text(over.problem)}.id(), over.parameter);
}

void add_figures(std::vector<FigureOrMissing>& all, const std::string& id_end, const std::string& where,
                 const std::vector<TradeOff>& gpus) {
  const TradeOff& first = gpus.front();
  const auto title = [&](const char* what) {
    return fmt::format("{} over {}: {}, {}", first.algorithm, first.parameter, what, where);
  };
  const auto add = [&](Figure figure) {
    if (id_end.empty())
      figure.of = {first.algorithm, type_text(first.problem), first.parameter, first.problem.n};
    all.push_back(std::move(figure));
  };
  add(trade_off_bandwidth_figure("tradeoff-bandwidth-" + id_of(first) + id_end, title("bandwidth"), gpus));
  if (std::any_of(gpus.begin(), gpus.end(), [](const TradeOff& gpu) { return !gpu.predicted.empty(); }))
    add(trade_off_multiplicity_figure("tradeoff-multiplicity-" + id_of(first) + id_end, title("multiplicity"),
                                      gpus));
}

/// The command that measures the missing runs.
Missing missing_runs(const TradeOff* predicted) {
  Missing missing{"Trade-offs of a parameter",
                  "no algorithm was measured at nearly every value of its first parameter for the same n",
                  bench_grid_command};
  if (!predicted) return missing;
  const ParameterInfo& parameter = *algorithm(predicted->algorithm).find_parameter(predicted->parameter);
  missing.what = fmt::format("{} was not measured at nearly every value of {} for the same n",
                             predicted->algorithm, predicted->parameter);
  missing.command =
      fmt::format("fathom bench {} --sizes 2^28 --set {}={}..{} -o data.json", predicted->algorithm,
                  predicted->parameter, parameter.values.front(), parameter.values.back());
  return missing;
}

}  // namespace

Figure trade_off_bandwidth_figure(const std::string& id, const std::string& title,
                                  const std::vector<TradeOff>& gpus) {
  Figure figure{.id = id,
                .title = title,
                .description =
                    "Bandwidth against the parameter, predicted as lines and measured as markers. Every byte "
                    "of input and output counts once, however often the kernels read or write it.",
                .x = axis_of(gpus),
                .y = {.label = "input and output (GB/s)"}};
  if (gpus.size() == 1) figure.note = left_out_note(gpus.front().unpredicted.size());
  std::vector<Layer> lines;
  for (const Curve& curve : curves_of(gpus)) {
    if (auto band = predicted_rate_band(curve); gpus.size() == 1 && !band.empty())
      figure.layers.push_back(interval_band(curve.colour, std::move(band)));
    lines.push_back(
        line(curve.bandwidth_label, curve.colour, predicted_rates(curve), curve.dash, curve.width));
  }
  figure.layers.insert(figure.layers.end(), lines.begin(), lines.end());
  for (const TradeOff& gpu : gpus)
    if (auto rates = measured_rates(gpu); !rates.empty())
      figure.layers.push_back(
          markers("measured, quartiles", Colour::black, Marker::circle, std::move(rates)));
  return figure;
}

Figure trade_off_multiplicity_figure(const std::string& id, const std::string& title,
                                     const std::vector<TradeOff>& gpus) {
  Figure figure{
      .id = id,
      .title = title,
      .description =
          "Resident threads per core against the parameter, in the kernel with the most accesses to "
          "shared memory. Global memory is limited by latency where X·I is below L·B; I is the number of "
          "accesses that a thread has in flight.",
      .x = axis_of(gpus),
      .y = {.label = "multiplicity X (threads per core)", .scale = Scale::log2}};
  if (gpus.size() == 1) figure.note = left_out_note(gpus.front().unpredicted.size());
  const std::vector<Curve> curves = curves_of(gpus);
  for (const Curve& curve : curves) {
    std::vector<Point> points;
    for (const TradeOff::Point& point : curve.law->points) points.emplace_back(point.value, point.X);
    figure.layers.push_back(line(curve.X_label, curve.colour, std::move(points), curve.dash, curve.width));
  }
  if (curves.empty()) return figure;
  for (Layer& mark : multiplicity_marks(curves, gpus.size() == 1)) figure.layers.push_back(std::move(mark));
  return figure;
}

std::vector<FigureOrMissing> trade_off_figures(const ReportInput& input) {
  std::vector<std::string> subjects;  // in the order of the input
  for (const TradeOff& one : input.trade_offs)
    if (const auto id = id_of(one); std::find(subjects.begin(), subjects.end(), id) == subjects.end())
      subjects.push_back(id);
  std::vector<FigureOrMissing> all;
  bool any_measured = false;
  const TradeOff* unmeasured = nullptr;
  for (const std::string& subject : subjects) {
    std::vector<TradeOff> others;
    for (const TradeOff& one : input.trade_offs) {
      if (id_of(one) != subject || is_empty(one)) continue;
      if (one.device != input.profile.name) {
        others.push_back(one);
        continue;
      }
      any_measured = any_measured || !one.measured.empty();
      if (!unmeasured) unmeasured = &one;
      add_figures(all, "", fmt::format("{}, on {}", setting_in_words(one), one.device), {one});
    }
    if (!others.empty())
      add_figures(all, "-others", fmt::format("{}, published law", setting_in_words(others.front())), others);
  }
  if (!any_measured) all.push_back(missing_runs(unmeasured));
  return all;
}

}  // namespace fathom::reports
