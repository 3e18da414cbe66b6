#include <fathom/calibration/fit.h>
#include <fathom/calibration/fit_level.h>
#include <fathom/calibration/fit_rates.h>
#include <fathom/calibration/least_squares.h>
#include <fathom/calibration/plausible.h>
#include <fathom/calibration/usable_series.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <variant>

namespace fathom {
namespace {

constexpr int resamples = 200;
constexpr std::uint64_t seed = 20180612;

void forget_old_fits(DeviceProfile& profile) {
  for_each_constant(profile.machine, [](std::string_view, std::optional<double>& value) { value.reset(); });
  profile.estimates.clear();
  profile.quality.clear();
  profile.warnings.clear();
  profile.implausible.clear();
}

void fit_clock(DeviceProfile& profile, const UsableSeries& usable) {
  std::vector<double> samples;
  for (const Series* series : usable.of("clock"))
    samples.insert(samples.end(), series->samples.begin(), series->samples.end());
  if (samples.empty()) {
    profile.warnings.push_back("clock: not measured, the value there was is kept");
    return;
  }
  const auto [low, high] = std::minmax_element(samples.begin(), samples.end());
  const double median = quartiles(samples).median;
  if (*high - *low > 0.01 * median)
    profile.warnings.push_back(
        fmt::format("clock: it ran between {:.0f} and {:.0f} MHz", *low / 1e6, *high / 1e6));
  profile.machine.clock = Hertz{median};
}

/// Since Maxwell every multiprocessor has four schedulers, each with its own lanes.
constexpr int schedulers = 4;

/// Whether X gives every scheduler the same number of warps. Register operations stay on their scheduler's
/// lanes: an idle scheduler does not help the others, and with an uneven distribution the fullest one
/// decides. The law's X would have to be that scheduler's.
bool is_balanced(double X, const Machine<double>& machine) {
  const double warps_per_scheduler = X * machine.cores_per_multiprocessor / (machine.warp_width * schedulers);
  return std::abs(warps_per_scheduler - std::round(warps_per_scheduler)) < 1e-9;
}

void fit_saturation(DeviceProfile& profile, const UsableSeries& usable, std::mt19937_64& random,
                    const Progress& progress) {
  for (auto [level, benchmark] :
       {std::pair(Level::global, "global-copy"), std::pair(Level::l2, "l2-copy"),
        std::pair(Level::shared, "shared-copy"), std::pair(Level::registers, "register-ops")}) {
    std::vector<const Series*> series = usable.of(benchmark, {"X", "I", "accesses"});
    // Seconds are converted by the clock observed during the series; the profile's own may differ.
    std::erase_if(series, [](const Series* one) { return one->unit == "s" && !(one->clock_hz > 0); });
    if (level == Level::registers)
      std::erase_if(
          series, [&](const Series* one) { return !is_balanced(one->coordinates.at("X"), profile.machine); });
    const std::string level_name(name(level));
    const LevelFit fit = fit_level(level_name, sweep_points(series), random, progress);
    profile.warnings.insert(profile.warnings.end(), fit.warnings.begin(), fit.warnings.end());
    if (fit.latency) set_constant(profile, level_name + ".latency", *fit.latency);
    if (fit.bandwidth) set_constant(profile, level_name + ".bandwidth", *fit.bandwidth);
    if (fit.issue) set_constant(profile, level_name + ".issue", *fit.issue);
    if (fit.sharpness) set_constant(profile, level_name + ".sharpness", *fit.sharpness);
    if (fit.quality) profile.quality[level_name] = *fit.quality;
  }
}

/// A copy waits for its load but not for its store, and both count as accesses: its L should be half of a
/// chase's latency.
void check_latencies(DeviceProfile& profile, const UsableSeries& usable) {
  for (auto [level, benchmark] : {std::pair(Level::global, "chase-dram"), std::pair(Level::l2, "chase-l2"),
                                  std::pair(Level::shared, "chase-shared")}) {
    const auto& latency = profile.machine.at(level).latency;
    std::vector<double> chases;
    for (const Series* series : usable.of(benchmark)) chases.push_back(median(*series));
    if (!latency || chases.empty()) continue;
    const double chased = quartiles(chases).median;
    if (std::abs(*latency / (chased / 2) - 1) > 0.25)
      profile.warnings.push_back(
          fmt::format("{}: L of the sweep is {:.1f} clocks, half of what {} sees is {:.1f}: they differ by "
                      "more than 25 % "
                      "(an access of the sweep is half a load that is waited for and a store that is not)",
                      name(level), *latency, benchmark, chased / 2));
  }
}

void check_copy(DeviceProfile& profile, const UsableSeries& usable) {
  const auto& bandwidth = profile.machine.at(Level::global).bandwidth;
  double copied = 0;  // bytes/s, read and written
  for (const Series* series : usable.of("device-copy", {"bytes"}))
    copied = std::max(copied, 2 * series->coordinates.at("bytes") / median(*series));
  if (!bandwidth || copied == 0) return;
  const double swept = *bandwidth * 4 * profile.machine.P() * profile.machine.clock.value;
  if (swept < 0.97 * copied)
    profile.warnings.push_back(
        fmt::format("global: B of the sweep is {:.0f} GB/s, {:.1f} % of the {:.0f} GB/s of a device "
                    "copy, below 97 %",
                    swept / 1e9, 100 * swept / copied, copied / 1e9));
}

// ---- launches ----

/// A sequence of k launches costs launch_overhead + k·kernel_gap. The gap is the slope over k; the overhead
/// is the time of one empty kernel minus one gap. The line's intercept would estimate the same number, but
/// mainly from the longest sequences.
struct LaunchCost {
  double overhead, gap;
};

/// Slope of seconds over kernels by least squares on relative errors: a time's noise grows with it.
double slope(const std::vector<std::pair<double, double>>& points) {
  double weights = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (const auto& [x, y] : points) {
    weights += 1 / (y * y);
    mean_x += x / (y * y);
    mean_y += 1 / y;
  }
  mean_x /= weights;
  mean_y /= weights;
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x) / (y * y);
    xy += (x - mean_x) * (y - mean_y) / (y * y);
  }
  return xy / xx;
}

