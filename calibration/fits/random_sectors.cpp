// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/fits/fits.h>

#include <algorithm>

namespace fathom::fits {

/// Footprints within a quarter of the L2, and the smallest of at least twice its size: with larger ones,
/// translations of addresses miss, too.
void random_sectors(Fitting& fit) {
  if (!fit.machine.l2_capacity) return;
  const double l2 = fit.machine.l2_capacity->value;
  SeriesList held, missed;
  for (const Series* one : fit.usable.of(benchmarks::random_sectors, {along::bytes, along::sectors})) {
    const double bytes = at(*one, along::bytes);
    if (bytes <= l2 / 4) held.push_back(one);
    if (bytes < 2 * l2) continue;
    if (!missed.empty() && at(*missed.front(), along::bytes) > bytes) missed.clear();
    if (missed.empty() || at(*missed.front(), along::bytes) == bytes) missed.push_back(one);
  }
  const auto rate = [](const SeriesList& series, const TimeOf& time) {
    return largest(series, [&](const Series& one) { return at(one, along::sectors) / time(one); });
  };
  fit.set("l2.scattered", held, rate);
  fit.set("dram.scattered", missed, rate);
}

}  // namespace fathom::fits
