// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/papers.h>

#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/curves.h>
#include <fathom/reports/figures/degrees.h>
#include <fathom/reports/figures/machine/saturation.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace fathom::reports {
namespace {

/// Seconds by value of the parameter.
using Times = std::vector<std::pair<int, double>>;

Times times_of(const TradeOff::Law& law) {
  Times times;
  for (const TradeOff::Point& point : law.points) times.emplace_back(point.value, point.prediction.time_s);
  return times;
}

int fastest_value(const Times& times) {
  return std::ranges::min_element(times, {}, &Times::value_type::second)->first;
}

/// The first of the drawn laws that predicts anything.
const TradeOff::Law* drawn_law(const TradeOff& over) {
  for (const LawName law : drawn_laws)
    if (const auto found = std::ranges::find(over.predicted, law, &TradeOff::Law::name);
        found != over.predicted.end())
      return &*found;
  return nullptr;
}

/// A panel of times; the curves are added to it.
class TimePanel {
 public:
  TimePanel(const TradeOff& over, std::string title) {
    panel_.title = std::move(title);
    parameter_ = over.parameter;
    algorithm_ = over.algorithm;
  }

  /// `unpredicted`: how many values have no prediction. Those that have one are marked then.
  void predict(const std::string& what, const Times& times, Colour colour, int dash,
               std::size_t unpredicted = 0) {
    std::vector<Point> predicted = points(times);
    panel_.note = left_out_note(unpredicted);
    std::string label = times.size() > 1 ? labelled(what, fastest_value(times)) : what;
    if (unpredicted > 0) {
      layers_.push_back(markers(times.size() > 1 ? "" : label, colour, Marker::square, predicted));
      layers_.back().hollow = true;
    }
    if (times.size() > 1) layers_.push_back(line(std::move(label), colour, std::move(predicted), dash));
  }
  void measure(const std::vector<TradeOff::Measured>& measured) {
    Times medians;
    std::vector<Point> bars;
    for (const auto& [value, seconds] : measured) {
      medians.emplace_back(value, seconds.median);
      bars.emplace_back(value, seconds.median, seconds.low, seconds.high);
      note(value, seconds.high);
    }
    layers_.push_back(markers(labelled("measured, quartiles", fastest_value(medians)), Colour::black,
                              Marker::circle, std::move(bars)));
  }
  bool is_empty() const { return layers_.empty(); }

  Figure finish() {
    const TimeUnit unit = time_unit(longest_ / 4);  // the lower part of the axis matters
    for (Layer& layer : layers_)
      for (Point& point : layer.points)
        for (double* seconds : {&point.y, &point.low, &point.high}) *seconds /= unit.seconds;
    panel_.x = parameter_axis(algorithm_, parameter_, values_);
    panel_.y.label = fmt::format("time ({})", unit.symbol);
    panel_.layers = std::move(layers_);
    return std::move(panel_);
  }

 private:
  std::string labelled(const std::string& what, int fastest) const {
    return fmt::format("{}: best {} = {}", what, parameter_, fastest);
  }
  void note(int value, double seconds) {
    values_.push_back(value);
    longest_ = std::max(longest_, seconds);
  }
  std::vector<Point> points(const Times& times) {
    std::vector<Point> points;
    for (const auto& [value, seconds] : times) {
      points.emplace_back(value, seconds);
      note(value, seconds);
    }
    return points;
  }

