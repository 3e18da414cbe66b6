// SPDX-License-Identifier: Apache-2.0
// Listings of nvdisasm: what parse_disassembly() accepts has a control flow whose blocks lie in the code, and
// instructions that are counted, or assumed, in finite numbers.
#include <fathom/device/code/frequencies/assumed_frequencies.h>
#include <fathom/device/code/instructions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fuzz.h"

namespace fathom {
namespace {

/// The flow is looked at where it is quick: regions are walked for each BSSY and CALL, which real kernels
/// have few of.
constexpr std::size_t most_with_flow = 400;
/// Where each branch is looked at by itself.
constexpr std::size_t most_assumed = 100;
/// The counts make a linear program, which takes milliseconds for some dozen instructions: it is solved for
/// short listings, and for few of them.
constexpr std::size_t most_counted = 24, one_counted_in = 32;

void check_code(const Disassembly& code) {
  fuzz::expect(code.compute_capability >= 0, "an architecture is not negative");
  fuzz::expect(!code.instructions.empty(), "a listing has instructions");
  constexpr int scoreboards = 7;
  const auto is_scoreboard = [](int number) { return number >= 0 && number < scoreboards; };
  for (const MachineInstruction& one : code.instructions) {
    fuzz::expect(!one.opcode.empty(), "an instruction has an opcode");
    fuzz::expect(one.stall >= 0 && one.stall < 16, "4 bits hold a stall");
    fuzz::expect(is_scoreboard(one.write_barrier.value_or(0)), "the write barrier is a scoreboard");
    fuzz::expect(is_scoreboard(one.read_barrier.value_or(0)), "the read barrier is a scoreboard");
    fuzz::expect(one.wait_mask < 64, "6 bits hold a wait mask");
    for (const std::size_t target : one.targets)
      fuzz::expect(target < code.instructions.size(), "a target is an instruction");
    for (const SourceLine& line : one.lines) fuzz::expect(line.line >= 0, "a line is not negative");
  }
}

void check_flow(const FlowGraph& flow, std::size_t instructions) {
  const auto is_block = [&](std::size_t block) { return block < flow.blocks.size(); };
  std::size_t covered = 0;
  for (const BasicBlock& block : flow.blocks) {
    fuzz::expect(block.first == covered && block.last > block.first, "blocks follow each other");
    covered = block.last;
    for (const auto* others : {&block.next, &block.callees, &block.partners})
      fuzz::expect(std::ranges::all_of(*others, is_block), "a block leads to blocks");
    fuzz::expect(is_block(block.meets_at), "lanes meet at a block");
  }
  fuzz::expect(covered == instructions, "every instruction is in a block");
  fuzz::expect(std::ranges::all_of(flow.block_of, is_block), "an instruction is of a block");
  for (const Loop& loop : flow.loops) {
    fuzz::expect(std::ranges::is_sorted(loop.blocks) && !loop.blocks.empty(), "a loop's blocks are in order");
    if (const auto before = flow.dominator(loop.blocks)) fuzz::expect(is_block(*before), "it is a block");
    if (const auto behind = flow.postdominator(loop.blocks)) fuzz::expect(is_block(*behind), "it is a block");
  }
}

/// Ten blocks of four warps, with loads, stores and shuffles at the lines of the first instructions that have
/// one, counted as often as their place in the code.
KernelCounts counts_for(const Disassembly& code) {
  KernelCounts counts;
  counts.kernel = "Kernel";
  counts.launches = 1;
  counts.blocks = 10;
  counts.threads_per_block = 128;
  u64 executions = 40;
  for (const MachineInstruction& one : code.instructions) {
    if (one.lines.empty()) continue;
    const SourceLine& line = one.lines.back();
    AccessSite site{.path = line.file, .line = unsigned(line.line)};
    site.warps = site.visits = 40;
    const bool is_store = one.opcode.starts_with("ST");
    site.operation = is_store ? MemoryOperation::store : MemoryOperation::load;
    if (one.opcode.find('S') == std::string::npos)
      site.global = {.accesses = executions, .warp_words = 32 * executions};
    else
      site.shared = {.accesses = executions,
                     .warp_words = 32 * executions,
                     .wavefronts = 2 * executions,
                     .least_wavefronts = executions};
    counts.sites.push_back(site);
    InstructionSite shuffle{.path = line.file, .line = unsigned(line.line)};
    shuffle.executions = shuffle.words = executions;
    counts.instruction_sites.push_back(shuffle);
    executions += 40;
  }
  return counts;
}

void check_counted(const Disassembly& code) {
  const KernelInstructions counted = count_instructions(code, counts_for(code));
  const auto is_amount = [](double number) { return std::isfinite(number) && number >= 0; };
  fuzz::expect(is_amount(counted.issued), "instructions are finite, and not negative");
  fuzz::expect(std::ranges::all_of(counted.by_pipe, is_amount), "a pipe's are, too");
  fuzz::expect(is_amount(counted.shared_wavefronts), "wavefronts are, too");
  fuzz::expect(is_amount(counted.chain.issue_clocks), "the clocks of a warp are, too");
  fuzz::expect(is_amount(counted.chain.barriers), "barriers are, too");
  for (const Waits& waits : counted.chain.waits)
    fuzz::expect(is_amount(waits.batches) && is_amount(waits.covered), "waits are, too");
  for (const Anchor& anchor : counted.anchors)
    fuzz::expect(std::isfinite(anchor.mismatch()), "a mismatch is finite");
}

/// Ten blocks of four warps.
void check_assumed(const Disassembly& code, const FlowGraph& flow) try {
  const AssumedFrequencies found = assumed_frequencies(code, flow, {{10, 1, 1}, {128, 1, 1}});
  for (const double executions : found.frequencies.blocks)
    fuzz::expect(std::isfinite(executions) && executions >= 0, "a block runs a finite number of times");
  for (const AssumedLoop& loop : found.loops)
    fuzz::expect(std::isfinite(loop.turns) && loop.turns >= 0, "a loop's turns are finite");
} catch (const std::invalid_argument&) {  // it calls itself
}

/// Instructions of this text, as nvdisasm lists them.
std::string instructions(std::string_view text, std::size_t bytes) {
  const std::string one = fmt::format("/*0*/ {} ; /* 0x0 */\n/* 0x0 */\n", text);
  return fuzz::repeated(one, bytes);
}

}  // namespace
}  // namespace fathom

