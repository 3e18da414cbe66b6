// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/code/flow.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <set>

namespace fathom {
namespace {

using Blocks = std::vector<std::size_t>;

bool ends_block(const MachineInstruction& one) {
  static const std::set<std::string_view> always{"BRA", "BRX",  "BRXU", "JMP",   "JMX", "EXIT",
                                                 "RET", "CALL", "BSSY", "BSYNC", "KILL"};
  return always.contains(one.name()) || (one.name() == "WARPSYNC" && !one.targets.empty());
}

/// "B0": the convergence barrier of BSSY and BSYNC.
std::string_view barrier_of(const MachineInstruction& one) {
  const std::string_view all = one.operands;
  const std::size_t at = all.find('B');
  const std::string_view rest = all.substr(std::min(at, all.size()));
  return rest.substr(0, rest.find_first_not_of("B0123456789"));
}

bool is_uniform(const MachineInstruction& one) {
  const auto about = [](std::string_view predicate) {
    return predicate.starts_with("UP") || predicate.starts_with("!UP");
  };
  return one.has_modifier("U") || (about(one.guard) && !one.operands.starts_with("P")) ||
         (one.guard.empty() && about(one.operands));
}

class Builder {
 public:
  explicit Builder(const Disassembly& code) : code_(code.instructions) {}

  FlowGraph build() && {
    cut();
    for (std::size_t i = 0; i < graph_.blocks.size(); ++i) connect(i);
    for (BasicBlock& block : graph_.blocks) make_jump_of_call(block);
    for (std::size_t i = 0; i < graph_.blocks.size(); ++i)
      if (graph_.blocks[i].end == BasicBlock::End::opens) find_region(i);
    for (BasicBlock& block : graph_.blocks) connect_convergence(block);
    mark_reachable();
    graph_.loops = loops_of(graph_.blocks);
    return std::move(graph_);
  }

 private:
  const MachineInstruction& last_of(const BasicBlock& block) const { return code_[block.last - 1]; }

  void cut() {
    std::set<std::size_t> starts{0};
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (ends_block(code_[i]) && i + 1 < code_.size()) starts.insert(i + 1);
      starts.insert(code_[i].targets.begin(), code_[i].targets.end());
    }
    graph_.block_of.resize(code_.size());
    for (auto start = starts.begin(); start != starts.end(); ++start) {
      BasicBlock block;
      block.first = *start;
      block.last = std::next(start) == starts.end() ? code_.size() : *std::next(start);
      for (std::size_t i = block.first; i < block.last; ++i) graph_.block_of[i] = graph_.blocks.size();
      graph_.blocks.push_back(block);
    }
  }

  Blocks targets_of(const MachineInstruction& one) const {
    Blocks found;
    for (const std::size_t target : one.targets) found.push_back(graph_.block_of[target]);
    return found;
  }

  void connect(std::size_t index) {
    using End = BasicBlock::End;
    BasicBlock& block = graph_.blocks[index];
    const MachineInstruction& last = last_of(block);
    const std::string_view name = last.name();
    const bool has_next = index + 1 < graph_.blocks.size();
    const Blocks following = has_next ? Blocks{index + 1} : Blocks{};
    if (name == "EXIT" || name == "KILL") {
      block.end = End::exits;
      block.guarded = !last.guard.empty();
      if (block.guarded) block.next = following;
    } else if (name == "RET") {
      block.end = End::returns;
    } else if (name == "BSYNC") {
      block.end = End::converges;  // connect_convergence()
      block.guarded = !last.guard.empty();
    } else if (name == "BSSY") {
      block.end = End::opens;
      block.next = following;
      if (const Blocks meeting = targets_of(last); !meeting.empty()) block.meets_at = meeting.front();
    } else if (name == "CALL") {
      block.end = End::calls;
      block.next = following;
      block.callees = targets_of(last);
    } else if (name == "BRA" || name == "JMP" || name == "BRX" || name == "BRXU" || name == "JMX") {
      if (last.has_modifier("DIV")) {  // to a slow path for a warp with lanes missing
        block.next = following;
        return;
      }
      block.next = targets_of(last);
      block.guarded = last.has_condition() || last.has_modifier("CONV");
      block.uniform = is_uniform(last);
      if (block.guarded && has_next) block.next.push_back(index + 1);
      block.end = block.next.size() > 1 ? End::decides : End::branches;
    } else {
      block.next = following;
    }
  }

