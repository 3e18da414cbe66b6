// SPDX-License-Identifier: Apache-2.0
// All of it is here because what is assumed of a loop, of a branch and of a way that ends are rows of one
// system of equations, and each rule looks at what those before it have settled.
#include <fathom/core/portable.h>
#include <fathom/device/code/frequencies/assumed_frequencies.h>
#include <fathom/device/code/frequencies/source_loops.h>

#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace fathom {
namespace {

using End = BasicBlock::End;

/// A loop of the machine code.
struct CodeLoop {
  const Loop* loop = nullptr;
  std::size_t branch = 0;              ///< the block whose branch counts the turns
  std::optional<std::size_t> leaving;  ///< which of its edges leaves; absent: it ends the warp
  double turns = 1;                    ///< each time that it is entered
  /// By this share of the warps that could enter it. Absent: branches ahead of it see to that.
  std::optional<double> entered{};
};

std::string in_words(const AssumedLoop& loop) {
  return loop.line ? fmt::format("{}:{}", loop.line->file, loop.line->line)
                   : fmt::format("{:#x}", loop.address);
}

class Assumptions {
 public:
  Assumptions(const Disassembly& code, const FlowGraph& flow, const LaunchGrid& launch)
      : code_(code), flow_(flow), launch_(launch), conditions_(code, flow) {
    ways_.resize(flow.blocks.size());
    for (std::size_t i = 0; i < flow.blocks.size(); ++i) ways_[i].resize(flow.blocks[i].next.size());
    find_loops();
    find_sources();
  }

  void set_turns(std::span<const GivenTurns> given) {
    for (const GivenTurns& one : given) set_turns(one);
    for (std::size_t i = 0; i < sources_.size(); ++i) distribute(sources_[i], found_[i].turns);
  }

