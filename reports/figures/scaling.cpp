// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/scaling.h>

#include <fathom/model/laws/predict_group.h>
#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

namespace fathom::reports {
namespace {

const char* const bench_gpus_command = "fathom bench sort-gpus --sizes 2^24..2^30:2 --gpus 2 -o runs.json";

constexpr int hatched_boxes = 4;  ///< gnuplot's fill pattern

const std::vector<double>& sizes_of(const Scaling& of, Fixed fixed) {
  return fixed == Fixed::n_in_all ? of.totals : of.per_gpu;
}
std::string size_in_words(double n, Fixed fixed) {
  return fixed == Fixed::n_in_all ? fmt::format("n = {}", elements(n))
                                  : fmt::format("{} per GPU", elements(n));
}
const char* fixed_in_words(Fixed fixed) {
  return fixed == Fixed::n_in_all ? "for n in all" : "for n on each GPU";
}

/// Ascending GPUs.
std::vector<const Scaling::Point*> points_of(const Scaling& of, double n, Fixed fixed) {
  std::vector<const Scaling::Point*> points;
  for (const Scaling::Point& point : of.points)
    if (point.n == (fixed == Fixed::n_in_all ? n : n * point.gpus)) points.push_back(&point);
  std::ranges::sort(points, {}, &Scaling::Point::gpus);
  return points;
}

Axis gpus_axis(const Scaling& of) {
  Axis axis{.label = "GPUs", .scale = Scale::log2};
  std::set<int> gpus;
  for (const Scaling::Point& point : of.points) gpus.insert(point.gpus);
  for (const int one : gpus) axis.ticks.push_back({double(one), fmt::format("{}", one)});
  return axis;
}

std::string one_gpu_in_words(const Scaling& of) {
  constexpr std::size_t most_named = 3;
  if (of.alone.size() == 1) return of.alone.front();
  if (of.alone.size() > most_named) return fmt::format("the fastest of {} algorithms", of.alone.size());
  return fmt::format("the fastest of {}", fmt::join(of.alone, ", "));
}

/// What a figure makes of the seconds of a point; 0: it does not show them.
struct Shown {
  std::function<double(const Scaling::Point&, double seconds)> predicted, measured;
};

bool is_extrapolated(const Scaling& of, const Point& at) {
  return at.x > of.most_linked;
}

/// A solid line as far as links were measured, and from there on a dashed one.
void add_line(Figure& figure, const Scaling& of, std::string label, Colour colour,
              const std::vector<Point>& points) {
  const auto beyond = std::ranges::find_if(points, [&](const Point& at) { return is_extrapolated(of, at); });
  const std::vector<Point> known(points.begin(), beyond);
  std::vector<Point> extrapolated(known.empty() ? beyond : beyond - 1, points.end());
  figure.layers.push_back(
      line(std::move(label), colour, known.empty() ? extrapolated : known, known.empty()));
  if (!known.empty() && beyond != points.end())
    figure.layers.push_back(line("", colour, std::move(extrapolated), 1));
}

void add_curve(Figure& figure, const Scaling& of, double n, Fixed fixed, std::size_t k, const Shown& shown) {
  std::vector<Point> predicted, band, measured;
  for (const Scaling::Point* point : points_of(of, n, fixed)) {
    const double gpus = point->gpus;
    if (const double y = point->predicted ? shown.predicted(*point, point->predicted->time_s) : 0; y > 0) {
      predicted.emplace_back(gpus, y);
      if (const auto& interval = point->predicted->interval_s) {
        const double a = shown.predicted(*point, interval->low), b = shown.predicted(*point, interval->high);
        band.emplace_back(gpus, y, std::min(a, b), std::max(a, b));
      }
    }
    if (const double y = point->measured ? shown.measured(*point, point->measured->median) : 0; y > 0)
      measured.emplace_back(gpus, y);
  }
  const Colour colour = nth_colour(k);
  if (band.size() > 1) {
    figure.layers.push_back(interval_band(colour, std::move(band)));
    figure.layers.back().label.clear();
  }
  if (predicted.size() > 1) add_line(figure, of, size_in_words(n, fixed), colour, predicted);
  if (measured.empty()) return;
  figure.layers.push_back(markers(predicted.size() > 1 ? "" : size_in_words(n, fixed), colour, nth_marker(k),
                                  std::move(measured)));
  figure.layers.back().size = 0.9;
}

Figure curves_over_gpus(const Scaling& of, Fixed fixed, const char* what, Axis y, const Shown& shown) {
  const Subject subject{of.algorithm, of.type};
  Figure figure{.id = fmt::format("scaling-{}-{}-{}", what, fixed == Fixed::n_in_all ? "total" : "per-gpu",
                                  subject.id()),
                .title = fmt::format("{}, {} on {}: {} over the number of GPUs, {}", of.algorithm, of.type,
                                     of.device, what, fixed_in_words(fixed)),
                .note = fmt::format("one GPU: {}; bands: 95 % intervals; links measured among {} GPUs",
                                    one_gpu_in_words(of), of.most_linked),
                .x = gpus_axis(of),
                .y = std::move(y),
                .of = {.algorithm = of.algorithm, .type = of.type}};
  const std::vector<double>& sizes = sizes_of(of, fixed);
  for (std::size_t k = 0; k < sizes.size(); ++k) add_curve(figure, of, sizes[k], fixed, k, shown);
  const auto has = [&](auto test) {
    return std::ranges::any_of(figure.layers, [&](const Layer& layer) { return test(layer); });
  };
  const bool any_measured = has([](const Layer& layer) { return layer.style == Style::points; });
  const bool any_extrapolated = has([](const Layer& layer) { return layer.dash == 1; });
  if (figure.layers.empty()) return figure;
  figure.layers.push_back(legend_of_predictions({of.law}));
  if (any_extrapolated) figure.layers.push_back(legend_line("extrapolated", 1));
  if (any_measured) figure.layers.push_back(legend_marker("measured", Marker::circle, false));
  return figure;
}

// ---- where the time goes ----

constexpr std::string_view one_gpu_step = "one GPU";

/// The looks of steps, but for exchanges, in the order in which they appear.
constexpr std::array step_colours{Colour::blue, Colour::orange, Colour::green, Colour::purple, Colour::sky};

std::vector<StepTime> steps_at(const Scaling::Point& point) {
  if (point.gpus > 1) return point.predicted->steps;
  return {{.step = std::string(one_gpu_step), .seconds = point.predicted->time_s}};
}

double seconds_in(const std::vector<StepTime>& steps, const std::string& wanted) {
  const auto found = std::ranges::find(steps, wanted, &StepTime::step);
  return found == steps.end() ? 0 : found->seconds;
}

Layer boxes_of(const std::string& step, std::size_t k) {
  Layer layer{.label = step, .style = Style::boxes};
  if (step == exchange_step) {
    layer.colour = Colour::vermillion;
    layer.pattern = hatched_boxes;
  } else if (step == one_gpu_step) {
    layer.colour = Colour::grey;
  } else {
    layer.colour = step_colours[k % step_colours.size()];
  }
  return layer;
}

/// The bars of points, side by side.
class Bars {
 public:
  explicit Bars(const std::vector<const Scaling::Point*>& points) {
    double longest = 0;
    for (const Scaling::Point* point : points) {
      if (!point->predicted) continue;
      points_.push_back(point);
      longest = std::max({longest, point->predicted->time_s, point->measured ? point->measured->median : 0});
    }
    unit_ = time_unit(longest / 4);
    highest_ = longest / unit_.seconds;
    tops_.resize(points_.size());
  }

