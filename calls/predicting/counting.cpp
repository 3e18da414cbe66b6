// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/counting.h>

#include <fathom/core/system/host_memory.h>
#include <fathom/counting/work.h>
#include <fathom/device/code/flow.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/model/architectures.h>
#include <fathom/reports/quantities.h>
#include <fmt/format.h>

namespace fathom::calls {
namespace {

reports::MachineReport machine_report(const Case& one, const MachineChoice& choice,
                                      const MachineCosts& counted, const std::vector<KernelCounts>& kernels) {
  const Algorithm& algorithm = *one.algorithm;
  if (const auto* memory = std::get_if<MemoryMachineChoice>(&choice))
    return {choice, counted, asymptotic_cost(algorithm, one.problem, *memory, counted_conflict(kernels)),
            lower_bound(algorithm, one.problem, *memory, kernels),
            least_work_space(algorithm, one.problem, *memory)};
  const auto& agpu = std::get<AgpuChoice>(choice);
  return {choice, counted, asymptotic_cost(algorithm, one.problem, agpu),
          lower_bound(algorithm, one.problem, agpu)};
}

reports::SimulatedKernel simulated(const MultiprocessorCode& kernel, int resident,
                                   const MultiprocessorClocks& clocks) {
  const auto [alone, steady] = clocks_of_pipes(kernel, resident, clocks);
  return {kernel.kernel, resident, alone, steady};
}

}  // namespace

std::vector<MachineChoice> machines_of(const CountOptions& options, const Machine<double>& device) {
  const std::string& kind = options.machine;
  const u64 threads = u64(options.threads);
  if (kind.empty()) return {};
  if (kind == "dmm" || kind == "umm")
    return {MemoryMachineChoice{kind == "dmm" ? MachineKind::dmm : MachineKind::umm, options.width,
                                options.latency, threads}};
  if (kind == "agpu")
    return {AgpuChoice{
        threads, options.width,
        u64(options.memory > 0 ? options.memory : device.limits.shared_bytes_per_multiprocessor / 4)}};
  throw std::invalid_argument(fmt::format("`machine` '{}': choose dmm, umm or agpu", kind));
}

std::optional<int> architecture_of(const CountOptions& options) {
  if (!options.instructions) return std::nullopt;
  const std::string& text = options.architecture;
  if (const auto known = architecture_named(text)) return known;
  throw std::invalid_argument(fmt::format("`architecture` '{}': choose {}", text, architecture_choices()));
}

void check_host_memory(const Case& one, const Machine<double>& machine, double limit) {
  const double needed = double(count_bytes(one, counting_device(machine, one)));
  const double there = limit > 0 ? limit : available_host_bytes();
  if (needed > there)
    throw std::runtime_error(
        fmt::format("counting {} with n = {} {} needs up to {} of host memory, {} are available: "
                    "choose a smaller n, or raise `memory_limit`",
                    one.algorithm->slug, reports::elements(one.problem.n), type_text(one.problem),
                    reports::bytes(needed), reports::bytes(there)));
}

reports::CountReport count_report(const Case& one, const DeviceProfile& profile,
                                  const std::vector<MachineChoice>& machines, const Progress& progress,
                                  std::optional<int> architecture) {
  CountingDevice device = counting_device(profile.machine, one, profile.architecture);
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
    for (const KernelCounts& kernel : counted.kernels) {
      const CompiledKernel compiled = cached_kernel(kernel.source, kernel.threads_per_block, *architecture);
      const Disassembly code = disassemble(compiled.cubin);
      const FlowGraph flow = flow_graph(code);
      const Frequencies frequencies = block_frequencies(code, flow, kernel);
      report.instructions.push_back(count_instructions(code, flow, frequencies, kernel));
      report.instructions.back().most_issued = most_instructions(code, flow, kernel);
      const int resident =
          resident_blocks(device.limits, {kernel.threads_per_block, int(kernel.shared_bytes_per_block)},
                          read_cubin(compiled.cubin).registers);
      if (const auto clocks = multiprocessor_clocks(*architecture))
        report.simulated.push_back(
            simulated(multiprocessor_code(code, flow, frequencies, kernel), resident, *clocks));
    }
  for (std::size_t i = 0; i < machines.size(); ++i)
    report.machines.push_back(machine_report(one, machines[i], counted.machines[i], counted.kernels));
  return report;
}

}  // namespace fathom::calls
