// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/machines/memory_machines.h>

#include "check_at_least_1.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>

namespace fathom {

// ---- traces ----

MachineTrace::Event MachineTrace::request(int slots) {
  if (slots < 1 || slots > most_slots)
    throw std::invalid_argument("a request of " + std::to_string(slots) + " slots: it takes 1 to " +
                                std::to_string(most_slots));
  return Event(slots);
}

MachineTrace::MachineTrace(int warps_per_block, int warps_per_group)
    : warps_per_block_(warps_per_block), warps_per_group_(warps_per_group) {
  check_at_least_1("the number of warps per block", warps_per_block);
  check_at_least_1("the number of warps per group", warps_per_group);
}

MachineTrace MachineTrace::of_kernel(int threads, int width) {
  check_at_least_1("the number of threads per block", threads);
  check_at_least_1("width", width);
  const int lanes = std::min(width, warp_width);
  if (warp_width % lanes != 0)
    throw std::invalid_argument(
        "width is " + std::to_string(width) +
        ", which does not divide a kernel's warp: choose 1, 2, 4, 8, 16, or 32 and more");
  return MachineTrace((threads + lanes - 1) / lanes, warp_width / lanes);
}

void MachineTrace::add_block(std::span<const std::vector<Event>> warps) {
  if (warps.size() != std::size_t(warps_per_block_))
    throw std::invalid_argument("a block of " + std::to_string(warps.size()) +
                                " warps in a trace of blocks of " + std::to_string(warps_per_block_) +
                                ": list every warp, even those without events");
  for (const std::vector<Event>& warp : warps)
    if (std::find(warp.begin(), warp.end(), Event(0)) != warp.end())
      throw std::invalid_argument("a request of 0 slots: omit accesses without cells");
  for (const std::vector<Event>& warp : warps) {
    events_.insert(events_.end(), warp.begin(), warp.end());
    ends_.push_back(events_.size());
  }
}

std::span<const MachineTrace::Event> MachineTrace::events(u64 block, int warp) const {
  const u64 index = block * u64(warps_per_block_) + u64(warp);
  const u64 begin = index == 0 ? 0 : ends_.at(index - 1);
  return {events_.data() + begin, ends_.at(index) - begin};
}

// ---- the pipeline ----

namespace {

/// A set of numbers in [0, size) with a fast circular search for the next member. Level 0 has a bit per
/// number, and every other level a bit per non-empty word of the level below.
class CircularSet {
 public:
  explicit CircularSet(u64 size) {
    do {
      size = (size + 63) / 64;
      levels_.emplace_back(size);
    } while (size > 1);
  }

  bool empty() const { return levels_.back()[0] == 0; }
  void insert(u64 i) {
    for (auto& level : levels_) {
      level[i / 64] |= u64(1) << i % 64;
      i /= 64;
    }
  }
  void erase(u64 i) {
    for (auto& level : levels_) {
      level[i / 64] &= ~(u64(1) << i % 64);
      if (level[i / 64] != 0) return;
      i /= 64;
    }
  }
  /// The smallest member ≥ `i`, or else the smallest of all. The set must not be empty.
  u64 next(u64 i) const {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const u64 word = i / 64 < levels_[level].size() ? levels_[level][i / 64] & (~u64(0) << i % 64) : 0;
      if (word != 0) return lowest_below(level, i / 64 * 64 + u64(std::countr_zero(word)));
      i = i / 64 + 1;
    }
    return lowest_below(levels_.size() - 1, u64(std::countr_zero(levels_.back()[0])));
  }

 private:
  /// The smallest member below bit `i` of a level.
  u64 lowest_below(std::size_t level, u64 i) const {
    while (level-- > 0) i = i * 64 + u64(std::countr_zero(levels_[level][i]));
    return i;
  }

  std::vector<std::vector<u64>> levels_;
};

/// Runs a trace through the pipeline. Each resident block has a place, each place a seat per warp, and seats
/// are served round-robin.
class Pipeline {
 public:
  Pipeline(const MachineTrace& trace, int latency, u64 resident_blocks)
      : trace_(trace),
        latency_(u64(latency)),
        warps_(u64(trace.warps_per_block())),
        warps_per_group_(u64(trace.warps_per_group())),
        groups_((warps_ + warps_per_group_ - 1) / warps_per_group_),
        places_(resident_blocks),
        seats_(resident_blocks * warps_),
        waiting_in_group_(resident_blocks * groups_),
        ready_(resident_blocks * warps_) {}

  /// Units until the last data have arrived.
  u64 run() {
    for (u64 place = 0; place < places_.size(); ++place) {
      start_next_block(place);
      advance();
    }
    u64 now = 0;
    while (!ready_.empty() || !in_flight_.empty()) {
      if (ready_.empty())
        now = std::max(now, in_flight_.front().time);  // the pipeline may be busy beyond that
      receive(now);
      if (!ready_.empty()) now = dispatch(now);
    }
    for (const Place& place : places_)
      if (place.occupied) throw std::invalid_argument(describe_vain_wait(place));
    return last_arrival_;
  }

 private:
  using Event = MachineTrace::Event;
  struct Place {
    bool occupied = false;
    u64 block = 0;
    u64 waiting = 0;  // warps at a wait for the block
    u64 ended = 0;
  };
  struct Seat {
    const Event* next = nullptr;
    const Event* end = nullptr;
  };
  struct Arrival {
    u64 time, seat;
  };