  bool empty() const { return points_.empty(); }

  void draw(Figure& figure) {
    set_axes(figure);
    std::size_t k = 0;
    for (const std::string& step : step_names())
      if (Layer layer = stacked(step, k); !layer.points.empty()) {
        if (step != exchange_step && step != one_gpu_step) ++k;
        figure.layers.push_back(std::move(layer));
      }
    add_measured(figure);
    for (std::size_t x = 0; x < points_.size(); ++x) add_shares(figure, x);
  }

 private:
  void set_axes(Figure& figure) const {
    constexpr double room_for_labels = 1.28;
    figure.y = {.label = fmt::format("time ({})", unit_.symbol), .high = room_for_labels * highest_};
    figure.x.low = -0.6;
    figure.x.high = double(points_.size()) - 0.4;
    for (std::size_t x = 0; x < points_.size(); ++x)
      figure.x.ticks.push_back({double(x), fmt::format("{}", points_[x]->gpus)});
  }

  /// In the order of the steps, exchanges last.
  std::vector<std::string> step_names() const {
    std::vector<std::string> names;
    for (const Scaling::Point* point : points_)
      for (const StepTime& step : steps_at(*point))
        if (step.step != exchange_step && std::ranges::find(names, step.step) == names.end())
          names.push_back(step.step);
    names.emplace_back(exchange_step);
    return names;
  }

