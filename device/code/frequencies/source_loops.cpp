// SPDX-License-Identifier: Apache-2.0
// One file, however long: which loops are versions of one, the straight code and the guards of these, and how
// turns are dealt out to them all use the same amounts, branches and ways of one flow graph.
#include <fathom/core/portable.h>
#include <fathom/device/code/frequencies/source_loops.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace fathom {
namespace {

using End = BasicBlock::End;
using Blocks = std::set<std::size_t>;
/// How often code has instructions of a source line, by opcode.
using Amounts = std::map<std::pair<SourceLine, std::string>, double>;

bool is_access(std::string_view name) {
  return name != "LDC" && (name.starts_with("LD") || name.starts_with("ST") || name.starts_with("ATOM") ||
                           name.starts_with("RED"));
}

/// True for what compilers also use to count turns, to make addresses and to branch.
bool is_bookkeeping(std::string_view name) {
  static const std::set<std::string_view> names{
      "IADD3", "IADD", "VIADD", "IMAD", "MOV", "ISETP", "LEA",   "LOP3", "SHF",   "PLOP3",   "BRA",
      "SEL",   "BSSY", "BSYNC", "CS2R", "S2R", "LDC",   "BREAK", "NOP",  "HFMA2", "WARPSYNC"};
  return names.contains(name) || name.starts_with('U');
}

double sum_of(const Amounts& amounts, const std::set<Amounts::key_type>& keys) {
  double sum = 0;
  for (const auto& key : keys)
    if (const auto found = amounts.find(key); found != amounts.end()) sum += found->second;
  return sum;
}

class Finder {
 public:
  Finder(const Disassembly& code, const FlowGraph& flow, std::span<const MachineLoop> loops)
      : code_(code), flow_(flow), loops_(loops), definitions_(code, flow) {
    for (std::size_t i = 0; i < flow.blocks.size(); ++i) {
      innermost_.push_back(loops.size());
      for (std::size_t k = 0; k < loops.size(); ++k)
        if (flow.loops[k].contains(i)) innermost_.back() = k;
    }
  }

  std::vector<SourceLoop> find() {
    std::vector<std::size_t> order(loops_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t i) { return first_block(i); });
    std::vector<std::vector<std::size_t>> groups;  // of loops that may be versions of one
    for (const std::size_t i : order) {
      if (last_of(loops_[i].branch).lines.empty() || (loops_[i].known && loops_[i].known->exact)) {
        found_.push_back({{version_of(i)}, {}, false});
        continue;
      }
      const auto group =
          std::ranges::find_if(groups, [&](const auto& one) { return are_alike(one.front(), i); });
      if (group != groups.end())
        group->push_back(i);
      else
        groups.push_back({i});
    }
    for (const std::vector<std::size_t>& members : groups) find_among(members);
    std::ranges::sort(found_, {}, [](const SourceLoop& one) {
      return std::ranges::min(one.versions, {}, &LoopVersion::first).first;
    });
    return std::move(found_);
  }

 private:
  /// Loops of the machine code that are one of the source's, in the order of the code.
  using Family = std::vector<std::size_t>;
  /// Code that does turns outside of loops.
  struct Straight {
    std::size_t first = 0;  ///< block
    double least = 0;       ///< copies without those that guards may leave out
    double copies = 0;
  };
  /// A branch of a line of the loop, outside of its versions.
  struct Branch {
    std::size_t block = 0;
    std::vector<Blocks> ways;  ///< blocks that only this way leads to, up to where they meet
  };

  const MachineInstruction& last_of(std::size_t block) const {
    return code_.instructions[flow_.blocks[block].last - 1];
  }
  std::size_t first_block(std::size_t loop) const { return flow_.loops[loop].blocks.front(); }
  Blocks blocks_of(std::size_t loop) const {
    return {flow_.loops[loop].blocks.begin(), flow_.loops[loop].blocks.end()};
  }

  LoopVersion version_of(std::size_t loop) const {
    LoopVersion version;
    version.first = first_block(loop);
    version.loop = loop;
    if (loops_[loop].known) version.most = loops_[loop].known->most;
    return version;
  }

  // ---- how much of the source's body code has ----

  std::set<std::vector<SourceLine>> lines_of(std::size_t loop) const {
    std::set<std::vector<SourceLine>> lines;
    for (const std::size_t block : flow_.loops[loop].blocks)
      for (std::size_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i)
        lines.insert(code_.instructions[i].lines);
    return lines;
  }