  /// A call from which nothing returns: the compiler uses some as jumps.
  void make_jump_of_call(BasicBlock& block) {
    if (block.end != BasicBlock::End::calls || block.callees.empty()) return;
    std::set<std::size_t> seen;
    for (Blocks open = block.callees; !open.empty();) {
      const std::size_t index = open.back();
      open.pop_back();
      if (!seen.insert(index).second) continue;
      const BasicBlock& other = graph_.blocks[index];
      if (other.end == BasicBlock::End::returns) return;
      open.insert(open.end(), other.next.begin(), other.next.end());
      open.insert(open.end(), other.callees.begin(), other.callees.end());
      if (other.end == BasicBlock::End::opens) open.push_back(other.meets_at);
    }
    block.guarded = last_of(block).has_condition();
    if (!block.guarded) block.next.clear();
    block.next.insert(block.next.begin(), block.callees.begin(), block.callees.end());
    block.callees.clear();
    block.end = block.next.size() > 1 ? BasicBlock::End::decides : BasicBlock::End::branches;
  }

  /// Blocks that run between BSSY and its BSYNCs.
  void find_region(std::size_t opening) {
    const std::string_view barrier = barrier_of(last_of(graph_.blocks[opening]));
    std::set<std::size_t> seen;
    Blocks open = graph_.blocks[opening].next;
    while (!open.empty()) {
      const std::size_t index = open.back();
      open.pop_back();
      if (!seen.insert(index).second) continue;
      BasicBlock& block = graph_.blocks[index];
      block.in_region = true;
      const bool same = barrier_of(last_of(block)) == barrier;
      if (block.end == BasicBlock::End::converges && same) {
        block.partners.push_back(opening);
        graph_.blocks[opening].partners.push_back(index);
        if (block.guarded && index + 1 < graph_.blocks.size()) open.push_back(index + 1);
        continue;
      }
      if (block.end == BasicBlock::End::exits) graph_.blocks[opening].lanes_may_exit = true;
      if (block.end == BasicBlock::End::opens) {
        if (same) continue;
        open.push_back(block.meets_at);
      }
      open.insert(open.end(), block.next.begin(), block.next.end());
    }
  }

  void connect_convergence(BasicBlock& block) {
    if (block.end != BasicBlock::End::converges) return;
    std::set<std::size_t> meetings;
    for (const std::size_t opening : block.partners) meetings.insert(graph_.blocks[opening].meets_at);
    const std::size_t following = std::size_t(&block - graph_.blocks.data()) + 1;
    if ((meetings.empty() || block.guarded) && following < graph_.blocks.size()) meetings.insert(following);
    block.next.assign(meetings.begin(), meetings.end());
  }

  void mark_reachable() {
    Blocks open{0};
    while (!open.empty()) {
      BasicBlock& block = graph_.blocks[open.back()];
      open.pop_back();
      if (std::exchange(block.reachable, true)) continue;
      open.insert(open.end(), block.next.begin(), block.next.end());
      open.insert(open.end(), block.callees.begin(), block.callees.end());
    }
  }

  const std::vector<MachineInstruction>& code_;
  FlowGraph graph_;
};

/// Finds the loops of blocks, each before those within it.
class LoopFinder {
 public:
  explicit LoopFinder(const std::vector<BasicBlock>& blocks) : blocks_(blocks) {}

  std::vector<Loop> find() && {
    Blocks reachable;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (blocks_[i].reachable) reachable.push_back(i);
    find_loops(reachable);
    return std::move(loops_);
  }