  /// On top of what is there. Without points if no bar has the step.
  Layer stacked(const std::string& step, std::size_t k) {
    Layer layer = boxes_of(step, k);
    bool any = false;
    for (std::size_t x = 0; x < points_.size(); ++x) {
      const double height = seconds_in(steps_at(*points_[x]), step) / unit_.seconds;
      layer.points.emplace_back(double(x), tops_[x] + height, tops_[x], tops_[x] + height);
      tops_[x] += height;
      any = any || height > 0;
    }
    if (!any) layer.points.clear();
    return layer;
  }

  void add_measured(Figure& figure) {
    std::vector<Point> measured;
    for (std::size_t x = 0; x < points_.size(); ++x) {
      if (!points_[x]->measured) continue;
      const auto& [low, median, high] = *points_[x]->measured;
      measured.emplace_back(double(x), median / unit_.seconds, low / unit_.seconds, high / unit_.seconds);
      tops_[x] = std::max(tops_[x], high / unit_.seconds);
    }
    if (!measured.empty())
      figure.layers.push_back(
          markers("measured, quartiles", Colour::black, Marker::circle, std::move(measured)));
  }

  /// Above a bar: the share of the exchanges in its time, and what of them goes on beside launches.
  void add_shares(Figure& figure, std::size_t x) const {
    const double line_height = 0.065 * highest_, all = points_[x]->predicted->time_s;
    double at = tops_[x];
    const auto add = [&](std::string text) {
      at += line_height;
      figure.labels.push_back({double(x), at, std::move(text)});
    };
    for (const StepTime& step : steps_at(*points_[x])) {
      if (step.step != exchange_step) continue;
      if (step.hidden_s > 0) add(fmt::format("+ {} hidden", percent(step.hidden_s / all)));
      add(fmt::format("exchange {}", percent(step.seconds / all)));
    }
  }

