// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fit_lines.h>
#include <fathom/calibration/fits/fits.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>

namespace fathom::fits {
namespace {

constexpr double most_gpus = 1 << 20;

struct Among {
  int hosts, gpus;
  auto operator<=>(const Among&) const = default;
};

std::string in_words(const Among& among) {
  std::string words = among.gpus == 1 ? "of one GPU" : fmt::format("among {} GPUs", among.gpus);
  if (among.hosts > 1) words += fmt::format(" of {} hosts", among.hosts);
  return words;
}

/// The points of each number of hosts and of GPUs.
std::map<Among, std::vector<LinkPoint>> points_of(ExchangeKind kind, const SeriesList& series) {
  const Range numbers_of_gpus{double(fewest_gpus(kind)), most_gpus};
  std::map<Among, std::vector<LinkPoint>> points;
  for (const Series* one : series) {
    const double hosts = one->coordinates.contains(along::hosts) ? at(*one, along::hosts) : 1;
    const double gpus = at(*one, along::gpus), bytes = at(*one, along::bytes);
    if (numbers_of_gpus.holds(gpus) && hosts >= 1 && std::fmod(gpus, hosts) == 0 && bytes >= 0)
      points[{int(hosts), int(gpus)}].push_back({bytes, one->samples});
  }
  return points;
}

bool holds(const Range& range, const Estimate& estimate) {
  return range.holds(estimate.value) && range.holds(estimate.interval->low) &&
         range.holds(estimate.interval->high);
}

bool in_range(const LinkRange& range) {
  return holds(line_latencies, range.latency) && holds(seconds_per_byte_of_links, range.per_byte);
}

void add_curve(ExchangeKind kind, const Among& among, const std::vector<LinkPoint>& points, Fitting& fit,
               std::vector<LinkCurve>& curves) {
  const auto refuse = [&](std::string_view reason) {
    fit.profile.warnings.push_back(
        fmt::format("{} {}: not fitted, {}", benchmarks::of(kind).name, in_words(among), reason));
  };
  const std::optional<LineFit> lines = fit_lines(points, fit.random);
  if (!lines) {
    refuse("it was measured at one size only");
    return;
  }
  if (!std::ranges::all_of(lines->ranges, in_range)) {
    refuse("its latency or its time per byte is impossible");
    return;
  }
  curves.push_back({.kind = kind,
                    .gpus = among.gpus,
                    .most_bytes = std::ranges::max(points, {}, &LinkPoint::bytes).bytes,
                    .ranges = lines->ranges,
                    .mean_relative_error = lines->mean_relative_error,
                    .worst_relative_error = lines->worst_relative_error,
                    .hosts = among.hosts});
}

}  // namespace

void links(Fitting& fit) {
  std::vector<LinkCurve> curves;
  for (const ExchangeKind kind : all_exchange_kinds)
    for (const auto& [among, points] :
         points_of(kind, fit.usable.of(benchmarks::of(kind), {along::gpus, along::bytes})))
      add_curve(kind, among, points, fit, curves);
  for (const auto& [kind, benchmark] : benchmarks::between_hosts)
    for (const auto& [among, points] :
         points_of(kind, fit.usable.of(*benchmark, {along::hosts, along::gpus, along::bytes})))
      add_curve(kind, among, points, fit, curves);
  if (curves.empty()) {
    fit.machine.links.reset();
    return;
  }
  if (!fit.machine.links) fit.machine.links.emplace();
  fit.machine.links->curves = std::move(curves);
}

}  // namespace fathom::fits