 private:
  /// Strongly connected components, and within each, without the blocks where it is entered, again.
  void find_loops(const Blocks& among) {
    std::vector<std::size_t> position(blocks_.size(), among.size());
    for (std::size_t i = 0; i < among.size(); ++i) position[among[i]] = i;
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(among.size());
    std::set<std::size_t> follow_themselves;
    for (const std::size_t block : among)
      for (const std::size_t next : blocks_[block].next) {
        if (position[next] < among.size()) boost::add_edge(position[block], position[next], graph);
        if (next == block) follow_themselves.insert(block);
      }
    std::vector<std::size_t> component(among.size());
    const std::size_t components = among.empty() ? 0 : boost::strong_components(graph, component.data());
    std::vector<Blocks> members(components);
    for (std::size_t i = 0; i < among.size(); ++i) members[component[i]].push_back(among[i]);
    for (Blocks& blocks : members) {
      if (blocks.size() == 1 && !follow_themselves.contains(blocks.front())) continue;
      const Loop loop{std::move(blocks)};
      loops_.push_back(loop);
      find_loops(without_entries(loop));
    }
  }

  Blocks without_entries(const Loop& loop) const {
    std::set<std::size_t> entries;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (blocks_[i].reachable && !loop.contains(i))
        for (const std::size_t next : blocks_[i].next)
          if (loop.contains(next)) entries.insert(next);
    if (entries.empty()) entries.insert(loop.blocks.front());
    Blocks rest;
    for (const std::size_t block : loop.blocks)
      if (!entries.contains(block)) rest.push_back(block);
    return rest;
  }

  const std::vector<BasicBlock>& blocks_;
  std::vector<Loop> loops_;
};

/// The closest common ancestor of `blocks` in the dominator tree of the reachable blocks, or of the reversed
/// graph, whose root is one vertex more.
std::optional<std::size_t> common_dominator(const FlowGraph& flow, const Blocks& blocks, bool reversed) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  const std::size_t count = flow.blocks.size(), outside = count;
  Graph graph(count + 1);
  const auto add = [&](std::size_t from, std::size_t to) {
    reversed ? boost::add_edge(to, from, graph) : boost::add_edge(from, to, graph);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const BasicBlock& block = flow.blocks[i];
    if (!block.reachable) continue;
    for (const std::size_t next : block.next) add(i, next);
    if (block.end == BasicBlock::End::exits || block.next.empty()) add(i, outside);
  }
  const std::size_t root = reversed ? outside : 0;
  constexpr std::size_t none = std::size_t(-1);
  std::vector<std::size_t> parents(count + 1, none);
  boost::lengauer_tarjan_dominator_tree(
      graph, root,
      boost::make_iterator_property_map(parents.begin(), boost::get(boost::vertex_index, graph)));
  const auto ancestors = [&](std::size_t block) {
    Blocks found{block};
    while (parents[found.back()] != none) found.push_back(parents[found.back()]);
    std::reverse(found.begin(), found.end());
    return found;
  };
  Blocks common;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Blocks path = ancestors(blocks[i]);
    if (i == 0) common = path;
    common.erase(std::mismatch(common.begin(), common.end(), path.begin(), path.end()).first, common.end());
  }
  if (common.empty() || common.front() != root || common.back() == outside) return std::nullopt;
  return common.back();
}

}  // namespace

bool Loop::contains(std::size_t block) const {
  return std::binary_search(blocks.begin(), blocks.end(), block);
}

std::optional<std::size_t> FlowGraph::dominator(const Blocks& among) const {
  return common_dominator(*this, among, false);
}

std::optional<std::size_t> FlowGraph::postdominator(const Blocks& among) const {
  return common_dominator(*this, among, true);
}

std::vector<Loop> loops_of(const std::vector<BasicBlock>& blocks) {
  return LoopFinder(blocks).find();
}

FlowGraph flow_graph(const Disassembly& code) {
  return Builder(code).build();
}

}  // namespace fathom