template <class Median>
LaunchCost launch_cost(const Series& empty, const std::vector<const Series*>& sequences, Median median) {
  std::vector<std::pair<double, double>> points;
  for (const Series* series : sequences)
    points.emplace_back(series->coordinates.at("kernels"), median(series->samples));
  const double gap = slope(points);
  return {std::max(0.0, median(empty.samples) - gap), gap};
}

void fit_launches(DeviceProfile& profile, const UsableSeries& usable, std::mt19937_64& random) {
  const Series* empty = usable.one("launch-empty");
  const auto sequences = usable.of("launch-gap", {"kernels"});
  const bool varied = std::any_of(sequences.begin(), sequences.end(), [&](const Series* series) {
    return series->coordinates.at("kernels") != sequences.front()->coordinates.at("kernels");
  });
  if (!empty || !varied) {
    profile.warnings.push_back("launches: not fitted, launch-empty or launch-gap at two lengths is missing");
    return;
  }
  const auto plain_median = [](const std::vector<double>& samples) { return quartiles(samples).median; };
  const LaunchCost cost = launch_cost(*empty, sequences, plain_median);
  if (!(cost.gap > 0)) {
    profile.warnings.push_back("launches: not fitted, the time does not grow with the number of kernels");
    return;
  }
  if (cost.overhead == 0)
    profile.warnings.push_back("launches: one empty kernel takes no longer than one more in a sequence");
  std::vector<double> overheads, gaps;
  for (int i = 0; i < resamples; ++i) {
    const LaunchCost drawn = launch_cost(*empty, sequences, [&](const std::vector<double>& samples) {
      return resampled_median(samples, random);
    });
    overheads.push_back(drawn.overhead);
    gaps.push_back(drawn.gap);
  }
  set_constant(profile, "launch_overhead", cost.overhead, overheads);
  set_constant(profile, "kernel_gap", cost.gap, gaps);
}

// ---- block starts ----

/// From the slopes of seconds over blocks: block_start from the narrowest blocks, warp_start from the widest,
/// per warp.
void fit_block_starts(DeviceProfile& profile, const UsableSeries& usable, std::mt19937_64& random) {
  std::map<double, std::vector<const Series*>> by_threads;
  for (const Series* series : usable.of("block-start", {"threads", "blocks"}))
    by_threads[series->coordinates.at("threads")].push_back(series);
  std::erase_if(by_threads, [](const auto& item) { return item.second.size() < 2; });
  if (by_threads.size() < 2) {
    profile.warnings.push_back(
        "block-start: not fitted, two widths with two numbers of blocks each are missing");
    return;
  }
  const auto clocks = [&](const std::vector<const Series*>& series, auto median_of) {
    std::vector<std::pair<double, double>> points;
    for (const Series* one : series)
      points.emplace_back(one->coordinates.at("blocks"), median_of(one->samples));
    return slope(points) * profile.machine.multiprocessors * profile.machine.clock.value;
  };
  const auto estimate = [&](const std::vector<const Series*>& series, double divisor) {
    const auto plain_median = [](const std::vector<double>& samples) { return quartiles(samples).median; };
    const double value = clocks(series, plain_median) / divisor;
    std::vector<double> draws;
    for (int i = 0; i < resamples; ++i)
      draws.push_back(clocks(series, [&](const auto& samples) { return resampled_median(samples, random); }) /
                      divisor);
    return Estimate{value, percentile_interval(draws, value)};
  };
  const auto& [widest, of_widest] = *by_threads.rbegin();
  set_constant(profile, "block_start", estimate(by_threads.begin()->second, 1));
  set_constant(profile, "warp_start", estimate(of_widest, widest / profile.machine.warp_width));
}

