// SPDX-License-Identifier: Apache-2.0
// Global memory that a launch has touched: its footprint, a block's share of the L1, sectors written in
// parts.
#include <fathom/device/counting/warp_counter.h>
#include <fathom/device/executor.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace fathom::counting {

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

}  // namespace fathom::counting
