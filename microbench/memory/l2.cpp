// SPDX-License-Identifier: Apache-2.0
// Throughput of the L2.
#include <fathom/microbench/bench.h>

namespace fathom::microbench {

// A quarter of the L2 in total: an L2 with two partitions may keep each line in both and still holds
// everything. Every repeat copies what the warm-up launches copied.
std::vector<Series> measure_l2_copy(Bench& bench) {
  const std::size_t bytes_per_array = bench.gpu.l2_bytes / 8;
  return bench.sweep(
      benchmarks::l2_copy,
      [&](const Residency& residency, int independent) {
        return bench.stream_copy(residency, independent, bytes_per_array);
      },
      [](int independent) { return 2.0 * independent; });
}

}  // namespace fathom::microbench