  /// In one loop, with one line. The compiler may give one branch the loop's line and another one the body's,
  /// both of which are in both loops.
  bool are_alike(std::size_t a, std::size_t b) const {
    return loops_[a].parent == loops_[b].parent && lines_of(a).contains(last_of(loops_[b].branch).lines) &&
           lines_of(b).contains(last_of(loops_[a].branch).lines);
  }

  /// Guarded instructions count where the code has no others of their line: the guard may ask whether there
  /// is another turn.
  template <class Counts>
  Amounts amounts_in(const Blocks& blocks, Counts counts) const {
    Amounts all, guarded;
    for (const std::size_t block : blocks)
      for (std::size_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i) {
        const MachineInstruction& one = code_.instructions[i];
        if (one.lines.empty() || !counts(one.name())) continue;
        (one.guard.empty() ? all : guarded)[{one.lines.front(), std::string(one.name())}] += 1;
      }
    all.merge(guarded);
    return all;
  }

  /// The sum over all of these, by the guard of the instructions; "" for those without.
  std::map<std::string, double> amounts_by_guard(const Blocks& blocks,
                                                 const std::set<Amounts::key_type>& keys) const {
    std::map<std::string, double> amounts;
    for (const std::size_t block : blocks)
      for (std::size_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i) {
        const MachineInstruction& one = code_.instructions[i];
        if (!one.lines.empty() && keys.contains({one.lines.front(), std::string(one.name())}))
          amounts[one.guard] += 1;
      }
    return amounts;
  }

  /// Accesses to memory tell best how often code has the body. Without them its arithmetic does; without
  /// either nothing does.
  Amounts body_of(const Blocks& blocks, const std::vector<std::size_t>& members) const {
    const auto all_have = [&](auto counts) {
      return std::ranges::all_of(members,
                                 [&](std::size_t i) { return !amounts_in(blocks_of(i), counts).empty(); });
    };
    if (all_have(is_access)) return amounts_in(blocks, is_access);
    const auto is_arithmetic = [](std::string_view name) { return !is_bookkeeping(name); };
    if (all_have(is_arithmetic)) return amounts_in(blocks, is_arithmetic);
    return {};
  }

  struct Step {
    int reg;
    long by;
    std::size_t at;
  };

  /// Registers to which each turn adds the same number.
  std::vector<Step> steps_of(std::size_t loop) const {
    std::vector<Step> steps;
    for (const std::size_t block : flow_.loops[loop].blocks)
      for (std::size_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i) {
        const MachineInstruction& one = code_.instructions[i];
        if (!one.guard.empty() || one.name().find("ADD") == std::string_view::npos) continue;
        const Operands operands = operands_of(one);
        if (operands.results.empty() || operands.sources.size() < 2) continue;
        const auto result = register_in(operands.results[0]);
        const auto by = immediate_in(operands.sources[1]);
        constexpr long below_zero = 1L << 31, numbers = 1L << 32;  // of 32 bits
        if (result && result == register_in(operands.sources[0]) && by && *by != 0)
          steps.push_back({*result, *by < below_zero ? *by : *by - numbers, i});
      }
    return steps;
  }

  /// True if the second loop goes on counting where the first one left off.
  bool continues(std::size_t first, std::size_t second) const {
    const std::vector<Step> before = steps_of(first);
    return std::ranges::any_of(steps_of(second), [&](const Step& step) {
      const std::set<std::size_t> from = definitions_.reaching(step.reg, step.at);
      return std::ranges::any_of(before, [&](const Step& one) { return from.contains(one.at); });
    });
  }

  /// How many turns of loop `least` one turn of `loop` does: as its body has so many times more of the
  /// source's, and as it counts so many times faster. What most of these say is taken: the compiler loads
  /// once what several turns need.
  double ratio_of(std::size_t least, std::size_t loop, double of_bodies) const {
    std::map<double, int> votes;
    std::set<std::pair<double, double>> seen;
    for (const Step& one : steps_of(least))
      for (const Step& other : steps_of(loop)) {
        const double a = std::abs(double(one.by)), b = std::abs(double(other.by));
        if (b > a && std::fmod(b, a) == 0 && seen.emplace(a, b).second) ++votes[b / a];
      }
    if (of_bodies > 0) ++votes[of_bodies];
    double best = of_bodies > 0 ? of_bodies : 1;
    for (const auto& [ratio, count] : votes)
      if (count > (votes.contains(best) ? votes.at(best) : 0)) best = ratio;
    return best;
  }

