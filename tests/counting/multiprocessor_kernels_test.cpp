// SPDX-License-Identifier: Apache-2.0
// Real kernels on the simulated multiprocessor do the work that was counted. Needs the run-time compiler and
// the disassembler, no GPU.
#include "../support/skip.h"

#include <fathom/algorithms/case.h>
#include <fathom/counting/multiprocessor/multiprocessor.h>
#include <fathom/counting/work.h>
#include <fathom/device/code/instructions.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <iostream>

using namespace fathom;

namespace {

constexpr int hopper = 90;

std::vector<KernelCounts> counts_of(const char* slug, double n) {
  const Algorithm& chosen = algorithm(slug);
  CountingDevice device{.multiprocessors = 16};
  device.registers = [code = code_reader(hopper)](const Launch& launch) {
    return double(code.resources(launch).registers);
  };
  CountingExecutor executor(device);
  const auto workload = chosen.make_workload(executor, chosen.problem(n), Input::random);
  executor.reset();
  workload->run();
  return executor.counts();
}

Disassembly code_of(const KernelCounts& kernel) try {
  return disassemble(cached_kernel(kernel.source, kernel.threads_per_block, hopper).cubin);
} catch (const DisassemblerUnavailable& unavailable) {
  std::cout << "skipped: " << unavailable.what() << '\n';
  std::exit(77);
}

void check(const char* slug, double n) {
  for (const KernelCounts& counts : counts_of(slug, n)) {
    if (counts.blocks < 16) continue;
    CAPTURE(slug, counts.kernel);
    const Disassembly code = code_of(counts);
    const KernelInstructions counted = count_instructions(code, counts);
    const FlowGraph flow = flow_graph(code);
    const MultiprocessorCode simulated =
        multiprocessor_code(code, flow, block_frequencies(code, flow, counts), counts);
    const SimulatedClocks result = simulate(simulated, 64, 4);
    const double blocks = double(counts.blocks);
    CHECK(result.cut_short == 0);
    CHECK(result.broken_barriers == 0);
    CHECK(simulated.unknown.empty());
    // The ways into loops that the frequencies run without entering are not among the counted instructions.
    const double margin = counts.kernel == "ReduceChunks" ? 0.025 : 0.005;
    CHECK(result.instructions_per_block == Approx(counted.issued / blocks).epsilon(margin));
    CHECK(result.on(Port::issue) == Approx(counted.issued / blocks / 4).epsilon(margin));
    CHECK(result.on(Port::alu) == Approx(counted.on(Pipe::alu) / blocks / 2).epsilon(margin));
    CHECK(result.on(Port::fma) == Approx(counted.on(Pipe::fma) / blocks / 2).epsilon(margin));
    const double lsu = (counted.shared_wavefronts + double(counts.global().lines)) / blocks +
                       (counted.by_opcode.contains("SHFL") ? counted.by_opcode.at("SHFL") / blocks : 0);
    CHECK(result.on(Port::lsu) == Approx(lsu).epsilon(2 * margin));
    CHECK(result.clocks == simulate(simulated, 64, 4).clocks);
  }
}

}  // namespace

TEST_CASE("blocks of real kernels do what was counted") {
  tests::need_compiler();
  check("sort-pairwise", 1 << 18);
  check("scan-matrix", 1 << 20);
  check("reduce-tree", 1 << 18);
  check("sort-bitonic", 1 << 17);
}
