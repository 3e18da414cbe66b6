// SPDX-License-Identifier: Apache-2.0
// Runs an algorithm's kernels on the counting executor.
#pragma once

#include <fathom/algorithms/case.h>
#include <fathom/device/counting/counting_executor.h>

#include <variant>

namespace fathom {

/// A DMM or UMM and its number of threads.
struct MemoryMachineChoice {
  MachineKind kind;
  int width;    ///< w
  int latency;  ///< l
  u64 threads;  ///< p
};
struct AgpuChoice {
  u64 cores;         ///< p
  int width;         ///< b
  u64 shared_words;  ///< M
};
using MachineChoice = std::variant<MemoryMachineChoice, AgpuChoice>;

/// Time units on a DMM or UMM, summed over the launches.
using MachineCosts = std::variant<u64, AgpuCosts>;

struct Count {
  std::vector<KernelCounts> kernels;
  std::vector<MachineCosts> machines;  ///< one for each machine requested
};

/// A GPU of the machine's size. The grid of some kernels depends on their registers, which are those of the
/// architecture's work tables if they have the case, else unknown_registers.
CountingDevice counting_device(const Machine<double>& machine, const Case& count_case,
                               std::optional<int> architecture = std::nullopt);

/// The cost that a source states for a machine, with constant factors 1: as MachineCosts.
using StatedCosts = std::variant<double, asymptotic::AgpuCost>;

/// Upper bound on the host memory that counting uses, in bytes. Throws BlockDoesNotFit as count() does.
std::size_t count_bytes(const Case& count_case, const CountingDevice& device);

/// The cost by the algorithm's sources (Descriptor::asymptotic_costs), which the counted one should match up
/// to a constant. Absent if the kernels do not use this memory or if no source states a cost.
std::optional<double> asymptotic_cost(const Descriptor& algorithm, const Problem& problem,
                                      const MemoryMachineChoice& machine, double conflict);
std::optional<asymptotic::AgpuCost> asymptotic_cost(const Descriptor& algorithm, const Problem& problem,
                                                    const AgpuChoice& machine);

/// Lower bound, up to a constant, of the task: of sums and prefix sums (nakano2012). It presumes that the
/// whole input lies in the machine's memory, so it is absent if the counted kernels load fewer words from
/// global, or store fewer to shared memory, than the input has. It is also absent for other tasks.
std::optional<double> lower_bound(const Descriptor& algorithm, const Problem& problem,
                                  const MemoryMachineChoice& machine,
                                  const std::vector<KernelCounts>& kernels);
/// The same of sums, prefix sums and, if M > b, comparison sorts (agpu2015). Absent for other tasks and for
/// sorts by digits.
std::optional<asymptotic::AgpuCost> lower_bound(const Descriptor& algorithm, const Problem& problem,
                                                const AgpuChoice& machine);

/// Words of work space from which on more of it changes the asymptotic cost by a constant factor only
/// (nakano2012). Absent for algorithms that have no choice of it, and for shared memory.
std::optional<double> least_work_space(const Descriptor& algorithm, const Problem& problem,
                                       const MemoryMachineChoice& machine);

/// β of all accesses to shared memory.
double counted_conflict(const std::vector<KernelCounts>& kernels);

/// Runs the algorithm once, checks its output, and counts. Throws std::invalid_argument for an algorithm
/// without kernels of its own, OutOfDeviceMemory, BlockDoesNotFit for a kernel too large for the
/// device, KernelFailure for a kernel's other errors, and what `progress` throws (CountingExecutor).
Count count(const Case& count_case, const CountingDevice& device,
            const std::vector<MachineChoice>& machines = {}, const Progress& progress = {});

}  // namespace fathom
