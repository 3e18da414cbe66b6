// SPDX-License-Identifier: Apache-2.0
// The speed of the driver's copy from device memory to device memory.
#include <fathom/microbench/bench.h>

namespace fathom::microbench {

std::vector<Series> measure_device_copy(Bench& bench) {
  const std::vector<std::size_t> sizes = {bench.from.bytes() / 2, bench.from.bytes()};
  std::vector<Series> series;
  for (const std::size_t bytes : sizes) {
    bench.progress("device-copy", series.size(), sizes.size());
    series.push_back(bench.timed(benchmarks::device_copy, {{along::bytes, double(bytes)}},
                                 [&] { bench.executor.copy(bench.to.data(), bench.from.data(), bytes); }));
  }
  bench.progress("device-copy", sizes.size(), sizes.size());
  return series;
}

}  // namespace fathom::microbench
