// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

#include <algorithm>

namespace fathom::fits {

void streams(Fitting& fit) {
  for (const auto& [constant, benchmark] : {std::pair("dram.read", &benchmarks::stream_dram_read),
                                            std::pair("dram.write", &benchmarks::stream_dram_write),
                                            std::pair("dram.copy", &benchmarks::stream_dram_copy),
                                            std::pair("l2.read", &benchmarks::stream_l2_read),
                                            std::pair("l2.write", &benchmarks::stream_l2_write),
                                            std::pair("l2.copy", &benchmarks::stream_l2_copy)})
    fit.set(constant, fit.usable.of(*benchmark, {along::bytes}),
            [](const SeriesList& series, const TimeOf& time) {
              return largest(series, [&](const Series& one) { return at(one, along::bytes) / time(one); });
            });
}

}  // namespace fathom::fits