  // ---- families ----

  void find_among(const std::vector<std::size_t>& members) {
    std::map<std::size_t, Amounts> bodies;
    for (const std::size_t i : members) bodies[i] = body_of(blocks_of(i), members);
    std::set<Amounts::key_type> keys;  // of all members
    for (const auto& [key, count] : bodies.begin()->second)
      if (std::ranges::all_of(members, [&, &key = key](std::size_t i) { return bodies[i].contains(key); }))
        keys.insert(key);
    const auto size_of = [&](std::size_t i) {
      return std::pair(sum_of(bodies[i], keys), instructions_in(flow_.loops[i]));
    };
    const std::size_t least = *std::ranges::min_element(members, {}, size_of);
    std::map<std::size_t, double> copies;
    for (const std::size_t i : members) {
      const double of_bodies =
          keys.empty() ? 0 : std::round(sum_of(bodies[i], keys) / sum_of(bodies[least], keys));
      copies[i] = i == least ? 1 : std::max(1.0, ratio_of(least, i, of_bodies));
    }

    std::vector<Family> families;
    for (const std::size_t i : members) {
      if (!families.empty() && joins(families.back(), i, copies))
        families.back().push_back(i);
      else
        families.push_back({i});
    }
    const std::vector<Branch> branches = branches_ahead_of(members);
    const std::vector<Straight> straight = straight_code(members, branches, keys, least);
    for (const Family& family : families) {
      SourceLoop source;
      source.has_likes = families.size() > 1;
      for (const std::size_t i : family) {
        source.versions.push_back(version_of(i));
        source.versions.back().copies = copies[i];
      }
      std::vector<Straight> own;
      std::ranges::copy_if(straight, std::back_inserter(own),
                           [&](const Straight& one) { return follows(one, family, families, flow_); });
      add_straight_code(source, own);
      std::ranges::sort(source.versions, {},
                        [](const LoopVersion& one) { return std::pair(-one.least, one.first); });
      add_guards(source, members, branches);
      found_.push_back(std::move(source));
    }
  }

  std::size_t instructions_in(const Loop& loop) const {
    std::size_t sum = 0;
    for (const std::size_t block : loop.blocks) sum += flow_.blocks[block].size();
    return sum;
  }

  /// Each unrolled less than the one before; a rest may also come first.
  bool joins(const Family& family, std::size_t loop, const std::map<std::size_t, double>& copies) const {
    const std::size_t first = family.front(), before = family.back();
    const double own = copies.at(loop);
    if (family.size() == 1 && own > copies.at(first)) {
      const auto& rest = loops_[first].known;
      return (rest && own > rest->most * copies.at(first)) || continues(first, loop);
    }
    const bool rest_came_first = family.size() > 1 && copies.at(first) < copies.at(family[1]);
    return own < copies.at(before) && (!rest_came_first || own > copies.at(first));
  }

  // ---- branches ahead of versions, and straight code ----

