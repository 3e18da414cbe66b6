// SPDX-License-Identifier: Apache-2.0
#include <fathom/counting/sizes.h>
#include <fathom/model/work.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {
namespace {

using Use = SizeToCount::Use;

/// The most elements that the launches of a size handle together: counting it then takes about a second.
constexpr double most_elements = 1 << 20;
/// So many elements that a last block which is not full does not matter.
constexpr double huge = 0x1p34;

/// Elements that all launches of the plan handle together, if a block handles `tile`.
double elements_handled(const Plan& plan, double n, double tile) {
  double elements = 0;
  for (const Launch& launch : plan) elements += launch.repeats * std::min(n, double(launch.blocks) * tile);
  return elements;
}

/// The largest `member` of the launches: 0 if none states it.
double largest(const Plan& plan, double Launch::*member) {
  double most = 0;
  for (const Launch& launch : plan) most = std::max(most, launch.*member);
  return most;
}

/// The tile of the first launch with a block per tile, so that its blocks are full, unless a later one has
/// much smaller ones. Absent without such a launch.
std::optional<double> tile_of(const Plan& plan) {
  std::optional<double> first, smallest;
  for (const Launch& launch : plan) {
    if (launch.grid != Grid::tiles) continue;
    if (!first) first = launch.tile;
    smallest = std::min(launch.tile, smallest.value_or(launch.tile));
  }
  return first && *first < 1.5 * *smallest ? first : smallest;
}

/// True if blocks of a launch on all elements, but not one per tile, have more elements at n than at the n of
/// the check.
bool fills_more(const PlanAt& plan, double n, double of_check) {
  const Plan less = plan(of_check, 1), all = plan(n, 1);
  const std::vector<WorkSize> some = work_sizes(of_check, less), full = work_sizes(n, all);
  for (std::size_t i = 0; i < std::min(less.size(), all.size()); ++i) {
    const Launch& launch = all[i];
    const bool on_few = launch.grid == Grid::fixed && launch.elements > 0 && launch.elements < n;
    if (launch.grid != Grid::tiles && !on_few && some[i].elements < 0.9 * full[i].elements) return true;
  }
  return false;
}

/// True if a block per tile has fewer elements on more multiprocessors.
bool has_smaller_tiles_on_more(const PlanAt& plan, double n) {
  const Plan on_one = plan(n, 1), on_many = plan(n, 128);
  for (std::size_t i = 0; i < std::min(on_one.size(), on_many.size()); ++i)
    if (on_one[i].grid == Grid::tiles && on_many[i].tile < on_one[i].tile) return true;
  return false;
}

/// Launches whose elements are cut into parts are counted on more multiprocessors, too: each block has fewer
/// parts there, on 128 as few as on a GPU. Parts so small share sectors with the next ones. Likewise launches
/// with smaller tiles there.
void add_multiprocessors(const PlanAt& plan, double n, std::vector<SizeToCount>& sizes) {
  if (largest(plan(n, 1), &Launch::parts) <= 0 && !has_smaller_tiles_on_more(plan, n)) return;
  for (const int multiprocessors : {8, 128}) sizes.push_back({n, multiprocessors, Use::fit});
}

/// The sizes for a plan with one block per tile of `tile` elements: a number of tiles that fills warps which
/// have a thread for each tile.
std::vector<SizeToCount> sizes_by_tile(const PlanAt& plan, double tile) {
  double tiles = 32;
  constexpr double most_tiles = 256;
  // Rows of a table with a number for each tile should not share a line: small tiles are cheap to count.
  constexpr double least_elements = most_elements / 8;
  while (tiles < most_tiles &&
         (tiles * tile < least_elements ||
          elements_handled(plan(2 * tiles * tile, 1), 2 * tiles * tile, tile) <= most_elements))
    tiles *= 2;
  const double n = tiles * tile;
  std::vector<SizeToCount> sizes;
  // With 32 tiles, merges of many runs at a time have a pass of fewer runs, which is rare with more tiles;
  // with fewer than 32 they have a single pass.
  constexpr double few_tiles = 32;
  for (const double part : {0.25, 0.5, 1.0})
    if (part * tiles != few_tiles || tiles < 4 * few_tiles) sizes.push_back({part * n, 1, Use::fit});
  sizes.push_back({0.75 * n, 1, Use::check});
  // Two fillings at least of blocks that are not always equally full: those of powers of two may be the same.
  if (fills_more(plan, n, 0.75 * n)) sizes.push_back({0.625 * n, 1, Use::fit});
  add_multiprocessors(plan, n, sizes);
  return sizes;
}

/// Numbers of tiles per block, as multiples of a full grid: two groups of consecutive ones. What an unrolled
/// loop leaves over repeats with the number of tiles; each group has every remainder, as large n have, and
/// the distance between them determines the work of a tile.
struct Rounds {
  int length;
  int first, second;  ///< where the groups begin
  int sum() const { return length * (first + second + length - 1); }
  int check() const { return second + second / 2 + 1; }
};
constexpr std::array rounds_by_cost{Rounds{16, 16, 64}, Rounds{8, 8, 32}, Rounds{4, 4, 12}, Rounds{2, 2, 6}};

/// The sizes for a plan whose number of blocks depends on the device, or is always the same.
std::vector<SizeToCount> sizes_of_fixed_grid(const PlanAt& plan) {
  const auto full_grid_on = [&](int multiprocessors) {
    double blocks = 1;
    for (const Launch& launch : plan(huge, multiprocessors))
      if (launch.grid == Grid::resident) blocks = std::max(blocks, double(launch.blocks));
    return blocks;
  };
  const Plan large = plan(huge, 1);
  double tile = 8.0 * large[0].shape.threads;
  if (const auto first = std::ranges::find(large, Grid::resident, &Launch::grid); first != large.end())
    tile = first->tile;
  // So many blocks that what only the first or the last one does is a small part of the mean.
  constexpr double least_blocks = 16;
  const double on_one = full_grid_on(1);
  const int few = on_one > 1 ? int(std::ceil(least_blocks / on_one)) : 1;
  const double full_grid = full_grid_on(few) * tile;

  const auto cheap = [&](const Rounds& rounds) { return rounds.sum() * full_grid <= 2 * most_elements; };
  const auto found = std::ranges::find_if(rounds_by_cost, cheap);
  const Rounds rounds = found == rounds_by_cost.end() ? rounds_by_cost.back() : *found;
  std::vector<SizeToCount> sizes;
  for (const int first : {rounds.first, rounds.second})
    for (int i = first; i < first + rounds.length; ++i) sizes.push_back({i * full_grid, few, Use::fit});
  sizes.push_back({rounds.check() * full_grid, few, Use::check});
  if (plan(2 * full_grid, few).size() > 1)
    for (const double share : {0.25, 0.5, 1.0}) {
      const int many = int(std::min(64.0, most_elements / (on_one * tile)) * share);
      if (many > few) sizes.push_back({many * on_one * tile, many, Use::fit_later_launches});
    }
  return sizes;
}

std::vector<SizeToCount> usual_sizes(const PlanAt& plan) {
  const Plan large = plan(huge, 1);
  // One level, not full and full: it divides its elements as the levels of large n do.
  if (const double level = largest(large, &Launch::level); level > 0) {
    std::vector<SizeToCount> sizes{{0.125 * level, 1, Use::fit},
                                   {0.75 * level, 1, Use::fit},
                                   {level, 1, Use::fit},
                                   {0.875 * level, 1, Use::check}};
    add_multiprocessors(plan, level, sizes);
    return sizes;
  }
  if (const auto tile = tile_of(large)) return sizes_by_tile(plan, *tile);
  return sizes_of_fixed_grid(plan);
}

}  // namespace

