#include <fathom/device/counting/warp_counter.h>

#include <fathom/device/executor.h>
#include <fathom/model/machines/memory_machines.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace fathom::counting {

// ---- footprint ----

std::size_t Footprint::allocation_of(std::uint64_t address) {
  const auto holds = [&](const Allocation& allocation) {
    return address >= allocation.begin && address - allocation.begin < allocation.bytes;
  };
  if (last_ < allocations_->size() && holds((*allocations_)[last_])) return last_;
  const auto after = std::upper_bound(allocations_->begin(), allocations_->end(), address,
                                      [](std::uint64_t a, const Allocation& b) { return a < b.begin; });
  if (after == allocations_->begin() || !holds(*(after - 1)))
    throw KernelFailure("a span over memory that was not allocated on this device");
  return last_ = std::size_t(after - allocations_->begin()) - 1;
}

void Footprint::touch(std::uint64_t address, std::size_t bytes) {
  const std::size_t index = allocation_of(address);
  const Allocation& allocation = (*allocations_)[index];
  touched_.resize(allocations_->size());
  auto& bits = touched_[index];
  if (bits.empty()) bits.resize(allocation.bytes / 4 / 64 + 1);
  const std::uint64_t first = (address - allocation.begin) / 4;
  const std::uint64_t last = (address - allocation.begin + bytes - 1) / 4;
  for (std::uint64_t word = first; word <= last; ++word) bits[word / 64] |= std::uint64_t(1) << word % 64;
}

void Footprint::merge(const Footprint& other) {
  touched_.resize(allocations_->size());
  for (std::size_t i = 0; i < other.touched_.size(); ++i) {
    if (touched_[i].empty())
      touched_[i] = other.touched_[i];
    else
      for (std::size_t j = 0; j < other.touched_[i].size(); ++j) touched_[i][j] |= other.touched_[i][j];
  }
}

u64 Footprint::bytes() const {
  u64 words = 0;
  for (const auto& bits : touched_)
    for (const std::uint64_t piece : bits) words += u64(std::popcount(piece));
  return 4 * words;
}

u64 Footprint::bytes_with(const Footprint& other) const {
  Footprint both = *this;
  both.merge(other);
  return both.bytes();
}

u64 TouchedBefore::fresh_bytes(const Footprint& footprint) const {
  u64 words = 0;
  footprint.for_each_allocation([&](std::uint64_t begin, const std::vector<std::uint64_t>& bits) {
    const auto before = touched_.find(begin);
    for (std::size_t i = 0; i < bits.size(); ++i)
      words += u64(std::popcount(before == touched_.end() ? bits[i] : bits[i] & ~before->second[i]));
  });
  return 4 * words;
}

void TouchedBefore::add(const Footprint& footprint) {
  footprint.for_each_allocation([&](std::uint64_t begin, const std::vector<std::uint64_t>& bits) {
    auto& touched = touched_[begin];
    touched.resize(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) touched[i] |= bits[i];
  });
}

// ---- L1 ----

bool L1Share::load(u64 sector) {
  const auto [place, is_new] = loaded_.try_emplace(sector, loads_);
  if (!is_new && loads_ - place->second <= sectors_) return true;
  place->second = loads_++;
  return false;
}

// ---- sectors in parts ----

bool SectorsInParts::write(u64 sector, u32 bytes, u64 barriers) {
  constexpr u32 whole = ~u32(0);
  if (bytes == whole) return false;
  const auto [place, is_new] = parts_.try_emplace(sector);
  Part& part = place->second;
  const bool resumed = !is_new && part.barriers < barriers && (bytes & ~part.bytes) != 0;
  part = {part.bytes | bytes, barriers};
  if (part.bytes == whole) parts_.erase(place);
  return resumed;
}

// ---- one warp access ----

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

