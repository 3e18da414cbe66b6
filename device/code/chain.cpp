// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/chain.h>
#include <fathom/device/code/pipes.h>

#include <algorithm>
#include <map>
#include <set>

namespace fathom {
namespace {

/// The event that releases a scoreboard, if any does.
struct Pending {
  double probability = 0;
  WaitKind kind = WaitKind::operands;
  double age = 0;  ///< clocks since it was issued
};
using Scoreboards = std::array<Pending, scoreboards>;

/// The time that a warp spends in one execution of a block.
struct Spent {
  double clocks = 0, barriers = 0;
  std::array<Waits, all_wait_kinds.size()> waits{};  ///< `covered` is a sum here
};

/// Runs a block from the state that its predecessors leave.
class BlockRun {
 public:
  BlockRun(const Disassembly& code, const BasicBlock& block, const Scoreboards& state) : state_(state) {
    for (std::size_t i = block.first; i < block.last; ++i)
      issue(code.instructions[i], code.compute_capability);
    spent_.clocks = clock_;
    for (Pending& pending : state_) pending.age += clock_;
  }

  const Scoreboards& state() const { return state_; }
  const Spent& spent() const { return spent_; }

 private:
  void issue(const MachineInstruction& one, int compute_capability) {
    const std::optional<Pipe> pipe = pipe_of(one.name(), compute_capability);
    const double now = std::max(clock_, free_[pipe]);
    wait(waits_for(one), now);
    if (one.name() == "BAR") spent_.barriers += 1;
    // A fence waits, without a scoreboard, until what was stored before can be seen.
    if (one.name() == "MEMBAR") spent_.waits[std::size_t(WaitKind::global)].batches += 1;
    if (one.write_barrier && *one.write_barrier < scoreboards) put(*one.write_barrier, kind_of(one), now);
    if (one.read_barrier && *one.read_barrier < scoreboards) put(*one.read_barrier, WaitKind::operands, now);
    free_[pipe] = now + clocks_on(pipe.value_or(Pipe::none), compute_capability);
    clock_ = now + std::max(1, one.stall);
  }

  void put(int board, WaitKind kind, double now) {
    Pending& pending = state_[std::size_t(board)];
    if (pending.probability > 0.5 && pending.kind > kind) kind = pending.kind;  // it counts several
    pending = {1, kind, -now};
  }

  /// One wait, for the slowest; what was issued before it and takes no longer has arrived with it.
  void wait(unsigned mask, double now) {
    const Pending* slowest = nullptr;
    for (std::size_t board = 0; board < state_.size(); ++board) {
      const Pending& pending = state_[board];
      if (!(mask >> board & 1) || pending.probability <= 0) continue;
      if (!slowest || pending.kind > slowest->kind ||
          (pending.kind == slowest->kind && pending.age < slowest->age))
        slowest = &pending;
    }
    if (!slowest) return;
    const Pending waited = *slowest;
    Waits& waits = spent_.waits[std::size_t(waited.kind)];
    waits.batches += waited.probability;
    waits.covered += waited.probability * (waited.age + now);
    for (std::size_t board = 0; board < state_.size(); ++board) {
      Pending& pending = state_[board];
      if (mask >> board & 1)
        pending = {};
      else if (pending.kind <= waited.kind)
        pending.probability *= 1 - waited.probability;
      if (pending.probability < 1e-9) pending = {};
    }
  }

  Scoreboards state_;
  Spent spent_;
  double clock_ = 0;
  std::map<std::optional<Pipe>, double> free_;
};

/// The state at a block's start: the mean over how it is reached.
class Arrivals {
 public:
  void add(const Scoreboards& state, double frequency) {
    total_ += frequency;
    for (std::size_t board = 0; board < scoreboards; ++board) {
      const double weight = frequency * state[board].probability;
      if (weight <= 0) continue;
      Pending& pending = sum_[board];
      pending.kind = pending.probability > 0 ? std::max(pending.kind, state[board].kind) : state[board].kind;
      pending.probability += weight;
      pending.age += weight * state[board].age;
    }
  }
  Scoreboards mean() const {
    Scoreboards mean = sum_;
    for (Pending& pending : mean)
      if (pending.probability > 0) {
        pending.age /= pending.probability;
        pending.probability = std::min(1.0, pending.probability / total_);
      }
    return mean;
  }

