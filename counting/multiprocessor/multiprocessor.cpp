// SPDX-License-Identifier: Apache-2.0
// The simulation itself: blocks start and end, warps issue, meet at barriers and follow their ways. These are
// one class, since each step may touch the clocks of a warp, its block, its scheduler and the whole
// multiprocessor; what a warp decides is apart, in decisions.h, and what the code is made of in decode.cpp.
#include <fathom/counting/multiprocessor/multiprocessor.h>
#include <fathom/device/code/chain.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "decisions.h"

namespace fathom {
namespace {

using Code = MultiprocessorCode;
using Ticks = std::int64_t;

constexpr Ticks never = std::numeric_limits<Ticks>::max();
constexpr int barriers_of_a_block = 16;

/// The part of i·golden ratio behind the point: of consecutive i evenly spread, however many there are.
double spread(std::uint64_t i) {
  constexpr double golden = 0.6180339887498949;
  return std::fmod(0.5 + double(i) * golden, 1.0);
}

/// One way through a loop, from entering to leaving it.
struct WayThrough {
  int exit = -1;
  std::uint32_t turns = 0;
};

struct Barrier {
  int came = 0;
  Ticks last = 0;
  std::vector<std::uint32_t> waiting;  ///< warps
};

struct Block {
  std::uint64_t number = 0;
  int live = 0;
  Ticks passed = 0;  ///< its last access: it keeps its place until then
  std::array<Barrier, barriers_of_a_block> barriers;
  Decisions decisions;
  // These are the decisions that all warps make alike, in the order in which they come to them.
  std::vector<std::vector<const Code::Outcome*>> outcomes;  ///< of each choice
  std::vector<std::vector<WayThrough>> ways;                ///< of each loop
  std::array<Ticks, all_ports.size()> busy{};
  std::uint64_t instructions = 0;
};

struct Region {
  std::uint32_t opening;
  struct Lanes {
    std::uint32_t from;
    int edge;
  };
  std::vector<Lanes> waiting;  ///< to run when the others have come to its end
};

struct Warp {
  std::uint32_t next = 0, block_of_code = 0;
  std::uint32_t block = 0;  ///< slot
  std::uint8_t scheduler = 0;
  std::array<Ticks, scoreboards> boards{};
  Ticks stored = 0, copied = 0;
  std::vector<Ticks> collections;
  std::uint64_t instructions = 0;
  Decisions decisions;
  std::vector<Region> regions;
  std::vector<std::uint32_t> calls;  ///< blocks
  struct InLoop {
    WayThrough way;
    std::uint32_t turns = 0, visits = 0, entries = 0;
  };
  std::vector<InLoop> loops;
  std::vector<std::uint32_t> choices_made;  ///< of each choice of the block
};

/// Which warps it has, oldest first, and when each can issue as far as the warp itself is concerned.
struct Scheduler {
  std::vector<std::uint32_t> warps;
  std::vector<Ticks> ready;
  std::vector<Port> port;  ///< of the next instruction
  Ticks free = 0;
  std::array<Ticks, all_ports.size()> port_free{};
  std::array<Ticks, 2> bank_free{};
  std::size_t after_last = 0;  ///< round robin

  Ticks next_time = never;
  std::size_t next_warp = 0;
  bool stale = true;

  /// Each bank gives one register per clock. The next instruction is issued while the last reads are under
  /// way.
  void read(const std::array<std::uint8_t, 2>& registers, Ticks now) {
    for (std::size_t bank = 0; bank < registers.size(); ++bank) {
      bank_free[bank] = std::max(bank_free[bank], now) + registers[bank];
      free = std::max(free, bank_free[bank] - 1);
    }
  }

  std::size_t position(std::uint32_t warp) const {
    return std::size_t(std::find(warps.begin(), warps.end(), warp) - warps.begin());
  }

