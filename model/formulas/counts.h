// Counts used by more than one formula.
#pragma once

#include <fathom/model/machine.h>

#include <algorithm>
#include <cmath>

namespace fathom::formulas {

/// log₂ x, and 0 for x ≤ 1: the sources' counts of rounds hold only for at least one round.
inline double log2_from_1(double x) {
  return x > 1 ? std::log2(x) : 0.0;
}
inline double ceil_log2(double x) {
  return std::ceil(log2_from_1(x));
}

/// ⌈a/b⌉ for counts kept as double (n can exceed 2^31).
inline double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

/// I of a store that its thread does not wait for: it costs bandwidth, but no latency.
inline constexpr double not_waited_for = 1e9;

/// X if only the number of threads limits residency.
template <class Real>
double resident_threads_per_core(const Machine<Real>& machine, double threads) {
  return std::min(threads / machine.P(),
                  double(machine.limits.threads_per_multiprocessor) / machine.cores_per_multiprocessor);
}

/// Elements that a block scan moves to and from shared memory: every warp stores its sum and loads the sums
/// of all warps. Idle lanes count.
inline double exchanged_in_block_scan(double threads) {
  return 2 * threads;
}

/// One warp per block, each with its heap: as many as are resident, but each with at least w elements.
struct HeapWarps {
  double blocks;
  /// Rounded up to whole rows of w per block: idle lanes in the last rows take time, too.
  double elements;
};

inline HeapWarps heap_warps(double n, int w, int resident, int multiprocessors) {
  const double blocks = std::clamp(ceil_div(n, w), 1.0, std::max(1.0, double(resident) * multiprocessors));
  return {blocks, blocks * w * ceil_div(n, blocks * w)};
}

/// Registers per thread when it wants `wanted` and its block is compiled for `threads` (__launch_bounds__):
/// all threads of the block must fit in the register file, and an instruction can address at most 255
/// registers.
inline double bounded_registers(double wanted, int threads, int registers_per_multiprocessor) {
  return std::min({wanted, 255.0, std::floor(double(registers_per_multiprocessor) / threads)});
}

}  // namespace fathom::formulas
