// Runs an algorithm's kernels on the counting executor, and sets what they did beside its formula.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/device/counting_executor.h>

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

/// A GPU of the machine's size, on which kernels take the registers that the algorithm's formula reckons
/// with: what their grid depends on.
CountingDevice counting_device(const Machine<double>& machine, const CountCase& count_case);

/// Bytes of host memory that counting takes at most.
std::size_t count_bytes(const CountCase& count_case, const CountingDevice& device);

/// Runs the algorithm once, checks its output, and counts. Throws std::invalid_argument for an algorithm
/// without kernels of its own, OutOfDeviceMemory, KernelFailure for what a kernel does wrong.
Count count(const CountCase& count_case, const CountingDevice& device,
            const std::vector<MachineChoice>& machines = {});

/// Accesses to one level by one phase, in 32-bit words: what the formula says and what was counted. A warp's
/// access counts all its lanes: idle ones take their turn, too, and formulas count them.
struct AuditEntry {
  LawName law;
  std::string
      phase;    ///< of `published` all phases together, "all": it parts them otherwise than the kernels do
  Level level;  ///< global or shared
  std::optional<double> formula, counted;  ///< absent where only the other one has such a phase

  std::optional<double> ratio() const;  ///< counted over formula; absent where either is absent or 0
};

/// Both laws' counts beside those of the kernels, in the order of phases. Empty for an algorithm without
/// formula.
std::vector<AuditEntry> audit(const Algorithm& algorithm, const Problem& problem,
                              const Machine<double>& machine, const std::vector<KernelCounts>& kernels);

}  // namespace fathom