  void choose(IssuePolicy policy) {
    stale = false;
    next_time = never;
    const std::size_t count = warps.size(), first = policy == IssuePolicy::round_robin ? after_last : 0;
    for (std::size_t step = 0; step < count; ++step) {
      std::size_t i = first + step;
      if (i >= count) i -= count;
      const Ticks time = std::max(ready[i], port_free[std::size_t(port[i])]);
      if (time >= next_time) continue;
      next_time = time;
      next_warp = i;
      if (time <= free) break;
    }
    if (next_time != never) next_time = std::max(next_time, free);
  }
};

class Multiprocessor {
 public:
  Multiprocessor(const Code& code, const MultiprocessorOptions& options)
      : code_(code),
        options_(options),
        clocks_(options.clocks),
        schedulers_(std::size_t(options.clocks.schedulers)),
        passed_(code.instructions.size(), 0.5),
        executions_(code.blocks.size()),
        most_instructions_(std::uint64_t(20 * code.instructions_per_warp) + 10000) {
    // A lone block makes its share of the accesses whose guards seldom let them pass.
    for (std::size_t i = 0; i < passed_.size(); ++i)
      if (code.instructions[i].passes < 1) passed_[i] = spread(i);
  }

  /// Ends when `blocks` have ended. Those that are resident at the beginning start `stagger` apart.
  void run(std::uint64_t blocks, int resident, Ticks stagger, std::uint64_t to_start) {
    to_start_ = to_start;
    blocks_.resize(std::size_t(resident));
    warps_.resize(std::size_t(resident) * std::size_t(code_.warps_per_block));
    for (int i = 0; i < resident && started_ < to_start_; ++i)
      start(std::uint32_t(i), std::max<Ticks>(i * stagger, Ticks(i) * options_.block_start));
    while (ends_.size() < blocks) step();
  }

  /// The clocks at which blocks ended, ascending.
  std::vector<Ticks> ends() const {
    std::vector<Ticks> sorted = ends_;
    std::ranges::sort(sorted);
    return sorted;
  }

  SimulatedClocks result(double clocks) const {
    SimulatedClocks result;
    const double blocks = double(ends_.size());
    result.clocks = clocks;
    for (std::size_t port = 0; port < all_ports.size(); ++port) {
      const bool of_all = all_ports[port] == Port::lsu || all_ports[port] == Port::barriers;
      result.busy[port] = double(busy_[port]) / blocks / (of_all ? 1 : clocks_.schedulers);
    }
    result.instructions_per_block = double(instructions_of_ended_) / blocks;
    result.executions = executions_;
    result.instructions = instructions_;
    result.cut_short = cut_short_;
    result.broken_barriers = broken_barriers_;
    return result;
  }

 private:
  // Blocks

  void start(std::uint32_t slot, Ticks when) {
    if (!blocks_[slot]) blocks_[slot] = std::make_unique<Block>();
    Block& block = *blocks_[slot];
    block.number = started_++;
    block.live = code_.warps_per_block;
    block.passed = 0;
    for (Barrier& barrier : block.barriers) barrier = {};
    block.decisions.begin(code_, spread(block.number));
    block.outcomes.assign(code_.choices.size(), {});
    block.ways.assign(code_.loops.size(), {});
    block.busy.fill(0);
    block.instructions = 0;
    last_start_ = when;
    for (int i = 0; i < code_.warps_per_block; ++i) start_warp(slot, i, when);
  }

  void start_warp(std::uint32_t slot, int index, Ticks when) {
    const std::uint32_t number = slot * std::uint32_t(code_.warps_per_block) + std::uint32_t(index);
    Warp& warp = warps_[number];
    warp.block = slot;
    warp.scheduler = std::uint8_t(started_warps_++ % schedulers_.size());
    warp.boards.fill(0);
    warp.stored = warp.copied = 0;
    warp.collections.clear();
    warp.instructions = 0;
    warp.regions.clear();
    warp.calls.clear();
    warp.loops.assign(code_.loops.size(), {});
    warp.choices_made.assign(code_.choices.size(), 0);
    const double within = spread(blocks_[slot]->number);
    warp.decisions.begin(code_, (index + within) / code_.warps_per_block);
    ++executions_.front();
    warp.block_of_code = 0;
    warp.next = code_.blocks.front().first;
    for (const std::uint32_t loop : code_.enters_at_start) enter(warp, loop);
    Scheduler& scheduler = schedulers_[warp.scheduler];
    scheduler.warps.push_back(number);
    scheduler.ready.push_back(when);
    scheduler.port.push_back(code_.instructions[warp.next].port);
    scheduler.stale = true;
  }