  std::vector<const Scaling::Point*> points_{};
  TimeUnit unit_{};
  double highest_ = 0;          ///< of all bars and markers
  std::vector<double> tops_{};  ///< of what is drawn of each bar
};

}  // namespace

Figure scaling_time_figure(const Scaling& of, Fixed fixed) {
  double longest = 0;
  for (const double n : sizes_of(of, fixed))
    for (const Scaling::Point* point : points_of(of, n, fixed)) {
      if (point->predicted) longest = std::max(longest, point->predicted->time_s);
      if (point->measured) longest = std::max(longest, point->measured->median);
    }
  const TimeUnit unit = time_unit(longest / 4);
  const auto in_unit = [&](const Scaling::Point&, double seconds) { return seconds / unit.seconds; };
  Figure figure = curves_over_gpus(of, fixed, "time",
                                   {.label = fmt::format("time ({})", unit.symbol), .scale = Scale::log10},
                                   {in_unit, in_unit});
  figure.description =
      "Time against the number of GPUs, predicted as lines with their 95 % intervals and measured as "
      "markers. Lines are dashed where links among so many GPUs were not measured.";
  return figure;
}

Figure scaling_speed_up_figure(const Scaling& of, Fixed fixed) {
  const auto over_one = [&, fixed](auto seconds_of_one) {
    return [&of, fixed, seconds_of_one](const Scaling::Point& point, double seconds) {
      if (point.gpus == 1) return 1.0;
      const bool per_gpu = fixed == Fixed::n_per_gpu;
      const Scaling::Point* one = find_point(of, per_gpu ? point.n / point.gpus : point.n, 1);
      const std::optional<double> on_one = one ? seconds_of_one(*one) : std::nullopt;
      return on_one ? *on_one / seconds * (per_gpu ? point.gpus : 1) : 0.0;
    };
  };
  const auto predicted = [](const Scaling::Point& one) {
    return one.predicted ? std::optional(one.predicted->time_s) : std::nullopt;
  };
  const auto measured = [](const Scaling::Point& one) {
    return one.measured ? std::optional(one.measured->median) : std::nullopt;
  };
  Figure figure =
      curves_over_gpus(of, fixed, "speed-up", {.label = "times as fast as one GPU", .scale = Scale::log2},
                       {over_one(predicted), over_one(measured)});
  figure.description = fmt::format(
      "{} against the number of GPUs, predicted as lines with their 95 % intervals and measured as markers. "
      "The time on one GPU is that of the fastest algorithm, predicted for lines and measured for markers.",
      fixed == Fixed::n_in_all ? "Time on one GPU over time on several"
                               : "Elements per second over those of one GPU with as many elements on it");
  if (figure.layers.empty()) return figure;
  std::vector<Point> ideal;
  for (const Tick& tick : figure.x.ticks) ideal.emplace_back(tick.at, tick.at);
  figure.layers.push_back(line("as many times as GPUs", Colour::grey, std::move(ideal), 2, 1.5));
  return figure;
}

Figure scaling_steps_figure(const Scaling& of) {
  const Fixed fixed = of.per_gpu.empty() ? Fixed::n_in_all : Fixed::n_per_gpu;
  Figure figure{
      .id = "scaling-steps-" + Subject{of.algorithm, of.type}.id(),
      .title = {},
      .description =
          "The steps of each GPU's predicted time as stacked bars, one for each number of GPUs, and "
          "the measured times as markers. Of exchanges beside launches, only what takes longer than "
          "these is in the bar.",
      .note = fmt::format("one GPU: {}; hidden exchanges are not in bars; links measured among {} GPUs",
                          one_gpu_in_words(of), of.most_linked),
      .x = {.label = "GPUs"},
      .of = {.algorithm = of.algorithm, .type = of.type}};
  if (sizes_of(of, fixed).empty()) return figure;
  const double n = sizes_of(of, fixed).back();
  figure.title = fmt::format("{}, {} on {}: where the predicted time goes, {}", of.algorithm, of.type,
                             of.device, size_in_words(n, fixed));
  if (Bars bars(points_of(of, n, fixed)); !bars.empty()) bars.draw(figure);
  return figure;
}

std::vector<FigureOrMissing> scaling_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  for (const Scaling& of : input.scalings) {
    for (const Fixed fixed : {Fixed::n_in_all, Fixed::n_per_gpu})
      for (Figure figure : {scaling_time_figure(of, fixed), scaling_speed_up_figure(of, fixed)})
        if (!figure.layers.empty()) all.push_back(std::move(figure));
    if (Figure figure = scaling_steps_figure(of); !figure.layers.empty()) all.push_back(std::move(figure));
  }
  if (all.empty())
    all.push_back(Missing{"Several GPUs", "the datasets have no runs on several GPUs at default parameters",
                          bench_gpus_command});
  return all;
}

}  // namespace fathom::reports