  void start_next_block(u64 place) {
    places_[place] = {next_block_ < trace_.blocks(), next_block_};
    if (!places_[place].occupied) return;
    for (u64 warp = 0; warp < warps_; ++warp) {
      const auto events = trace_.events(next_block_, int(warp));
      seats_[place * warps_ + warp] = {events.data(), events.data() + events.size()};
    }
    ++next_block_;
    awaken(place * warps_, warps_);
  }

  /// Latency is constant, so data arrive in the order of the requests and a queue suffices.
  u64 dispatch(u64 now) {
    const u64 seat = ready_.next(turn_);
    ready_.erase(seat);
    turn_ = seat + 1;
    now += *seats_[seat].next++;
    in_flight_.push({now + latency_ - 1, seat});
    return now;
  }

  void receive(u64 now) {
    while (!in_flight_.empty() && in_flight_.front().time <= now) {
      last_arrival_ = in_flight_.front().time;
      awake_.push_back(in_flight_.front().seat);
      in_flight_.pop();
      advance();
    }
  }

  void awaken(u64 first_seat, u64 count) {
    for (u64 i = 0; i < count; ++i) awake_.push_back(first_seat + i);
  }

  /// Advances every warp that has all its data to its next request, wait or end. Uses a list instead of
  /// recursion, because a trace may consist of nothing but waits.
  void advance() {
    while (!awake_.empty()) {
      const u64 seat = awake_.back();
      awake_.pop_back();
      Seat& warp = seats_[seat];
      if (warp.next == warp.end) {
        end_warp(seat);
      } else if (*warp.next == MachineTrace::wait_for_block) {
        ++warp.next;
        wait_for_block(seat / warps_);
      } else if (*warp.next == MachineTrace::wait_for_group) {
        ++warp.next;
        wait_for_group(seat);
      } else {
        ready_.insert(seat);
      }
    }
  }

  void end_warp(u64 seat) {
    const u64 place = seat / warps_;
    if (++places_[place].ended == warps_) start_next_block(place);
  }

  void wait_for_block(u64 place) {
    if (++places_[place].waiting < warps_) return;
    places_[place].waiting = 0;
    awaken(place * warps_, warps_);
  }

  void wait_for_group(u64 seat) {
    const u64 place = seat / warps_;
    const u64 group = seat % warps_ / warps_per_group_;
    const u64 first = group * warps_per_group_;
    const u64 count = std::min(warps_per_group_, warps_ - first);
    u64& waiting = waiting_in_group_[place * groups_ + group];
    if (++waiting < count) return;
    waiting = 0;
    awaken(place * warps_ + first, count);
  }

  std::string describe_vain_wait(const Place& place) const {
    const u64 for_group = warps_ - place.waiting - place.ended;
    return "the trace's block " + std::to_string(place.block) + " waits forever: of " +
           std::to_string(warps_) + " warps " + std::to_string(place.waiting) + " wait for the block, " +
           std::to_string(for_group) + " for their group, " + std::to_string(place.ended) +
           " have ended: give all warps the same waits";
  }

  const MachineTrace& trace_;
  u64 latency_, warps_, warps_per_group_, groups_;
  std::vector<Place> places_;
  std::vector<Seat> seats_;
  std::vector<u64> waiting_in_group_;
  CircularSet ready_;              // seats whose warp has a request to send
  std::queue<Arrival> in_flight_;  // requests whose data have not arrived
  std::vector<u64> awake_;         // seats of warps that can continue
  u64 next_block_ = 0;
  u64 turn_ = 0;
  u64 last_arrival_ = 0;
};

}  // namespace

MemoryMachine::MemoryMachine(MachineKind kind, int width, int latency)
    : kind_(kind), width_(width), latency_(latency) {
  check_at_least_1("width", width);
  check_at_least_1("latency", latency);
}

int MemoryMachine::slots(std::span<const u64> cells) const {
  return kind_ == MachineKind::dmm ? dmm_slots(cells, width_) : umm_slots(cells, width_);
}

u64 MemoryMachine::time(const MachineTrace& trace, u64 threads) const {
  const u64 threads_per_block = u64(trace.warps_per_block()) * u64(width_);
  if (threads < threads_per_block)
    throw std::invalid_argument("the machine has " + std::to_string(threads) +
                                " threads, too few for one block: choose at least " +
                                std::to_string(threads_per_block));
  if (trace.blocks() == 0) return 0;
  return Pipeline(trace, latency_, std::min(threads / threads_per_block, trace.blocks())).run();
}

u64 MemoryMachine::time(const std::vector<std::vector<std::vector<u64>>>& warps) const {
  if (warps.empty()) return 0;
  std::vector<std::vector<MachineTrace::Event>> events(warps.size());
  for (std::size_t warp = 0; warp < warps.size(); ++warp)
    for (const std::vector<u64>& cells : warps[warp])
      if (!cells.empty()) events[warp].push_back(MachineTrace::request(slots(cells)));
  MachineTrace trace(int(warps.size()));
  trace.add_block(events);
  return time(trace, u64(warps.size()) * u64(width_));
}

}  // namespace fathom