  Figure panel_;
  std::string algorithm_, parameter_;
  std::vector<Layer> layers_;
  std::vector<int> values_;
  double longest_ = 0;
};

/// Words per clock and core over X, from a quarter of a thread per core on.
Layer plateau(const LevelConstants<double>& constants, double I, double most_X, std::string label,
              Colour colour, int dash) {
  constexpr double least_X = 0.25;
  constexpr int steps = 240;
  std::vector<Point> points;
  for (int step = 0; step <= steps; ++step) {
    const double X = least_X * std::pow(most_X / least_X, double(step) / steps);
    points.emplace_back(X, words_per_clock(constants, X, I));
  }
  return line(std::move(label), colour, std::move(points), dash);
}

constexpr std::array plateau_I{1.0, 2.0, 4.0};

Figure plateau_panel(std::string title) {
  return {.id = {},
          .title = std::move(title),
          .x = {.label = "multiplicity X (threads per core, each with I independent accesses)",
                .scale = Scale::log2},
          .y = {.label = "words per clock and core"}};
}

/// One slot for each sort, in which its kernels' cycles are stacked.
Figure cycles_panel(const PaperCycles::Gpu& gpu, const std::string& setting) {
  Figure panel{.id = {},
               .title = fmt::format("{}: predicted, law {}, {}", gpu.name, gpu.law, setting),
               .x = {.label = "sort and type", .low = 0.4, .high = double(gpu.sorts.size()) + 0.6},
               .y = {.label = "thread-cycles per element"}};
  std::map<std::string, std::size_t> place;  // of a kernel among the layers
  std::vector<Point> measured;
  for (std::size_t slot = 1; slot <= gpu.sorts.size(); ++slot) {
    const PaperCycles::Sort& sort = gpu.sorts[slot - 1];
    panel.x.ticks.push_back({double(slot), sort.label});
    double sum = 0;
    for (const auto& [kernel, cycles] : sort.parts) {
      const auto [at, added] = place.try_emplace(kernel, panel.layers.size());
      if (added) {
        panel.layers.push_back({.label = kernel, .style = Style::boxes, .colour = nth_colour(at->second)});
        if (at->second > 6) panel.layers.back().pattern = 4;  // colours return
      }
      panel.layers[at->second].points.emplace_back(double(slot), sum + cycles / 2, sum, sum + cycles);
      sum += cycles;
    }
    if (sort.measured)
      measured.emplace_back(double(slot), sort.measured->median, sort.measured->low, sort.measured->high);
  }
  panel.note = left_out_note(std::size_t(
      std::ranges::count_if(gpu.sorts, [](const PaperCycles::Sort& sort) { return sort.parts.empty(); })));
  if (!measured.empty())
    panel.layers.push_back(
        markers("measured, whole sort", Colour::black, Marker::diamond, std::move(measured)));
  return panel;
}

}  // namespace

Figure paper_sweep_figure(const PaperSweep& sweep) {
  const TradeOff& first = sweep.papers.front();
  Figure figure{.id = fmt::format("{}-{}", first.algorithm, first.parameter),
                .title = fmt::format("{}: {} over {}", sweep.paper, first.algorithm, first.parameter),
                .description =
                    "Time against the parameter: predicted for the paper's GPUs, and beside them "
                    "predicted and measured on another."};
  TimePanel papers(first, fmt::format("the paper's GPUs: predicted, law published, {}", sweep.setting));
  for (std::size_t k = 0; k < sweep.papers.size(); ++k)
    if (const TradeOff& gpu = sweep.papers[k]; !gpu.predicted.empty())
      papers.predict(gpu.device, times_of(gpu.predicted.front()), nth_colour(k), int(k % 4));
  if (!papers.is_empty()) figure.panels.push_back(papers.finish());
  TimePanel here(sweep.here, fmt::format("{}, {}", sweep.here.device, setting_in_words(sweep.here)));
  if (const TradeOff::Law* law = drawn_law(sweep.here))
    here.predict(fmt::format("predicted, {}", name(law->name)), times_of(*law), colour_of(law->name),
                 dash_of(law->name),
                 std::size_t(std::ranges::count(sweep.here.unpredicted, law->name, &Unpredicted::law)));
  if (!sweep.here.measured.empty()) here.measure(sweep.here.measured);
  if (!here.is_empty()) figure.panels.push_back(here.finish());
  return figure;
}

