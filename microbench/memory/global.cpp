// SPDX-License-Identifier: Apache-2.0
// Throughput of global memory over the number of threads and of loads in flight per thread.
#include <fathom/microbench/bench.h>

namespace fathom::microbench {

// Every launch continues where the last one stopped, so a word is accessed again only after a walk through
// both large arrays.
std::vector<Series> measure_global_copy(Bench& bench) {
  return bench.sweep(
      benchmarks::global_copy,
      [&](const Residency& residency, int independent) {
        return bench.stream_copy(residency, independent, bench.from.bytes());
      },
      [](int independent) { return 2.0 * independent; });
}

}  // namespace fathom::microbench
