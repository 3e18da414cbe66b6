// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/counting/warp_counter.h>

#include <fathom/device/executor.h>
#include <fathom/model/machines/memory_machines.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace fathom::counting {

namespace {

/// The largest number of lanes that access one bank, including those that access the same word: the
/// serialisation of atomics.
u64 most_in_one_bank(std::span<const u64> cells, int words_of_lane) {
  std::array<u64, warp_width> in_bank{};
  for (std::size_t i = 0; i < cells.size(); i += std::size_t(words_of_lane)) ++in_bank[cells[i] % warp_width];
  return *std::max_element(in_bank.begin(), in_bank.end());
}

/// Passes through the banks, for naturally aligned elements. A pass serves at most 128 bytes: 32 lanes with
/// up to one word each, 16 with two, 8 with four. The hardware splits an element of any other size into
/// several accesses. Elements narrower than a word share the word's bank and its pass.
void count_shared(const WarpAccess& access, SharedAccesses& counts) {
  const std::size_t words = std::max<std::size_t>(1, access.site.bytes() / 4);
  const std::size_t words_at_once = std::min<std::size_t>(words & -words, 4);
  const int lanes_at_once = warp_width / int(words_at_once);
  const bool atomic = access.site.access() == Access::shared_atomic;
  counts.accesses += words / words_at_once;
  counts.words += words * std::size_t(access.active);
  counts.warp_words += words * warp_width;

  std::array<u64, warp_width> cells;
  for (std::size_t part = 0; part < words; part += words_at_once) {
    for (int i = 0; i < access.active;) {
      const int group = access.lane[std::size_t(i)] / lanes_at_once;
      std::size_t count = 0;
      for (; i < access.active && access.lane[std::size_t(i)] / lanes_at_once == group; ++i)
        for (std::size_t word = 0; word < words_at_once; ++word)
          cells[count++] = access.address[std::size_t(i)] / 4 + part + word;
      const std::span<const u64> touched(cells.data(), count);
      counts.wavefronts +=
          atomic ? most_in_one_bank(touched, int(words_at_once)) : u64(dmm_slots(touched, warp_width));
      counts.least_wavefronts += 1;
    }
  }
}

}  // namespace

void WarpCounter::count_global(const WarpAccess& access, GlobalAccesses& counts) {
  const std::size_t bytes = access.site.bytes();
  std::array<std::uint64_t, warp_width> address = access.address;
  const auto end = address.begin() + access.active;
  if (!std::is_sorted(address.begin(), end)) std::sort(address.begin(), end);

  // As the hardware has it, see count_shared(): an element of 12 bytes is three accesses to words.
  const std::size_t bytes_at_once = std::min<std::size_t>(bytes & -bytes, 16);
  counts.accesses += bytes / bytes_at_once;
  const std::size_t words = std::max<std::size_t>(1, bytes / 4);
  counts.words += words * std::size_t(access.active);
  counts.warp_words += words * warp_width;
  const Access kind = access.site.access();
  for (std::size_t part = 0; part < bytes; part += bytes_at_once) {
    std::uint64_t next_line = 0, next_sector = 0, next_byte = 0;  // the first not touched by an earlier lane
    std::uint64_t next_l2_line = 0;
    for (auto it = address.begin(); it != end; ++it) {
      const std::uint64_t begin = *it + part, last = begin + bytes_at_once - 1;
      const std::uint64_t first_sector = std::max(begin / sector_bytes, next_sector);
      next_sector = last / sector_bytes + 1;
      if (next_sector > first_sector) counts.sectors += next_sector - first_sector;
      for (std::uint64_t sector = first_sector; sector < next_sector; ++sector) {
        if (kind == Access::global_load && l1_.load(sector)) continue;
        ++counts.l2_sectors;
        const std::uint64_t line = sector * sector_bytes / line_bytes;
        if (line >= next_l2_line) ++counts.l2_lines;
        next_l2_line = line + 1;
      }
      const std::uint64_t first_line = std::max(begin / line_bytes, next_line);
      next_line = last / line_bytes + 1;
      if (next_line > first_line) counts.lines += next_line - first_line;
      const std::uint64_t first_byte = std::max(begin, next_byte);
      next_byte = last + 1;
      if (next_byte > first_byte) counts.useful_bytes += next_byte - first_byte;
    }
  }
  for (auto it = address.begin(); it != end; ++it) {
    if (kind != Access::global_store) read_.touch(*it, bytes);
    if (kind != Access::global_load) written_.touch(*it, bytes);
  }
  if (kind == Access::global_store) count_resumed({address.begin(), end}, bytes, counts);
}