  Blocks way(std::size_t start, std::optional<std::size_t> meeting, std::size_t parent) const {
    Blocks seen;
    std::vector<std::size_t> open{start};
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (block == meeting || (parent < loops_.size() && !flow_.loops[parent].contains(block))) continue;
      if (!seen.insert(block).second) continue;
      if (parent == loops_.size() || !loops_[parent].headers.contains(block))
        open.insert(open.end(), flow_.blocks[block].next.begin(), flow_.blocks[block].next.end());
    }
    return seen;
  }

  /// Those of the loops' lines. Those that lead to more code come first.
  std::vector<Branch> branches_ahead_of(const std::vector<std::size_t>& members) const {
    const std::size_t parent = loops_[members.front()].parent;
    std::set<std::vector<SourceLine>> lines;
    for (const std::size_t i : members) lines.merge(lines_of(i));
    std::vector<Branch> branches;
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      const BasicBlock& block = flow_.blocks[i];
      if (!block.reachable || block.end != End::decides || block.next.size() != 2 ||
          innermost_[i] != parent || !lines.contains(last_of(i).lines))
        continue;
      const auto meeting = flow_.postdominator(block.next);
      const Blocks a = way(block.next[0], meeting, parent), b = way(block.next[1], meeting, parent);
      Branch branch{i, std::vector<Blocks>(2)};
      std::ranges::set_difference(a, b, std::inserter(branch.ways[0], branch.ways[0].end()));
      std::ranges::set_difference(b, a, std::inserter(branch.ways[1], branch.ways[1].end()));
      branches.push_back(std::move(branch));
    }
    std::ranges::stable_sort(branches, std::greater{},
                             [](const Branch& one) { return one.ways[0].size() + one.ways[1].size(); });
    return branches;
  }

  /// Code behind one way of a branch with the source's body in it, outside of loops of the line. Copies are
  /// relative to a body with as many instructions.
  std::vector<Straight> straight_code(const std::vector<std::size_t>& members,
                                      const std::vector<Branch>& branches,
                                      const std::set<Amounts::key_type>& keys, std::size_t of_loop) const {
    std::vector<Straight> found;
    if (keys.empty()) return found;
    const std::map<std::string, double> body = amounts_by_guard(blocks_of(of_loop), keys);
    const bool body_is_unguarded = body.size() == 1 && body.contains("");
    const double of_body =
        sum_of(amounts_in(blocks_of(of_loop), [](std::string_view) { return true; }), keys);
    Blocks elsewhere;  // in loops, or in straight code behind further branches
    for (const std::size_t i : members) elsewhere.merge(blocks_of(i));
    for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch)
      for (const Blocks& way : branch->ways) {
        Blocks own;
        std::ranges::set_difference(way, elsewhere, std::inserter(own, own.end()));
        const Amounts amounts = amounts_in(own, [](std::string_view) { return true; });
        if (!std::ranges::all_of(keys, [&](const auto& key) { return amounts.contains(key); })) continue;
        const std::map<std::string, double> by_guard = amounts_by_guard(own, keys);
        double all = 0, least = sum_of(amounts, keys);
        for (const auto& [guard, amount] : by_guard) all += amount;
        if (body_is_unguarded && !by_guard.contains(""))
          for (const auto& [guard, amount] : by_guard) least = std::min(least, amount);
        found.push_back({*own.begin(), least / of_body, all / of_body});
        elsewhere.merge(own);
      }
    return found;
  }

  /// Where the source has several loops, straight code belongs to the one that it follows.
  static bool follows(const Straight& code, const Family& family, const std::vector<Family>& families,
                      const FlowGraph& flow) {
    const Family* last = &families.front();
    for (const Family& one : families)
      if (flow.loops[one.front()].blocks.front() < code.first) last = &one;
    return last == &family;
  }

  void add_straight_code(SourceLoop& source, const std::vector<Straight>& found) const {
    const bool has_rest = std::ranges::any_of(source.versions, [](const LoopVersion& one) {
      return one.most < std::numeric_limits<double>::infinity();
    });
    // Where the rest is no loop, its straight code has the body once.
    double least = 1;
    if (!has_rest)
      for (const Straight& one : found) least = std::min(least, one.least);
    for (LoopVersion& one : source.versions)
      one.copies = one.least = std::max(1.0, std::round(one.copies / least));
    for (const Straight& one : found)
      if (const double own = std::round(one.least / least); own >= 1)
        source.versions.push_back({one.first, {}, std::round(one.copies / least), own, 1});
  }

  void add_guards(SourceLoop& source, const std::vector<std::size_t>& members,
                  const std::vector<Branch>& branches) const {
    std::vector<const Branch*> chosen;
    for (const Branch& branch : branches) {
      LoopGuard guard{branch.block, std::vector<std::vector<std::size_t>>(branch.ways.size()), {}};
      std::size_t own = 0, loops = 0;
      for (std::size_t k = 0; k < branch.ways.size(); ++k) {
        for (std::size_t i = 0; i < source.versions.size(); ++i)
          if (branch.ways[k].contains(source.versions[i].first)) {
            guard.versions[k].push_back(i);
            own += source.versions[i].loop.has_value();
          }
        loops += std::size_t(std::ranges::count_if(
            members, [&](std::size_t i) { return branch.ways[k].contains(first_block(i)); }));
      }
      const bool leads_to_some =
          std::ranges::any_of(guard.versions, [](const auto& versions) { return !versions.empty(); });
      if (!leads_to_some || own != loops) continue;  // others belong to another loop of the source
      for (std::size_t i = 0; i < chosen.size(); ++i)
        for (std::size_t k = 0; k < chosen[i]->ways.size(); ++k)
          if (chosen[i]->ways[k].contains(branch.block)) guard.behind.emplace_back(i, k);
      chosen.push_back(&branch);
      source.guards.push_back(std::move(guard));
    }
  }

  const Disassembly& code_;
  const FlowGraph& flow_;
  std::span<const MachineLoop> loops_;
  Definitions definitions_;
  std::vector<std::size_t> innermost_;  ///< loop of each block; their number: none
  std::vector<SourceLoop> found_{};
};

