// The levels of the scan by interval sums (nakano2012; models.md §8), shared by two algorithms.
#pragma once

#include <fathom/model/descriptor.h>
#include <fathom/model/formulas/counts.h>

namespace fathom::formulas {

enum IntervalConstant : std::size_t {
  reuse_distance,
  traffic,
  pair_operations,
  thread_operations,
  start_latency,
};

inline std::vector<ConstantInfo> interval_constants() {
  return {
      {"reuse_distance", "bytes between two uses of an element, as a multiple of those that a kernel touches",
       1, 0.25, 4},
      {"traffic", "time of global accesses as a multiple of a copy's", 1, 0.5, 2},
      {"pair_operations", "register operations per word of a pair: the operator, moves", 3, 1, 80},
      {"thread_operations", "register operations per thread for anything else: addresses, set-up", 15, 2,
       200},
      {"start_latency",
       "latencies of a register that pass in a thread besides: its arguments, its first instructions", 50, 1,
       1000},
  };
}

// ---- as published ----

/// Down: a_{t+1}[i] = a_t[2i] + a_t[2i + 1], two reads and one write per sum. Up: in every pair one element
/// is copied (a read and a write) and one is added (two reads and a write). One thread per pair, down to a
/// single pair: n − 1 pairs in all.
template <class Real>
void add_published_levels(Phases<Real>& phases, const Machine<Real>& machine, double n, double words,
                          double groups) {
  const auto add = [&](std::string_view name, double pairs, double accesses_of_a_pair) {
    Phase<Real> phase;
    phase.name = name;
    phase.launches = groups;
    phase.multiplicity = resident_threads_per_core(machine, pairs);
    phase.accesses = {{Level::global, Real(groups * pairs * accesses_of_a_pair * words)}};
    phases.push_back(phase);
  };
  const double most = std::max(1.0, n / 2);
  for (double pairs = most; pairs >= 1; pairs /= 2) add("upsweep", pairs, 3);
  for (double pairs = most; pairs >= 1; pairs /= 2) add("downsweep", pairs, 5);
}

// ---- our kernels ----

constexpr double registers_of_a_pair = 16, registers_of_the_spine = 32;
/// Only the spine's launch uses shared memory.
inline double interval_registers(const Launch& launch) {
  return launch.shape.shared_bytes > 0 ? registers_of_the_spine : registers_of_a_pair;
}

/// What the kernels of one scan share: `groups` runs of it, one after another.
template <class Real>
struct IntervalScan {
  double words;
  double groups;
  bool behind_carry;  ///< of the previous group
  double warp_width;
  const ConstantValues<Real>& c;

  double whole_warps(double threads) const { return ceil_div(threads, warp_width) * warp_width; }
  Real footprint(double elements) const { return elements * words * 4 * c[reuse_distance]; }

  /// One thread per pair: `moved` elements are loaded and stored, `loaded` of them at once. Warps without a
  /// pair move nothing, but the others do not wait less for that, so I is scaled down by the same factor as
  /// the mean over all threads.
  Phase<Real> of_pairs(const Launch& launch, double pairs, double moved, double loaded,
                       Real footprint_bytes) const {
    Phase<Real> phase = phase_of<Real>(launch, registers_of_a_pair);
    phase.footprint_bytes = footprint_bytes;
    const double threads = groups * phase.blocks * phase.threads_per_block;
    const double with_pair = groups * whole_warps(pairs);
    phase.accesses = {
        {Level::global, Real(with_pair * moved * words), c[traffic],
         Real(loaded * words * with_pair / threads)},
        {Level::registers, Real(threads * (2 * words * c[pair_operations] + c[thread_operations]))},
        {Level::registers, Real(threads), Real(1), 1 / c[start_latency]}};
    return phase;
  }

  /// One block scans the remaining `elements`, one thread per element, which is read twice and written once.
  /// All threads read the carry, if there is one. A block scan consists of two warp scans, and every warp
  /// scans the warps' sums.
  Phase<Real> of_one_block(const Launch& launch, double elements) const {
    Phase<Real> phase = phase_of<Real>(launch, registers_of_the_spine);
    phase.footprint_bytes = footprint(launch.shape.threads);
    const double all = groups * launch.shape.threads;
    constexpr double steps_of_a_scan = 5, operations_of_a_step = 3;
    phase.accesses = {
        {Level::global, Real((groups * 3 * whole_warps(elements) + (behind_carry ? all : 0)) * words),
         c[traffic], Real(words)},
        {Level::shared, Real(groups * exchanged_in_block_scan(launch.shape.threads) * words)},
        {Level::registers, Real(all * (2 * steps_of_a_scan * operations_of_a_step * words +
                                       2 * words * c[pair_operations] + c[thread_operations]))},
        {Level::registers, Real(all), Real(1), 1 / c[start_latency]}};
    return phase;
  }
};

/// Levels of half the size, rounded down, until one block can scan the rest; then back up. `launches` starts
/// with those of this scan. `input_footprint` is for the first pass over the input, which no earlier launch
/// has brought into the L2.
template <class Real>
void add_calibrated_levels(Phases<Real>& phases, const IntervalScan<Real>& scan, const Launch*& launches,
                           double n, Real input_footprint) {
  std::vector<double> sizes{n};
  while (launches[sizes.size() - 1].shape.shared_bytes == 0) sizes.push_back(std::floor(sizes.back() / 2));
  for (std::size_t level = 1; level < sizes.size(); ++level)
    phases.push_back(scan.of_pairs(*launches++, sizes[level], 3, 2,
                                   level == 1 ? input_footprint : scan.footprint(1.5 * sizes[level - 1])));
  phases.push_back(scan.of_one_block(*launches++, sizes.back()));
  for (std::size_t level = sizes.size() - 1; level > 0; --level) {
    // In place, except for the first level, which reads the input and writes the output.
    const double arrays = level == 1 ? 2.5 : 1.5;
    const double size = sizes[level - 1];
    phases.push_back(scan.of_pairs(*launches++, std::ceil(size / 2), 5, 3, scan.footprint(arrays * size)));
  }
}

}  // namespace fathom::formulas