/// The addresses ascend.
void WarpCounter::count_resumed(std::span<const std::uint64_t> addresses, std::size_t bytes,
                                GlobalAccesses& counts) {
  u64 sector = 0;
  u32 written = 0;
  const auto finish = [&] {
    if (written != 0 && in_parts_.write(sector, written, barriers_)) ++counts.resumed_sectors;
  };
  for (const std::uint64_t begin : addresses)
    for (std::uint64_t at = begin; at < begin + bytes;) {
      const std::uint64_t in_sector = at % sector_bytes;
      const std::uint64_t count = std::min(begin + bytes - at, sector_bytes - in_sector);
      if (at / sector_bytes != sector) {
        finish();
        sector = at / sector_bytes;
        written = 0;
      }
      written |= u32((std::uint64_t(1) << count) - 1) << in_sector;
      at += count;
    }
  finish();
}

void add_up(const std::vector<u64>& more, std::vector<u64>& sum) {
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

void SiteCounter::count_words(int warp, std::size_t words) {
  u32& known = words_of_warp[std::size_t(warp)];
  if (known == 0) ++warps;
  for (std::size_t i = known; i < std::min(known + words, most_words_of_warp); ++i) {
    if (i == warps_beyond.size()) warps_beyond.push_back(0);
    ++warps_beyond[i];
  }
  known = u32(std::min(known + words, most_words_of_warp));
}

void WarpCounter::count(const WarpAccess& access) {
  SiteCounter& site = counter_of(access.site);
  if (std::exchange(site.last_block, block_) != block_) site.words_of_warp.fill(0);
  site.count_words(warp_, std::max<std::size_t>(1, access.site.bytes() / 4));
  if (std::exchange(site.last_visit, visit_) != visit_) ++site.visits;
  if (access.is_global())
    count_global(access, site.global);
  else
    count_shared(access, site.shared);
}

// ---- warps ----

u64 WarpCounter::converge(std::span<ThreadLog> lanes, u64 block, int warp, const See& see) {
  if (std::exchange(block_, block) != block) {
    l1_.clear();
    in_parts_.clear();
  }
  warp_ = warp;
  ++visit_;
  count_diverged(lanes, count_in_step(lanes, see), see);
  u64 compares = 0, exchanges = 0, exchanged_words = 0;
  for (ThreadLog& lane : lanes) {
    compares = std::max(compares, lane.compares);
    exchanges = std::max(exchanges, lane.exchanges);
    exchanged_words = std::max(exchanged_words, lane.exchanged_words);
    lane.clear();
  }
  instructions_[std::size_t(Instruction::compare)] += compares;
  instructions_[std::size_t(Instruction::compare_exchange)] += exchanges;
  exchanged_words_ += exchanged_words;
  return compares + exchanges;
}

/// Handles accesses as long as the k-th accesses of all lanes have the same location, the usual case. Returns
/// how many.
std::size_t WarpCounter::count_in_step(std::span<ThreadLog> lanes, const See& see) {
  for (std::size_t k = 0;; ++k) {
    const ThreadAccess* first = nullptr;
    for (const ThreadLog& lane : lanes) {
      if (k >= lane.accesses.size()) continue;
      if (!first)
        first = &lane.accesses[k];
      else if (!first->same_site(lane.accesses[k]))
        return k;
    }
    if (!first) return k;
    WarpAccess access{.site = *first};
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      if (k < lanes[lane].accesses.size()) access.add(int(lane), lanes[lane].accesses[k].address());
    count(access);
    see(access);
  }
}

void WarpCounter::count_diverged(std::span<ThreadLog> lanes, std::size_t from, const See& see) {
  struct Place {
    ThreadAccess site;
    std::vector<std::size_t> accesses;  ///< the k-th is diverged_[accesses[k]]
    std::size_t done = 0;               ///< by the current lane
  };
  std::vector<Place> places;
  diverged_.clear();
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    for (Place& place : places) place.done = 0;
    for (std::size_t k = from; k < lanes[lane].accesses.size(); ++k) {
      const ThreadAccess& access = lanes[lane].accesses[k];
      auto place = std::find_if(places.begin(), places.end(),
                                [&](const Place& known) { return known.site.same_site(access); });
      if (place == places.end()) place = places.insert(places.end(), {access, {}});
      if (place->done == place->accesses.size()) {
        place->accesses.push_back(diverged_.size());
        diverged_.push_back({.site = access});
      }
      diverged_[place->accesses[place->done++]].add(int(lane), access.address());
    }
  }
  for (const WarpAccess& access : diverged_) {
    count(access);
    see(access);
  }
}

