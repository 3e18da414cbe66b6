// SPDX-License-Identifier: Apache-2.0
// The linear program of a kernel's frequencies. All of its bounds are members of one class because each of
// them speaks of the same variables, of blocks, edges and anchors.
#include <fathom/device/code/frequencies/conditions.h>
#include <fathom/device/code/frequencies/frequencies.h>
#include <fathom/device/code/frequencies/linear_program.h>
#include <fathom/device/code/source_lines.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace fathom {
namespace {

using namespace lines;
using End = BasicBlock::End;

/// A compiler may give an instruction the line of its neighbour in the same expression.
constexpr int near_lines = 2;
// Costs per warp, in the order of their weight: a count that is missed by one, lanes that part without a
// count that says so, and instructions that no count asks for.
constexpr double missed_count = 1, missed_shuffle = 0.5, missed_entry = 0.2, missed_neighbour = 0.5,
                 among_neighbours = 0.3, among_mixed_up = 1e-4, subroutine = 0.1, lost_lanes = 0.02,
                 missed_selection = 0.1, parted_lanes = 0.01, idle_guard = 1e-3, per_instruction = 3e-5;

double cost_of(What what) {
  if (what == What::selection) return missed_selection;
  return is_access(what) || what == What::barrier ? missed_count : missed_shuffle;
}

bool converges_in_source(const MachineInstruction& one) {
  static const std::set<std::string_view> names{"BAR", "SHFL", "VOTE", "MATCH", "REDUX", "CREDUX"};
  return names.contains(one.name());
}

class Solver {
 public:
  Solver(const Disassembly& code, const FlowGraph& flow, const KernelCounts& counts)
      : code_(code),
        flow_(flow),
        conditions_(code, flow),
        launches_(double(counts.launches)),
        blocks_(double(counts.blocks)),
        warps_of_block_(counts.threads_per_block / 32),
        warps_(double(counts.blocks) * counts.threads_per_block / 32),
        counts_(counts_by_line(counts)),
        places_(places_by_line(code, flow, counts_)) {
    for (const Loop& loop : flow.loops)
      loop_converges_.push_back(std::any_of(loop.blocks.begin(), loop.blocks.end(), [&](std::size_t block) {
        const auto first = code.instructions.begin();
        return std::any_of(first + std::ptrdiff_t(flow.blocks[block].first),
                           first + std::ptrdiff_t(flow.blocks[block].last), converges_in_source);
      }));
    add_variables();
    conserve_flow();
    conserve_regions();
    const auto matches = matches_of(counts_, places_, without_code_);
    for (const auto& [key, match] : matches) {
      bound_entries(key, match);
      bound_copies(key, match);
    }
    for (std::size_t i = 0; i < flow.blocks.size(); ++i)
      if (runs(i) && flow.blocks[i].guarded) {
        bound_equality(i);
        follow_launch(i, matches);
      }
    for (const Loop& loop : flow.loops) bound_turns(loop, matches);
    for (const Group& group : groups_of(matches)) {
      const bool alone = group.lines.size() == 1;
      for (const Key& line : group.lines)
        add_anchor({line}, matches.at(line), alone ? 1 : group.mixed_up ? among_mixed_up : among_neighbours);
      if (!alone) add_anchor_of_group(group.lines, matches);
    }
  }

  Frequencies solve() {
    Frequencies result;
    result.without_code = unmatched();
    result.loose_loops = loose_loops();
    const LinearProgram::Solution solution = program_.solve();
    result.converged = solution.converged;
    const auto& values = solution.values;
    const auto executions = [&](int variable) {
      return variable < 0 ? 0.0 : values[std::size_t(variable)] * warps_;
    };
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      result.blocks.push_back(executions(block_[i]));
      auto& edges = result.edges.emplace_back();
      for (std::size_t k = 0; k < flow_.blocks[i].next.size(); ++k)
        edges.push_back(edge_.empty() || edge_[i].empty() ? 0 : executions(edge_[i][k]));
    }
    for (auto& [anchor, surplus, shortage] : anchors_) {
      anchor.solved = anchor.counted + executions(surplus) - executions(shortage);
      result.anchors.push_back(anchor);
    }
    return result;
  }