// ---- passes over a footprint ----

struct FootprintPoint {
  double bytes, launches;
  std::vector<double> seconds;  ///< of all launches
};

constexpr Bounded steepness_bounds{least_l2_steepness, 64};

/// One pass over f bytes: start + share·f·l2 + (1 − share)·(f·dram + dram_start), with machine.h's share of
/// the L2.
struct FootprintLaw {
  double half, steepness, l2_seconds, dram_seconds, start, dram_start;  ///< …_seconds per byte

  explicit FootprintLaw(const Eigen::VectorXd& x)
      : half(std::exp(x[0])),
        steepness(steepness_bounds.value(x[1])),
        l2_seconds(std::exp(x[2])),
        dram_seconds(std::exp(x[3])),
        start(std::exp(x[4])),
        dram_start(std::exp(x[5])) {}
  double seconds(double footprint) const {
    const double share = 1 / (1 + std::pow(footprint / half, steepness));
    return start + share * footprint * l2_seconds + (1 - share) * (footprint * dram_seconds + dram_start);
  }
};

using Curve = std::vector<std::pair<double, double>>;  // footprint, seconds of a pass

Minimum fit_curve(const Curve& curve, const std::vector<Eigen::VectorXd>& starts) {
  const Residuals residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& result) {
    const FootprintLaw law(x);
    Eigen::Index i = 0;
    for (const auto& [bytes, seconds] : curve) result[i++] = std::log(law.seconds(bytes) / seconds);
    result[i] = 1e-3 * (x[1] - starts.front()[1]);  // a step between two points leaves the steepness open
  };
  return minimise(residuals, int(curve.size()) + 1, starts, 400);
}

std::vector<Eigen::VectorXd> curve_starts(const Curve& curve) {
  const double largest = curve.back().first;
  const double slowest = curve.back().second / largest;  // seconds per byte
  std::vector<Eigen::VectorXd> starts;
  for (double position : {0.3, 0.5, 0.7})
    for (double steepness : {3.0, 10.0}) {
      const double half = std::pow(curve.front().first, 1 - position) * std::pow(largest, position);
      Eigen::VectorXd x(6);
      x << std::log(half), steepness_bounds.free(steepness), std::log(slowest / 2), std::log(slowest),
          std::log(1e-6), std::log(1e-6);
      starts.push_back(x);
    }
  return starts;
}

struct FootprintFit {
  FootprintLaw law;
  std::vector<double> halves, steepnesses, dram_starts;  ///< of the bootstrap
};
struct NotFitted {
  std::string reason;
};

std::variant<FootprintFit, NotFitted> fit_footprint(const std::vector<const Series*>& series, double overhead,
                                                    double gap, std::mt19937_64& random,
                                                    const Progress& progress) {
  std::vector<FootprintPoint> points;
  for (const Series* one : series)
    points.push_back({one->coordinates.at("bytes"), one->coordinates.at("launches"), one->samples});
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  const auto pass = [&](const FootprintPoint& point, double seconds) {
    return std::pair(point.bytes, (seconds - overhead) / point.launches - gap);
  };
  Curve curve;
  for (const FootprintPoint& point : points)
    if (const auto one = pass(point, quartiles(point.seconds).median); one.second > 0) curve.push_back(one);
  if (curve.size() < 8) return NotFitted{fmt::format("{} points are too few", curve.size())};
  const Minimum minimum = fit_curve(curve, curve_starts(curve));
  FootprintFit fit{FootprintLaw(minimum.x), {}, {}, {}};
  if (!std::isfinite(minimum.sum_of_squares) || fit.law.dram_seconds < 1.1 * fit.law.l2_seconds ||
      fit.law.half < curve.front().first || fit.law.half > curve.back().first)
    return NotFitted{"the curve shows no step from the L2 to DRAM"};
  std::uniform_int_distribution<std::size_t> pick(0, points.size() - 1);
  for (int i = 0; i < resamples; ++i) {
    if (progress) progress("fitting the reach of the L2", std::size_t(i), resamples);
    Curve drawn;
    for (std::size_t j = 0; j < points.size(); ++j) {
      const FootprintPoint& point = points[pick(random)];
      if (const auto one = pass(point, resampled_median(point.seconds, random)); one.second > 0)
        drawn.push_back(one);
    }
    const FootprintLaw drawn_law(fit_curve(drawn, {minimum.x}).x);
    fit.halves.push_back(drawn_law.half);
    fit.steepnesses.push_back(drawn_law.steepness);
    fit.dram_starts.push_back(drawn_law.dram_start);
  }
  return fit;
}

