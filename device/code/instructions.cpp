// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/instructions.h>
#include <fathom/device/code/wavefronts.h>

#include <algorithm>
#include <cmath>

namespace fathom {

const Anchor* KernelInstructions::worst_anchor() const {
  const auto worst = std::max_element(anchors.begin(), anchors.end(), [](const Anchor& a, const Anchor& b) {
    return std::abs(a.mismatch()) < std::abs(b.mismatch());
  });
  return worst == anchors.end() ? nullptr : &*worst;
}

KernelInstructions count_instructions(const Disassembly& code, const KernelCounts& counts) {
  const FlowGraph flow = flow_graph(code);
  KernelInstructions result = count_instructions(code, flow, block_frequencies(code, flow, counts), counts);
  result.most_issued = most_instructions(code, flow, counts);
  return result;
}

KernelInstructions executed_instructions(const Disassembly& code, const FlowGraph& flow,
                                         const Frequencies& frequencies, u64 blocks, int threads_per_block) {
  KernelInstructions result;
  result.compute_capability = code.compute_capability;
  result.blocks = blocks;
  result.warps = double(blocks) * threads_per_block / warp_width;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const double executions = frequencies.blocks[flow.block_of[i]];
    if (!flow.blocks[flow.block_of[i]].reachable) continue;
    const std::string opcode(code.instructions[i].name());
    // Warps execute a block a whole number of times: what is solved to be less than half a time is never.
    constexpr double once = 0.5;
    constexpr double bytes_of_instruction = 16;
    if (executions > once) result.code_bytes += bytes_of_instruction;
    result.issued += executions;
    result.by_opcode[opcode] += executions;
    if (const auto pipe = pipe_of(opcode, code.compute_capability))
      result.by_pipe[std::size_t(*pipe)] += executions;
    else
      result.unknown[opcode] += executions;
  }
  result.chain = warp_chain(code, flow, frequencies, result.warps, double(blocks));
  return result;
}

KernelInstructions count_instructions(const Disassembly& code, const FlowGraph& flow, Frequencies frequencies,
                                      const KernelCounts& counts) {
  if (!code.has_lines())
    throw std::invalid_argument("the machine code of " + counts.kernel +
                                " has no line information: compile it with --generate-line-info");
  KernelInstructions result =
      executed_instructions(code, flow, frequencies, counts.blocks, counts.threads_per_block);
  result.kernel = counts.kernel;
  result.launches = counts.launches;
  result.shared_wavefronts = shared_wavefronts(code, flow, frequencies, counts).total();
  result.anchors = std::move(frequencies.anchors);
  result.without_code = std::move(frequencies.without_code);
  result.loose_loops = std::move(frequencies.loose_loops);
  result.converged = frequencies.converged;
  return result;
}

KernelInstructions count_instructions(std::span<const char> cubin, const KernelCounts& counts) {
  return count_instructions(disassemble(cubin), counts);
}

}  // namespace fathom