  void end_warp(std::uint32_t number, Ticks now) {
    Warp& warp = warps_[number];
    Scheduler& scheduler = schedulers_[warp.scheduler];
    const std::size_t at = scheduler.position(number);
    scheduler.warps.erase(scheduler.warps.begin() + std::ptrdiff_t(at));
    scheduler.ready.erase(scheduler.ready.begin() + std::ptrdiff_t(at));
    scheduler.port.erase(scheduler.port.begin() + std::ptrdiff_t(at));
    if (scheduler.after_last > at) --scheduler.after_last;
    scheduler.stale = true;
    Block& block = *blocks_[warp.block];
    block.instructions += warp.instructions;
    if (--block.live > 0) {
      for (Barrier& barrier : block.barriers)
        if (barrier.came >= block.live && !barrier.waiting.empty()) release(barrier);
      return;
    }
    now = std::max(now, block.passed);
    ends_.push_back(now);
    instructions_of_ended_ += block.instructions;
    for (std::size_t port = 0; port < busy_.size(); ++port) busy_[port] += block.busy[port];
    if (started_ < to_start_) {
      const Ticks when = std::max(now + options_.turnover, last_start_ + options_.block_start);
      start(warp.block, when);
    }
  }

  // Issue

  void step() {
    Scheduler* best = nullptr;
    for (Scheduler& scheduler : schedulers_) {
      if (scheduler.stale) scheduler.choose(options_.policy);
      if (!best || scheduler.next_time < best->next_time) best = &scheduler;
    }
    if (best->next_time == never) {
      break_barriers();
      return;
    }
    issue(*best, best->next_warp, best->next_time);
  }

  void issue(Scheduler& scheduler, std::size_t at, Ticks now) {
    const std::uint32_t number = scheduler.warps[at];
    Warp& warp = warps_[number];
    const Code::Instruction& one = code_.instructions[warp.next];
    auto& busy = blocks_[warp.block]->busy;
    ++instructions_;
    ++warp.instructions;
    if (options_.has(Port::issue)) {
      scheduler.free = now + 1;
      if (options_.register_banks) scheduler.read(one.registers, now);
      ++busy[std::size_t(Port::issue)];
    }
    if (options_.has(one.port) && one.port != Port::lsu && one.port != Port::barriers) {
      if (one.port != Port::none) scheduler.port_free[std::size_t(one.port)] = now + one.clocks;
      busy[std::size_t(one.port)] += one.clocks;
    }
    scheduler.after_last = at + 1;
    scheduler.stale = true;
    if (Ticks goes_on = execute(warp, one, now); !advance(warp)) {
      end_warp(number, now);
    } else {
      goes_on = std::max(goes_on, now + (taken_ ? std::max<Ticks>(one.stall, clocks_.branch) : one.stall));
      const Code::Instruction& next = code_.instructions[warp.next];
      for (unsigned left = next.waits; left; left &= left - 1)
        goes_on = std::max(goes_on, warp.boards[std::size_t(__builtin_ctz(left))]);
      if (next.leaves_copies >= 0) goes_on = std::max(goes_on, copies_but(warp, next.leaves_copies));
      scheduler.ready[at] = goes_on;
      scheduler.port[at] = next.port;
      if (one.barrier >= 0 && options_.barriers_hold) come_to_barrier(number, one, now);
    }
  }

