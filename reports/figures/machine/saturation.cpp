// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/figures/machine/saturation.h>

#include <fathom/reports/figures/curves.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace fathom::reports {
namespace {

struct Span {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// (a^s + b^s)^(1/s); the maximum without s.
double smooth_maximum(double a, double b, const std::optional<double>& s) {
  const double most = std::max(a, b), least = std::min(a, b);
  // The larger one is factored out: its power would overflow for a sharp knee.
  return s ? most * std::pow(1 + std::pow(least / most, *s), 1 / *s) : most;
}

/// The clocks τ of an access: ((X/B)^s + (L/I + c)^s)^(1/s).
double law_clocks(const LevelConstants<double>& of, double X, double I) {
  return smooth_maximum(X / *of.bandwidth, *of.latency / I + of.issue.value_or(0), of.sharpness);
}

/// The same for a shared access at I = 1 that conflicts β-fold: it takes β wavefronts, and its last data
/// arrive β − 1 wavefronts late (nakano2012), as in model/laws/predict.cpp.
double conflict_clocks(const Machine<double>& machine, double X, double beta) {
  const LevelConstants<double>& of = machine.at(Level::shared);
  const double wavefront = machine.warp_width / (*of.bandwidth * machine.cores_per_multiprocessor);
  return smooth_maximum(X * beta / *of.bandwidth, *of.latency + of.issue.value_or(0) + (beta - 1) * wavefront,
                        of.sharpness);
}

/// The law for one I, between the fewest and the most resident threads.
std::vector<Point> law_curve(const LevelConstants<double>& constants, double I, const Span& X_range) {
  constexpr int steps = 60;
  std::vector<Point> law;
  for (int step = 0; step <= steps; ++step) {
    const double X = X_range.low * std::pow(X_range.high / X_range.low, double(step) / steps);
    law.emplace_back(X * I, words_per_clock(constants, X, I));
  }
  return law;
}

/// The bandwidth and the knee, where bandwidth and latency meet.
std::vector<Layer> bandwidth_and_knee(const LevelConstants<double>& constants, const Span& parallelism) {
  const double B = *constants.bandwidth, knee = *constants.latency * B;
  return {line(fmt::format("bandwidth B = {}", significant(B)), Colour::black,
               {{parallelism.low, B}, {parallelism.high, B}}, 1, 1),
          line(fmt::format("knee, latency L × B = {}", significant(knee)), Colour::black,
               {{knee, 0}, {knee, B}}, 2, 1.5)};
}

std::vector<Tick> byte_ticks(double low, double high) {
  const int first = int(std::ceil(std::log2(low))), last = int(std::floor(std::log2(high)));
  const int step = 1 + (last - first) / 8;
  std::vector<Tick> ticks;
  for (int k = first; k <= last; k += step) ticks.push_back({std::exp2(k), bytes(std::exp2(k))});
  return ticks;
}

/// The series of one benchmark that have these coordinates; others cannot be drawn.
std::vector<const Series*> series_of(const DeviceProfile& profile, std::string_view benchmark,
                                     std::initializer_list<const char*> coordinates) {
  std::vector<const Series*> found;
  for (const Series& series : profile.series)
    if (series.benchmark == benchmark && !series.samples.empty() && series.unit == "s" &&
        std::all_of(coordinates.begin(), coordinates.end(),
                    [&](const char* name) { return series.coordinates.contains(name); }))
      found.push_back(&series);
  return found;
}

/// τ: clocks between successive accesses of a thread.
double clocks_per_access(const Series& series, const DeviceProfile& profile) {
  const double clock_hz = series.clock_hz > 0 ? series.clock_hz : profile.machine.clock.value;
  return quartiles(series.samples).median * clock_hz / series.coordinates.at("accesses");
}

/// Bytes per second of each pass, without the time of its launch.
std::vector<Point> passes(const DeviceProfile& profile, std::string_view benchmark) {
  std::vector<Point> points;
  const double overhead = profile.machine.launch_overhead.value_or(0),
               gap = profile.machine.kernel_gap.value_or(0);
  for (const Series* series : series_of(profile, benchmark, {"bytes", "launches"})) {
    const double launches = series->coordinates.at("launches"), bytes = series->coordinates.at("bytes");
    const double pass = (quartiles(series->samples).median - overhead) / launches - gap;
    if (bytes >= 1 && launches >= 1 && pass > 0) points.emplace_back(bytes, bytes / pass);
  }
  return points;
}

Missing missing_series(const std::string& title, const DeviceProfile& profile, std::string_view benchmark) {
  return {title, fmt::format("the profile '{}' has no raw samples of {}", profile.name, benchmark),
          "fathom calibrate -o profile.json"};
}

/// A level's benchmark, and what it is called.
struct LevelSweep {
  Level level;
  const char *benchmark, *words;
};
constexpr LevelSweep level_sweeps[] = {{Level::global, "global-copy", "Global memory"},
                                       {Level::l2, "l2-copy", "L2"},
                                       {Level::shared, "shared-copy", "Shared memory"},
                                       {Level::registers, "register-ops", "Registers"}};

}  // namespace

double words_per_clock(const LevelConstants<double>& constants, double X, double I) {
  return X / law_clocks(constants, X, I);
}

std::vector<SaturationSample> saturation_samples(const DeviceProfile& profile, Level level) {
  const char* benchmark = std::ranges::find(level_sweeps, level, &LevelSweep::level)->benchmark;
  std::vector<SaturationSample> samples;
  for (const Series* series : series_of(profile, benchmark, {"X", "I", "accesses"}))
    samples.push_back(
        {series->coordinates.at("X"), series->coordinates.at("I"), clocks_per_access(*series, profile)});
  return samples;
}

Figure saturation_figure(const std::string& id, const std::string& title,
                         const LevelConstants<double>& constants,
                         const std::vector<SaturationSample>& samples) {
  Figure figure{
      .id = id,
      .title = title,
      .description =
          "Words per clock and core against parallelism X·I: measured points, and the fitted law as lines. "
          "Latency limits the rising part, bandwidth the level part.",
      .x = {.label = "parallelism X·I (threads per core X × independent accesses I)", .scale = Scale::log2},
      .y = {.label = "words per clock and core"},
      .layers = {}};
  struct OfI {
    std::vector<Point> measured;
    Span X;
  };
  std::map<double, OfI> by_I;
  Span parallelism;
  for (const auto& [X, I, clocks] : samples) {
    by_I[I].measured.emplace_back(X * I, X / clocks);
    by_I[I].X.include(X);
    parallelism.include(X * I);
  }
  const bool has_law = constants.latency && constants.bandwidth;
  std::size_t k = 0;
  for (const auto& [I, of_I] : by_I) {
    if (has_law) figure.layers.push_back(line("", nth_colour(k), law_curve(constants, I, of_I.X)));
    figure.layers.push_back(
        markers(fmt::format("measured, I = {:g}", I), nth_colour(k), nth_marker(k), of_I.measured));
    ++k;
  }
  if (!has_law) return figure;
  figure.layers.push_back(legend_line("fitted law", 0));
  for (Layer& mark : bandwidth_and_knee(constants, parallelism)) figure.layers.push_back(std::move(mark));
  return figure;
}

Figure footprint_figure(const std::string& id, const std::string& title, const Machine<double>& machine,
                        const std::vector<FootprintCurve>& curves) {
  Span footprints;
  double fastest = 0;
  for (const FootprintCurve& curve : curves)
    for (const Point& point : curve.points) {
      footprints.include(point.x);
      fastest = std::max(fastest, point.y / 1e9);
    }
  Figure figure{
      .id = id,
      .title = title,
      .description =
          "Bandwidth of repeated passes over the same bytes. Small footprints are limited by the start of a "
          "launch, those that fit in the L2 are fastest, large ones reach the bandwidth of global memory.",
      .x = {.label = "footprint", .scale = Scale::log2, .ticks = byte_ticks(footprints.low, footprints.high)},
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
    figure.layers.push_back(line("bandwidth of global memory", Colour::vermillion,
                                 {{footprints.low, *global / 1e9}, {footprints.high, *global / 1e9}}, 1,
                                 1.2));
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
          "Clocks per shared access against the degree of bank conflicts, measured (markers) and by the law "
          "(lines), for several numbers of resident threads. With few threads the latency of a load "
          "dominates; the law has about half of it, because its latency is fitted to the copy sweep, where a "
          "thread waits for loads but not for stores.",
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
        markers(fmt::format("measured, {:g} threads per core", X), nth_colour(k), nth_marker(k), measured));
    ++k;
  }
  if (has_law) figure.layers.push_back(legend_line("law, fitted to copies", 0));
  return figure;
}

