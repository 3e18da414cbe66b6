// Common parts of the formulas of reductions.
#pragma once

#include <fathom/model/descriptor.h>
#include <fathom/model/formulas/counts.h>

#include <vector>

namespace fathom::formulas {

// ---- as published ----

/// The law of §1 needs a multiplicity; agpu2015 gives the shared words m used by b cores, a warp. So the
/// machine holds M/m warps. An element of 64 bits is two words.
template <class Real>
Phase<Real> agpu_phase(std::string_view name, const Machine<Real>& machine, double words_per_warp, int t) {
  const int b = machine.warp_width;
  const double warps = machine.M() / words_per_warp;
  Phase<Real> phase;
  phase.name = name;
  phase.blocks = std::max(1.0, std::floor(warps * b / t));
  phase.threads_per_block = t;
  phase.multiplicity = warps * b / machine.P();
  return phase;
}

/// Global accesses, in elements, of a reduction by p cores. An I/O moves b elements: n/b of them read the
/// input, each of the p/b warps writes its result with one of its own, and one more warp reads these results,
/// b at a time, and writes the final one.
inline double agpu_global_accesses(double n, double p, int b) {
  return n + p + p / b + b;
}

/// p: the machine's cores, at most one per element.
template <class Real>
double agpu_cores(const Machine<Real>& machine, double n) {
  return std::min(n, machine.P());
}

// ---- our kernels ----

/// The constants of every reduction. They come first in its list, before its own.
enum ReductionConstant : std::size_t {
  read_traffic,
  read_parallelism,
  thread_operations,
  shuffle_latency,
  first_own_constant,
};

/// `operations` is the number of a thread's operations in the source that the formula does not count
/// otherwise.
inline std::vector<ConstantInfo> reduction_constants(double operations, std::vector<ConstantInfo> own) {
  std::vector<ConstantInfo> all{
      {"read_traffic", "time of reading as a multiple of a copy's", 1, 0.5, 2},
      {"read_parallelism", "words that a thread has in flight, as a multiple of those it loads at a time", 1,
       0.1, 4},
      {"thread_operations",
       "register operations per thread and kernel for anything else: set-up, the combination across the "
       "block",
       operations, 5, 20000},
      {"shuffle_latency",
       "latencies of a register that pass for each shuffle of the combination across the block, with its "
       "operator "
       "and a share of the barrier",
       8, 1, 200},
  };
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

/// One launch of a kernel that reduces n elements to one per block.
struct ReductionLaunch {
  const Launch& launch;
  double n, words;  ///< words of an element
  double registers;
  int t = launch.shape.threads;
  double blocks = double(launch.blocks);
  double threads = blocks * t;
};

/// Words that a thread has in flight when it needs `needed` in all and loads them in as few equal batches of
/// at most `at_a_time` as possible.
inline double words_in_flight(double needed, double at_a_time) {
  return std::max(1.0, needed / std::max(1.0, ceil_div(needed, at_a_time)));
}

/// Reads n elements once and writes one per block. The one lane that writes counts as a warp, as in all
/// counts of words here, but moves only its own element.
template <class Real>
Phase<Real> reduction_phase(const ReductionLaunch& launch, const Machine<Real>& machine, double in_flight,
                            const ConstantValues<Real>& c) {
  const double b = machine.warp_width;
  Phase<Real> phase = phase_of<Real>(launch.launch, launch.registers);
  phase.footprint_bytes = Real(launch.n * launch.words * 4);
  phase.reads_only = true;
  phase.accesses = {
      {Level::global, Real(launch.n * launch.words), c[read_traffic], Real(in_flight * c[read_parallelism])},
      {Level::global, Real(launch.blocks * b * launch.words), Real(1 / b), Real(not_waited_for)},
      {Level::registers, Real(launch.threads * c[thread_operations])},
      // Within the warp, then over the warps' results.
      {Level::registers, Real(launch.threads * 2 * std::log2(b) * launch.words), Real(1),
       1 / c[shuffle_latency]}};
  return phase;
}

/// Shared words when the warps of each block combine their results: every warp stores one, and the first warp
/// loads all of them.
inline double exchanged_words(const ReductionLaunch& launch, int b) {
  return (launch.threads + launch.blocks * b) * launch.words;
}

/// Calls `phase_of` with a ReductionLaunch for every launch. The first reduces the input, each of the others
/// the results of the previous one.
template <class Real, class PhaseOf>
Phases<Real> of_each_launch(const Machine<Real>&, const Plan& plan, double n, double words, double registers,
                            PhaseOf phase_of) {
  Phases<Real> phases;
  phases.reserve(plan.size());
  for (const Launch& launch : plan) {
    phases.push_back(phase_of(ReductionLaunch{launch, n, words, registers}));
    n = double(launch.blocks);
  }
  return phases;
}

}  // namespace fathom::formulas
