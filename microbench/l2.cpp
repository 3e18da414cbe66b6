// How fast do threads reach the L2?
#include <fathom/microbench/bench.h>

namespace fathom::microbench {

// A quarter of the L2 in all: an L2 in two partitions may keep a line in each, and still holds all of it.
// What the warm-up launches copied is copied again by every repeat.
std::vector<Series> measure_l2_copy(Bench& bench) {
  const std::size_t bytes_per_array = bench.gpu.l2_bytes / 8;
  return bench.sweep(
      "l2-copy",
      [&](const Residency& residency, int independent) {
        return bench.stream_copy(residency, independent, bytes_per_array);
      },
      [](int independent) { return 2.0 * independent; });
}

}  // namespace fathom::microbench
