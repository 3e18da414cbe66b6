// SPDX-License-Identifier: Apache-2.0
// Times of the memory machines and costs of the AGPU: by hand, by formulas and by a simulation of every time
// unit, whose length, with the tables of both machines, is why there are more than 350 lines.
#include <fathom/model/machines/asymptotic_costs.h>
#include <fathom/model/machines/memory_machines.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

using namespace fathom;
using Catch::Contains;

namespace {

using Event = MachineTrace::Event;
using Warps = std::vector<std::vector<Event>>;  // the events of a block

using Random = std::mt19937_64;

u64 up_to(Random& random, u64 most) {
  return std::uniform_int_distribution<u64>(0, most)(random);
}

// ---- slots, by definition ----

int dmm_by_definition(const std::vector<u64>& cells, int width) {
  std::map<u64, std::set<u64>> banks;
  for (const u64 cell : cells) banks[cell % u64(width)].insert(cell);
  std::size_t slots = 0;
  for (const auto& [bank, distinct] : banks) slots = std::max(slots, distinct.size());
  return int(slots);
}

int umm_by_definition(const std::vector<u64>& cells, int width) {
  std::set<u64> groups;
  for (const u64 cell : cells) groups.insert(cell / u64(width));
  return int(groups.size());
}

void check_slots(const std::vector<u64>& cells, int width) {
  INFO("width " << width << ", cells " << Catch::Detail::stringify(cells));
  REQUIRE(dmm_slots(cells, width) == dmm_by_definition(cells, width));
  REQUIRE(umm_slots(cells, width) == umm_by_definition(cells, width));
}

std::vector<u64> progression(u64 first, u64 stride, std::size_t count) {
  std::vector<u64> cells(count);
  for (u64& cell : cells) {
    cell = first;
    first += stride;
  }
  return cells;
}

constexpr int widths[] = {1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 65, 128, 1000};

// ---- the pipeline, unit by unit ----

/// Simulates every time unit and inspects every warp in each: a literal implementation of §8.
u64 slow_time(const std::vector<Warps>& blocks, int latency, std::size_t resident, std::size_t group) {
  struct Warp {
    const std::vector<Event>* events;
    std::size_t next = 0;
    u64 data_at = 0;
  };
  std::vector<std::vector<Warp>> places(resident);  // empty: no block is left for it
  std::size_t next_block = 0, turn = 0;
  u64 now = 0, pipeline_free_at = 0, last_arrival = 0;

  const auto take_next_block = [&](std::vector<Warp>& place) {
    place.clear();
    if (next_block == blocks.size()) return;
    for (const std::vector<Event>& events : blocks[next_block]) place.push_back({&events});
    ++next_block;
  };
  const auto has_data = [&](const Warp& warp) { return warp.data_at <= now; };
  const auto is_over = [](const Warp& warp) { return warp.next == warp.events->size(); };
  // Lets warps [first, last) pass the wait if all of them have reached it.
  const auto pass = [&](std::vector<Warp>& place, std::size_t first, std::size_t last, Event wait) {
    for (std::size_t w = first; w < last; ++w)
      if (!has_data(place[w]) || is_over(place[w]) || (*place[w].events)[place[w].next] != wait) return false;
    for (std::size_t w = first; w < last; ++w) ++place[w].next;
    return true;
  };
  const auto pass_any = [&](std::vector<Warp>& place) {
    if (pass(place, 0, place.size(), MachineTrace::wait_for_block)) return true;
    for (std::size_t first = 0; first < place.size(); first += group)
      if (pass(place, first, std::min(place.size(), first + group), MachineTrace::wait_for_group))
        return true;
    return false;
  };
  const auto settle = [&](std::vector<Warp>& place) {
    while (!place.empty()) {
      if (std::ranges::all_of(place, [&](const Warp& warp) { return has_data(warp) && is_over(warp); }))
        take_next_block(place);
      else if (!pass_any(place))
        return;
    }
  };
  const auto send_one = [&] {
    const std::size_t warps = blocks[0].size(), seats = places.size() * warps;
    for (std::size_t i = 0; i < seats; ++i) {
      const std::size_t seat = (turn + i) % seats;
      if (places[seat / warps].empty()) continue;
      Warp& warp = places[seat / warps][seat % warps];
      if (!has_data(warp) || is_over(warp)) continue;
      const Event slots = (*warp.events)[warp.next];
      if (slots > MachineTrace::most_slots) continue;
      ++warp.next;
      pipeline_free_at = now + slots;
      warp.data_at = pipeline_free_at + u64(latency) - 1;
      last_arrival = std::max(last_arrival, warp.data_at);
      turn = seat + 1;
      return;
    }
  };
  for (auto& place : places) {
    take_next_block(place);
    settle(place);
  }
  for (;; ++now) {
    for (auto& place : places) settle(place);
    if (std::ranges::all_of(places, &std::vector<Warp>::empty)) return last_arrival;
    if (pipeline_free_at <= now) send_one();
  }
}

/// Some requests, then possibly a wait, several times; a block may be empty.
Warps random_block(Random& random, std::size_t warps, std::size_t group) {
  Warps block(warps);
  const auto add_wait = [&](std::size_t first, std::size_t count, Event wait) {
    for (std::size_t w = first; w < std::min(warps, first + count); ++w) block[w].push_back(wait);
  };
  for (u64 part = up_to(random, 4); part > 0; --part) {
    for (auto& warp : block)
      for (u64 request = up_to(random, 3); request > 0; --request)
        warp.push_back(MachineTrace::request(int(1 + up_to(random, up_to(random, 5)))));
    if (up_to(random, 2) == 0)
      add_wait(0, warps, MachineTrace::wait_for_block);
    else
      for (std::size_t first = 0; first < warps; first += group)
        if (up_to(random, 1) == 0) add_wait(first, group, MachineTrace::wait_for_group);
  }
  return block;
}

MachineTrace trace_of(const std::vector<Warps>& blocks, int warps_per_group = 1) {
  MachineTrace trace(int(blocks.at(0).size()), warps_per_group);
  for (const Warps& block : blocks) trace.add_block(block);
  return trace;
}

/// Time of blocks with given slots, on a machine of width 1, where a warp is one thread, so that any number
/// of blocks can be resident.
u64 time_of(const std::vector<Warps>& blocks, int latency, int resident_blocks, int warps_per_group = 1) {
  const MachineTrace trace = trace_of(blocks, warps_per_group);
  return MemoryMachine(MachineKind::dmm, 1, latency)
      .time(trace, u64(resident_blocks * trace.warps_per_block()));
}

/// Contiguous access of n cells by p threads in one block, with or without a wait after each round.
MachineTrace contiguous_rounds(int n, int p, int w, bool wait) {
  Warps warps(std::size_t(p / w));
  for (int first = 0; first < n; first += p) {
    for (int warp = 0; warp < p / w && first + warp * w < n; ++warp) warps[std::size_t(warp)].push_back(1);
    if (wait)
      for (auto& events : warps) events.push_back(MachineTrace::wait_for_block);
  }
  MachineTrace trace(p / w);
  trace.add_block(warps);
  return trace;
}

constexpr Event all_wait = MachineTrace::wait_for_block;
constexpr Event group_waits = MachineTrace::wait_for_group;

}  // namespace

