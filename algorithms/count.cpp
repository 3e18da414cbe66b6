#include <fathom/algorithms/count.h>

#include <algorithm>
#include <thread>

namespace fathom {
namespace {

/// Machines of one kind and width share a trace.
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

}  // namespace

CountingDevice counting_device(const Machine<double>& machine, const CountCase& count_case) {
  CountingDevice device;
  device.multiprocessors = machine.multiprocessors;
  device.limits = machine.limits;
  if (const auto& formula = count_case.algorithm->formula)
    for (const Phase<double>& phase :
         formula->phases(machine, count_case.problem, formula->standard_constants(), LawName::calibrated))
      device.registers_per_phase[std::string(phase.name)] = int(phase.registers_per_thread);
  return device;
}

std::size_t count_bytes(const CountCase& count_case, const CountingDevice& device) {
  const std::size_t workers =
      device.workers > 0 ? std::size_t(device.workers) : std::thread::hardware_concurrency();
  // One bit per word tells each worker what was touched; stacks and logs of a block's threads do not grow
  // with n.
  constexpr std::size_t largest_block = 1024, bytes_per_thread = 128 * 1024;
  const std::size_t data = count_case.algorithm->device_bytes(count_case.problem);
  return data + workers * (data / 32 + largest_block * bytes_per_thread);
}

Count count(const CountCase& count_case, const CountingDevice& device,
            const std::vector<MachineChoice>& machines) {
  const Algorithm& algorithm = *count_case.algorithm;
  if (!algorithm.kernels)
    throw std::invalid_argument("there are no kernels of " + algorithm.slug +
                                " to count: fathom algorithms says which algorithms have kernels");
  CountingExecutor executor(device, requests_of(machines));
  const auto driver = algorithm.make_driver(executor, count_case.problem, count_case.input);
  executor.reset();  // making the input was not the algorithm's work
  driver->run();
  Count result{executor.counts(), costs_of(machines, executor)};
  driver->check();
  return result;
}

std::optional<double> AuditEntry::ratio() const {
  if (!formula || !counted || !(*formula > 0) || !(*counted > 0)) return std::nullopt;
  return *counted / *formula;
}

namespace {

constexpr std::array audited_levels{Level::global, Level::shared};

/// What a formula knows to lie in the L2 are accesses to global memory all the same.
double words_of(const Phase<double>& phase, Level level) {
  double words = 0;
  for (const Access<double>& access : phase.accesses)
    if (access.level == level || (level == Level::global && access.level == Level::l2)) words += access.count;
  return words;
}

double words_of(const KernelCounts& kernel, Level level) {
  return double(level == Level::global ? kernel.global().warp_words : kernel.shared().warp_words);
}

void add(std::optional<double>& sum, double words) {
  sum = sum.value_or(0) + words;
}

class Audit {
 public:
  void add_formula(LawName law, const std::string& phase, Level level, double words) {
    if (words > 0) add(entry(law, phase, level).formula, words);
  }
  void add_counted(LawName law, const std::string& phase, Level level, double words) {
    if (words > 0) add(entry(law, phase, level).counted, words);
  }
  std::vector<AuditEntry> entries() && { return std::move(entries_); }

 private:
  AuditEntry& entry(LawName law, const std::string& phase, Level level) {
    for (AuditEntry& known : entries_)
      if (known.law == law && known.phase == phase && known.level == level) return known;
    return entries_.emplace_back(AuditEntry{law, phase, level, {}, {}});
  }
  std::vector<AuditEntry> entries_;
};

}  // namespace

std::vector<AuditEntry> audit(const Algorithm& algorithm, const Problem& problem,
                              const Machine<double>& machine, const std::vector<KernelCounts>& kernels) {
  if (!algorithm.formula) return {};
  const Formula& formula = *algorithm.formula;
  Audit audit;
  for (LawName law : {LawName::calibrated, LawName::published}) {
    const auto name_of = [&](std::string_view phase) {
      return law == LawName::published ? "all" : std::string(phase);
    };
    for (const Phase<double>& phase : formula.phases(machine, problem, formula.standard_constants(), law))
      for (Level level : audited_levels)
        audit.add_formula(law, name_of(phase.name), level, words_of(phase, level));
    for (const KernelCounts& kernel : kernels)
      for (Level level : audited_levels)
        audit.add_counted(law, name_of(phase_name(kernel.kernel)), level, words_of(kernel, level));
  }
  return std::move(audit).entries();
}

}  // namespace fathom