SiteCounter& WarpCounter::counter_of(const ThreadAccess& site) {
  if (2 * sites_.size() >= site_table_.size()) {
    site_table_.assign(std::max<std::size_t>(64, 4 * sites_.size()), 0);
    std::vector<SiteCounter> known;
    known.swap(sites_);
    for (const SiteCounter& counter : known) counter_of(counter.site) = counter;
  }
  const std::size_t mask = site_table_.size() - 1;
  const Where where = site.where();
  std::size_t at = (where.line() * 97 + where.column()) * 7 + std::size_t(site.access());
  for (;; ++at) {
    std::uint32_t& entry = site_table_[at & mask];
    if (entry == 0) {
      sites_.push_back({.site = site});
      entry = std::uint32_t(sites_.size());
    }
    if (sites_[entry - 1].site.same_site(site)) return sites_[entry - 1];
  }
}

// A kernel has few such places, and a warp visits them rarely compared with its accesses.
InstructionCounter& WarpCounter::counter_of(Instruction instruction, Where where) {
  const auto known =
      std::find_if(instruction_sites_.begin(), instruction_sites_.end(), [&](const auto& site) {
        return site.instruction == instruction && std::memcmp(&site.where, &where, sizeof where) == 0;
      });
  return known != instruction_sites_.end()
             ? *known
             : instruction_sites_.emplace_back(InstructionCounter{instruction, where});
}

void WarpCounter::count(Instruction instruction, Where where, std::size_t bytes) {
  ++instructions_[std::size_t(instruction)];
  InstructionCounter& site = counter_of(instruction, where);
  ++site.executions;
  site.words += (bytes + 3) / 4;
}

// ---- results ----

u64 WarpCounter::steps() const {
  u64 sum = 0;
  for (const SiteCounter& site : sites_) sum += site.global.accesses + site.shared.accesses;
  for (const u64 executions : instructions_) sum += executions;
  return sum;
}

void WarpCounter::end_block() {
  const u64 now = steps();
  most_steps_ = std::max(most_steps_, now - steps_before_);
  steps_before_ = now;
}

void WarpCounter::merge(const WarpCounter& other) {
  most_steps_ = std::max(most_steps_, other.most_steps_);
  read_.merge(other.read_);
  written_.merge(other.written_);
  for (const SiteCounter& theirs : other.sites_) {
    SiteCounter& ours = counter_of(theirs.site);
    ours.global += theirs.global;
    ours.shared += theirs.shared;
    ours.warps += theirs.warps;
    ours.visits += theirs.visits;
    add_up(theirs.warps_beyond, ours.warps_beyond);
  }
  for (const InstructionCounter& theirs : other.instruction_sites_) {
    InstructionCounter& ours = counter_of(theirs.instruction, theirs.where);
    ours.executions += theirs.executions;
    ours.words += theirs.words;
  }
  for (std::size_t i = 0; i < instructions_.size(); ++i) instructions_[i] += other.instructions_[i];
  exchanged_words_ += other.exchanged_words_;
}

}  // namespace fathom::counting
