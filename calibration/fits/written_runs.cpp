#include <fathom/calibration/fits/fits.h>

#include <algorithm>

namespace fathom::fits {

/// What a copy takes longer if its runs meet within sectors.
void written_runs(Fitting& fit) {
  SeriesList series = fit.usable.of(benchmarks::written_runs, {along::cut, along::meetings});
  std::ranges::sort(series, {}, [](const Series* one) { return at(*one, along::cut); });
  if (series.size() != 2) return;
  fit.set("dram.resumed", series, [](const SeriesList& points, const TimeOf& time) {
    return at(*points.back(), along::meetings) / (time(*points.back()) - time(*points.front()));
  });
}

}  // namespace fathom::fits