/// Turns of each version where all warps have the same whole number of them.
std::vector<double> dealt(const SourceLoop& loop, double turns) {
  std::vector<double> all;
  double left = turns;
  std::optional<std::size_t> last;
  for (const LoopVersion& one : loop.versions) {
    if (one.most == std::numeric_limits<double>::infinity()) last = all.size();
    if (one.loop) {
      all.push_back(std::min(std::floor(left / one.copies), one.most));
    } else {
      all.push_back(left >= one.least ? 1 : 0);
    }
    left = std::max(0.0, left - all.back() * one.copies);
  }
  if (last) all[*last] += left / loop.versions[*last].copies;
  return all;
}

/// The way that such warps take at each guard; absent where versions do not tell.
std::vector<std::optional<std::size_t>> ways_of(const SourceLoop& loop, const std::vector<double>& turns) {
  std::vector<std::optional<std::size_t>> ways;
  for (const LoopGuard& guard : loop.guards) {
    const auto turn = [&](std::size_t k) {
      return std::ranges::any_of(guard.versions[k], [&](std::size_t i) { return turns[i] > 0; });
    };
    const bool first = turn(0), second = turn(1);
    auto& way = ways.emplace_back();
    if (first != second)
      way = first ? 0 : 1;
    else if (!first && guard.versions[0].empty() != guard.versions[1].empty())
      way = guard.versions[0].empty() ? 0 : 1;
  }
  return ways;
}

}  // namespace

std::vector<SourceLoop> source_loops(const Disassembly& code, const FlowGraph& flow,
                                     std::span<const MachineLoop> loops) {
  return Finder(code, flow, loops).find();
}

DealtTurns deal(const SourceLoop& loop, double turns) {
  const double below = std::floor(turns), above = turns - below;
  DealtTurns result;
  for (std::size_t i = 0; i < loop.versions.size(); ++i) result.versions.push_back({0, 0, true});
  std::vector<double> first(loop.guards.size()), any(loop.guards.size());
  std::vector<bool> decides(loop.guards.size(), true);
  for (const auto& [share, whole] : {std::pair(1 - above, below), std::pair(above, below + 1)}) {
    if (share <= 0) continue;
    const std::vector<double> own = dealt(loop, whole);
    const auto ways = ways_of(loop, own);
    std::vector<bool> reached, kept_out(own.size());
    for (std::size_t i = 0; i < loop.guards.size(); ++i) {
      const LoopGuard& guard = loop.guards[i];
      reached.push_back(std::ranges::all_of(guard.behind, [&](const auto& before) {
        return reached[before.first] && ways[before.first].value_or(before.second) == before.second;
      }));
      decides[i] = decides[i] && ways[i];
      for (std::size_t k = 0; k < guard.versions.size(); ++k)
        if (!reached[i] || ways[i].value_or(k) != k)
          for (const std::size_t version : guard.versions[k]) kept_out[version] = true;
      if (reached[i]) {
        any[i] += share;
        if (ways[i] == 0U) first[i] += share;
      }
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      DealtTurns::Version& version = result.versions[i];
      version.entered += share * std::min(1.0, own[i]);
      version.turns += share * own[i];
      version.guarded = version.guarded && (own[i] >= 1 || (own[i] == 0 && kept_out[i]));
    }
  }
  for (DealtTurns::Version& version : result.versions)
    version.turns = version.entered > 0 ? version.turns / version.entered : 1;
  for (std::size_t i = 0; i < loop.guards.size(); ++i)
    if (decides[i]) result.first_ways[loop.guards[i].block] = any[i] > 0 ? first[i] / any[i] : 0;
  return result;
}

}  // namespace fathom
