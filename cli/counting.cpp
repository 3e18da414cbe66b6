#include "counting.h"

#include <fathom/algorithms/work.h>
#include <fathom/device/cuda/kernel_cache.h>

#include "arguments.h"

namespace fathom::cli {

const Algorithm& countable(const Algorithm& algorithm) {
  if (algorithm.plan) return algorithm;
  throw UsageError(algorithm.slug +
                   (algorithm.baseline ? " is a baseline, whose code cannot be counted on the CPU"
                                       : " has no kernel to count") +
                   ": fathom algorithms lists those with kernels");
}

reports::CountReport count_report(const CountCase& one, const DeviceProfile& profile,
                                  const std::vector<MachineChoice>& machines, const Progress& progress,
                                  std::optional<int> architecture) {
  CountingDevice device = counting_device(profile.machine, one);
  if (architecture)
    device.registers = [code = code_reader(*architecture)](const Launch& launch) {
      return double(code.resources(launch).registers);
    };
  Count counted = count(one, device, machines, progress);
  reports::CountReport report{.algorithm = one.algorithm->slug,
                              .device = profile.name,
                              .problem = one.problem,
                              .input = one.input,
                              .kernels = counted.kernels,
                              .instructions = {},
                              .audit = audit(*one.algorithm, one.problem, profile.machine, counted.kernels),
                              .machines = {}};
  if (architecture)
    for (const KernelCounts& kernel : counted.kernels)
      report.instructions.push_back(count_instructions(
          cached_kernel(kernel.source, kernel.threads_per_block, *architecture).cubin, kernel));
  for (std::size_t i = 0; i < machines.size(); ++i)
    report.machines.emplace_back(machines[i], counted.machines[i]);
  return report;
}

}  // namespace fathom::cli
