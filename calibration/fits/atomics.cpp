// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

namespace fathom::fits {

/// Every lane of every warp changes a word of its own, but warps have the same ones.
void atomics(Fitting& fit) {
  constexpr double words_per_sector = 8, lanes = 32;
  for (const auto& [constant, words] :
       {std::pair("atomics.line", 32), std::pair("atomics.kib", 256), std::pair("atomics.64_kib", 16384)}) {
    SeriesList series;
    for (const Series* one : fit.usable.of(
             benchmarks::global_atomics,
             {along::addresses, along::lanes, along::random, along::returning, along::warps, along::atomics}))
      if (at(*one, along::addresses) == words && at(*one, along::lanes) == lanes &&
          at(*one, along::random) == 0 && at(*one, along::returning) == 0)
        series.push_back(one);
    fit.set(constant, series, [&](const SeriesList& points, const TimeOf& time) {
      const Series& one = *points.front();
      return fit.machine.multiprocessors * at(one, along::warps) * at(one, along::atomics) * lanes /
             words_per_sector / time(one);
    });
  }
}

}  // namespace fathom::fits