  AssumedFrequencies solve() {
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
      if (flow_.blocks[i].reachable) decide(i);
    for (const CodeLoop& loop : loops_) skip_if_hardly_entered(loop);
    for (std::size_t i = loops_.size(); i-- > 0;) choose_branch_that_runs(i);
    // A branch that counts turns may lie on one of several ways through its loop.
    constexpr int rounds = 6;
    std::vector<double> per_warp;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < loops_.size(); ++i) leave(i);
      per_warp = executions();
      for (std::size_t i = 0; i < loops_.size(); ++i) correct(i, per_warp);
    }
    AssumedFrequencies result;
    result.halved = halved_;
    const double warps = launch_.blocks() * launch_.warps();
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      result.frequencies.blocks.push_back(per_warp[i] * warps);
      auto& edges = result.frequencies.edges.emplace_back();
      for (const double way : ways_[i]) edges.push_back(per_warp[i] * way * warps);
    }
    const auto runs = [&](const LoopVersion& one) { return per_warp[one.first] > 0; };
    for (std::size_t i = 0; i < sources_.size(); ++i)  // of those on slow paths there is nothing to say
      if (found_[i].from == AssumedLoop::From::given || std::ranges::any_of(sources_[i].versions, runs))
        result.loops.push_back(found_[i]);
    return result;
  }

 private:
  const MachineInstruction& last_of(std::size_t block) const {
    return code_.instructions[flow_.blocks[block].last - 1];
  }
  bool runs(std::size_t block) const { return flow_.blocks[block].reachable; }

  // ---- loops ----

  void find_loops() {
    for (const Loop& loop : flow_.loops) {
      CodeLoop one;
      one.loop = &loop;
      std::set<std::size_t>& headers = headers_.emplace_back();
      for (const std::size_t block : loop.blocks)
        if (is_header(block, loop)) headers.insert(block);
      find_branch(one);
      loops_.push_back(one);
    }
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      innermost_.push_back(loops_.size());
      for (std::size_t k = 0; k < loops_.size(); ++k)
        if (loops_[k].loop->contains(i)) innermost_.back() = k;
    }
  }

  void find_sources() {
    std::vector<MachineLoop> machine_loops;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      std::size_t parent = loops_.size();
      for (std::size_t k = 0; k < i; ++k)  // each before those within it
        if (loops_[k].loop->contains(loops_[i].loop->blocks.front())) parent = k;
      machine_loops.push_back({parent, headers_[i], loops_[i].branch, conditions_.turns(*loops_[i].loop)});
    }
    for (SourceLoop& source : source_loops(code_, flow_, machine_loops)) {
      found_.push_back(described(source, machine_loops));
      sources_.push_back(std::move(source));
    }
  }

  bool is_header(std::size_t block, const Loop& loop) const {
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
      if (runs(i) && !loop.contains(i) && std::ranges::count(flow_.blocks[i].next, block) > 0) return true;
    return false;
  }

  /// Of the branches that leave the loop, the last one that also leads back to its beginning; without such a
  /// one that at its beginning, else the last.
  void find_branch(CodeLoop& one, const std::set<std::size_t>* among = nullptr) const {
    int best = -1;
    for (const std::size_t block : one.loop->blocks) {
      if (among && !among->contains(block)) continue;
      const std::vector<std::size_t>& next = flow_.blocks[block].next;
      std::optional<std::size_t> leaving;
      bool returns = false;
      for (std::size_t k = 0; k < next.size(); ++k)
        if (!one.loop->contains(next[k]))
          leaving = k;
        else
          returns = returns || is_header(next[k], *one.loop);
      const bool ends_warps = flow_.blocks[block].end == End::exits && flow_.blocks[block].guarded;
      if (!leaving && !ends_warps && best >= 0) continue;
      const int rank = !leaving ? ends_warps : returns ? 4 : is_header(block, *one.loop) ? 3 : 2;
      if (rank < best) continue;
      best = rank;
      one.branch = block;
      one.leaving = leaving;
    }
  }

  /// Of a loop around those whose branches leave them. The branch that looks like the one that counts may lie
  /// on a way that is not taken.
  void choose_branch_that_runs(std::size_t index) {
    CodeLoop& loop = loops_[index];
    leave(index);
    std::set<std::size_t> reached;
    std::vector<std::size_t> open;
    for (const std::size_t block : loop.loop->blocks)
      if (is_header(block, *loop.loop) || block == 0) open.push_back(block);
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (!loop.loop->contains(block) || !reached.insert(block).second) continue;
      for (std::size_t k = 0; k < ways_[block].size(); ++k)
        if (ways_[block][k] > 0) open.push_back(flow_.blocks[block].next[k]);
    }
    if (reached.contains(loop.branch) || reached.empty()) return;
    const CodeLoop before = loop;
    find_branch(loop, &reached);
    if (!loop.leaving && flow_.blocks[loop.branch].end != End::exits) {  // then any way may lead there
      loop = before;
      for (const std::size_t block : loop.loop->blocks)
        if (flow_.blocks[block].end == End::decides && std::ranges::count(ways_[block], 0.0) > 0)
          std::ranges::fill(ways_[block], 1.0 / double(ways_[block].size()));
    }
    leave(index);
  }

  /// Unknown turns: a body runs once, an unrolled one, too; an unknown rest, half of its most.
  AssumedLoop described(const SourceLoop& source, const std::vector<MachineLoop>& machine_loops) const {
    AssumedLoop found;
    found.has_likes = source.has_likes;
    const auto is_loop = [](const LoopVersion& one) { return one.loop.has_value(); };
    const LoopVersion& most_unrolled = *std::ranges::find_if(source.versions, is_loop);
    const MachineLoop& loop = machine_loops[*most_unrolled.loop];
    found.turns = most_unrolled.copies;
    if (loop.known) {
      found.turns = loop.known->exact ? loop.known->most : 0.5 * loop.known->most;
      if (loop.known->exact) found.from = AssumedLoop::From::code;
    }
    for (const LoopVersion& one : source.versions) {
      if (!one.loop) continue;
      // The compiler may give a branch the line of the body, which is below that of the loop.
      const MachineInstruction& branch = last_of(machine_loops[*one.loop].branch);
      if (!branch.lines.empty() && (!found.line || branch.lines.front() < *found.line))
        found.line = branch.lines.front();
      for (const std::size_t block : flow_.loops[*one.loop].blocks)
        if (innermost_[block] == *one.loop)
          for (std::size_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i)
            for (const SourceLine& line : code_.instructions[i].lines) found.inside.insert(line);
    }
    for (const LoopVersion& one : source.versions)
      found.versions.push_back({code_.instructions[flow_.blocks[one.first].first].address, one.copies});
    found.address = std::ranges::min(found.versions, {}, &AssumedLoop::Version::address).address;
    return found;
  }

  void set_turns(const GivenTurns& given) {
    const std::vector<std::size_t> meant = loops_meant(found_, given);
    std::set<std::string> files;
    for (const std::size_t i : meant) {
      AssumedLoop& loop = found_[i];
      if (loop.line) files.insert(loop.line->file);
      if (loop.from == AssumedLoop::From::code)
        throw std::invalid_argument(
            fmt::format("the loop at {} turns {:.6g} times, as its code says: omit its trips", in_words(loop),
                        loop.turns));
      loop.turns = given.turns;
      loop.from = AssumedLoop::From::given;
    }
    const std::string place =
        given.line == 0 ? fmt::format("{:#x}", given.address)
                        : fmt::format("{}{}{}", given.file, given.file.empty() ? "line " : ":", given.line);
    if (meant.empty()) throw std::invalid_argument(fmt::format("no loop at {}: {}", place, all_loops()));
    if (given.line > 0 && files.size() > 1)
      throw std::invalid_argument(fmt::format("{} has a loop in {} and in {}: choose one, as in {}:{}", place,
                                              *files.begin(), *files.rbegin(), *files.begin(), given.line));
  }

  std::string all_loops() const {
    std::set<std::string> names;
    for (const AssumedLoop& loop : found_)
      if (loop.from != AssumedLoop::From::code) names.insert(in_words(loop));
    if (names.empty()) return "the kernel has no loop whose turns are unknown";
    std::string list;
    for (const std::string& one : names) list += (list.empty() ? "" : ", ") + one;
    return "choose from " + list;
  }

  void distribute(const SourceLoop& source, double turns) {
    const DealtTurns dealt = deal(source, turns);
    for (std::size_t i = 0; i < source.versions.size(); ++i) {
      const DealtTurns::Version& version = dealt.versions[i];
      if (!source.versions[i].loop) continue;
      CodeLoop& loop = loops_[*source.versions[i].loop];
      loop.turns = version.turns;
      if (!version.guarded) loop.entered = version.entered;
    }
    const bool never = turns == 0;
    for (const auto& [block, share] : dealt.first_ways) guards_[block] = {share, never};
  }

  // ---- branches ----

  /// What lies on a way of a branch, up to where it meets the others.
  struct Way {
    bool empty = false;   ///< it is the meeting itself
    bool meets = false;   ///< it comes there without another turn of the loop around the branch
    bool slow = false;    ///< it leads to a subroutine of the compiler's and nowhere else
    bool leaves = false;  ///< it does nothing but end
  };

  Way way_of(std::size_t start, std::optional<std::size_t> meeting, std::size_t loop) const {
    Way way;
    way.empty = meeting == start;
    std::set<std::size_t> seen;
    std::vector<std::size_t> open{start};
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (meeting == block) way.meets = true;
      if (meeting == block || !seen.insert(block).second) continue;
      if (loop < loops_.size() && headers_[loop].contains(block)) continue;
      open.insert(open.end(), flow_.blocks[block].next.begin(), flow_.blocks[block].next.end());
    }
    const BasicBlock& first = flow_.blocks[start];
    way.leaves = first.end == End::exits && !first.guarded && first.size() == 1;
    seen.clear();
    for (std::size_t block = start; meeting != block && seen.insert(block).second;) {
      const BasicBlock& one = flow_.blocks[block];
      way.slow = way.slow ||
                 (one.end == End::calls && last_of(block).operands.find("$__internal") != std::string::npos);
      if (one.next.size() != 1) break;
      block = one.next.front();
    }
    return way;
  }

  void decide(std::size_t i) {
    const BasicBlock& block = flow_.blocks[i];
    std::vector<double>& ways = ways_[i];
    if (ways.empty()) return;
    std::ranges::fill(ways, 1.0 / double(ways.size()));
    if (block.end == End::exits || ways.size() == 1) {  // an early exit is not taken
      ways.front() = 1;
      if (block.end == End::exits && !decide_by_place(i)) decide_by_thread(i, 0);
      return;
    }
    if (block.end != End::decides) return;
    if (innermost_[i] < loops_.size() && stay_in(*loops_[innermost_[i]].loop, i)) return;
    if (ways.size() != 2) return;
    if (take_turns(i, true) || decide_by_place(i)) return;
    const auto meeting = flow_.postdominator(block.next);
    const std::size_t loop = innermost_[i];
    const Way first = way_of(block.next[0], meeting, loop), second = way_of(block.next[1], meeting, loop);
    const auto take = [&](std::size_t k) {
      ways[k] = 1;
      ways[1 - k] = 0;
    };
    if (first.meets && second.meets && first.empty != second.empty &&
        decide_by_thread(i, first.empty ? 1 : 0))
      return;
    if (const auto large = conditions_.way_of_large_arguments(i))
      take(1 - *large);
    else if (first.slow != second.slow)
      take(first.slow ? 1 : 0);
    else if (take_turns(i, false))
      return;
    else if (first.leaves != second.leaves)
      take(first.leaves ? 1 : 0);
    else if (first.meets != second.meets)  // one of them turns again
      ++halved_;
    else if (first.empty != second.empty)
      take(first.empty ? 1 : 0);
    else
      ++halved_;
  }

  /// True if the branch leads to versions of a loop of the source, to which those go that have turns to do.
  bool take_turns(std::size_t i, bool only_if_never) {
    const auto found = guards_.find(i);
    if (found == guards_.end() || (only_if_never && !found->second.never)) return false;
    ways_[i] = {found->second.first_way, 1 - found->second.first_way};
    return true;
  }

  /// True if the branch may leave the loop, which is not taken here.
  bool stay_in(const Loop& loop, std::size_t i) {
    const std::vector<std::size_t>& next = flow_.blocks[i].next;
    const auto inside = std::ranges::count_if(next, [&](std::size_t to) { return loop.contains(to); });
    if (inside == 0 || inside == std::ptrdiff_t(next.size())) return false;
    for (std::size_t k = 0; k < next.size(); ++k)
      ways_[i][k] = loop.contains(next[k]) ? 1.0 / double(inside) : 0;
    return true;
  }

  /// By the numbers of blocks and warps, if the branch asks for one of them.
  bool decide_by_place(std::size_t i) {
    const auto found = conditions_.equality(i);
    if (!found) return false;
    const auto& [of_block, of_warp, of_lane, way] = *found;
    if (of_lane != 0 && of_warp != of_lane * warp_width) return false;
    double share = 1;
    if (of_block == 0 && of_warp != 0)
      share = 1.0 / launch_.warps();
    else if (of_block != 0 && of_block == of_warp * launch_.warps())
      share = 1 / (launch_.blocks() * launch_.warps());
    else if (of_block != 0 && of_warp == 0)
      share = 1 / launch_.blocks();
    else
      return false;
    ways_[i][way] = share;
    if (ways_[i].size() > 1) ways_[i][1 - way] = 1 - share;
    return true;
  }

  /// By threadIdx.x, if the branch asks for nothing else: the way with code is taken by the warps that have a
  /// thread for it.
  bool decide_by_thread(std::size_t i, std::size_t with_code) {
    const auto found = conditions_.threshold(i);
    if (!found) return false;
    const bool is_jump = flow_.blocks[i].end != End::exits && with_code == 0;
    int warps = 0;
    for (int first = 0; first < launch_.threads(); first += warp_width) {
      bool comes = false;
      for (int thread = first; thread < std::min(first + warp_width, launch_.threads()); ++thread)
        comes = comes || found->holds(thread % launch_.block[0]) == (found->jumps == is_jump);
      warps += comes;
    }
    const double share = double(warps) / launch_.warps();
    ways_[i][with_code] = share;
    if (ways_[i].size() > 1) ways_[i][1 - with_code] = 1 - share;
    return true;
  }

  /// A loop that some or all warps have no turns of, and that no branch ahead of it was found to skip.
  void skip_if_hardly_entered(const CodeLoop& loop) {
    if (loop.entered.value_or(1) >= 1) return;
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
      if (runs(i) && !loop.loop->contains(i))
        for (const std::size_t next : flow_.blocks[i].next)
          if (loop.loop->contains(next)) skip(i, next, loop);
  }

  bool ends_behind(const CodeLoop& loop) const {
    if (!loop.leaving) return true;
    const BasicBlock& behind = flow_.blocks[flow_.blocks[loop.branch].next[*loop.leaving]];
    return behind.end == End::exits && !behind.guarded && behind.size() == 1;
  }

  /// At the branch that leads here without another choice; where there is none, the loop is entered. Lanes
  /// that end ahead of a loop may be those that have no turns left, if nothing follows it.
  void skip(std::size_t from, std::size_t to, const CodeLoop& loop) {
    const double share = *loop.entered;
    std::set<std::size_t> seen;
    while (seen.insert(from).second) {
      const std::vector<std::size_t>& next = flow_.blocks[from].next;
      if (next.size() > 1) {
        const auto way = std::size_t(std::ranges::find(next, to) - next.begin());
        for (std::size_t k = 0; k < next.size(); ++k)
          ways_[from][k] = k == way ? share : (1 - share) / double(next.size() - 1);
        return;
      }
      if (flow_.blocks[from].end == End::exits) {
        if (ends_behind(loop)) ways_[from].front() = share;
        return;
      }
      std::vector<std::size_t> before;
      for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
        if (runs(i) && std::ranges::count(flow_.blocks[i].next, from) > 0) before.push_back(i);
      if (before.size() != 1) return;
      to = from;
      from = before.front();
    }
  }

  /// By its branch, once in as many executions of that as it turns.
  void leave(std::size_t index) {
    const CodeLoop& loop = loops_[index];
    const double share = std::clamp(correction_[index] / std::max(1.0, loop.turns), 1e-12, 1.0);
    std::vector<double>& ways = ways_[loop.branch];
    double staying = 0;
    for (std::size_t k = 0; k < ways.size(); ++k)
      if (k != loop.leaving) staying += 1;
    for (std::size_t k = 0; k < ways.size(); ++k) ways[k] = k == loop.leaving ? share : (1 - share) / staying;
  }

  void correct(std::size_t index, const std::vector<double>& per_warp) {
    const CodeLoop& loop = loops_[index];
    double entries = loop.loop->contains(0) ? 1 : 0, beginnings = 0;
    std::set<std::size_t> headers;
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
      if (runs(i) && !loop.loop->contains(i))
        for (std::size_t k = 0; k < ways_[i].size(); ++k)
          if (const std::size_t to = flow_.blocks[i].next[k]; loop.loop->contains(to)) {
            entries += per_warp[i] * ways_[i][k];
            headers.insert(to);
          }
    for (const std::size_t block : headers) beginnings += per_warp[block];
    if (entries > 0 && beginnings > 0) correction_[index] *= beginnings / entries / std::max(1.0, loop.turns);
  }

  /// Of each block, by a warp: what enters a block leaves it as its ways say.
  std::vector<double> executions() const {
    const auto count = Eigen::Index(flow_.blocks.size());
    std::vector<Eigen::Triplet<double>> terms;
    for (Eigen::Index i = 0; i < count; ++i) {
      const BasicBlock& block = flow_.blocks[std::size_t(i)];
      terms.emplace_back(i, i, 1.0);
      if (!block.reachable) continue;
      for (std::size_t k = 0; k < block.next.size(); ++k)
        terms.emplace_back(Eigen::Index(block.next[k]), i, -ways_[std::size_t(i)][k]);
      for (const std::size_t callee : block.callees) terms.emplace_back(Eigen::Index(callee), i, -1.0);
    }
    Eigen::SparseMatrix<double> matrix(count, count);
    matrix.setFromTriplets(terms.begin(), terms.end());
    Eigen::SparseLU<Eigen::SparseMatrix<double>> solver(matrix);
    Eigen::VectorXd entering = Eigen::VectorXd::Zero(count);
    entering[0] = 1;
    Eigen::VectorXd found;
    if (solver.info() == Eigen::Success) found = solver.solve(entering);
    if (solver.info() != Eigen::Success || !found.allFinite() || found.minCoeff() < -1e-6)
      throw std::invalid_argument("the machine code calls itself: how often it does cannot be told");
    std::vector<double> result(found.begin(), found.end());
    for (double& one : result) one = std::max(0.0, one);
    return result;
  }

  const Disassembly& code_;
  const FlowGraph& flow_;
  const LaunchGrid& launch_;
  Conditions conditions_;
  std::vector<CodeLoop> loops_;  ///< of the graph
  std::vector<SourceLoop> sources_;
  std::vector<AssumedLoop> found_;  ///< of each of these
  struct Guard {
    double first_way = 0;
    bool never = false;  ///< the loop does not turn at all
  };
  std::map<std::size_t, Guard> guards_;         ///< of blocks that lead to versions of loops
  std::vector<std::set<std::size_t>> headers_;  ///< of each loop, where it is entered
  std::vector<std::size_t> innermost_;          ///< loop of each block; their number: none
  std::vector<std::vector<double>> ways_;  ///< of each block, the share of its executions that goes each way
  std::vector<double> correction_ = std::vector<double>(flow_.loops.size(), 1.0);
  std::size_t halved_ = 0;
};

}  // namespace