  /// With a reward in place of the cost of an instruction, except in loops that could then run for ever.
  double most_instructions() const {
    LinearProgram program = program_;
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      if (!runs(i)) continue;
      const bool loose = std::any_of(flow_.loops.begin(), flow_.loops.end(),
                                     [&](const Loop& loop) { return loop.contains(i) && !is_counted(loop); });
      if (!loose) program.change_cost(block_[i], -2 * per_instruction * double(flow_.blocks[i].size()));
    }
    const LinearProgram::Solution solution = program.solve();
    if (!solution.converged) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
      if (runs(i)) sum += solution.values[std::size_t(block_[i])] * warps_ * double(flow_.blocks[i].size());
    return sum;
  }

 private:
  struct AnchorTerms {
    Anchor anchor;
    int surplus, shortage;
  };

  bool runs(std::size_t block) const { return flow_.blocks[block].reachable; }

  void add_variables() {
    entering_.resize(flow_.blocks.size());
    edge_.resize(flow_.blocks.size());
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      const BasicBlock& block = flow_.blocks[i];
      const double cost = per_instruction * double(block.size()) + (block.end == End::calls ? subroutine : 0);
      block_.push_back(block.reachable ? program_.add_variable(cost) : -1);
    }
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      if (!runs(i)) continue;
      for (const std::size_t next : flow_.blocks[i].next) {
        edge_[i].push_back(program_.add_variable());
        entering_[next].push_back(edge_[i].back());
      }
      for (const std::size_t callee : flow_.blocks[i].callees) entering_[callee].push_back(block_[i]);
    }
  }

  static LinearProgram::Terms difference(int variable, const std::vector<int>& parts) {
    LinearProgram::Terms terms{{variable, 1}};
    for (const int part : parts) terms.emplace_back(part, -1);
    return terms;
  }

  void conserve_flow() {
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      if (!runs(i)) continue;
      const BasicBlock& block = flow_.blocks[i];
      program_.add_equation(difference(block_[i], entering_[i]), i == 0 ? 1 : 0);
      if (block.end == End::returns || (block.end == End::exits && !block.guarded)) continue;
      LinearProgram::Terms leaving = difference(block_[i], edge_[i]);
      if (block.end == End::converges)  // lanes that come one after another go on together
        leaving.emplace_back(program_.add_variable(parted_lanes), -1);
      else if (block.end == End::exits)
        leaving.emplace_back(program_.add_variable(), -1);
      else if (block.end == End::decides && block.in_region && !block.uniform) {
        leaving.emplace_back(program_.add_variable(parted_lanes), 1);
        for (const int edge : edge_[i]) program_.add_at_most({{edge, 1}, {block_[i], -1}}, 0);
      }
      if (block.next.empty()) continue;  // the code's end
      program_.add_equation(leaving, 0);
    }
  }

  /// As many warps go on behind a region of divergence as came into it.
  void conserve_regions() {
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      const BasicBlock& opening = flow_.blocks[i];
      if (!opening.reachable || opening.end != End::opens) continue;
      std::vector<int> leaving;
      bool shared = false;  // with another BSSY
      for (const std::size_t meeting : opening.partners) {
        const BasicBlock& block = flow_.blocks[meeting];
        if (!block.reachable) continue;
        shared = shared || block.partners.size() > 1;
        for (std::size_t k = 0; k < block.next.size(); ++k)
          if (block.next[k] == opening.meets_at) leaving.push_back(edge_[meeting][k]);
      }
      if (leaving.empty() || shared) continue;
      LinearProgram::Terms terms = difference(block_[i], leaving);
      if (opening.lanes_may_exit) terms.emplace_back(program_.add_variable(lost_lanes), -1);
      program_.add_equation(terms, 0);
    }
  }

  using Matches = std::map<Key, Match>;

  /// Lines of the same kind of which an instruction's may be told wrong, so that only their sum is sure.
  struct Group {
    std::vector<Key> lines;
    /// Most of their instructions may be told wrong: what was counted at one of them only decides where
    /// nothing else does.
    bool mixed_up = false;
  };

  /// Neighbouring lines, and those that the compiler has mixed up.
  std::vector<Group> groups_of(const Matches& matches) const {
    std::vector<Group> groups;
    for (const auto& [key, match] : matches) {
      if (groups.empty() || !are_neighbours(groups.back().lines.back(), key)) groups.emplace_back();
      groups.back().lines.push_back(key);
    }
    const auto group_of = [&](const Key& key) {
      return std::ranges::find_if(
          groups, [&](const Group& group) { return std::ranges::count(group.lines, key) > 0; });
    };
    for (const auto& [one, other] : mixed_up_lines(code_, flow_, places_)) {
      const auto to = group_of(one), from = group_of(other);
      if (to == groups.end() || from == groups.end()) continue;
      to->mixed_up = true;
      if (to == from) continue;
      to->lines.insert(to->lines.end(), from->lines.begin(), from->lines.end());
      groups.erase(from);
    }
    return groups;
  }

  static bool are_neighbours(const Key& key, const Key& next) {
    return next.what == key.what && next.line.file == key.line.file &&
           next.line.line <= key.line.line + near_lines;
  }

  void add_anchor_of_group(const std::vector<Key>& lines, const Matches& matches) {
    Match all;
    for (const Key& line : lines) {
      const Match& match = matches.at(line);
      all.counted.insert(all.counted.end(), match.counted.begin(), match.counted.end());
      all.exact = all.exact || match.exact;
    }
    add_anchor(lines, all, 1);
  }

  void add_anchor(const std::vector<Key>& lines, const Match& match, double weight) {
    const Key& key = lines.front();
    const bool words = by_words(key.what);
    Counted counted;
    for (const Key& one : match.counted) counted += counts_.at(one);
    LinearProgram::Terms terms;
    std::map<std::size_t, double> per_block;
    double moved = 0;
    std::vector<Place> places;
    for (const Key& line : lines)
      places.insert(places.end(), places_.at(line).begin(), places_.at(line).end());
    for (const Place& place : places) {
      const double moves = words ? place.words : 1;
      per_block[place.block] += moves;
      moved += moves;
      int executions = block_[place.block];
      if (place.guarded) {  // it runs in some of the block's executions
        executions = program_.add_variable();
        program_.add_equation(
            {{block_[place.block], 1}, {executions, -1}, {program_.add_variable(idle_guard), -1}}, 0);
      }
      terms.emplace_back(executions, moves);
    }
    // Per execution of a block, so that a line does not weigh more for being unrolled.
    const auto most = std::max_element(per_block.begin(), per_block.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    double cost = weight * cost_of(key.what);
    if (!match.exact) cost *= missed_neighbour;
    const int surplus = program_.add_variable(cost / most->second),
              shortage = program_.add_variable(cost / most->second);
    terms.emplace_back(surplus, -1);
    terms.emplace_back(shortage, 1);
    const double value = words ? counted.words : counted.executions;
    program_.add_equation(terms, value / warps_);
    if (weight < 1) return;  // their sum is what counts
    // The compiler may leave out what the source selects: this only decides where nothing else does.
    if (key.what == What::selection) return;
    anchors_.push_back({{key.line, std::string(name(key.what)), value, 0, moved / double(places.size())},
                        surplus,
                        shortage});
  }

  /// Those around the block, the outermost first; if `quiet`, without those that have a point of convergence.
  std::vector<const Loop*> loops_around(std::size_t block, bool quiet) const {
    std::vector<const Loop*> around;
    for (std::size_t i = 0; i < flow_.loops.size(); ++i)
      if (flow_.loops[i].contains(block) && !(quiet && loop_converges_[i])) around.push_back(&flow_.loops[i]);
    return around;
  }

  void bound_entries(const Key& key, const Match& match) {
    double warps = 0, visits = 0;
    for (const Key& one : match.counted) {
      warps = std::max(warps, counts_.at(one).warps / warps_);
      visits = std::max(visits, counts_.at(one).visits / warps_);
    }
    if (warps <= 0) return;
    std::set<std::size_t> blocks;
    for (const Place& place : places_.at(key)) blocks.insert(place.block);
    const std::vector<std::size_t> list(blocks.begin(), blocks.end());
    for (const auto around : {flow_.dominator(list), flow_.postdominator(list)})
      if (around && *around > 0 && runs(*around))
        program_.add_at_least({{block_[*around], 1}}, warps, missed_entry);
    for (const bool quiet : {false, true}) {
      std::size_t levels = 1;
      for (const std::size_t block : list) levels = std::max(levels, loops_around(block, quiet).size());
      for (std::size_t level = 0; level < levels; ++level)
        bound_entries(key, quiet, level, quiet ? visits : warps);
    }
  }

  /// A warp that comes to a line enters one of the loops around the line's instructions, or executes one that
  /// is in no loop. Without `quiet` all its visits count as one, and so do a block's instructions. Of loops
  /// within each other, it enters all, those of any level: flow goes round in a loop that is not entered,
  /// too.
  void bound_entries(const Key& key, bool quiet, std::size_t level, double least) {
    LinearProgram::Terms terms;
    std::set<const Loop*> loops;
    std::map<std::size_t, int>
        counted;  // of each block, so that a line does not weigh more for being unrolled
    for (const Place& place : places_.at(key)) {
      if (const auto around = loops_around(place.block, quiet); !around.empty()) {
        loops.insert(around[std::min(level, around.size() - 1)]);
        continue;
      }
      if (!quiet && counted.contains(place.block)) continue;
      ++counted[place.block];
      terms.emplace_back(block_[place.block], 1);
    }
    int most = 1;
    for (const auto& [block, times] : counted) most = std::max(most, times);
    for (const Loop* loop : loops) {
      if (loop->contains(0)) least -= 1;
      for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
        if (runs(i) && !loop->contains(i))
          for (std::size_t k = 0; k < flow_.blocks[i].next.size(); ++k)
            if (loop->contains(flow_.blocks[i].next[k])) terms.emplace_back(edge_[i][k], 1);
    }
    if (least > 0 && !terms.empty()) program_.add_at_least(terms, least, missed_entry / most);
  }

  /// A block with copies of a line's access runs only where a warp still has so many to make. Without this
  /// bound a fraction of a long copy would be cheaper than a short one.
  void bound_copies(const Key& key, const Match& match) {
    if (!by_words(key.what) || !is_access(key.what) || match.counted.size() != 1 || !match.exact) return;
    std::map<std::size_t, double> words;  // of each block
    for (const Place& place : places_.at(key))
      if (!place.guarded) words[place.block] += place.words;
    for (const auto& [block, at_a_time] : words)
      if (at_a_time > 1)
        program_.add_at_most({{block_[block], 1}},
                             counts_.at(key).most_times(std::size_t(at_a_time)) / warps_, missed_entry);
  }

  /// Where the number of a block or warp has to equal another, few warps go.
  void bound_equality(std::size_t block) {
    if (!loops_around(block, false).empty()) return;
    const auto found = conditions_.equality(block);
    if (!found) return;
    const auto& [of_block, of_warp, of_lane, way] = *found;
    const bool by_lanes = of_lane != 0;
    if (by_lanes && of_warp != of_lane * warp_width) return;
    double most = 0;  // warps for which the numbers can be equal
    if (of_block == 0 && of_warp != 0)
      most = blocks_;
    else if (of_block != 0 && of_block == of_warp * warps_of_block_)
      most = launches_;
    else if (of_block != 0 && of_warp == 0)
      most = launches_ * warps_of_block_;
    else
      return;
    program_.add_at_most({{edge_[block][way], 1}}, most / warps_);
  }

  /// Where a launch decides for all its warps, they go to a line that was counted in every launch.
  void follow_launch(std::size_t block, const Matches& matches) {
    if (!conditions_.same_in_launch(block)) return;
    for (std::size_t way = 0; way < edge_[block].size(); ++way) {
      const std::vector<bool> others = reachable_without(block, way);
      const bool follow = std::ranges::any_of(matches, [&](const auto& one) {
        const auto& [key, match] = one;
        return match.exact && counts_.at(key).launches == launches_ &&
               std::ranges::none_of(places_.at(key), [&](const Place& place) { return others[place.block]; });
      });
      if (follow) program_.add_at_least({{edge_[block][way], 1}, {block_[block], -1}}, 0, missed_entry);
    }
  }

  std::vector<bool> reachable_without(std::size_t block, std::size_t way) const {
    std::vector<bool> reached(flow_.blocks.size());
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      if (reached[i]) continue;
      reached[i] = true;
      const BasicBlock& one = flow_.blocks[i];
      for (std::size_t k = 0; k < one.next.size(); ++k)
        if (i != block || k != way) open.push_back(one.next[k]);
      open.insert(open.end(), one.callees.begin(), one.callees.end());
    }
    return reached;
  }

  /// A loop that counts its turns has no others: the six of a constant, or at most three of what an unrolled
  /// loop of four leaves over.
  void bound_turns(const Loop& loop, const Matches& matches) {
    const auto turns = conditions_.turns(loop);
    if (!turns) return;
    LinearProgram::Terms terms{{block_[turns->latch], 1}};
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
      if (runs(i) && !loop.contains(i))
        for (std::size_t k = 0; k < flow_.blocks[i].next.size(); ++k)
          if (loop.contains(flow_.blocks[i].next[k])) terms.emplace_back(edge_[i][k], -turns->most);
    if (turns->exact) {
      program_.add_equation(terms, 0);
      return;
    }
    program_.add_at_most(terms, 0);
    for (const auto& [key, match] : matches) bound_rest(loop, *turns, key, match);
  }

  /// If everywhere else one more copy of a line than the loop has turns stand together, or a multiple, then
  /// the loop has what these leave over of each warp's accesses.
  void bound_rest(const Loop& loop, const Turns& turns, const Key& key, const Match& match) {
    const bool nested = std::ranges::count_if(
                            flow_.loops, [&](const Loop& other) { return other.contains(turns.latch); }) > 1;
    if (nested || !is_access(key.what) || !by_words(key.what) || match.counted.size() != 1 || !match.exact)
      return;
    double of_turn = 0;
    std::map<std::size_t, double> elsewhere;
    for (const Place& place : places_.at(key)) {
      if (place.guarded) return;
      (loop.contains(place.block) ? of_turn : elsewhere[place.block]) += place.words;
    }
    const auto at_a_time = std::size_t(of_turn * (turns.most + 1));
    if (of_turn == 0 || elsewhere.empty()) return;
    for (const auto& [block, words] : elsewhere)
      if (std::size_t(words) % at_a_time != 0) return;
    program_.add_at_most({{block_[turns.latch], of_turn}}, counts_.at(key).most_left(at_a_time) / warps_,
                         missed_entry);
  }

  std::vector<Anchor> unmatched() const {
    std::vector<Anchor> found;
    for (const Key& key : without_code_) {
      const Counted& counted = counts_.at(key);
      found.push_back({key.line, std::string(name(key.what)),
                       by_words(key.what) ? counted.words : counted.executions, 0, 1});
    }
    return found;
  }

  bool is_counted(const Loop& loop) const {
    for (const auto& [key, found] : places_)
      for (const Place& place : found)
        if (!place.guarded && loop.contains(place.block) && (is_access(key.what) || counts_.contains(key)))
          return true;
    return false;
  }

  std::vector<LooseLoop> loose_loops() const {
    std::vector<LooseLoop> found;
    for (const Loop& loop : flow_.loops) {
      if (is_counted(loop)) continue;
      const MachineInstruction& first = code_.instructions[flow_.blocks[loop.blocks.front()].first];
      found.push_back({first.address, site_of(first).value_or(SourceLine{})});
    }
    return found;
  }

  const Disassembly& code_;
  const FlowGraph& flow_;
  Conditions conditions_;
  double launches_, blocks_;
  int warps_of_block_;
  double warps_;
  Counts counts_;
  Places places_;
  std::vector<Key> without_code_;
  std::vector<bool> loop_converges_;
  LinearProgram program_;
  // Variables, in executions per warp of the kernel.
  std::vector<int> block_;  ///< −1: unreachable
  std::vector<std::vector<int>> edge_, entering_;
  std::vector<AnchorTerms> anchors_;
};

}  // namespace

Frequencies block_frequencies(const Disassembly& code, const FlowGraph& flow, const KernelCounts& counts) {
  return Solver(code, flow, counts).solve();
}

double most_instructions(const Disassembly& code, const FlowGraph& flow, const KernelCounts& counts) {
  return Solver(code, flow, counts).most_instructions();
}

}  // namespace fathom