std::vector<SizeToCount> sizes_to_count(const PlanAt& plan) {
  std::vector<SizeToCount> sizes;
  if (const double few = largest(plan(1, 1), &Launch::largest_n); few > 0)
    sizes = {
        {0.25 * few, 1, Use::fit}, {0.5 * few, 1, Use::fit}, {few, 1, Use::fit}, {0.75 * few, 1, Use::check}};
  for (const SizeToCount& size : usual_sizes(plan)) sizes.push_back(size);
  return sizes;
}

std::optional<double> elements_when_full(const PlanAt& plan, std::string_view kernel) {
  const Plan some = plan(huge, 1), more = plan(2 * huge, 1);
  const auto found = std::ranges::find(some, kernel, &Launch::name),
             again = std::ranges::find(more, kernel, &Launch::name);
  if (found == some.end() || found->grid != Grid::tiles || again->blocks <= found->blocks ||
      has_smaller_tiles_on_more(plan, most_elements))
    return std::nullopt;
  const auto elements = [&](double n, const Plan& of, auto launch) {
    return work_sizes(n, of)[std::size_t(launch - of.begin())].elements;
  };
  const double full = elements(huge, some, found);
  // Buckets are filled otherwise by every n.
  if (std::abs(elements(2 * huge, more, again) - full) >= 0.01 * full) return std::nullopt;
  return full;
}

}  // namespace fathom