using namespace fathom;

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  for (const char* part : {"\n", "/*", "/**/", "/*0*/", "x", ":", "a:\n", "//## File \"", ".section\n",
                           ".target ", "{", "@", "\xff", "//## File \"\", line 1\n"})
    inputs.push_back(repeated(part, bytes));
  inputs.push_back(repeated(std::string_view("\0", 1), bytes));
  for (const char* one :
       {"NOP", "@P0 EXIT", "BRA `(.L_0)", "BSSY B0, `(.L_0)", "CALL.REL `(.L_0)", "BSYNC B0"}) {
    inputs.push_back(instructions(one, bytes));
    inputs.push_back(".L_0:\n" + instructions(one, bytes - 10));
  }
  // Long parts of one instruction, and a long stack of lines that many instructions have.
  for (const std::string& part : {repeated("x", bytes / 2), repeated("x.", bytes / 2),
                                  repeated("@", bytes / 2), "BRX " + repeated(".L_0 ", bytes / 2)})
    inputs.push_back(".L_0:\n" + instructions(part, bytes));
  inputs.push_back(repeated("//## File \"a\", line 1\n", bytes / 2) + instructions("N", bytes / 2));
  std::string labels;
  for (std::size_t i = 0; labels.size() < bytes / 2; ++i) labels += fmt::format(".L_{}:\n", i);
  inputs.push_back(labels + instructions("BRX .L_1 .L_2", bytes / 2));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  Disassembly code;
  try {
    code = parse_disassembly(text);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  check_code(code);
  if (code.instructions.size() > most_with_flow) return 0;
  const FlowGraph flow = flow_graph(code);
  check_flow(flow, code.instructions.size());
  if (code.instructions.size() <= most_assumed) check_assumed(code, flow);
  if (code.has_lines() && code.instructions.size() <= most_counted &&
      fuzz::is_chosen(text, 0, one_counted_in))
    check_counted(code);
  return 0;
}
