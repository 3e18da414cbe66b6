// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/bench.h>
#include <fathom/counting/count.h>
#include <fathom/store/work_table.h>

#include <algorithm>
#include <thread>

namespace fathom {
namespace {

/// Machines of the same kind and width share a trace.
std::size_t request_of(const MemoryMachineChoice& choice, TraceRequests& requests) {
  auto& known = requests.memory_machines;
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& request) {
    return request.kind == choice.kind && request.width == choice.width;
  });
  if (found != known.end()) return std::size_t(found - known.begin());
  known.push_back({choice.kind, choice.width});
  return known.size() - 1;
}

TraceRequests requests_of(const std::vector<MachineChoice>& machines) {
  TraceRequests requests;
  for (const MachineChoice& machine : machines) {
    if (const auto* memory = std::get_if<MemoryMachineChoice>(&machine))
      request_of(*memory, requests);
    else
      requests.agpu_width = std::get<AgpuChoice>(machine).width;
  }
  return requests;
}

/// `request` is the machine's index among the memory machines of the traces.
u64 time_units(const MemoryMachineChoice& choice, std::size_t request,
               const std::vector<LaunchTrace>& traces) {
  const MemoryMachine machine(choice.kind, choice.width, choice.latency);
  u64 units = 0;
  for (const LaunchTrace& launch : traces)
    units += machine.time(launch.memory_machines[request], choice.threads);
  return units;
}

AgpuCosts agpu_costs(const AgpuChoice& choice, const std::vector<LaunchTrace>& traces, std::size_t bytes) {
  Agpu agpu(choice.cores, choice.width, choice.shared_words);
  for (const LaunchTrace& launch : traces) agpu.launch(launch.agpu_blocks, launch.shared_words_per_block);
  agpu.use_global(u64(bytes) / 4);
  return agpu.costs();
}

std::vector<MachineCosts> costs_of(const std::vector<MachineChoice>& machines,
                                   const CountingExecutor& executor) {
  std::vector<MachineCosts> costs;
  TraceRequests requests = requests_of(machines);
  for (const MachineChoice& machine : machines) {
    if (const auto* memory = std::get_if<MemoryMachineChoice>(&machine))
      costs.emplace_back(time_units(*memory, request_of(*memory, requests), executor.traces()));
    else
      costs.emplace_back(
          agpu_costs(std::get<AgpuChoice>(machine), executor.traces(), executor.allocated_bytes()));
  }
  return costs;
}

asymptotic::MemoryMachineSize size_of(const Problem& problem, const MemoryMachineChoice& machine) {
  return {problem.n * words(problem), double(machine.threads), double(machine.width),
          double(machine.latency)};
}

asymptotic::AgpuSize size_of(const Problem& problem, const AgpuChoice& machine) {
  return {problem.n * words(problem), double(machine.cores), double(machine.width),
          double(machine.shared_words)};
}

bool contains_sum(const Descriptor& algorithm) {
  return algorithm.kind == Kind::reduce || algorithm.kind == Kind::scan;
}

}  // namespace

CountingDevice counting_device(const Machine<double>& machine, const Case& count_case,
                               std::optional<int> architecture) {
  CountingDevice device{.multiprocessors = machine.multiprocessors, .limits = machine.limits};
  auto known = architecture ? built_in_work(work_key(count_case, *architecture)) : std::nullopt;
  if (known)
    device.registers = [work = *std::move(known)](const Launch& launch) -> double {
      const auto kernel = std::ranges::find(work.kernels, launch.name(), &KernelWork::kernel);
      return kernel == work.kernels.end() ? unknown_registers : kernel->registers;
    };
  return device;
}

std::size_t count_bytes(const Case& count_case, const CountingDevice& device) {
  const std::size_t workers =
      device.workers > 0 ? std::size_t(device.workers) : std::thread::hardware_concurrency();
  // Each worker has two bits per word to record what was read and written; stacks and logs of a block's
  // threads do not grow with n.
  constexpr std::size_t largest_block = 1024, bytes_per_thread = 128 * 1024;
  CountingExecutor executor(device);
  const std::size_t data = device_bytes(*count_case.algorithm, count_case.problem, executor.plan_device());
  return data + workers * (data / 16 + largest_block * bytes_per_thread);
}

std::optional<double> asymptotic_cost(const Descriptor& algorithm, const Problem& problem,
                                      const MemoryMachineChoice& machine, double conflict) {
  const auto cost =
      machine.kind == MachineKind::umm ? algorithm.asymptotic_costs.umm : algorithm.asymptotic_costs.dmm;
  if (!cost) return std::nullopt;
  return cost({size_of(problem, machine), problem, conflict});
}

std::optional<asymptotic::AgpuCost> asymptotic_cost(const Descriptor& algorithm, const Problem& problem,
                                                    const AgpuChoice& machine) {
  const auto cost = algorithm.asymptotic_costs.agpu;
  if (!cost) return std::nullopt;
  return cost(size_of(problem, machine), problem);
}

std::optional<double> lower_bound(const Descriptor& algorithm, const Problem& problem,
                                  const MemoryMachineChoice& machine,
                                  const std::vector<KernelCounts>& kernels) {
  if (!contains_sum(algorithm)) return std::nullopt;
  const asymptotic::MemoryMachineSize size = size_of(problem, machine);
  u64 words = 0;  // of the input, as far as it gets here: shared memory is empty when a kernel begins
  for (const KernelCounts& kernel : kernels)
    words += machine.kind == MachineKind::umm ? kernel.global(MemoryOperation::load).words
                                              : kernel.shared(MemoryOperation::store).words;
  if (double(words) < size.n) return std::nullopt;
  return asymptotic::sum_lower_bound(size);
}

std::optional<asymptotic::AgpuCost> lower_bound(const Descriptor& algorithm, const Problem& problem,
                                                const AgpuChoice& machine) {
  const asymptotic::AgpuSize size = size_of(problem, machine);
  if (contains_sum(algorithm)) return asymptotic::sum_lower_bound(size);
  if (algorithm.asymptotic_costs.compares && size.M > size.b)
    return asymptotic::comparison_sort_lower_bound(size);
  return std::nullopt;
}

std::optional<double> least_work_space(const Descriptor& algorithm, const Problem& problem,
                                       const MemoryMachineChoice& machine) {
  const auto least = algorithm.asymptotic_costs.least_work_space;
  if (!least || machine.kind != MachineKind::umm) return std::nullopt;
  return least(size_of(problem, machine));
}

double counted_conflict(const std::vector<KernelCounts>& kernels) {
  SharedAccesses sum;
  for (const KernelCounts& kernel : kernels) sum += kernel.shared();
  return sum.conflict();
}

Count count(const Case& count_case, const CountingDevice& device, const std::vector<MachineChoice>& machines,
            const Progress& progress) {
  const Algorithm& algorithm = *count_case.algorithm;
  if (!algorithm.is_countable())
    throw std::invalid_argument(
        algorithm.slug +
        " has no kernels to count on the CPU: run 'fathom algorithms' to see which algorithms do");
  algorithm.check(count_case.problem);
  CountingExecutor executor(device, requests_of(machines), progress);
  const auto workload = algorithm.make_workload(
      executor, algorithm.with_path(count_case.problem, count_case.input, executor.plan_device()),
      count_case.input);
  executor.reset();  // discards the launches that made the input
  workload->run();
  Count result{executor.counts(), costs_of(machines, executor)};
  workload->check();
  return result;
}

}  // namespace fathom