TEST_CASE("slots of a warp access on 32 banks, computed by hand") {
  struct Row {
    const char* cells;
    std::vector<u64> of_lanes;
    int dmm, umm;
  };
  for (const auto& [cells, of_lanes, dmm, umm] : {Row{"none", {}, 0, 0},
                                                  {"one", progression(77, 0, 32), 1, 1},
                                                  {"a row", progression(64, 1, 32), 1, 1},
                                                  {"an unaligned row", progression(65, 1, 32), 1, 2},
                                                  {"a column", progression(5, 32, 32), 32, 32},
                                                  {"a padded column", progression(5, 33, 32), 1, 32},
                                                  {"16 bytes per lane", progression(0, 1, 128), 4, 4}}) {
    INFO(cells);
    CHECK(dmm_slots(of_lanes, 32) == dmm);
    CHECK(umm_slots(of_lanes, 32) == umm);
  }
}

TEST_CASE("slots match the definition: progressions") {
  for (const int width : widths)
    for (const u64 first : {0ull, 5ull, 1000003ull})
      for (u64 stride = 0; stride < 70; ++stride) {
        check_slots(progression(first, stride, 32), width);
        check_slots(progression(first + 40 * stride, 0 - stride, 33), width);  // descending
      }
  // Differences that are equal only modulo 2^64.
  check_slots({7, 7 + (1ull << 63), 7, 7 + (1ull << 63)}, 32);
  check_slots(progression(0, (1ull << 62) + 1, 9), 32);
}

TEST_CASE("slots match the definition: random cells, in any number and order") {
  Random random(1);
  for (int repeat = 0; repeat < 60; ++repeat)
    for (const int width : widths) {
      const u64 range = (u64(1) << up_to(random, 14)) + up_to(random, 100);
      std::vector<u64> cells(repeat % 10 == 0 ? up_to(random, 1500) : 1 + up_to(random, 64));
      for (u64& cell : cells) cell = (u64(1) << 40) + up_to(random, range);
      check_slots(cells, width);
      std::sort(cells.begin(), cells.end());
      check_slots(cells, width);
    }
}

