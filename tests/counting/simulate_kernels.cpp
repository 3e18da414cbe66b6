// SPDX-License-Identifier: Apache-2.0
// The time of each launch of an algorithm by the law of counted work, and with the simulated multiprocessor
// in place of its pipes and waits: a JSON line per launch and variant of the simulator. For
// scripts/check-multiprocessor, which compares them with measured times.
#include <fathom/algorithms/case.h>
#include <fathom/counting/multiprocessor/multiprocessor.h>
#include <fathom/counting/work.h>
#include <fathom/device/code/instructions.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/model/laws/counted.h>
#include <fathom/store/profile.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <tuple>

using namespace fathom;

namespace {

constexpr int architecture = 90;

struct Variant {
  std::string name;
  void (*change)(MultiprocessorOptions&);
};
const std::vector<Variant> variants{
    {"as it is", [](MultiprocessorOptions&) {}},
    {"no banks", [](MultiprocessorOptions& o) { o.register_banks = false; }},
    {"memory at once", [](MultiprocessorOptions& o) { o.global_latency = 0; }},
    {"round robin", [](MultiprocessorOptions& o) { o.policy = IssuePolicy::round_robin; }},
    {"branch 1", [](MultiprocessorOptions& o) { o.clocks.branch = 1; }},
    {"branch 16", [](MultiprocessorOptions& o) { o.clocks.branch = 16; }},
    {"no barriers", [](MultiprocessorOptions& o) { o.barriers_hold = false; }},
    {"shared 1",
     [](MultiprocessorOptions& o) {
       o.clocks.shared = 1;
       o.clocks.shared_word = 0;
     }},
    {"special 1", [](MultiprocessorOptions& o) { o.clocks.special = 1; }},
    {"no starts", [](MultiprocessorOptions& o) { o.block_start = o.turnover = 0; }},
    {"lsu free", [](MultiprocessorOptions& o) { o.fast = 1u << unsigned(Port::lsu); }},
    {"alu free", [](MultiprocessorOptions& o) { o.fast = 1u << unsigned(Port::alu); }},
};

double norm(std::initializer_list<double> values, double q) {
  double sum = 0;
  for (const double value : values) sum += std::pow(value, q);
  return std::pow(sum, 1 / q);
}

/// The law's latency of global memory.
double latency(const CountedLaunch& launch, const Machine<double>& machine) {
  const Work& work = launch.work;
  const double reach = std::max(bytes_touched(work, launch.shape), launch.shape.reach_bytes);
  const bool reads_only = work.bytes_written < 0.01 * work.bytes_read;
  double share = l2_share(reach, reads_only, machine);
  if (work.scattered_sectors > 0.5 * work.sectors_read && reach > 0)
    share = std::min(1.0, (reads_only ? *machine.l2_half_reading : *machine.l2_half) / reach);
  return (1 - share) * *machine.rates.dram_latency + share * *machine.rates.l2_latency;
}

/// Clocks of the fullest multiprocessor: all its blocks if they are few, else those simulated and the steady
/// rate.
struct Pipes {
  double clocks = 0;
  SimulatedClocks simulated;
};
Pipes pipes(const MultiprocessorCode& code, double blocks, int resident,
            const MultiprocessorOptions& options) {
  const int direct = 4 * resident;
  if (blocks <= direct) {
    Pipes result{0, simulate(code, int(blocks), resident, options)};
    result.clocks = result.simulated.clocks;
    return result;
  }
  const SimulatedClocks ends = simulate(code, direct, resident, options);
  Pipes result{0, steady(code, resident, options)};
  result.clocks = ends.clocks + (blocks - direct) * result.simulated.clocks;
  return result;
}

std::map<std::string, KernelCounts> count_smaller(const Case& of, double n, int multiprocessors,
                                                  const CodeReader& reader, const OccupancyLimits& limits) {
  Case smaller = of;
  smaller.problem.n = n;
  CountingDevice device{.multiprocessors = multiprocessors, .limits = limits};
  device.registers = [&](const Launch& launch) { return double(reader.resources(launch).registers); };
  CountingExecutor executor(device);
  const auto workload = of.algorithm->make_workload(executor, smaller.problem, of.input);
  executor.reset();
  workload->run();
  std::map<std::string, KernelCounts> found;
  for (const KernelCounts& one : executor.counts()) found[one.kernel] = one;
  return found;
}

}  // namespace

