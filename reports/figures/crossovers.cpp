// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/crossovers.h>

#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/table.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

namespace fathom::reports {
namespace {

using Contender = Crossover::Contender;

constexpr double close_percent = 90;  ///< an algorithm is shown that is so fast somewhere
/// On the axis, in per cent: its beginning, the strips above 100, and the distances of what is above a strip.
constexpr double lowest = 40, predicted_strip = 107, measured_strip = 130, strip_to_name = 5,
                 strip_to_size = 11, between_sizes = 5, top_of_strip = 19;
/// The width of the frame and of letters in it, in pixels.
constexpr double frame_width = 620, letter_width = 9.5;

/// Speed in per cent of the fastest at the same n.
std::vector<Point> speeds(const Crossover& of, const Contender& one, TimesOf times) {
  std::map<double, double> fastest;
  for (const auto& [n, seconds] : fastest_times(of, times)) fastest.emplace(n, seconds);
  std::vector<Point> points;
  for (const auto& [n, seconds] : one.*times) points.emplace_back(n, 100 * fastest.at(n) / seconds);
  return points;
}

double best_speed(const Crossover& of, const Contender& one, TimesOf times) {
  double best = 0;
  for (const Point& point : speeds(of, one, times)) best = std::max(best, point.y);
  return best;
}

/// Those to show: first those that are the fastest somewhere, in the order of their n.
std::vector<const Contender*> shown_contenders(const Crossover& of) {
  std::vector<const Contender*> shown;
  const auto show = [&](const Contender& one) {
    if (std::ranges::find(shown, &one) == shown.end()) shown.push_back(&one);
  };
  for (const TimesOf times : {predicted_times, measured_times})
    for (const Reign& reign : reigns(of, times))
      show(*std::ranges::find(of.contenders, reign.algorithm, &Contender::algorithm));
  for (const Contender& one : of.contenders)
    if (best_speed(of, one, predicted_times) >= close_percent) show(one);
  return shown;
}

/// "1.9e5", as -n takes it.
std::string rounded_elements(double n) {
  const double unit = std::pow(10, std::floor(std::log10(n)) - 1);
  return elements(std::round(n / unit) * unit);
}

class Drawing {
 public:
  explicit Drawing(const Crossover& of) : of_(of), shown_(shown_contenders(of)) {
    const std::vector<Crossover::Time> predicted = fastest_times(of, predicted_times);
    first_ = predicted.front().n;
    last_ = predicted.back().n;
  }

  Figure figure() {
    const bool is_measured = !fastest_times(of_, measured_times).empty();
    figure_ = {
        .id = "crossover-" + Subject{std::string(name(of_.kind)), of_.type}.id(),
        .title = fmt::format("Which {} is the fastest: {} on {}", name(of_.kind), of_.type, of_.device),
        .description =
            "Speed in per cent of the fastest algorithm at the same number of elements, predicted as "
            "lines and measured as markers. Strips above name the fastest, and dotted lines the sizes "
            "where it changes.",
        .note = "default parameters; only algorithms that somewhere come within 10 % of the fastest",
        .x = {.label = elements_axis, .scale = Scale::log2, .low = first_, .high = last_},
        .y = {.label = "speed (% of the fastest)",
              .low = lowest,
              .high = (is_measured ? measured_strip + strip_to_size : predicted_strip + top_of_strip)}};
    for (int percent = int(lowest); percent <= 100; percent += 10)
      figure_.y.ticks.push_back({double(percent), fmt::format("{}", percent)});
    add_curves(is_measured);
    add_strip(predicted_times, predicted_strip, "predicted");
    mark_changes();
    if (is_measured) add_strip(measured_times, measured_strip, "measured");
    return std::move(figure_);
  }

 private:
  void add_curves(bool is_measured) {
    for (std::size_t k = 0; k < shown_.size(); ++k) {
      figure_.layers.push_back(
          line(name_of(k), nth_colour(k), speeds(of_, *shown_[k], predicted_times), nth_dash(k)));
      if (auto points = speeds(of_, *shown_[k], measured_times); !points.empty())
        figure_.layers.push_back(markers("", nth_colour(k), nth_marker(k), std::move(points)));
    }
    figure_.layers.push_back(legend_of_predictions({of_.law}));
    if (is_measured) figure_.layers.push_back(legend_marker("measured", Marker::circle, false));
  }

  /// A line in the colour of the fastest, with its name or, where that is too long, its number.
  void add_strip(TimesOf times, double at, const char* name) {
    figure_.y.ticks.push_back({at, name});
    for (const Reign& reign : reigns(of_, times)) {
      const double from = std::max(reign.from, first_), to = std::min(reign.to, last_);
      if (from >= to) continue;
      const std::size_t k = index_of(reign.algorithm);
      figure_.layers.push_back(line("", nth_colour(k), {{from, at}, {to, at}}, 0, 8));
      const bool fits = width(from, to) > letter_width * double(display_width(name_of(k)));
      figure_.labels.push_back(
          {std::sqrt(from * to), at + strip_to_name, fits ? name_of(k) : fmt::format("{}", k + 1)});
    }
  }

  /// The predicted changes, each with its n where one of two rows has room.
  void mark_changes() {
    std::array<double, 2> ends{first_, first_};  // of the last label in each row
    for (const Reign& reign : reigns(of_, predicted_times)) {
      const double at = reign.from;
      if (at == first_) continue;
      figure_.layers.push_back(line("", Colour::grey, {{at, lowest}, {at, predicted_strip}}, 2, 1.2));
      const std::string size = rounded_elements(at);
      const double half = letter_width * double(size.size()) / 2;
      const auto has_room = [&](double end) { return end == first_ || width(end, at) > half; };
      const auto row = std::ranges::find_if(ends, has_room);
      if (row == ends.end()) continue;
      figure_.labels.push_back(
          {at, predicted_strip + strip_to_size + between_sizes * double(row - ends.begin()), size});
      *row = at * std::pow(last_ / first_, half / frame_width);
    }
  }

  std::size_t index_of(const std::string& algorithm) const {
    return std::size_t(std::ranges::find(shown_, algorithm, &Contender::algorithm) - shown_.begin());
  }
  std::string name_of(std::size_t k) const { return fmt::format("{} {}", k + 1, shown_[k]->algorithm); }
  /// In pixels.
  double width(double from, double to) const {
    return frame_width * std::log(to / from) / std::log(last_ / first_);
  }

  const Crossover& of_;
  std::vector<const Contender*> shown_;
  double first_, last_;  ///< the least and the largest n predicted
  Figure figure_;
};

}  // namespace

Figure crossover_figure(const Crossover& of) {
  return Drawing(of).figure();
}

std::vector<FigureOrMissing> crossover_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all;
  for (const Crossover& one : input.crossovers)
    if (std::ranges::count_if(one.contenders, [](const Contender& of) { return !of.predicted.empty(); }) > 1)
      all.push_back(crossover_figure(one));
  if (all.empty())
    all.push_back(Missing{"Which algorithm is the fastest", "no two algorithms of a kind could be predicted",
                          "fathom calibrate -o profile.json"});
  return all;
}

}  // namespace fathom::reports
