// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

#include <algorithm>

namespace fathom::fits {

/// The rates are those of integer code: IMAD has half the rate of FFMA. FFMA alone fills all issue slots.
void pipes(Fitting& fit) {
  for (const auto& [constant, benchmark] :
       {std::pair("pipe.alu", &benchmarks::pipe_lop3), std::pair("pipe.fma", &benchmarks::pipe_imad),
        std::pair("pipe.issue", &benchmarks::pipe_ffma),
        std::pair("pipe.wavefronts", &benchmarks::pipe_lds4)})
    fit.set(constant, fit.clocked(*benchmark, {along::instructions, along::warps}),
            [](const SeriesList& series, const TimeOf& time) {
              return largest(series, [&](const Series& one) {
                return at(one, along::instructions) * at(one, along::warps) / (time(one) * one.clock_hz);
              });
            });
}

}  // namespace fathom::fits