std::string_view name(AssumedLoop::From from) {
  switch (from) {
    case AssumedLoop::From::code:
      return "code";
    case AssumedLoop::From::given:
      return "given";
    case AssumedLoop::From::assumed:
      return "assumed";
  }
  return {};
}

std::vector<std::size_t> loops_meant(std::span<const AssumedLoop> loops, const GivenTurns& given) {
  const auto is_there = [&](const SourceLine& line) {
    return line.line == given.line && (given.file.empty() || line.file == source_name(given.file));
  };
  std::vector<std::size_t> own, around;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const AssumedLoop& loop = loops[i];
    const bool is_meant =
        given.line > 0 ? loop.line && is_there(*loop.line)
                       : std::ranges::count(loop.versions, given.address, &AssumedLoop::Version::address) > 0;
    if (is_meant) own.push_back(i);
    if (given.line > 0 && std::ranges::any_of(loop.inside, is_there)) around.push_back(i);
  }
  return own.empty() ? around : own;
}

AssumedFrequencies assumed_frequencies(const Disassembly& code, const FlowGraph& flow,
                                       const LaunchGrid& launch, std::span<const GivenTurns> given) {
  Assumptions assumptions(code, flow, launch);
  assumptions.set_turns(given);
  return assumptions.solve();
}

}  // namespace fathom
