// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/work.h>
#include <fathom/device/code/instructions.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
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
      [kernels](const KernelCounts& counts) {
        const Disassembly& code = kernels->code(counts.source, counts.threads_per_block);
        const FlowGraph flow = flow_graph(code);
        const Frequencies frequencies = block_frequencies(code, flow, counts);
        const KernelInstructions counted = count_instructions(code, flow, frequencies, counts);
        CodeWork result{code_work(counted), {}, uncertain_share(counted)};
        for (const auto& [opcode, executions] : counted.unknown) result.unknown_opcodes.push_back(opcode);
        return result;
      }};
}

}  // namespace fathom
