// SPDX-License-Identifier: Apache-2.0
// Machine code and frequencies, made into what the simulator runs: instructions with their costs, and the
// choices and loops by which warps follow the code. All of it is here because a loop's exits, a choice's ways
// and the states of both depend on the same sets of blocks.
#include <fathom/counting/multiprocessor/multiprocessor.h>
#include <fathom/device/code/chain.h>
#include <fathom/device/code/wavefronts.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "entered_loops.h"
#include "register_reads.h"

namespace fathom {
namespace {

using Code = MultiprocessorCode;
using End = BasicBlock::End;

/// Probabilities below are errors of rounding.
constexpr double never = 1e-6;
/// A branch that is taken less often closes no loop.
constexpr double hardly = 0.01;

std::optional<Port> port_of(Pipe pipe) {
  switch (pipe) {
    case Pipe::alu:
      return Port::alu;
    case Pipe::fma:
      return Port::fma;
    case Pipe::fp64:
      return Port::fp64;
    case Pipe::xu:
      return Port::xu;
    case Pipe::uniform:
      return Port::uniform;
    default:
      return std::nullopt;
  }
}

/// On both halves of the FMA pipe; all else, as IMAD, runs on one of them: hardware counters
/// smsp__inst_executed_pipe_fmaheavy and _fmalite.
bool on_both_halves(std::string_view opcode) {
  static const std::set<std::string_view> names{"FFMA",    "FADD",    "FMUL",   "FFMA32I",
                                                "FADD32I", "FMUL32I", "FSWZADD"};
  return names.contains(opcode);
}

/// "0x80", of which operand number `index` consists.
std::optional<int> number_in(const std::string& operands, int index) {
  std::size_t at = 0;
  for (; index > 0 && at != operands.npos; --index) {
    at = operands.find(',', at);
    if (at != operands.npos) ++at;
  }
  if (at == operands.npos) return std::nullopt;
  at = operands.find_first_not_of(' ', at);
  if (at == operands.npos || operands.compare(at, 2, "0x") != 0) return std::nullopt;
  return int(std::strtol(operands.c_str() + at, nullptr, 16));
}

int words_of(const MachineInstruction& one) {
  return one.has_modifier("128") ? 4 : one.has_modifier("64") ? 2 : 1;
}

bool passes_the_lsu(std::string_view opcode) {
  static const std::set<std::string_view> names{"LDG",   "STG", "LD",   "ST",   "LDS",   "STS",
                                                "LDL",   "STL", "LDSM", "STSM", "ATOM",  "ATOMG",
                                                "ATOMS", "RED", "REDG", "SHFL", "LDGSTS"};
  return names.contains(opcode);
}

Code::Result result_of(const MachineInstruction& one) {
  if (one.name() == "MEMBAR" && !one.has_modifier("CTA")) return Code::Result::fence;
  if (!one.write_barrier && one.name() != "LDGSTS") return Code::Result::on_time;
  if (one.name() == "LDGSTS") return Code::Result::far;
  switch (kind_of(one)) {
    case WaitKind::global:
      return Code::Result::far;
    case WaitKind::shared:
      return Code::Result::near;
    default:
      return Code::Result::special;
  }
}

Code::Instruction decoded(const MachineInstruction& one, int compute_capability, double passes) {
  Code::Instruction result;
  result.result = result_of(one);
  result.stall = std::uint8_t(std::max(1, one.stall));
  result.waits = std::uint8_t(waits_for(one));
  if (one.write_barrier && *one.write_barrier < scoreboards) result.writes = std::int8_t(*one.write_barrier);
  if (one.read_barrier && *one.read_barrier < scoreboards) result.reads = std::int8_t(*one.read_barrier);
  result.words = std::uint8_t(words_of(one));
  result.passes = passes;
  const Pipe pipe = pipe_of(one.name(), compute_capability).value_or(Pipe::none);
  if (const auto port = port_of(pipe)) {
    result.port = *port;
    result.clocks = std::uint8_t(clocks_on(pipe, compute_capability));
    if (pipe == Pipe::fma && !on_both_halves(one.name())) result.clocks = 2;
  } else if (passes > 0) {
    result.port = Port::lsu;
  }
  if (one.name() == "BAR") {
    result.port = Port::barriers;
    result.barrier = number_in(one.operands, 0).value_or(0) & 15;
    result.expected = std::uint8_t(number_in(one.operands, 1).value_or(0) / warp_width);
    result.arrives_only = one.has_modifier("ARV");
  }
  result.enters_copies = one.name() == "LDGSTS";
  result.collects_copies = one.name() == "LDGDEPBAR";
  if (one.name() == "DEPBAR")
    if (const int left = number_in(one.operands, 1).value_or(0); left > 0) {
      result.leaves_copies = std::int8_t(std::min(left, 7));
      result.waits = std::uint8_t(one.wait_mask);
    }
  return result;
}

class Decoder {
 public:
  Decoder(const Disassembly& code, const FlowGraph& flow, const Frequencies& frequencies,
          const KernelCounts& counts)
      : code_(code),
        flow_(flow),
        counted_(frequencies),
        frequencies_(with_entered_loops(flow, frequencies)),
        counts_(counts),
        warps_(double(counts.blocks) * counts.threads_per_block / warp_width),
        loops_(loops_of(blocks_that_follow(hardly))) {
    add_detours();
    for (std::size_t i = 0; i < flow.blocks.size(); ++i) innermost_.push_back(innermost_loop(i));
  }

