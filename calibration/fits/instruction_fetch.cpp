// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

#include <map>

namespace fathom::fits {

/// Sets the extra clocks per instruction when code misses the instruction caches but hits the L2, for code
/// that the nearest cache can hold.
void instruction_fetch(Fitting& fit) {
  constexpr double nearest_cache = 32 * 1024;
  SeriesList series;
  for (const Series* one :
       fit.usable.of(benchmarks::instruction_fetch,
                     {along::bytes, along::evicted, along::flushed, along::instructions, along::warps}))
    if (at(*one, along::flushed) == 0 && at(*one, along::warps) == 1 &&
        at(*one, along::bytes) <= nearest_cache)
      series.push_back(one);
  fit.set("fetch", series, [](const SeriesList& points, const TimeOf& time) {
    std::map<double, double> cached;  // by the number of instructions
    for (const Series* one : points)
      if (at(*one, along::evicted) == 0) cached[at(*one, along::instructions)] = time(*one);
    std::vector<std::pair<double, double>> extra;
    for (const Series* one : points) {
      const auto near = cached.find(at(*one, along::instructions));
      if (at(*one, along::evicted) == 1 && near != cached.end())
        extra.emplace_back(near->first, time(*one) - near->second);
    }
    return fitted_line(extra).slope;
  });
}

}  // namespace fathom::fits
