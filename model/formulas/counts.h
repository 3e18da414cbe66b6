// Counts that more than one formula needs.
#pragma once

#include <fathom/model/machine.h>

#include <algorithm>
#include <cmath>

namespace fathom::formulas {

/// log₂ x, and 0 where x ≤ 1: the sources' counts of rounds hold from one round up.
inline double log2_from_1(double x) {
  return x > 1 ? std::log2(x) : 0.0;
}
inline double ceil_log2(double x) {
  return std::ceil(log2_from_1(x));
}

/// ⌈a/b⌉ of counts kept as double (n goes beyond 2^31).
inline double ceil_div(double a, double b) {
  return std::ceil(a / b);
}

/// I of a store that its thread goes on after: it costs bandwidth, but no latency.
inline constexpr double not_waited_for = 1e9;

/// X where nothing but the number of threads limits how many are resident.
template <class Real>
double resident_threads_per_core(const Machine<Real>& machine, double threads) {
  return std::min(threads / machine.P(),
                  double(machine.limits.threads_per_multiprocessor) / machine.cores_per_multiprocessor);
}

/// Elements that a scan across a block moves to and from shared memory: every warp stores its sum, and loads
/// those of all warps. Idle lanes count.
inline double exchanged_in_block_scan(double threads) {
  return 2 * threads;
}

/// One warp per block, each with its heap: as many as are resident, but none without w elements of its own.
struct HeapWarps {
  double blocks;
  /// Rounded up to whole rows of w for every block: idle lanes of the last rows take their time, too.
  double elements;
};

inline HeapWarps heap_warps(double n, int w, int resident, int multiprocessors) {
  const double blocks = std::clamp(ceil_div(n, w), 1.0, std::max(1.0, double(resident) * multiprocessors));
  return {blocks, blocks * w * ceil_div(n, blocks * w)};
}

/// Registers a thread gets when it asks for `wanted` and its block is compiled for `threads`
/// (__launch_bounds__): all of a block's threads must fit the register file, and no instruction names more
/// than 255.
inline double bounded_registers(double wanted, int threads, int registers_per_multiprocessor) {
  return std::min({wanted, 255.0, std::floor(double(registers_per_multiprocessor) / threads)});
}

}  // namespace fathom::formulas
