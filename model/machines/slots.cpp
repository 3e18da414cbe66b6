// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/machines/memory_machines.h>

#include "check_at_least_1.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace fathom {
namespace {

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

}  // namespace fathom
