// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/multiprocessor/multiprocessor.h>
#include <fathom/counting/work.h>
#include <fathom/device/code/instructions.h>
#include <fathom/device/cuda/kernel_cache.h>
#include <fathom/model/architectures.h>

#include <cmath>
#include <map>
#include <memory>

namespace fathom {
namespace {

/// The kernels of an architecture, each compiled and disassembled once.
class Kernels {
 public:
  explicit Kernels(int architecture) : architecture_(architecture) {}

  KernelCode resources(const KernelSource& source, int threads) {
    Kernel& kernel = compiled(source, threads);
    return read_cubin(kernel.compiled.cubin);
  }

  const Disassembly& code(const KernelSource& source, int threads) {
    Kernel& kernel = compiled(source, threads);
    if (!kernel.code) kernel.code = disassemble(kernel.compiled.cubin);
    return *kernel.code;
  }

 private:
  struct Kernel {
    CompiledKernel compiled;
    std::optional<Disassembly> code;
  };

  Kernel& compiled(const KernelSource& source, int threads) {
    const auto key = std::make_pair(source.expression, threads);
    const auto known = kernels_.find(key);
    if (known != kernels_.end()) return known->second;
    return kernels_.emplace(key, Kernel{cached_kernel(source, threads, architecture_), {}}).first->second;
  }

  int architecture_;
  std::map<std::pair<std::string, int>, Kernel> kernels_;
};

/// Writes lone_clocks and steady_clocks, where the architecture's clocks are known.
void simulate(int architecture, const MultiprocessorCode& code, int resident, Work& work) {
  const auto clocks = multiprocessor_clocks(architecture);
  if (!clocks || resident == 0) return;
  const ClocksOfPipes found = clocks_of_pipes(code, resident, *clocks);
  work.lone_clocks = found.alone.clocks;
  work.steady_clocks = found.steady.clocks;
}

Work work_of(const KernelInstructions& counted) {
  const double blocks = double(counted.blocks);
  Work work;
  work.instructions = counted.issued / blocks;
  work.alu = counted.on(Pipe::alu) / blocks;
  // Double precision has units of its own, but no kernel here is limited by them.
  work.fma = (counted.on(Pipe::fma) + counted.on(Pipe::fp64)) / blocks;
  work.special = counted.on(Pipe::xu) / blocks;
  work.shared_wavefronts = counted.shared_wavefronts / blocks;
  const WarpChain& chain = counted.chain;
  work.issue_clocks = chain.issue_clocks;
  work.global_waits = chain.of(WaitKind::global).batches;
  work.shared_waits = chain.of(WaitKind::shared).batches;
  work.other_waits = chain.of(WaitKind::special).batches;
  work.global_hidden = work.global_waits * chain.of(WaitKind::global).covered;
  work.shared_hidden = work.shared_waits * chain.of(WaitKind::shared).covered;
  work.code_bytes = counted.code_bytes;
  return work;
}

/// As in KernelWork.
double uncertain_share(const KernelInstructions& counted) {
  double contradicted = 0;
  for (const Anchor& anchor : counted.anchors) contradicted += std::abs(anchor.mismatch());
  for (const Anchor& anchor : counted.without_code) contradicted += anchor.counted / anchor.words;
  return counted.issued > 0 ? contradicted / counted.issued : 0;
}

}  // namespace

CodeReader code_reader(int architecture) {
  const auto kernels = std::make_shared<Kernels>(architecture);
  return {
      [kernels](const Launch& launch) { return kernels->resources(launch.source(), launch.shape.threads); },
      [kernels, architecture](const KernelCounts& counts) {
        const Disassembly& code = kernels->code(counts.source, counts.threads_per_block);
        const FlowGraph flow = flow_graph(code);
        const Frequencies frequencies = block_frequencies(code, flow, counts);
        const KernelInstructions counted = count_instructions(code, flow, frequencies, counts);
        CodeWork result{work_of(counted), {}, uncertain_share(counted)};
        const BlockShape shape{counts.threads_per_block, int(counts.shared_bytes_per_block)};
        const int registers = kernels->resources(counts.source, counts.threads_per_block).registers;
        simulate(architecture, multiprocessor_code(code, flow, frequencies, counts),
                 resident_blocks(find_architecture(architecture)->limits(), shape, registers), result.work);
        for (const auto& [opcode, executions] : counted.unknown) result.unknown_opcodes.push_back(opcode);
        return result;
      }};
}

}  // namespace fathom