TEST_CASE("the sources' worked example: p = 8, w = 4, l = 3") {
  CHECK(MemoryMachine{MachineKind::dmm, 4, 3}.time({{{0, 1, 6, 10}}, {{8, 9, 14, 15}}}) == 5);
  CHECK(MemoryMachine{MachineKind::umm, 4, 3}.time({{{0, 1, 6, 10}}, {{8, 9, 14, 15}}}) == 7);
}

TEST_CASE("hand-written accesses: no accesses take no time, and accesses without cells do not count") {
  const MemoryMachine machine(MachineKind::dmm, 4, 3);
  CHECK(machine.time({}) == 0);
  CHECK(machine.time({{}, {}}) == 0);
  CHECK(machine.time({{{}, {1}}, {{}}}) == 3);
  CHECK(machine.time({{{1}, {1}}}) == 6);  // a thread waits for its own request
}

TEST_CASE("contiguous access takes the formula's time if rounds do not overlap") {
  for (const auto& [w, l] : {std::pair{4, 1}, {4, 5}, {32, 20}, {32, 100}})
    for (const int p : {w, 2 * w, 16 * w, 64 * w})
      for (const int n : {1, w - 1, w + 1, p - 1, p, p + 1, 3 * p, 7 * p + w + 1}) {
        INFO("n " << n << ", p " << p << ", w " << w << ", l " << l);
        const MemoryMachine machine(MachineKind::umm, w, l);
        const double bound = asymptotic::contiguous_access({double(n), double(p), double(w), double(l)});
        CHECK(double(machine.time(contiguous_rounds(n, p, w, true), u64(p))) == bound);
        const bool one_after_another = n <= p || p == w || l == 1;
        const double overlapped = double(machine.time(contiguous_rounds(n, p, w, false), u64(p)));
        if (one_after_another)
          CHECK(overlapped == bound);
        else
          CHECK(overlapped < bound);
        if (n % p == 0) CHECK(overlapped == (p >= w * l ? n / w + l - 1 : n / p * l + p / w - 1));
      }
}

TEST_CASE("sums by halving take n/w + nl/p + l·log n up to a constant, and at least the lower bound") {
  for (const auto& [w, l] : {std::pair{4, 1}, {4, 7}, {32, 30}, {32, 300}})
    for (int p = w; p <= 64 * w; p *= 4)
      for (int n = p; n <= 256 * p; n *= 4) {
        Warps warps(std::size_t(p / w));
        double rounds = 0;
        for (int half = n / 2; half >= 1; half /= 2) {  // a[i] += a[i + half]: two reads and a write
          for (int access = 0; access < 3; ++access)
            for (int first = 0; first < half; first += w)
              warps[std::size_t(first / w % (p / w))].push_back(1);
          for (auto& events : warps) events.push_back(all_wait);
          rounds += 3 * asymptotic::contiguous_access({double(half), double(p), double(w), double(l)});
        }
        const asymptotic::MemoryMachineSize size{double(n), double(p), double(w), double(l)};
        const double units = time_of({warps}, l, 1);
        INFO("n " << n << ", p " << p << ", w " << w << ", l " << l);
        CHECK(units <= rounds);
        CHECK(units / asymptotic::sum(size) <= 3);
        CHECK(units >= asymptotic::sum_lower_bound(size));
      }
}

namespace {

/// Blocks with ';' between them, of warps with '|' between them, of slots and waits: b for the block, g for
/// the group. Then latency, resident blocks, warps of a group, and the time, worked by hand.
constexpr const char* times = R"(
1 1 | | 1 1 | 3                 : 4 1 1 10   # sent at 0, 1, 2, the last 3 slots; again at 5 and 6; 6 + 1 + l − 1
1 1 | 1 1 1 1                   : 1 1 1 6    # at l = 1 a warp is always ready, so no unit is lost
1 9 | 1 | 1                     : 2 1 1 13   # at 2 warp 0 has its data, but the turn is warp 2's: 9 slots from 3 on
1 b 1 | 1 1 b 1                 : 10 1 1 32  # warp 1 sends at 1 and 11 and has all at 21; both go on at 21 and 22
1 b b | b b                     : 10 1 1 10  # consecutive waits cost nothing, nor does one at the end
1 1 g | g 1 | g 1 | g           : 10 1 2 30  # warp 1 waits for warp 0's second request; the next group goes on
1 1 | | g 1                     : 10 1 2 20  # the last group is smaller: warp 2 waits for no other warp
2 | 2; 2 | 2; 2 | 2; 2 | 2      : 10 1 1 52  # 4 units each, data at 4 + l − 1 = 13
2 | 2; 2 | 2; 2 | 2; 2 | 2      : 10 2 1 30  # 0 ends at 13, 1 at 17; 2 takes the place at 13, 3 at 17
2 | 2; 2 | 2; 2 | 2; 2 | 2      : 10 4 1 25  # 16 + 9
2 | 2; 2 | 2; 2 | 2; 2 | 2      : 10 100 1 25
; ; 1 ;                         : 10 1 1 10  # blocks may be empty
)";

