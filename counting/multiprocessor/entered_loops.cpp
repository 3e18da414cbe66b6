// SPDX-License-Identifier: Apache-2.0
#include "entered_loops.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

namespace fathom {
namespace {

/// Turns for each time that a loop is entered, which no kernel has by far.
constexpr double too_many_turns = 1000;

/// The share of all warps that must come past a loop for some of them to enter it.
constexpr double some_warps = 0.01;

struct Edge {
  std::size_t from, index;
};
using Way = std::vector<Edge>;

class Repair {
 public:
  Repair(const FlowGraph& flow, Frequencies& frequencies) : flow_(flow), all_(frequencies) {}

  void loop(const Loop& loop) {
    if (loop.contains(0)) return;
    double turns = 0, entries = 0;
    std::set<std::size_t> entry;
    for (const Edge& edge : edges(false, loop)) {
      entries += executions(edge);
      entry.insert(target(edge));
    }
    for (const std::size_t block : entry)
      if (all_.blocks[block] > 0)
        turns = turns > 0 ? std::min(turns, all_.blocks[block]) : all_.blocks[block];
    const std::vector<Edge> leaving = edges(true, loop);
    if (entries * too_many_turns > turns || leaving.empty()) return;
    const double past = std::min(turns, some_warps * all_.blocks.front());
    const Way in = shortest_way(
        {entry.begin(), entry.end()}, true, [&](std::size_t block) { return !loop.contains(block); },
        [&](std::size_t block) { return all_.blocks[block] >= past; });
    if (in.empty()) return;
    const double more = std::min(turns, all_.blocks[in.front().from]) - entries;
    if (more <= 0) return;
    const bool passed_by_ending = flow_.blocks[in.front().from].end == BasicBlock::End::exits;
    const Way out = way_out(loop, leaving, turns, more, passed_by_ending);
    if (out.empty()) return;
    for (const Way* way : {&in, &out}) {
      shift(way->front(), std::min(more, all_.blocks[way->front().from] - executions(way->front())));
      add(*way, more);
    }
  }

 private:
  double& executions(const Edge& edge) { return all_.edges[edge.from][edge.index]; }
  std::size_t target(const Edge& edge) const { return flow_.blocks[edge.from].next[edge.index]; }

  std::vector<Edge> edges(bool from_within, const Loop& loop) const {
    std::vector<Edge> found;
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) {
      if (!flow_.blocks[i].reachable || loop.contains(i) != from_within) continue;
      for (std::size_t k = 0; k < all_.edges[i].size(); ++k)
        if (loop.contains(flow_.blocks[i].next[k]) != from_within) found.push_back({i, k});
    }
    return found;
  }

  /// From one of these blocks to the next that is an end, or the other way, by blocks that it may use; its
  /// edges in the order in which they run.
  template <class MayUse, class IsEnd>
  Way shortest_way(const std::vector<std::size_t>& starts, bool backwards, MayUse may_use,
                   IsEnd is_end) const {
    std::map<std::size_t, Edge> reached_by;
    std::set<std::size_t> seen(starts.begin(), starts.end());
    std::deque<std::size_t> open(starts.begin(), starts.end());
    const auto reach = [&](std::size_t block, const Edge& by) {
      if (!may_use(block) || !seen.insert(block).second) return;
      reached_by[block] = by;
      open.push_back(block);
    };
    while (!open.empty() && !(is_end(open.front()) && reached_by.contains(open.front()))) {
      const std::size_t at = open.front();
      open.pop_front();
      if (!backwards && is_end(at)) return {};
      for (std::size_t i = 0; i < flow_.blocks.size(); ++i)
        for (std::size_t k = 0; k < all_.edges[i].size(); ++k)
          if (backwards && flow_.blocks[i].next[k] == at)
            reach(i, {i, k});
          else if (!backwards && i == at)
            reach(flow_.blocks[i].next[k], {i, k});
    }
    if (open.empty()) return {};
    Way way;
    for (std::size_t at = open.front(); reached_by.contains(at);) {
      way.push_back(reached_by.at(at));
      at = backwards ? target(way.back()) : way.back().from;
    }
    if (!backwards) std::reverse(way.begin(), way.end());
    return way;
  }

  /// To all edges of a way but the first, which has them, and the blocks between them.
  void add(const Way& way, double more) {
    for (std::size_t i = 1; i < way.size(); ++i) {
      all_.blocks[way[i].from] += more;
      executions(way[i]) += more;
    }
  }

  /// By the exit that is taken most, else by the one that is next to where the loop's warps run. Absent if it
  /// does not lead to where warps run anyway: then the loop is another copy of code that these pass.
  Way way_out(const Loop& loop, const std::vector<Edge>& leaving, double turns, double more, bool may_end) {
    Edge exit = *std::max_element(leaving.begin(), leaving.end(), [&](const Edge& a, const Edge& b) {
      return std::pair(executions(a), all_.blocks[a.from]) < std::pair(executions(b), all_.blocks[b.from]);
    });
    Way out;
    if (all_.blocks[exit.from] < more) {
      std::vector<std::size_t> ends;
      for (const Edge& edge : leaving) ends.push_back(edge.from);
      out = shortest_way(
          ends, true, [&](std::size_t block) { return loop.contains(block); },
          [&](std::size_t block) { return all_.blocks[block] >= 0.5 * turns; });
      if (out.empty()) return {};
      exit = *std::find_if(leaving.begin(), leaving.end(),
                           [&](const Edge& edge) { return edge.from == target(out.back()); });
    }
    out.push_back(exit);
    const auto runs = [&](std::size_t block) { return all_.blocks[block] >= more; };
    if (runs(target(exit))) return out;
    const Way back = shortest_way(
        {target(exit)}, false, [&](std::size_t block) { return !loop.contains(block); }, runs);
    if (back.empty() && !may_end) return {};
    out.insert(out.end(), back.begin(), back.end());
    return out;
  }

  /// From the block's other edges to this one.
  void shift(const Edge& edge, double more) {
    std::vector<double>& edges = all_.edges[edge.from];
    double others = 0;
    for (std::size_t k = 0; k < edges.size(); ++k)
      if (k != edge.index) others += edges[k];
    for (std::size_t k = 0; k < edges.size(); ++k)
      if (k != edge.index && others > 0) edges[k] *= std::max(0.0, 1 - more / others);
    edges[edge.index] += more;
  }

  const FlowGraph& flow_;
  Frequencies& all_;
};

}  // namespace

Frequencies with_entered_loops(const FlowGraph& flow, Frequencies frequencies) {
  Repair repair(flow, frequencies);
  for (const Loop& loop : flow.loops) repair.loop(loop);
  return frequencies;
}

}  // namespace fathom