  /// When the warp goes on, if not by its stall count.
  Ticks execute(Warp& warp, const Code::Instruction& one, Ticks now) {
    using Result = Code::Result;
    Ticks passed = now + 1, goes_on = 0;
    bool made = true;
    if (one.port == Port::lsu) passed = through_lsu(warp, one, now, made);
    if (one.reads >= 0) put(warp, one.reads, passed);
    Ticks done = passed;
    // An access whose guard holds back all lanes is issued, and nobody waits for it.
    switch (made ? one.result : Result::on_time) {
      case Result::on_time:
        if (made && one.port == Port::lsu && one.writes < 0) warp.stored = passed;
        break;
      case Result::special:
        done = now + clocks_.special;
        break;
      case Result::near:
        done = passed - 1 + clocks_.shared + clocks_.shared_word * (one.words - 1);
        break;
      case Result::far:
        done = passed + options_.global_latency;
        break;
      case Result::fence:
        goes_on = std::max(now, warp.stored) + options_.global_latency;
        break;
    }
    if (one.enters_copies) warp.copied = std::max(warp.copied, done);
    if (one.collects_copies) warp.collections.push_back(done = warp.copied);
    if (one.writes >= 0) put(warp, one.writes, done);
    return goes_on;
  }

  static void put(Warp& warp, int board, Ticks time) {
    Ticks& released = warp.boards[std::size_t(board)];
    released = std::max(released, time);
  }

  /// When all collections but the last few are there.
  static Ticks copies_but(const Warp& warp, int left) {
    const std::size_t count = warp.collections.size();
    return count > std::size_t(left) ? warp.collections[count - 1 - std::size_t(left)] : 0;
  }

  /// The clock after the last of its passes, of which a fraction is left to the next execution; `made`:
  /// whether it has any.
  Ticks through_lsu(const Warp& warp, const Code::Instruction& one, Ticks now, bool& made) {
    double& left_over = passed_[std::size_t(&one - code_.instructions.data())];
    left_over += one.passes;
    const Ticks passes = Ticks(left_over + (1 - whole));
    left_over -= double(passes);
    made = passes > 0;
    if (!options_.has(Port::lsu)) return now + 1;
    Block& block = *blocks_[warp.block];
    block.busy[std::size_t(Port::lsu)] += passes;
    lsu_free_ = std::max(lsu_free_, now) + passes;
    block.passed = lsu_free_;
    return std::max(lsu_free_, now + 1);
  }

  // Barriers

  void come_to_barrier(std::uint32_t number, const Code::Instruction& one, Ticks now) {
    const Warp& warp = warps_[number];
    Block& block = *blocks_[warp.block];
    Barrier& barrier = block.barriers[std::size_t(one.barrier)];
    if (options_.has(Port::barriers)) {
      barriers_free_ = std::max(barriers_free_, now) + clocks_.barrier_pass;
      block.busy[std::size_t(Port::barriers)] += clocks_.barrier_pass;
      barrier.last = barriers_free_ + clocks_.barrier;
    } else {
      barrier.last = now + 1;
    }
    ++barrier.came;
    if (!one.arrives_only) {
      barrier.waiting.push_back(number);
      Scheduler& scheduler = schedulers_[warp.scheduler];
      Ticks& ready = scheduler.ready[scheduler.position(number)];
      waiting_since(number) = ready;
      ready = never;
    }
    if (barrier.came >= (one.expected > 0 ? int(one.expected) : block.live)) release(barrier);
  }

  /// When a warp that waits at a barrier could go on without it.
  Ticks& waiting_since(std::uint32_t number) {
    if (could_go_on_.size() < warps_.size()) could_go_on_.resize(warps_.size());
    return could_go_on_[number];
  }

  void release(Barrier& barrier) {
    for (const std::uint32_t number : barrier.waiting) {
      Scheduler& scheduler = schedulers_[warps_[number].scheduler];
      scheduler.ready[scheduler.position(number)] = std::max(barrier.last, waiting_since(number));
      scheduler.stale = true;
    }
    barrier.waiting.clear();
    barrier.came = 0;
  }