std::vector<std::string> split(const std::string& text, char separator) {
  std::istringstream stream(text + separator);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<Warps> blocks_of(const std::string& text) {
  std::vector<Warps> blocks;
  for (const std::string& block : split(text, ';')) {
    Warps& warps = blocks.emplace_back();
    for (const std::string& warp : split(block, '|')) {
      warps.emplace_back();
      std::istringstream words(warp);
      for (std::string word; words >> word;)
        warps.back().push_back(word == "b" ? all_wait : word == "g" ? group_waits : Event(std::stoi(word)));
    }
  }
  return blocks;
}

}  // namespace

TEST_CASE("blocks take the times that were worked by hand") {
  for (const std::string& row : split(times, '\n')) {
    if (row.find(':') == row.npos) continue;
    INFO(row);
    std::istringstream numbers(row.substr(row.find(':') + 1));
    int latency = 0, resident = 0, group = 0;
    u64 units = 0;
    numbers >> latency >> resident >> group >> units;
    CHECK(time_of(blocks_of(row.substr(0, row.find(':'))), latency, resident, group) == units);
  }
  const std::vector<Event> waits(100000, all_wait);
  CHECK(time_of({{waits, waits}}, 10, 1) == 0);
  const MemoryMachine machine(MachineKind::dmm, 8, 10);
  const std::vector<Warps> three(3, Warps{{2}, {2}});
  CHECK(machine.time(trace_of(three), 31) == 3 * 13);  // 31 threads hold one block of 16, but not two
  CHECK(machine.time(trace_of(three), 32) == 13 + 13);
  CHECK(machine.time(MachineTrace(2), 16) == 0);
}

TEST_CASE("the pipeline agrees with a simulation of every time unit") {
  Random random(2);
  for (int repeat = 0; repeat < 1500; ++repeat) {
    const std::size_t warps = 1 + up_to(random, repeat % 50 == 0 ? 150 : 6);
    const int group = int(1 + up_to(random, 3)), latency = int(1 + up_to(random, 12));
    const int resident = int(1 + up_to(random, 3));
    std::vector<Warps> blocks(1 + up_to(random, 6));
    for (Warps& block : blocks) block = random_block(random, warps, std::size_t(group));
    INFO("repeat " << repeat);
    const u64 expected = slow_time(blocks, latency, std::size_t(resident), std::size_t(group));
    REQUIRE(time_of(blocks, latency, resident, group) == expected);
  }
}

TEST_CASE("the next warp is found among very many idle ones") {
  // Four of 300000 warps have requests and are served by number. At l = 1 all slots are used, and the request
  // of 5 slots comes in the order of its warp, after the first ones of the other three.
  Warps block(300000);
  block[0] = {1, 1};
  block[63] = {1};
  block[4096] = {1};
  block[299999] = {5};
  CHECK(time_of({block}, 1, 1) == 9);
  CHECK(time_of({block}, 100, 1) == 200);  // warp 0 continues at 100, long after the others were sent
}

TEST_CASE("a trace returns what was added, and derives a kernel's groups") {
  const std::vector<Warps> blocks{{{1, 2}, {}, {3}}, {{}, {4, all_wait}, {all_wait}}};
  const MachineTrace trace = trace_of(blocks);
  REQUIRE(trace.blocks() == 2);
  for (u64 block = 0; block < 2; ++block)
    for (int warp = 0; warp < 3; ++warp) {
      const auto events = trace.events(block, warp);
      CHECK(std::vector<Event>(events.begin(), events.end()) == blocks[block][std::size_t(warp)]);
    }
  CHECK(MachineTrace::of_kernel(96, 8).warps_per_block() == 12);
  CHECK(MachineTrace::of_kernel(96, 8).warps_per_group() == 4);
  CHECK(MachineTrace::of_kernel(96, 64).warps_per_block() == 3);
  CHECK(MachineTrace::of_kernel(96, 64).warps_per_group() == 1);
}