Figure paper_plateaus_figure(const PaperPlateaus& plateaus, const DeviceProfile& profile) {
  Figure figure{.id = fmt::format("microbenchmark-{}", name(plateaus.level)),
                .title = fmt::format("{}: plateaus of {} accesses", plateaus.paper, name(plateaus.level)),
                .description =
                    "Words per clock and core against resident threads per core: the law of the "
                    "paper's GPUs, and beside it samples of another."};
  Figure papers = plateau_panel("the paper's GPUs: 1 / max(1/B, L/(X·I)), bandwidth B, latency L");
  for (std::size_t k = 0; k < plateaus.gpus.size(); ++k)
    for (std::size_t i = 0; i < plateau_I.size(); ++i) {
      const PaperPlateaus::Gpu& gpu = plateaus.gpus[k];
      papers.layers.push_back(plateau(gpu.constants, plateau_I[i], gpu.most_X,
                                      fmt::format("{}, I = {:g}", gpu.name, plateau_I[i]), nth_colour(k),
                                      int(i)));
    }
  figure.panels.push_back(std::move(papers));
  const LevelConstants<double>& constants = profile.machine.at(plateaus.level);
  Figure here = plateau_panel(fmt::format("{}: measured, and the fitted law", profile.name));
  for (std::size_t i = 0; i < plateau_I.size(); ++i) {
    std::vector<Point> measured;
    double most_X = 0;
    for (const auto& [X, I, clocks] : saturation_samples(profile, plateaus.level))
      if (I == plateau_I[i]) {
        measured.emplace_back(X, X / clocks);
        most_X = std::max(most_X, X);
      }
    if (measured.empty()) continue;
    if (constants.latency && constants.bandwidth)
      here.layers.push_back(plateau(constants, plateau_I[i], most_X, "", nth_colour(i), int(i)));
    here.layers.push_back(markers(fmt::format("measured, I = {:g}", plateau_I[i]), nth_colour(i),
                                  nth_marker(i), std::move(measured)));
  }
  if (here.layers.empty()) return figure;
  if (constants.latency && constants.bandwidth) here.layers.push_back(legend_line("fitted law", 0));
  figure.panels.push_back(std::move(here));
  return figure;
}

Figure paper_cycles_figure(const PaperCycles& cycles) {
  Figure figure{.id = "thread-cycles",
                .title = fmt::format("{}: thread-cycles per element by kernel", cycles.paper),
                .description =
                    "Thread-cycles per element of radix sorts, kernel upon kernel: predicted for "
                    "the paper's GPU, and beside it predicted and measured on another."};
  for (const PaperCycles::Gpu* gpu : {&cycles.papers, &cycles.here})
    if (!gpu->sorts.empty()) figure.panels.push_back(cycles_panel(*gpu, cycles.setting));
  return figure;
}

Figure paper_conflicts_figure(const PaperConflicts& conflicts) {
  const DegreeSweep& first = conflicts.sweeps.front();
  Figure figure = degree_conflict_figure(
      fmt::format("conflicts-{}", pattern_name(first.pattern)),
      fmt::format("{}: bank conflicts by {}, {}, n = {}", conflicts.paper, pattern_name(first.pattern),
                  type_text(first.problem), elements(first.counted_n)),
      conflicts.sweeps);
  for (const DegreeSweep& sweep : conflicts.sweeps)
    figure.note += fmt::format("{}{}: {}", figure.note.empty() ? "" : "; ", sweep.algorithm,
                               parameters(sweep.problem.parameters));
  return figure;
}

std::vector<FigureOrMissing> paper_figures(const ReportInput& input) {
  std::vector<FigureOrMissing> all, missing;
  const PaperFigures& papers = input.papers;
  for (const PaperSweep& sweep : papers.sweeps) {
    Figure figure = paper_sweep_figure(sweep);
    if (sweep.here.measured.empty())
      missing.push_back(
          Missing{figure.title, fmt::format("not measured on {}", input.profile.name), sweep.bench});
    if (!figure.panels.empty()) all.push_back(std::move(figure));
  }
  for (const PaperPlateaus& plateaus : papers.plateaus) {
    Figure figure = paper_plateaus_figure(plateaus, input.profile);
    if (figure.panels.size() == 1)
      missing.push_back(Missing{figure.title,
                                fmt::format("the profile '{}' has no raw samples of it", input.profile.name),
                                "fathom calibrate -o profile.json"});
    all.push_back(std::move(figure));
  }
  for (const PaperCycles& cycles : papers.cycles) all.push_back(paper_cycles_figure(cycles));
  for (const PaperConflicts& conflicts : papers.conflicts) all.push_back(paper_conflicts_figure(conflicts));
  if (all.empty() && missing.empty())
    missing.push_back(Missing{"Figures of papers", "none was predicted", "fathom plot papers -o papers.svg"});
  std::ranges::move(missing, std::back_inserter(all));
  return all;
}

}  // namespace fathom::reports
