// A phase is the work of one kernel launch, possibly repeated. A formula maps a problem to phases.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/model/machine.h>

#include <boost/container/static_vector.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom {

/// Accesses to one level, summed over all launches of the phase.
template <class Real>
struct Access {
  Level level;
  Real count{0};     ///< A, in 32-bit words, before serialisation by conflicts
  Real conflict{1};  ///< β, mean serialisation of a shared access by bank conflicts; 1 = none
  /// I > 0, mean number of consecutive independent accesses of one thread. With I < 1 the thread waits 1/I
  /// latencies per access.
  Real parallelism{1};
  bool ceiling = false;  ///< whether the source prints ⌈L/(X·I)⌉ for this term
  /// Global accesses only: distinct bytes touched between two uses of an element, if not the phase's
  /// footprint.
  std::optional<Real> reuse_bytes{};
};

template <class Real>
struct Phase {
  std::string_view name;
  double launches = 1;  ///< kernel launches in this phase
  double blocks = 1;    ///< per launch
  int threads_per_block = 1;
  double registers_per_thread = 0;
  double shared_bytes_per_block = 0;
  /// Distinct global bytes touched by one launch; determines the share that the L2 serves.
  Real footprint_bytes{0};
  bool reads_only = false;  ///< except for a few words
  /// X if the source's formula gives it; otherwise it follows from the occupancy.
  std::optional<double> multiplicity{};
  /// s ≥ 1 of global accesses. It replaces the sharpness of DRAM and L2, which are fitted to copies word by
  /// word, where accesses are made differently.
  std::optional<Real> memory_sharpness{};
  Real start{0};  ///< clocks, over all launches, before blocks run at full speed: fetching the kernel's code
  boost::container::static_vector<Access<Real>, 10> accesses{};
};

/// Blocks of the phase resident on one multiprocessor; 0 if not even one fits.
template <class Real>
int resident_blocks(const Phase<Real>& phase, const OccupancyLimits& limits) {
  return resident_blocks(limits, phase.threads_per_block, phase.registers_per_thread,
                         phase.shared_bytes_per_block);
}

/// The phase of a launch in the plan, without its accesses. It has the kernel's name.
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