std::vector<FigureOrMissing> saturation_figures(const ReportInput& input) {
  const DeviceProfile& profile = input.profile;
  std::vector<FigureOrMissing> all;
  for (const auto& [level, benchmark, words] : level_sweeps) {
    const std::string title = fmt::format("{} of {}: saturation", words, profile.name);
    const std::vector<SaturationSample> samples = saturation_samples(profile, level);
    if (samples.empty())
      all.push_back(missing_series(title, profile, benchmark));
    else
      all.push_back(saturation_figure(fmt::format("saturation-{}", name(level)), title,
                                      profile.machine.at(level), samples));
  }
  return all;
}

std::vector<FigureOrMissing> footprint_figures(const ReportInput& input) {
  const DeviceProfile& profile = input.profile;
  const std::string title = fmt::format("Bandwidth of {} against footprint", profile.name);
  std::vector<FootprintCurve> curves{
      {"copied", profile.machine.l2_half, passes(profile, "footprint-copy")},
      {"read", profile.machine.l2_half_reading, passes(profile, "footprint-read")}};
  std::erase_if(curves, [](const FootprintCurve& curve) { return curve.points.empty(); });
  if (curves.empty()) return {missing_series(title, profile, "footprint-copy")};
  return {footprint_figure("footprint", title, profile.machine, curves)};
}

std::vector<FigureOrMissing> conflict_figures(const ReportInput& input) {
  const std::string title = fmt::format("Shared memory of {} under bank conflicts", input.profile.name);
  std::vector<ConflictSample> samples;
  for (const Series* series : series_of(input.profile, "conflict", {"degree", "X", "accesses"}))
    samples.push_back({series->coordinates.at("degree"), series->coordinates.at("X"),
                       clocks_per_access(*series, input.profile)});
  if (samples.empty()) return {missing_series(title, input.profile, "conflict")};
  return {conflict_figure("conflicts", title, input.profile.machine, samples)};
}

}  // namespace fathom::reports