  void break_barriers() {
    bool any = false;
    for (const auto& block : blocks_)
      if (block)
        for (Barrier& barrier : block->barriers)
          if (!barrier.waiting.empty()) {
            release(barrier);
            ++broken_barriers_;
            any = true;
          }
    if (!any) throw std::logic_error("the simulated multiprocessor has no warp left to run");
  }

  // The way of a warp

  /// To its next instruction; false if it ends.
  bool advance(Warp& warp) {
    taken_ = false;
    if (++warp.next < code_.blocks[warp.block_of_code].last) return true;
    if (warp.instructions > most_instructions_) {
      ++cut_short_;
      return false;
    }
    using End = Code::Block::End;
    const std::uint32_t at = warp.block_of_code;
    const Code::Block& block = code_.blocks[at];
    switch (block.end) {
      case End::opens:
        warp.regions.push_back({at, {}});
        return follow(warp, at, 0);
      case End::converges:
        return converge(warp, at, block);
      case End::calls:
        warp.calls.push_back(at);
        return follow(warp, at, int(block.edges.size()) - 1);
      case End::returns: {
        if (warp.calls.empty()) return others_go_on(warp);
        const std::uint32_t from = warp.calls.back();
        warp.calls.pop_back();
        return follow(warp, from, 0, true);
      }
      case End::chooses:
        return choose(warp, at, block);
      case End::leaves_loop:
        return follow(warp, at, way_at(warp, at, block));
      case End::goes_on:
        return follow(warp, at, 0);
    }
    return false;
  }

  bool follow(Warp& warp, std::uint32_t from, int index, bool jumps = false) {
    const Code::Edge& edge = code_.blocks[from].edges[std::size_t(index)];
    if (edge.to == Code::nowhere) return others_go_on(warp);
    for (const std::uint32_t loop : edge.enters) enter(warp, loop);
    taken_ = taken_ || edge.taken || jumps;
    ++executions_[edge.to];
    warp.block_of_code = edge.to;
    warp.next = code_.blocks[edge.to].first;
    return true;
  }

  /// Lanes that wait somewhere, when all others have ended.
  bool others_go_on(Warp& warp) {
    for (std::size_t i = warp.regions.size(); i-- > 0;)
      if (!warp.regions[i].waiting.empty()) return resume(warp, i);
    return false;
  }

  bool resume(Warp& warp, std::size_t region) {
    const Region::Lanes lanes = warp.regions[region].waiting.back();
    warp.regions[region].waiting.pop_back();
    return follow(warp, lanes.from, lanes.edge, true);
  }

  bool converge(Warp& warp, std::uint32_t at, const Code::Block& block) {
    std::size_t i = warp.regions.size();
    while (i-- > 0)
      if (std::find(block.partners.begin(), block.partners.end(), warp.regions[i].opening) !=
          block.partners.end())
        break;
    if (i < warp.regions.size()) {
      for (std::size_t inner = i + 1; inner < warp.regions.size(); ++inner)
        warp.regions[i].waiting.insert(warp.regions[i].waiting.end(), warp.regions[inner].waiting.begin(),
                                       warp.regions[inner].waiting.end());
      warp.regions.resize(i + 1);
      if (!warp.regions[i].waiting.empty()) return resume(warp, i);
      warp.regions.pop_back();
    }
    return block.edges.size() > 1 ? choose(warp, at, block) : follow(warp, at, 0);
  }

  bool choose(Warp& warp, std::uint32_t at, const Code::Block& block) {
    const Code::Outcome& outcome = outcome_of(warp, block.choice);
    if (outcome.later >= 0 && !warp.regions.empty())
      warp.regions.back().waiting.push_back({at, outcome.later});
    return follow(warp, at, outcome.edge);
  }

  const Code::Outcome& outcome_of(Warp& warp, std::uint32_t index) {
    const Code::Choice& choice = code_.choices[index];
    if (!choice.of_block) return warp.decisions.choose(code_, index);
    Block& block = *blocks_[warp.block];
    auto& made = block.outcomes[index];
    const std::uint32_t number = warp.choices_made[index]++;
    if (number == made.size()) made.push_back(&block.decisions.choose(code_, index));
    return *made[number];
  }

