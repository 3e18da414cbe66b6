// SPDX-License-Identifier: Apache-2.0
// The work and the time of the first launch of each kernel of an algorithm, counted, and assumed from the
// machine code alone: a JSON line per launch. For scripts/check-machine-code, which says how far they are
// apart.
#include <fathom/algorithms/case.h>
#include <fathom/counting/assumed_work.h>
#include <fathom/counting/multiprocessor/entered_loops.h>
#include <fathom/counting/work.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/model/laws/counted.h>
#include <fathom/model/laws/reported_launches.h>
#include <fathom/store/profile.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>

using namespace fathom;

namespace {

constexpr int architecture = 90;
/// On one multiprocessor, with its share of n: blocks of a fixed grid have as much to do as on the GPU.
std::vector<KernelCounts> count(const Case& of, const CodeReader& reader, const Machine<double>& machine) {
  Case smaller = of;
  smaller.problem.n = std::ceil(of.problem.n / machine.multiprocessors);
  CountingDevice device{.multiprocessors = 1, .limits = machine.limits};
  device.registers = [&](const Launch& launch) { return double(reader.resources(launch).registers); };
  CountingExecutor executor(device);
  const auto workload = of.algorithm->make_workload(executor, smaller.problem, of.input);
  executor.reset();
  workload->run();
  return executor.counts();
}

/// Of a block, in the mean over the launches of the kernel.
Work work_of(const KernelCounts& counts, const CodeReader& reader) {
  Work work = counted_work(counts);
  work.shared_wavefronts = 0;  // the machine code knows better
  const Work code = reader.work(counts).work;
  for (const Demand& demand : all_demands) work.*demand.value += code.*demand.value;
  return work;
}

/// A kernel as somebody else would have it, and what was counted of it.
struct Kernel {
  CubinKernel cubin;
  Disassembly code;
  FlowGraph flow;
  Frequencies counted;
};

Kernel kernel_of(const KernelCounts& counts) {
  const CompiledKernel compiled = cached_kernel(counts.source, counts.threads_per_block, architecture);
  Kernel kernel;
  kernel.cubin = kernels_of(compiled.cubin).front();
  kernel.code = disassemble(compiled.cubin, kernel.cubin.index);
  kernel.flow = flow_graph(kernel.code);
  kernel.counted = with_entered_loops(kernel.flow, block_frequencies(kernel.code, kernel.flow, counts));
  return kernel;
}

/// How often warps came to a loop, and its turns of all of these.
struct CountedTurns {
  double entries = 0, turns = 0;
};

CountedTurns counted_turns(const Kernel& kernel, const Loop& loop) {
  CountedTurns counted;
  std::set<std::size_t> headers;
  for (std::size_t i = 0; i < kernel.flow.blocks.size(); ++i)
    if (kernel.flow.blocks[i].reachable && !loop.contains(i))
      for (std::size_t k = 0; k < kernel.flow.blocks[i].next.size(); ++k)
        if (const std::size_t to = kernel.flow.blocks[i].next[k]; loop.contains(to)) {
          counted.entries += kernel.counted.edges[i][k];
          headers.insert(to);
        }
  for (const std::size_t header : headers) counted.turns += kernel.counted.blocks[header];
  return counted;
}

/// Of straight code that does turns of a loop, or of a loop of the machine code.
CountedTurns counted_turns(const Kernel& kernel, std::uint32_t address) {
  std::size_t first = 0;
  while (kernel.code.instructions[kernel.flow.blocks[first].first].address != address) ++first;
  for (const Loop& loop : kernel.flow.loops)
    if (loop.blocks.front() == first) return counted_turns(kernel, loop);
  return {kernel.counted.blocks[first], kernel.counted.blocks[first]};
}

/// The turns of the loops of which the machine code does not tell them, each time that a warp came to the
/// loop: at least as often as to each of its versions.
std::vector<GivenTurns> turns_of(const Kernel& kernel, const std::vector<AssumedLoop>& assumed) {
  constexpr double once = 0.5;  // less is an error of rounding
  std::vector<GivenTurns> turns;
  for (const AssumedLoop& one : assumed) {
    if (one.from == AssumedLoop::From::code) continue;
    double entries = 0, sum = 0;
    for (const AssumedLoop::Version& version : one.versions) {
      const CountedTurns counted = counted_turns(kernel, version.address);
      entries = std::max(entries, counted.entries);
      sum += version.copies * counted.turns;
    }
    GivenTurns given;
    given.address = one.versions.front().address;
    given.turns = entries > once ? sum / entries : 0;
    turns.push_back(given);
  }
  return turns;
}

std::string amounts(const Work& work, double seconds) {
  return fmt::format(
      R"({{"instructions":{:.6g},"bytes":{:.6g},"sectors":{:.6g},"wavefronts":{:.6g},"time_s":{:.6e}}})",
      work.instructions, work.bytes_read + work.bytes_written, work.sectors_read + work.sectors_written,
      work.shared_wavefronts, seconds);
}

}  // namespace

/// assume_kernels ALGORITHM TYPE N
int main(int count_of_arguments, char** arguments) try {
  if (count_of_arguments != 4) return 2;
  Machine<double> machine = built_in_profile("h200").machine;
  machine.kernel_gap = 0;  // as for launches that are timed one by one (calls/launches/launches.h)
  const Algorithm& chosen = algorithm(arguments[1]);
  const KeyAndValue type = parse_type_text(arguments[2]);
  const double n = std::atof(arguments[3]);
  Case one{&chosen, chosen.problem(n, type.key), Input::random};
  one.problem.value_type = type.value;
  const CodeReader reader = code_reader(architecture);
  for (const KernelCounts& counts : count(one, reader, machine)) {
    const Kernel kernel = kernel_of(counts);
    const double blocks = std::ceil(double(counts.blocks) / double(counts.launches));
    const LaunchGrid grid{{int(blocks), 1, 1}, {counts.threads_per_block, 1, 1}};
    const double dynamic = std::max(0.0, counts.shared_bytes_per_block - kernel.cubin.shared_bytes);
    const AssumedWork assumed = assumed_work(kernel.cubin, kernel.code, grid, dynamic);
    const AssumedWork told =
        assumed_work(kernel.cubin, kernel.code, grid, dynamic, turns_of(kernel, assumed.loops));
    const auto amounts_of = [&](const AssumedWork& of, const std::optional<Work>& counted = {}) {
      CountedLaunch priced = counted_launch(of.launch, machine, machine);
      if (counted) priced.work = *counted;
      if (blocks > 1) priced.shape.blocks *= machine.multiprocessors;
      std::vector<CountedLaunch> alone{priced};
      set_reach(alone, Caches::cold);
      const double seconds = launch_time(alone[0].work, alone[0].shape, machine).seconds();
      return amounts(alone[0].work, seconds);
    };
    std::size_t unknown = 0;
    for (const AssumedLoop& loop : assumed.loops) unknown += loop.from == AssumedLoop::From::assumed;
    std::cout
        << fmt::format(
               R"({{"algorithm":"{}","type":"{}","kernel":"{}","blocks":{:.0f},"unknown_loops":{},"halved":{},)"
               R"("counted":{},"assumed":{},"told":{}}})",
               chosen.slug, arguments[2], counts.kernel, blocks, unknown, assumed.halved,
               amounts_of(told, work_of(counts, reader)), amounts_of(assumed), amounts_of(told))
        << '\n';
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