void WarpCounter::count(const WarpAccess& access) {
  SiteCounter& site = counter_of(access.site);
  if (std::exchange(site.last_block, block_) != block_) site.warps_of_block = 0;
  if ((site.warps_of_block & warp_) == 0) ++site.warps;
  site.warps_of_block |= warp_;
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
  warp_ = u32(1) << warp;
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

void WarpCounter::merge(const WarpCounter& other) {
  read_.merge(other.read_);
  written_.merge(other.written_);
  for (const SiteCounter& theirs : other.sites_) {
    SiteCounter& ours = counter_of(theirs.site);
    ours.global += theirs.global;
    ours.shared += theirs.shared;
    ours.warps += theirs.warps;
    ours.visits += theirs.visits;
  }
  for (const InstructionCounter& theirs : other.instruction_sites_) {
    InstructionCounter& ours = counter_of(theirs.instruction, theirs.where);
    ours.executions += theirs.executions;
    ours.words += theirs.words;
  }
  for (std::size_t i = 0; i < instructions_.size(); ++i) instructions_[i] += other.instructions_[i];
  exchanged_words_ += other.exchanged_words_;
}

namespace {

/// "void fathom::MergeTiles<T>::read_lists(…) const [with …]" → "read_lists"; "operator()" for the body of a
/// kernel, and the enclosing function for a lambda.
std::string bare_name(std::string_view signature) {
  int depth = 0;  // of template arguments
  std::size_t start = 0;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth > 0) continue;
    if (c == ' ' || c == ':' || c == '*' || c == '&') start = i + 1;
    if (c != '(') continue;
    const std::string_view name = signature.substr(start, i - start);
    return name == "operator" ? "operator()" : std::string(name.substr(0, name.find('<')));
  }
  return std::string(signature);
}

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

MemoryOperation operation_of(Access access) {
  switch (access) {
    case Access::global_load:
    case Access::shared_load:
      return MemoryOperation::load;
    case Access::global_store:
    case Access::shared_store:
      return MemoryOperation::store;
    case Access::global_atomic:
    case Access::shared_atomic:
      return MemoryOperation::atomic;
  }
  return MemoryOperation::load;
}

AccessSite described(const SiteCounter& counter) {
  const Where where = counter.site.where();
  return {.function = bare_name(where.function_name()),
          .file = file_name(where.file_name()),
          .path = where.file_name(),
          .line = where.line(),
          .column = where.column(),
          .operation = operation_of(counter.site.access()),
          .warps = counter.warps,
          .visits = counter.visits,
          .global = counter.global,
          .shared = counter.shared};
}

InstructionSite described(const InstructionCounter& counter) {
  return {.function = bare_name(counter.where.function_name()),
          .file = file_name(counter.where.file_name()),
          .path = counter.where.file_name(),
          .line = counter.where.line(),
          .column = counter.where.column(),
          .instruction = counter.instruction,
          .executions = counter.executions,
          .words = counter.words};
}

// A place may have several counters: one for each type that its function is instantiated for.

void add_access(const AccessSite& site, std::vector<AccessSite>& sites) {
  const auto known = std::find_if(sites.begin(), sites.end(), [&](const AccessSite& other) {
    return site.line == other.line && site.column == other.column && site.operation == other.operation &&
           site.file == other.file && (site.global.accesses > 0) == (other.global.accesses > 0);
  });
  if (known == sites.end()) {
    sites.push_back(site);
    return;
  }
  known->global += site.global;
  known->shared += site.shared;
  known->warps += site.warps;
  known->visits += site.visits;
}

void add_instruction(const InstructionSite& site, std::vector<InstructionSite>& sites) {
  const auto known = std::find_if(sites.begin(), sites.end(), [&](const InstructionSite& other) {
    return site.line == other.line && site.column == other.column && site.instruction == other.instruction &&
           site.file == other.file;
  });
  if (known == sites.end()) {
    sites.push_back(site);
    return;
  }
  known->executions += site.executions;
  known->words += site.words;
}

}  // namespace

void WarpCounter::add_to(KernelCounts& kernel) const {
  for (const SiteCounter& counter : sites_) add_access(described(counter), kernel.sites);
  for (const InstructionCounter& counter : instruction_sites_)
    add_instruction(described(counter), kernel.instruction_sites);
  std::sort(kernel.sites.begin(), kernel.sites.end(), [](const AccessSite& a, const AccessSite& b) {
    return std::tie(a.file, a.line, a.column, a.operation) < std::tie(b.file, b.line, b.column, b.operation);
  });
  std::sort(kernel.instruction_sites.begin(), kernel.instruction_sites.end(),
            [](const InstructionSite& a, const InstructionSite& b) {
              return std::tie(a.file, a.line, a.column, a.instruction) <
                     std::tie(b.file, b.line, b.column, b.instruction);
            });
  for (std::size_t i = 0; i < instructions_.size(); ++i) kernel.instructions[i] += instructions_[i];
  kernel.exchanged_words += exchanged_words_;
  kernel.footprint_bytes += read_.bytes_with(written_);
  kernel.read_bytes += read_.bytes();
  kernel.written_bytes += written_.bytes();
}

}  // namespace fathom::counting