/// Fits the L2's share to copies, which most algorithms resemble, and its reach without writes to reads. Also
/// fits the start-up time of DRAM reads, which nearly vanishes if words are written, too.
void fit_footprints(DeviceProfile& profile, const UsableSeries& usable, std::mt19937_64& random,
                    const Progress& progress) {
  if (!profile.machine.launch_overhead || !profile.machine.kernel_gap) {
    profile.warnings.push_back("footprints: not fitted, the cost of a launch is not known");
    return;
  }
  const auto fit_of = [&](const char* benchmark) -> std::optional<FootprintFit> {
    auto result = fit_footprint(usable.of(benchmark, {"bytes", "launches"}), *profile.machine.launch_overhead,
                                *profile.machine.kernel_gap, random, progress);
    if (auto* fit = std::get_if<FootprintFit>(&result)) return std::move(*fit);
    profile.warnings.push_back(
        fmt::format("{}: not fitted, {}", benchmark, std::get<NotFitted>(result).reason));
    return std::nullopt;
  };
  if (const auto copy = fit_of("footprint-copy")) {
    set_constant(profile, "l2_half", copy->law.half, copy->halves);
    set_constant(profile, "l2_steepness", copy->law.steepness, copy->steepnesses);
  }
  if (const auto read = fit_of("footprint-read")) {
    if (!profile.machine.l2_steepness)  // shared by both; the reach needs it
      set_constant(profile, "l2_steepness", read->law.steepness, read->steepnesses);
    set_constant(profile, "l2_half_reading", read->law.half, read->halves);
    set_constant(profile, "dram_start", read->law.dram_start, read->dram_starts);
  }
}

// ---- conflicts ----

/// A conflict of degree β costs β wavefronts: at a fixed X, time must be linear in the degree.
void check_conflicts(DeviceProfile& profile, const UsableSeries& usable) {
  std::map<double, std::vector<std::pair<double, double>>> by_X;  // degree, seconds per access
  for (const Series* series : usable.of("conflict", {"degree", "X", "accesses"}))
    by_X[series->coordinates.at("X")].emplace_back(series->coordinates.at("degree"),
                                                   median(*series) / series->coordinates.at("accesses"));
  for (const auto& [X, points] : by_X) {
    if (points.size() < 4) continue;
    double mean_degree = 0, mean_time = 0;
    for (const auto& [degree, time] : points) {
      mean_degree += degree / double(points.size());
      mean_time += time / double(points.size());
    }
    double dd = 0, dt = 0, worst = 0;
    for (const auto& [degree, time] : points) {
      dd += (degree - mean_degree) * (degree - mean_degree);
      dt += (degree - mean_degree) * (time - mean_time);
    }
    for (const auto& [degree, time] : points)
      worst = std::max(worst, std::abs(time - mean_time - dt / dd * (degree - mean_degree)) / mean_time);
    if (worst > 0.2 || !(dt > 0))
      profile.warnings.push_back(
          fmt::format("shared: at X = {:g} time does not grow linearly with the conflict degree: off the "
                      "line by up to {:.0f} %",
                      X, 100 * worst));
  }
}

}  // namespace

void fit_profile(DeviceProfile& profile, const Progress& progress) {
  forget_old_fits(profile);
  std::mt19937_64 random(seed);
  const UsableSeries usable(profile);
  fit_clock(profile, usable);
  fit_saturation(profile, usable, random, progress);
  check_latencies(profile, usable);
  check_copy(profile, usable);
  fit_launches(profile, usable, random);
  fit_block_starts(profile, usable, random);
  fit_footprints(profile, usable, random, progress);
  fit_rates(profile, usable, random, progress);
  check_conflicts(profile, usable);
  profile.implausible = why_implausible(profile);
  if (progress) progress("", resamples, resamples);
}

}  // namespace fathom