TEST_CASE("bad arguments of the memory machines are named") {
  CHECK_THROWS_WITH(dmm_slots({}, 0), Contains("width is 0: choose at least 1"));
  CHECK_THROWS_WITH(MemoryMachine(MachineKind::umm, -4, 3), Contains("width is -4"));
  CHECK_THROWS_WITH(MemoryMachine(MachineKind::umm, 4, 0), Contains("latency is 0: choose at least 1"));
  CHECK_THROWS_WITH(MemoryMachine(MachineKind::umm, 4, 1).time(MachineTrace(2), 7),
                    Contains("7 threads") && Contains("at least 8"));
  CHECK_THROWS_WITH(MachineTrace(0), Contains("warps per block is 0"));
  CHECK_THROWS_WITH(MachineTrace(1, -1), Contains("warps per group is -1"));
  CHECK_THROWS_WITH(MachineTrace::of_kernel(32, 12), Contains("width is 12") && Contains("choose"));
  CHECK_THROWS_WITH(MachineTrace::request(0), Contains("0 slots"));
  CHECK_THROWS_WITH(MachineTrace::request(65534), Contains("65534 slots"));
  CHECK_THROWS_WITH(trace_of({{{1}}, {{1}, {1}}}), Contains("2 warps") && Contains("blocks of 1"));
  CHECK_THROWS_WITH(trace_of({{{1, 0}}}), Contains("0 slots"));
  CHECK_THROWS_WITH(time_of({{{1}, {1}}, {{all_wait}, {1}}}, 2, 1), Contains("block 1 waits forever") &&
                                                                        Contains("1 wait for the block") &&
                                                                        Contains("1 have ended"));
  CHECK_THROWS_WITH(time_of({{{group_waits}, {all_wait}}}, 2, 1, 2), Contains("1 for their group"));
}

TEST_CASE("AGPU, computed by hand") {
  // Two multiprocessors of 4 cores, 64 words each.
  Agpu machine(8, 4, 64);
  const auto block = [&](u64 other, std::vector<u64> global, std::vector<u64> shared) {
    Agpu::Block counts;
    counts.instructions += other;
    machine.access_global(counts, global);
    machine.access_shared(counts, shared);
    return counts;
  };
  const std::vector<Agpu::Block> blocks{
      block(10, {0, 1, 2, 3}, {0, 4, 8, 1}),  // 10 + 1 + 3 instructions, 1 I/O
      block(1, {0, 4, 8, 12}, {0, 1, 2, 3}),  // 1 + 1 + 1, 4
      block(5, {3, 4}, {7, 7, 7, 7}),         // 5 + 1 + 1, 2
  };
  machine.launch(blocks, 16);
  CHECK(machine.costs().time == 14 + 7);  // blocks 0 and 2 on one multiprocessor
  CHECK(machine.costs().io == 1 + 4 + 2);
  CHECK(machine.costs().shared_words == 16);
  CHECK(machine.costs().multiplicity == 4.0);

  // The next launch waits for the busiest multiprocessor of the last one; nothing overlaps.
  machine.launch(std::vector<Agpu::Block>{block(0, {}, {}), block(30, {}, {0, 4})}, 8);
  CHECK(machine.costs().time == 21 + 32);
  CHECK(machine.costs().io == 7);
  CHECK(machine.costs().shared_words == 16);
  machine.launch({}, 0);
  CHECK(machine.costs().time == 53);

  machine.use_global(100);
  machine.use_global(70);
  CHECK(machine.costs().global_words == 100);
}

TEST_CASE("AGPU: no multiplicity without shared memory, and bad arguments are named") {
  Agpu machine(32, 32, 1024);
  machine.launch(std::vector<Agpu::Block>(3, Agpu::Block{7, 1}), 0);
  CHECK(machine.costs().time == 21);
  CHECK_FALSE(machine.costs().multiplicity.has_value());
  CHECK_THROWS_WITH(machine.launch({}, 1025), Contains("1025 shared words") && Contains("1024"));
  CHECK_THROWS_WITH(Agpu(100, 32, 1024), Contains("100 cores") && Contains("multiple of its width, 32"));
  CHECK_THROWS_WITH(Agpu(0, 32, 1024), Contains("0 cores"));
  CHECK_THROWS_WITH(Agpu(32, 0, 1024), Contains("width is 0"));
  CHECK_THROWS_WITH(Agpu(32, 32, 0), Contains("0 words of shared memory"));
}
