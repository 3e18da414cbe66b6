// How fast do threads reach global memory, by how many there are and how many loads each has in flight?
#include <fathom/microbench/bench.h>

namespace fathom::microbench {

// Every launch goes on where the last one stopped: a word comes round again only after both large arrays went
// by.
std::vector<Series> measure_global_copy(Bench& bench) {
  return bench.sweep(
      "global-copy",
      [&](const Residency& residency, int independent) {
        return bench.stream_copy(residency, independent, bench.from.bytes());
      },
      [](int independent) { return 2.0 * independent; });
}

}  // namespace fathom::microbench
