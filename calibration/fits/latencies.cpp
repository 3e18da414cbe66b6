// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

namespace fathom::fits {

void latencies(Fitting& fit) {
  for (const auto& [constant, benchmark] :
       {std::pair("wait.dram", &benchmarks::chase_dram), std::pair("wait.l2", &benchmarks::chase_l2),
        std::pair("wait.shared", &benchmarks::chase_shared)})
    fit.set(constant, fit.usable.of(*benchmark), [](const SeriesList& series, const TimeOf& time) {
      double sum = 0;
      for (const Series* one : series) sum += time(*one) / double(series.size());
      return sum;
    });
  // A barrier of w warps takes its latency and, one after another, their passes.
  const SeriesList barriers = fit.clocked(benchmarks::pipe_barrier, {along::instructions, along::warps});
  const auto line = [](const SeriesList& series, const TimeOf& time) {
    std::vector<std::pair<double, double>> points;
    for (const Series* one : series)
      points.emplace_back(at(*one, along::warps), time(*one) * one->clock_hz / at(*one, along::instructions));
    return fitted_line(points);
  };
  fit.set("pipe.barriers", barriers,
          [&](const SeriesList& series, const TimeOf& time) { return 1 / line(series, time).slope; });
  fit.set("wait.barrier", barriers,
          [&](const SeriesList& series, const TimeOf& time) { return line(series, time).at_zero; });
}

}  // namespace fathom::fits