  void enter(Warp& warp, std::uint32_t index) {
    const Code::Loop& loop = code_.loops[index];
    Warp::InLoop& in = warp.loops[index];
    in.turns = in.visits = 0;
    if (!loop.of_block) {
      in.way = way_through(index, warp.decisions);
      return;
    }
    Block& block = *blocks_[warp.block];
    auto& ways = block.ways[index];
    const std::uint32_t number = in.entries++;
    if (number == ways.size()) ways.push_back(way_through(index, block.decisions));
    in.way = ways[number];
  }

  WayThrough way_through(std::uint32_t index, Decisions& decisions) const {
    WayThrough way;
    way.exit = decisions.choose_exit(code_, index);
    if (way.exit >= 0) way.turns = decisions.choose_turns(code_.loops[index], way.exit);
    return way;
  }

  /// The edge.
  int way_at(Warp& warp, std::uint32_t at, const Code::Block& block) {
    const Code::Loop& loop = code_.loops[block.choice];
    Warp::InLoop& in = warp.loops[block.choice];
    ++in.visits;
    const bool leaves = in.way.exit >= 0 && in.way.exit == block.exit && ++in.turns >= in.way.turns;
    if (leaves || in.visits > loop.patience) return block.leaving;
    if (block.both > 0 && !warp.regions.empty() && warp.decisions.comes_up(block.both_state, block.both))
      warp.regions.back().waiting.push_back({at, block.leaving});
    return block.staying;
  }

  const Code& code_;
  const MultiprocessorOptions& options_;
  const MultiprocessorClocks clocks_;
  std::vector<Scheduler> schedulers_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Warp> warps_;
  std::vector<Ticks> could_go_on_;
  std::vector<double> passed_;  ///< of each instruction, what its executions have left over
  std::vector<std::uint64_t> executions_;
  Ticks lsu_free_ = 0, barriers_free_ = 0, last_start_ = 0;
  bool taken_ = false;

  std::uint64_t to_start_ = 0, started_ = 0, started_warps_ = 0;
  std::vector<Ticks> ends_;
  std::array<Ticks, all_ports.size()> busy_{};
  std::uint64_t instructions_ = 0, instructions_of_ended_ = 0, cut_short_ = 0, broken_barriers_ = 0,
                most_instructions_;
};

}  // namespace

std::string_view name(Port port) {
  constexpr std::array<std::string_view, all_ports.size()> names{"issue",   "alu", "fma",      "fp64", "xu",
                                                                 "uniform", "lsu", "barriers", "none"};
  return names.at(std::size_t(port));
}

SimulatedClocks simulate(const MultiprocessorCode& code, int blocks, int resident,
                         const MultiprocessorOptions& options) {
  Multiprocessor multiprocessor(code, options);
  multiprocessor.run(std::uint64_t(blocks), std::min(blocks, resident), 0, std::uint64_t(blocks));
  return multiprocessor.result(double(multiprocessor.ends().back()));
}

SimulatedClocks steady(const MultiprocessorCode& code, int resident, const MultiprocessorOptions& options) {
  // The blocks that start first are as far apart as if they shared the time of one alone.
  const Ticks alone = Ticks(together(code, 1, options).clocks);
  const std::uint64_t first = 2 * std::uint64_t(resident),
                      counted = std::max<std::uint64_t>(4 * std::uint64_t(resident), 16);
  Multiprocessor multiprocessor(code, options);
  multiprocessor.run(first + counted, resident, alone / resident, first + counted + std::uint64_t(resident));
  const std::vector<Ticks> ends = multiprocessor.ends();
  return multiprocessor.result(double(ends.back() - ends[first - 1]) / double(counted));
}

ClocksOfPipes clocks_of_pipes(const MultiprocessorCode& code, int resident,
                              const MultiprocessorClocks& clocks) {
  const MultiprocessorOptions options{.clocks = clocks};
  return {together(code, 1, options), steady(code, resident, options)};
}

}  // namespace fathom
