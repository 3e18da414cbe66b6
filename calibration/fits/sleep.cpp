#include <fathom/calibration/fits/fits.h>

namespace fathom::fits {

/// Of the length for which kernels here ask.
void sleep(Fitting& fit) {
  SeriesList series = fit.clocked(benchmarks::sleep, {along::nanoseconds});
  std::erase_if(series, [](const Series* one) { return at(*one, along::nanoseconds) != 2500; });
  fit.set("sleep", series, [](const SeriesList& points, const TimeOf& time) {
    const Series& one = *points.front();
    return time(one) / one.clock_hz / (1e-9 * at(one, along::nanoseconds));
  });
}

}  // namespace fathom::fits