/// simulate_kernels ALGORITHM TYPE N MULTIPROCESSORS COUNTED_N VARIANTS [NAME=VALUE…]: counted at another n,
/// on so many multiprocessors.
int main(int count, char** arguments) try {
  if (count < 7) return 2;
  const DeviceProfile profile = built_in_profile("h200");
  const Machine<double>& machine = profile.machine;
  const Algorithm& chosen = algorithm(arguments[1]);
  const KeyAndValue type = parse_type_text(arguments[2]);
  const double n = std::atof(arguments[3]);
  const int multiprocessors = std::atoi(arguments[4]);
  const std::string wanted = arguments[6];
  Case one{&chosen, chosen.problem(n, type.key), Input::random};
  one.problem.value_type = type.value;
  for (int i = 7; i < count; ++i) {
    const std::string text = arguments[i];
    const std::size_t at = text.find('=');
    one.problem.parameters.set(text.substr(0, at), std::atoi(text.c_str() + at + 1));
  }
  const AlgorithmWork work = find_work(one, architecture);
  const CodeReader reader = code_reader(architecture);
  const auto counts = count_smaller(one, std::atof(arguments[5]), multiprocessors, reader, machine.limits);
  const Plan plan = plan_with_work(chosen, machine, one.problem, work);
  const auto launches = counted_launches(n, plan, work, machine);
  const auto by_law = run_time(launches, machine);
  std::map<std::string, MultiprocessorCode> codes;
  for (const auto& [name, counted] : counts) {
    const Disassembly code =
        disassemble(cached_kernel(counted.source, counted.threads_per_block, architecture).cubin);
    const FlowGraph flow = flow_graph(code);
    const Frequencies frequencies = block_frequencies(code, flow, counted);
    codes[name] = multiprocessor_code(code, flow, frequencies, counted);
  }
  // Launches of a kernel often differ in nothing that the simulator sees.
  std::map<std::tuple<std::string, std::string, double, int, int>, Pipes> known;
  const double q = *machine.rates.overlap, hz = machine.clock.value;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const CountedLaunch& launch = launches[i];
    const LaunchTime<double>& law = by_law.launches[i];
    const auto code = codes.find(std::string(launch.kernel));
    if (code == codes.end()) continue;
    const double warps = std::ceil(launch.shape.threads_per_block / 32.0);
    MultiprocessorOptions standard;
    standard.global_latency = int(std::lround(latency(launch, machine)));
    standard.block_start = int(std::lround(std::max(*machine.block_start, *machine.warp_start * warps)));
    standard.turnover = int(std::lround(*machine.rates.turnover));
    const double blocks = std::ceil(launch.shape.blocks / machine.multiprocessors);
    const double memory = law.of(Resource::dram) + law.of(Resource::l2);
    for (const Variant& variant : variants) {
      if (wanted != "all" && wanted.find(variant.name) == std::string::npos) continue;
      MultiprocessorOptions options = standard;
      variant.change(options);
      const auto key =
          std::tuple(code->first, variant.name, blocks, launch.shape.resident, standard.global_latency);
      if (!known.contains(key)) known[key] = pipes(code->second, blocks, launch.shape.resident, options);
      const Pipes& result = known[key];
      const double busy =
          norm({result.clocks / hz, memory, law.of(Resource::in_flight), law.of(Resource::atomics)}, q);
      std::cout
          << fmt::format(
                 R"({{"kernel":"{}","variant":"{}","repeats":{},"blocks":{},"resident":{},"law_s":{:.4e},"simulated_s":{:.4e},)"
                 R"("pipes_s":{:.4e},"memory_s":{:.4e},"clocks_per_block":{:.1f},"cut_short":{},"broken_barriers":{}}})",
                 launch.kernel, variant.name, launch.repeats, launch.shape.blocks, launch.shape.resident,
                 law.seconds(), busy + law.fixed, result.clocks / hz, memory, result.simulated.clocks,
                 result.simulated.cut_short, result.simulated.broken_barriers)
          << '\n';
    }
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
