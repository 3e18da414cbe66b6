// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

namespace fathom::fits {

/// With one block on each multiprocessor, one begins when the one before has ended.
void turnover(Fitting& fit) {
  fit.set("wait.turnover", fit.usable.of(benchmarks::block_turnover, {along::blocks}),
          [&](const SeriesList& series, const TimeOf& time) {
            std::vector<std::pair<double, double>> line;
            for (const Series* one : series)
              line.emplace_back(at(*one, along::blocks) / fit.machine.multiprocessors,
                                time(*one) * fit.machine.clock.value);
            return fitted_line(line).slope;
          });
}

}  // namespace fathom::fits