  Code decode() && {
    result_.kernel = counts_.kernel;
    result_.warps_per_block = (counts_.threads_per_block + warp_width - 1) / warp_width;
    decode_instructions();
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) result_.blocks.push_back(with_edges(i));
    for (std::size_t i = 0; i < loops_.size(); ++i) add_loop(i);
    for (std::size_t i = 0; i < loops_.size(); ++i)
      if (loops_[i].contains(0)) result_.enters_at_start.push_back(std::uint32_t(i));
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
      if (flow_.blocks[i].reachable) decide(i);
    for (std::size_t i = 0; i < loops_.size(); ++i) finish_loop(i);
    for (std::size_t i = 0; i < result_.choices.size(); ++i)
      result_.choices[i].within = smallest_around({ways_[i].branch}, result_.choices[i].of_block);
    for (std::size_t i = 0; i < loops_.size(); ++i)
      result_.loops[i].within = smallest_around(loops_[i].blocks, result_.loops[i].of_block);
    return std::move(result_);
  }

 private:
  struct Ways {
    std::size_t branch;
    std::set<std::size_t> between;
  };
  struct OwnExit {
    std::size_t block;
    double frequency;
  };

  /// Without edges that so few of a block's executions take.
  std::vector<BasicBlock> blocks_that_follow(double least_share) const {
    std::vector<BasicBlock> blocks = flow_.blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      std::vector<std::size_t> next;
      for (std::size_t k = 0; k < blocks[i].next.size(); ++k)
        if (takes(i, k, least_share)) next.push_back(blocks[i].next[k]);
      blocks[i].next = next;
      blocks[i].reachable = false;
    }
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
      BasicBlock& block = blocks[open.back()];
      open.pop_back();
      if (std::exchange(block.reachable, true)) continue;
      open.insert(open.end(), block.next.begin(), block.next.end());
      open.insert(open.end(), block.callees.begin(), block.callees.end());
    }
    return blocks;
  }

  bool takes(std::size_t block, std::size_t edge, double least_share) const {
    const auto& edges = frequencies_.edges[block];
    return edge < edges.size() && edges[edge] > std::max(never * warps_, least_share * executions(block));
  }

  /// Blocks to which hardly any warp turns aside, and from which it comes back to the loop, belong to it.
  void add_detours() {
    const std::vector<BasicBlock> with_rare = blocks_that_follow(0), without = blocks_that_follow(hardly);
    for (Loop& loop : loops_) {
      const std::set<std::size_t> behind = reachable(targets_outside(loop, without), loop, without);
      for (const std::size_t aside : targets_outside(loop, with_rare)) {
        if (behind.contains(aside)) continue;
        const std::set<std::size_t> detour = reachable({aside}, loop, with_rare);
        const bool comes_back = std::any_of(detour.begin(), detour.end(), [&](std::size_t block) {
          return std::ranges::any_of(with_rare[block].next,
                                     [&](std::size_t next) { return loop.contains(next); });
        });
        const bool goes_on =
            std::ranges::any_of(detour, [&](std::size_t block) { return behind.contains(block); });
        if (!comes_back || goes_on) continue;
        loop.blocks.insert(loop.blocks.end(), detour.begin(), detour.end());
        std::ranges::sort(loop.blocks);
      }
    }
  }

  static std::set<std::size_t> targets_outside(const Loop& loop, const std::vector<BasicBlock>& blocks) {
    std::set<std::size_t> found;
    for (const std::size_t block : loop.blocks)
      for (const std::size_t next : blocks[block].next)
        if (!loop.contains(next)) found.insert(next);
    return found;
  }

  /// Around the loop.
  static std::set<std::size_t> reachable(const std::set<std::size_t>& from, const Loop& loop,
                                         const std::vector<BasicBlock>& blocks) {
    std::set<std::size_t> found;
    std::vector<std::size_t> open(from.begin(), from.end());
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (loop.contains(block) || !found.insert(block).second) continue;
      open.insert(open.end(), blocks[block].next.begin(), blocks[block].next.end());
    }
    return found;
  }

  double executions(std::size_t block) const { return frequencies_.blocks[block]; }

  // Instructions

  std::vector<double> passes() const {
    std::vector<double> passes(code_.instructions.size());
    for (std::size_t i = 0; i < passes.size(); ++i)
      if (passes_the_lsu(code_.instructions[i].name())) passes[i] = words_of(code_.instructions[i]);
    const AccessPasses shared = shared_wavefronts(code_, flow_, counted_, counts_),
                       global = global_lines(code_, flow_, counted_, counts_);
    const lines::Places places_of = lines::places_by_line(code_, flow_, lines::counts_by_line(counts_));
    std::set<std::size_t> counted;
    for (const AccessPasses* of : {&shared, &global})
      for (const auto& [key, places] : places_of) {
        const auto found = of->per_word.find(key);
        if (found == of->per_word.end()) continue;
        for (const lines::Place& place : places) {
          if (counted.insert(place.instruction).second) passes[place.instruction] = 0;
          passes[place.instruction] += found->second * place.words;
        }
      }
    return passes;
  }

  void decode_instructions() {
    const std::vector<double> of_lsu = passes();
    double all = 0;
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      const MachineInstruction& one = code_.instructions[i];
      const bool first = flow_.blocks[flow_.block_of[i]].first == i;
      result_.instructions.push_back(decoded(one, code_.compute_capability, of_lsu[i]));
      result_.instructions.back().registers =
          registers_read(one, first ? nullptr : &code_.instructions[i - 1], code_.compute_capability);
      const double times = executions(flow_.block_of[i]);
      all += times;
      if (!pipe_of(one.name(), code_.compute_capability) && times > never * warps_)
        result_.unknown[std::string(one.name())] += times / double(counts_.blocks);
    }
    result_.instructions_per_warp = all / warps_;
  }

  // Flow

  static constexpr std::size_t no_loop = std::size_t(-1);
  std::size_t innermost_loop(std::size_t block) const {
    for (std::size_t i = loops_.size(); i-- > 0;)
      if (loops_[i].contains(block)) return i;
    return no_loop;
  }

  Code::Edge edge(std::size_t from, std::size_t to) const {
    Code::Edge edge{.to = std::uint32_t(to), .taken = flow_.blocks[to].first != flow_.blocks[from].last};
    for (std::size_t i = 0; i < loops_.size(); ++i)
      if (loops_[i].contains(to) && !loops_[i].contains(from)) edge.enters.push_back(std::uint32_t(i));
    return edge;
  }

  Code::Block with_edges(std::size_t i) const {
    const BasicBlock& block = flow_.blocks[i];
    Code::Block coded;
    coded.first = std::uint32_t(block.first);
    coded.last = std::uint32_t(block.last);
    for (const std::size_t next : block.next) coded.edges.push_back(edge(i, next));
    if (block.end == End::calls && !block.callees.empty())
      coded.edges.push_back(edge(i, block.callees.front()));
    if (block.end == End::exits || coded.edges.empty()) coded.edges.push_back({});
    for (const std::size_t partner : block.partners) coded.partners.push_back(std::uint32_t(partner));
    return coded;
  }

  /// Of each edge of the coded block, in executions.
  std::vector<double> edge_executions(std::size_t i) const {
    std::vector<double> edges = frequencies_.edges[i];
    const BasicBlock& block = flow_.blocks[i];
    edges.resize(block.next.size());
    if (block.end != End::exits) return edges;
    edges.push_back(block.guarded && !edges.empty() ? std::max(0.0, executions(i) - edges.front())
                                                    : executions(i));
    return edges;
  }

  bool has_barrier(std::size_t block) const {
    for (std::size_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i)
      if (code_.instructions[i].name() == "BAR") return true;
    return false;
  }

  /// The blocks between a branch and the one where its ways meet; behind an exit, all.
  std::set<std::size_t> between(std::size_t branch) const {
    const std::vector<std::size_t>& next = flow_.blocks[branch].next;
    std::set<std::size_t> ends{branch};
    if (flow_.blocks[branch].end != End::exits)
      if (const auto meeting = flow_.postdominator(next)) ends.insert(*meeting);
    std::set<std::size_t> found;
    std::vector<std::size_t> open = next;
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (ends.contains(block) || !found.insert(block).second) continue;
      open.insert(open.end(), flow_.blocks[block].next.begin(), flow_.blocks[block].next.end());
    }
    return found;
  }

  std::uint32_t new_states(std::size_t count) {
    const std::uint32_t first = result_.states;
    result_.states += std::uint32_t(count);
    return first;
  }

  void decide(std::size_t i) {
    const BasicBlock& block = flow_.blocks[i];
    Code::Block& coded = result_.blocks[i];
    if (block.end == End::opens) coded.end = Code::Block::End::opens;
    if (block.end == End::converges) coded.end = Code::Block::End::converges;
    if (block.end == End::calls && coded.edges.size() > 1) coded.end = Code::Block::End::calls;
    if (block.end == End::returns) coded.end = Code::Block::End::returns;
    const std::vector<double> times = edge_executions(i);
    if (block.end == End::calls || block.end == End::opens || times.size() < 2) return;
    std::vector<double> probabilities;
    double sum = 0;
    for (const double each : times) {
      probabilities.push_back(executions(i) > never ? std::clamp(each / executions(i), 0.0, 1.0) : 0);
      sum += probabilities.back();
    }
    if (sum <= never) probabilities.front() = sum = 1;
    const double both = times.size() == 2 && block.end == End::decides ? std::max(0.0, sum - 1) : 0;
    if (both == 0)
      for (double& each : probabilities) each /= sum;
    if (!leaves_loop(i, times, both)) add_choice(i, probabilities, both);
  }

  void add_choice(std::size_t i, const std::vector<double>& probabilities, double both) {
    Code::Block& coded = result_.blocks[i];
    struct Possible {
      double probability;
      int edge, later;
    };
    std::vector<Possible> possible;
    for (std::size_t k = 0; k < probabilities.size(); ++k)
      possible.push_back({probabilities[k] - both, int(k), -1});
    if (both > 0) possible.push_back({both, 0, 1});
    std::erase_if(possible, [](const Possible& one) { return one.probability < never; });
    std::stable_sort(possible.begin(), possible.end(),
                     [](const Possible& a, const Possible& b) { return a.probability < b.probability; });
    Code::Choice choice;
    double left = 0;
    for (const Possible& one : possible) left += one.probability;
    for (const Possible& one : possible) {
      choice.outcomes.push_back({one.probability / left, one.edge, one.later});
      left -= one.probability;
    }
    choice.outcomes.back().probability = 1;
    ways_.push_back({i, choice.outcomes.size() > 1 ? between(i) : std::set<std::size_t>{}});
    choice.of_block = flow_.blocks[i].end == End::decides &&
                      std::any_of(ways_.back().between.begin(), ways_.back().between.end(),
                                  [&](std::size_t block) { return has_barrier(block); });
    choice.state = new_states(choice.outcomes.size());
    coded.choice = std::uint32_t(result_.choices.size());
    if (coded.end == Code::Block::End::goes_on) coded.end = Code::Block::End::chooses;
    result_.choices.push_back(choice);
  }

  /// The choice with the shortest ways on which these blocks lie, of a warp or a block.
  int smallest_around(const std::vector<std::size_t>& blocks, bool of_block) const {
    int best = -1;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const auto& between = ways_[i].between;
      if (result_.choices[i].of_block != of_block) continue;
      if (!std::all_of(blocks.begin(), blocks.end(), [&](std::size_t b) { return between.contains(b); }))
        continue;
      if (best < 0 || between.size() < ways_[std::size_t(best)].between.size()) best = int(i);
    }
    return best;
  }

  // Loops

  void add_loop(std::size_t i) {
    Code::Loop loop;
    const auto& blocks = loops_[i].blocks;
    loop.of_block = std::any_of(blocks.begin(), blocks.end(), [&](std::size_t b) { return has_barrier(b); });
    result_.loops.push_back(loop);
    own_exits_.emplace_back();
  }

  /// Whether the branch stays in the innermost loop around it or leaves it.
  bool leaves_loop(std::size_t i, const std::vector<double>& times, double both) {
    const std::size_t loop = innermost_[i];
    if (loop == no_loop || times.size() != 2 || flow_.blocks[i].end == End::converges) return false;
    Code::Block& coded = result_.blocks[i];
    const auto stays = [&](const Code::Edge& edge) {
      return edge.to != Code::nowhere && loops_[loop].contains(edge.to);
    };
    if (stays(coded.edges[0]) == stays(coded.edges[1])) return false;
    coded.end = Code::Block::End::leaves_loop;
    coded.choice = std::uint32_t(loop);
    coded.staying = stays(coded.edges[0]) ? 0 : 1;
    coded.leaving = 1 - coded.staying;
    coded.exit = -1;
    coded.both_state = new_states(1);
    const double left = times[std::size_t(coded.leaving)] - both * executions(i),
                 stayed = times[std::size_t(coded.staying)];
    if (both > never && stayed > 0) coded.both = std::min(1.0, both * executions(i) / stayed);
    if (left > never * warps_) own_exits_[loop].push_back({i, left});
    return true;
  }

  double entries_of(const Loop& loop) const {
    double sum = loop.contains(0) ? warps_ : 0;
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      const BasicBlock& block = flow_.blocks[i];
      if (!block.reachable || loop.contains(i)) continue;
      for (std::size_t k = 0; k < block.next.size(); ++k)
        if (loop.contains(block.next[k]) && k < frequencies_.edges[i].size()) sum += frequencies_.edges[i][k];
      for (const std::size_t callee : block.callees)
        if (loop.contains(callee)) sum += executions(i);
    }
    return sum;
  }

  /// How often it is left through branches that its own exits are not.
  double left_otherwise(std::size_t index) const {
    const Loop& loop = loops_[index];
    double sum = 0;
    for (const std::size_t i : loop.blocks) {
      const auto& exits = own_exits_[index];
      if (std::any_of(exits.begin(), exits.end(), [&](const OwnExit& exit) { return exit.block == i; }))
        continue;
      const std::vector<double> times = edge_executions(i);
      const Code::Block& coded = result_.blocks[i];
      for (std::size_t k = 0; k < times.size() && k < coded.edges.size(); ++k)
        if (coded.edges[k].to == Code::nowhere || !loop.contains(coded.edges[k].to)) sum += times[k];
    }
    return sum;
  }

  void finish_loop(std::size_t index) {
    Code::Loop& loop = result_.loops[index];
    std::vector<OwnExit>& exits = own_exits_[index];
    std::stable_sort(exits.begin(), exits.end(),
                     [](const OwnExit& a, const OwnExit& b) { return a.frequency < b.frequency; });
    const double entries = entries_of(loops_[index]), others = left_otherwise(index);
    double left = others;
    for (const OwnExit& exit : exits) left += exit.frequency;
    loop.may_leave_otherwise = others > never * warps_;
    for (std::size_t e = 0; e < exits.size(); ++e) {
      const double turns = entries > 0 ? executions(exits[e].block) / entries : 1;
      loop.exits.push_back({exits[e].frequency / left, turns});
      left -= exits[e].frequency;
      result_.blocks[exits[e].block].exit = int(e);
    }
    if (!loop.may_leave_otherwise && !loop.exits.empty()) loop.exits.back().probability = 1;
    double most = 0;
    for (const std::size_t block : loops_[index].blocks) most = std::max(most, executions(block));
    const auto branches =
        std::count_if(result_.blocks.begin(), result_.blocks.end(), [&](const Code::Block& block) {
          return block.end == Code::Block::End::leaves_loop && block.choice == index;
        });
    loop.patience = double(branches) * (entries > 0 ? 4 * most / entries + 16 : 16);
    loop.state = new_states(2 * loop.exits.size());
  }

  const Disassembly& code_;
  const FlowGraph& flow_;
  const Frequencies& counted_;
  const Frequencies frequencies_;
  const KernelCounts& counts_;
  double warps_;
  std::vector<Loop> loops_;
  std::vector<std::size_t> innermost_;
  std::vector<std::vector<OwnExit>> own_exits_;
  std::vector<Ways> ways_;  ///< of each choice
  Code result_;
};

}  // namespace

MultiprocessorCode multiprocessor_code(const Disassembly& code, const FlowGraph& flow,
                                       const Frequencies& frequencies, const KernelCounts& counts) {
  return Decoder(code, flow, frequencies, counts).decode();
}

}  // namespace fathom