 private:
  double total_ = 0;
  Scoreboards sum_{};
};

}  // namespace

unsigned waits_for(const MachineInstruction& one) {
  unsigned mask = one.wait_mask;
  if (one.name() != "DEPBAR") return mask;
  const std::size_t at = one.operands.find("SB");
  if (at != std::string::npos && at + 2 < one.operands.size()) {
    const int board = one.operands[at + 2] - '0';
    if (board >= 0 && board < scoreboards) mask |= 1u << board;
  }
  return mask;
}

WaitKind kind_of(const MachineInstruction& one) {
  static const std::set<std::string_view> global{"LDG", "LD", "ATOMG", "ATOM", "LDGDEPBAR"};
  static const std::set<std::string_view> shared{"LDS",  "ATOMS", "SHFL",  "LDL",
                                                 "LDSM", "MATCH", "REDUX", "CREDUX"};
  if (global.contains(one.name())) return WaitKind::global;
  // Asks whether the copy engine is done.
  if (one.name() == "SYNCS" &&
      (one.has_modifier("TRYWAIT") || one.opcode.find("PHASECHK") != one.opcode.npos))
    return WaitKind::global;
  return shared.contains(one.name()) ? WaitKind::shared : WaitKind::special;
}

std::string_view name(WaitKind kind) {
  constexpr std::array<std::string_view, all_wait_kinds.size()> names{"operands", "special", "shared",
                                                                      "global"};
  return names.at(std::size_t(kind));
}

double WarpChain::clocks(const std::array<double, all_wait_kinds.size()>& latencies) const {
  double sum = issue_clocks;
  for (std::size_t kind = 0; kind < waits.size(); ++kind)
    sum += waits[kind].batches * std::max(0.0, latencies[kind] - waits[kind].covered);
  return sum;
}

WarpChain warp_chain(const Disassembly& code, const FlowGraph& flow, const Frequencies& frequencies,
                     double warps, double blocks) {
  const std::size_t count = flow.blocks.size();
  std::vector<Scoreboards> after(count);
  std::vector<Spent> spent(count);
  struct Edge {
    std::size_t from;
    double frequency;
  };
  std::vector<std::vector<Edge>> before(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < flow.blocks[i].next.size(); ++k)
      before[flow.blocks[i].next[k]].push_back({i, frequencies.edges[i][k]});
  // What is pending travels along the edges: a round carries it through the code, a few around loops.
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < count; ++i) {
      if (frequencies.blocks[i] <= 1e-6 * warps) continue;
      Arrivals arrivals;
      for (const Edge& edge : before[i]) arrivals.add(after[edge.from], edge.frequency);
      const BlockRun run(code, flow.blocks[i], arrivals.mean());
      after[i] = run.state();
      spent[i] = run.spent();
    }
  // A launch lasts until its slowest block is done, as the one that reduces what all others left.
  constexpr double least_share = 0.03;
  WarpChain chain;
  for (std::size_t i = 0; i < count; ++i) {
    const double frequency =
        std::max(frequencies.blocks[i] / warps, frequencies.blocks[i] >= least_share * blocks ? 1.0 : 0.0);
    chain.issue_clocks += frequency * spent[i].clocks;
    chain.barriers += frequency * spent[i].barriers;
    for (std::size_t kind = 0; kind < chain.waits.size(); ++kind) {
      chain.waits[kind].batches += frequency * spent[i].waits[kind].batches;
      chain.waits[kind].covered += frequency * spent[i].waits[kind].covered;
    }
  }
  for (Waits& waits : chain.waits) waits.covered = waits.batches > 0 ? waits.covered / waits.batches : 0;
  return chain;
}

}  // namespace fathom
