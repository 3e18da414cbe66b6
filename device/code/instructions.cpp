// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/instructions.h>
#include <fathom/device/code/source_lines.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fathom {
namespace {

/// Wavefronts of shared memory, from those counted for the source's accesses. Where the compiler combined v
/// accesses of a thread to one, the conflicts of one of them remain, unless the width alone needs more; an
/// instruction takes one wavefront even if its guard lets no lane pass.
double shared_wavefronts(const Disassembly& code, const FlowGraph& flow, const Frequencies& frequencies,
                         const KernelCounts& counts) {
  using namespace lines;
  struct Executed {
    double instructions = 0, words = 0;
  };
  std::map<Key, Executed> executed;
  for (const auto& [key, places] : places_by_line(code, flow))
    for (const Place& place : places) {
      executed[key].instructions += frequencies.blocks[place.block];
      executed[key].words += frequencies.blocks[place.block] * place.words;
    }
  std::map<Key, SharedAccesses> counted;
  for (const AccessSite& site : counts.sites)
    if (site.shared.accesses > 0)
      counted[{what_of(site), {source_name(site.path), int(site.line)}}] += site.shared;
  const auto words_of_source = [](const SharedAccesses& source) { return double(source.warp_words) / 32; };
  const auto has_code = [&](const Key& key) { return executed.contains(key) && executed.at(key).words > 0; };
  // One instruction may serve the same access at two places of the source, or have a line of which it is
  // none: then that line executes more words than were counted there, by those of the lines that have no
  // code.
  for (const auto& [key, source] : std::map(counted)) {
    if (has_code(key)) continue;
    Key best = key;
    double most = 0.5 * words_of_source(source);
    for (const auto& [other, machine] : executed) {
      if (other.what != key.what) continue;
      const double surplus = machine.words - (counted.contains(other) ? words_of_source(counted[other]) : 0);
      if (surplus > most) {
        best = other;
        most = surplus;
      }
    }
    if (best == key) continue;
    counted[best] += source;
    counted.erase(key);
  }
  double sum = 0;
  for (const auto& [key, source] : counted) {
    if (!has_code(key)) {
      sum += double(source.wavefronts);
      continue;
    }
    const Executed& machine = executed.at(key);
    const double words_of_access = words_of_source(source) / double(source.accesses);
    const double combined = std::max(1.0, machine.words / machine.instructions / words_of_access);
    sum += std::max(double(source.wavefronts) / combined, double(source.least_wavefronts));
    sum += std::max(0.0, machine.instructions - double(source.accesses) / combined);
  }
  return sum;
}

}  // namespace

const Anchor* KernelInstructions::worst_anchor() const {
  const auto worst = std::max_element(anchors.begin(), anchors.end(), [](const Anchor& a, const Anchor& b) {
    return std::abs(a.mismatch()) < std::abs(b.mismatch());
  });
  return worst == anchors.end() ? nullptr : &*worst;
}

KernelInstructions count_instructions(const Disassembly& code, const KernelCounts& counts) {
  if (!code.has_lines())
    throw std::invalid_argument("the machine code of " + counts.kernel +
                                " has no line information: compile it with --generate-line-info");
  const FlowGraph flow = flow_graph(code);
  Frequencies frequencies = block_frequencies(code, flow, counts);
  KernelInstructions result;
  result.kernel = counts.kernel;
  result.compute_capability = code.compute_capability;
  result.launches = counts.launches;
  result.blocks = counts.blocks;
  result.warps = double(counts.blocks) * counts.threads_per_block / warp_width;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const double executions = frequencies.blocks[flow.block_of[i]];
    if (!flow.blocks[flow.block_of[i]].reachable) continue;
    const std::string opcode(code.instructions[i].name());
    constexpr double never = 1e-6;  // but for rounding
    constexpr double bytes_of_instruction = 16;
    if (executions > never) result.code_bytes += bytes_of_instruction;
    result.issued += executions;
    result.by_opcode[opcode] += executions;
    if (const auto pipe = pipe_of(opcode))
      result.by_pipe[std::size_t(*pipe)] += executions;
    else
      result.unknown[opcode] += executions;
  }
  result.most_issued = frequencies.most_instructions;
  result.chain = warp_chain(code, flow, frequencies, result.warps, double(counts.blocks));
  result.shared_wavefronts = shared_wavefronts(code, flow, frequencies, counts);
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
