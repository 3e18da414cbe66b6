#include "counting.h"

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
                                  const std::vector<MachineChoice>& machines, const Progress& progress) {
  Count counted = count(one, counting_device(profile.machine, one), machines, progress);
  reports::CountReport report{.algorithm = one.algorithm->slug,
                              .device = profile.name,
                              .problem = one.problem,
                              .input = one.input,
                              .kernels = counted.kernels,
                              .audit = audit(*one.algorithm, one.problem, profile.machine, counted.kernels),
                              .machines = {}};
  for (std::size_t i = 0; i < machines.size(); ++i)
    report.machines.emplace_back(machines[i], counted.machines[i]);
  return report;
}

}  // namespace fathom::cli
