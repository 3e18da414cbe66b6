// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

#include <algorithm>

namespace fathom::fits {
namespace {

/// The rate of `count` from the two series of the benchmark: what a copy takes longer if its runs meet within
/// sectors.
void set_rate(Fitting& fit, std::string_view constant, const Benchmark& benchmark, const Coordinate& count) {
  SeriesList series = fit.usable.of(benchmark, {along::cut, count});
  std::ranges::sort(series, {}, [](const Series* one) { return at(*one, along::cut); });
  if (series.size() != 2) return;
  fit.set(constant, series, [&](const SeriesList& points, const TimeOf& time) {
    return at(*points.back(), count) / (time(*points.back()) - time(*points.front()));
  });
}

}  // namespace

void written_runs(Fitting& fit) {
  set_rate(fit, "dram.resumed", benchmarks::written_runs, along::meetings);
  set_rate(fit, "l2.partial", benchmarks::partial_sectors, along::parts);
}

}  // namespace fathom::fits
