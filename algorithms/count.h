// Runs an algorithm's kernels on the counting executor.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/device/counting/counting_executor.h>

#include <variant>

namespace fathom {

/// A DMM or UMM with so many threads.
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

/// Time units on a DMM or UMM: of the launches one after another.
using MachineCosts = std::variant<u64, AgpuCosts>;

struct CountCase {
  const Algorithm* algorithm;
  Problem problem;  ///< its parameters are complete
  Input input = Input::random;
};

struct Count {
  std::vector<KernelCounts> kernels;
  std::vector<MachineCosts> machines;  ///< of each that was asked for
};

/// A GPU of the machine's size, on which kernels take the registers that the algorithm's formula estimates:
/// what their grid depends on. The case must outlive it.
CountingDevice counting_device(const Machine<double>& machine, const CountCase& count_case);

/// Bytes of host memory that counting takes at most.
std::size_t count_bytes(const CountCase& count_case, const CountingDevice& device);

/// The costs by the algorithm's sources (Descriptor::asymptotic_costs) that those counted on the machine stay
/// within a constant of. Nothing where the kernels do not touch this memory, and where no source tells.
std::optional<double> asymptotic_cost(const Descriptor& algorithm, const Problem& problem,
                                      const MemoryMachineChoice& machine, double conflict);
std::optional<asymptotic::AgpuCost> asymptotic_cost(const Descriptor& algorithm, const Problem& problem,
                                                    const AgpuChoice& machine);

/// Runs the algorithm once, checks its output, and counts. Throws std::invalid_argument for an algorithm
/// without kernels of its own, OutOfDeviceMemory, KernelFailure for what a kernel does wrong.
Count count(const CountCase& count_case, const CountingDevice& device,
            const std::vector<MachineChoice>& machines = {});

}  // namespace fathom
