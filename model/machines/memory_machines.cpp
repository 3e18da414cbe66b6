#include <fathom/model/machines/memory_machines.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <string>

namespace fathom {

namespace {

void check_at_least_1(const char* what, long long value) {
  if (value < 1)
    throw std::invalid_argument(std::string(what) + " is " + std::to_string(value) + ": choose at least 1");
}

// ---- slots ----

/// Calls `function(group, bank)` with two functions of a cell. Powers of two, the usual widths, need no
/// division.
template <class Function>
int with_banks(int width, Function function) {
  const u64 w = u64(width);
  if (std::has_single_bit(w)) {
    const int shift = std::countr_zero(w);
    return function([shift](u64 cell) { return cell >> shift; }, [w](u64 cell) { return cell & (w - 1); });
  }
  return function([w](u64 cell) { return cell / w; }, [w](u64 cell) { return cell % w; });
}

/// Cells first, first + stride, …, ascending: rows, columns and broadcasts, the accesses of most kernels.
struct Progression {
  u64 first, stride, last;
};

/// `cells` must not be empty. Descending cells are reversed.
std::optional<Progression> as_progression(std::span<const u64> cells) {
  const u64 difference = cells.size() > 1 ? cells[1] - cells[0] : 0;
  for (std::size_t i = 2; i < cells.size(); ++i)
    if (cells[i] - cells[i - 1] != difference) return std::nullopt;
  const bool descends = cells.back() < cells.front();
  const Progression found{descends ? cells.back() : cells.front(), descends ? 0 - difference : difference,
                          descends ? cells.front() : cells.back()};
  // The differences above are modulo 2^64: a wider stride could have wrapped around.
  if (found.stride > std::numeric_limits<u32>::max()) return std::nullopt;
  return found;
}

int progression_dmm_slots(const Progression& cells, std::size_t count, int width) {
  if (cells.stride == 0) return 1;
  const u64 banks_met = u64(width) / std::gcd(cells.stride, u64(width));
  return int((count + banks_met - 1) / banks_met);
}

template <class Group>
int progression_umm_slots(const Progression& cells, std::size_t count, int width, Group group) {
  if (cells.stride >= u64(width)) return int(count);  // no two in one group
  return int(group(cells.last) - group(cells.first)) + 1;
}

/// A small set of keys on the stack, because an allocation would cost more than everything else. Chained
/// hashing.
class SmallSet {
 public:
  static constexpr std::size_t most_keys = 512;

  /// Whether the key was new.
  bool insert(u64 key) {
    std::uint16_t& chain = chains_[std::size_t(key * golden_ratio >> (64 - chain_bits))];
    for (int at = chain; at != end_of_chain; at = keys_[std::size_t(at)].next)
      if (keys_[std::size_t(at)].value == key) return false;
    keys_[std::size_t(++count_)] = {key, chain};
    chain = std::uint16_t(count_);
    return true;
  }
  int count() const { return count_; }

 private:
  static constexpr int chain_bits = 7;
  static constexpr u64 golden_ratio = 0x9e3779b97f4a7c15;  // times 2^64; spreads rows and columns alike
  static constexpr int end_of_chain = 0;                   // keys_[0] is never used
  struct Key {
    u64 value;
    int next;
  };
  std::array<std::uint16_t, 1 << chain_bits> chains_{};
  // Not initialised: that would take longer than a typical access.
  std::array<Key, most_keys + 1> keys_;
  int count_ = 0;
};
constexpr int few_banks = 64;

template <class Bank>
int few_dmm_slots(std::span<const u64> cells, Bank bank) {
  SmallSet distinct;
  std::array<int, few_banks> in_bank{};
  int slots = 0;
  for (const u64 cell : cells)
    if (distinct.insert(cell)) slots = std::max(slots, ++in_bank[std::size_t(bank(cell))]);
  return slots;
}

template <class Bank>
int many_dmm_slots(std::span<const u64> cells, Bank bank) {
  std::vector<u64> distinct(cells.begin(), cells.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (u64& cell : distinct) cell = bank(cell);
  std::sort(distinct.begin(), distinct.end());
  std::ptrdiff_t slots = 0;
  for (auto first = distinct.begin(); first != distinct.end();) {
    const auto next = std::upper_bound(first, distinct.end(), *first);
    slots = std::max(slots, next - first);
    first = next;
  }
  return int(slots);
}

template <class Group>
int few_umm_slots(std::span<const u64> cells, Group group) {
  SmallSet groups;
  for (const u64 cell : cells) groups.insert(group(cell));
  return groups.count();
}

template <class Group>
int many_umm_slots(std::span<const u64> cells, Group group) {
  std::vector<u64> groups(cells.size());
  std::transform(cells.begin(), cells.end(), groups.begin(), group);
  std::sort(groups.begin(), groups.end());
  return int(std::unique(groups.begin(), groups.end()) - groups.begin());
}

}  // namespace

int dmm_slots(std::span<const u64> cells, int width) {
  check_at_least_1("width", width);
  if (cells.empty()) return 0;
  if (const auto progression = as_progression(cells))
    return progression_dmm_slots(*progression, cells.size(), width);
  return with_banks(width, [&](auto, auto bank) {
    const bool few = cells.size() <= SmallSet::most_keys && width <= few_banks;
    return few ? few_dmm_slots(cells, bank) : many_dmm_slots(cells, bank);
  });
}

int umm_slots(std::span<const u64> cells, int width) {
  check_at_least_1("width", width);
  if (cells.empty()) return 0;
  return with_banks(width, [&](auto group, auto) {
    if (const auto progression = as_progression(cells))
      return progression_umm_slots(*progression, cells.size(), width, group);
    return cells.size() <= SmallSet::most_keys ? few_umm_slots(cells, group) : many_umm_slots(cells, group);
  });
}

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

// ---- AGPU ----

Agpu::Agpu(u64 cores, int width, u64 shared_words) : width_(width), shared_words_(shared_words) {
  check_at_least_1("width", width);
  if (cores == 0 || cores % u64(width) != 0)
    throw std::invalid_argument("the machine has " + std::to_string(cores) +
                                " cores: choose a multiple of its width, " + std::to_string(width));
  if (shared_words == 0)
    throw std::invalid_argument("a multiprocessor has 0 words of shared memory: choose at least 1");
  multiprocessors_ = cores / u64(width);
}

void Agpu::access_global(Block& block, std::span<const u64> cells) const {
  if (cells.empty()) return;
  ++block.instructions;
  block.io += u64(umm_slots(cells, width_));
}

void Agpu::access_shared(Block& block, std::span<const u64> cells) const {
  block.instructions += u64(dmm_slots(cells, width_));
}

void Agpu::launch(std::span<const Block> blocks, u64 shared_words_per_block) {
  if (shared_words_per_block > shared_words_)
    throw std::invalid_argument("a block uses " + std::to_string(shared_words_per_block) +
                                " shared words, a multiprocessor has " + std::to_string(shared_words_) +
                                ": choose smaller blocks or a larger M");
  std::vector<u64> instructions(std::min(multiprocessors_, u64(blocks.size())));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    instructions[i % instructions.size()] += blocks[i].instructions;
    costs_.io += blocks[i].io;
  }
  if (!instructions.empty()) costs_.time += *std::max_element(instructions.begin(), instructions.end());
  costs_.shared_words = std::max(costs_.shared_words, shared_words_per_block);
  if (costs_.shared_words > 0) costs_.multiplicity = double(shared_words_) / double(costs_.shared_words);
}

void Agpu::use_global(u64 words) {
  costs_.global_words = std::max(costs_.global_words, words);
}

}  // namespace fathom
