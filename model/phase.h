// A phase is what one kernel launch, repeated, asks of a machine. An algorithm is a function to phases.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/model/machine.h>

#include <boost/container/static_vector.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom {

/// Accesses to one level, by all launches of the phase together.
template <class Real>
struct Access {
  Level level;
  Real count{0};     ///< A, in 32-bit words, before serialisation by conflicts
  Real conflict{1};  ///< β, mean serialisation of a shared access by bank conflicts, 1 = none
  /// I > 0, mean number of consecutive independent accesses of one thread; below 1, an access makes its
  /// thread wait for 1/I latencies.
  Real parallelism{1};
  bool ceiling = false;  ///< whether the source prints ⌈L/(X·I)⌉ for this term
  /// Global: distinct bytes touched between two uses of an element, where that is not the phase's footprint.
  std::optional<Real> reuse_bytes{};
};

template <class Real>
struct Phase {
  std::string_view name;
  double launches = 1;  ///< kernel launches this phase stands for
  double blocks = 1;    ///< per launch
  int threads_per_block = 1;
  double registers_per_thread = 0;
  double shared_bytes_per_block = 0;
  Real footprint_bytes{0};  ///< distinct global bytes that one launch touches: decides what the L2 serves
  bool reads_only = false;  ///< but for a few words
  std::optional<double>
      multiplicity{};  ///< X where the source's formula gives it; else it follows from the occupancy
  /// s ≥ 1 of global accesses, in DRAM's and the L2's place, where they are not made word by word as in the
  /// copies that tell the machine's.
  std::optional<Real> memory_sharpness{};
  Real start{0};  ///< clocks of all launches that pass before blocks run at speed: fetching the kernel's code
  boost::container::static_vector<Access<Real>, 10> accesses{};
};

/// Of the phase's blocks, on one multiprocessor at once; 0 when not even one fits.
template <class Real>
int resident_blocks(const Phase<Real>& phase, const OccupancyLimits& limits) {
  return resident_blocks(limits, phase.threads_per_block, phase.registers_per_thread,
                         phase.shared_bytes_per_block);
}

/// What a launch of the plan asks for besides its accesses: the phase bears the kernel's name.
template <class Real>
Phase<Real> phase_of(const Launch& launch, double registers_per_thread) {
  Phase<Real> phase;
  phase.name = launch.name();
  phase.launches = launch.repeats;
  phase.blocks = double(launch.blocks);
  phase.threads_per_block = launch.shape.threads;
  phase.registers_per_thread = registers_per_thread;
  phase.shared_bytes_per_block = launch.shape.shared_bytes;
  return phase;
}

template <class Real>
using Phases = std::vector<Phase<Real>>;

}  // namespace fathom
