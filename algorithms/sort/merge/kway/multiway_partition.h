// Before a pass that merges K runs at a time: where each tile of its output begins in the runs.
#pragma once

#include <fathom/device/contract/contract.h>

namespace fathom {

/// K neighbouring sorted runs that a pass merges into one; at the end of the data, later runs may be shorter
/// or empty.
struct RunGroup {
  Index first, run, end;  ///< of the group; `run` is the length of each run but the last

  FATHOM_DEVICE
  Index begin_of(int list) const { return min(first + list * run, end); }
  FATHOM_DEVICE
  Index count_of(int list) const { return min(first + (list + 1) * run, end) - begin_of(list); }
};

/// A tile of the output of a pass: elements [begin, begin + count) of what its group of runs is merged into.
/// Tiles do not cross groups, whose last tiles may therefore be shorter.
struct GroupTile {
  RunGroup group;
  Index begin;
  int count;  ///< ≤ 0 for tiles beyond the data
  bool last;  ///< of its group

  FATHOM_DEVICE
  static GroupTile number(Index tile, Index n, Index run, int ways, int tile_size) {
    const Index tiles_of_group = ceil_div(run * ways, tile_size);
    const Index first = tile / tiles_of_group * run * ways;
    const RunGroup group{first, run, max(first, min(first + run * ways, n))};
    const Index begin = tile % tiles_of_group * tile_size, left = group.end - first - begin;
    return {group, begin, int(min<Index>(left, tile_size)), left <= tile_size};
  }
};

/// Tiles of a pass, with those of incomplete groups.
inline Index tiles_of_pass(Index n, Index run, int ways, int tile_size) {
  const Index group = run * ways;
  return n / group * ceil_div(group, tile_size) + ceil_div(n % group, tile_size);
}

/// splits[K·i + k] = how many elements of run k of its group come before tile i of the output; equal elements
/// come from the earlier run first. K neighbouring lanes per tile, one per run.
///
/// Selects among samples of every run, at first of every s-th element, and halves s until it is 1. After each
/// halving, a split is off by at most s in each run, and samples are exchanged one by one until no selected
/// one is larger than one that is not (as in Varman and others, 1991).
template <class Key, class LessThan, class Ways = Number>
struct MultiwayPartition {
  static constexpr const char* header = "fathom/algorithms/sort/merge/kway/multiway_partition.h";

  Span<const Key> input;
  Span<Index> splits;
  Index n;
  Index run;
  int tile_size;
  Ways ways;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index number = (block.index() * block.threads() + block.thread()) / ways;
    const int k = block.lane() % ways;
    const GroupTile tile = GroupTile::number(number, n, run, ways, tile_size);
    Selection own{tile.group.begin_of(k), tile.count > 0 ? tile.group.count_of(k) : 0};
    for (int level = levels(); level >= 0; --level) refine(block, level, tile.begin, k, own);
    if (tile.count > 0) splits.store(number * ways + k, own.selected);
  }

 private:
  /// The elements selected of a run, and the samples on both sides of the split. The second ones are loaded
  /// before they are needed, since the loads would otherwise wait for each other.
  struct Selection {
    Index begin, count;  ///< of the run
    Index selected = 0;
    Key last{}, next{};  ///< the last sample selected, and the first one not selected
    Key before_last{}, after_next{};

    FATHOM_DEVICE
    bool has(Index position) const { return position >= 0 && position < count; }
  };

  /// ⌊log₂ run⌋
  FATHOM_DEVICE
  int levels() const {
    int level = 0;
    while (run >> (level + 1) > 0) ++level;
    return level;
  }

  FATHOM_DEVICE
  void load(const Selection& run, Index position, Key& key) const {
    if (run.has(position)) key = input.load(run.begin + position);
  }

  /// Makes the selections of a group the split of every 2^level-th element, of which rank/2^level come before
  /// it, from that of every second of them.
  template <class Block>
  FATHOM_DEVICE
  void refine(Block& block, int level, Index rank, int k, Selection& own) const {
    const Index step = Index(1) << level;
    load(own, own.selected - 1 - step, own.before_last);
    load(own, own.selected - 1 + step, own.next);
    load(own, own.selected - 1 + 2 * step, own.after_next);
    const Index available = sum_of_group(block, own.count >> level);
    // At most K: one more than twice as many as of the coarser samples, and what ended between those.
    int missing = int(min(rank >> level, available) - sum_of_group(block, own.selected >> level));
    while (exchange(block, step, k, missing, own)) {
    }
  }

  /// Selects the first `missing` samples of those next to the splits, or all, and exchanges further ones with
  /// the last selected: the least of them with the greatest, and so on, while they are out of order. No run
  /// selects or gives back more than one. Whether anything changed, in any group of the warp.
  template <class Block>
  FATHOM_DEVICE
  bool exchange(Block& block, Index step, int k, int& missing, Selection& own) const {
    const bool has_next = own.has(own.selected - 1 + step), has_last = own.selected > 0;
    const u32 with_next = block.ballot(has_next), with_last = block.ballot(has_last);
    // Of other runs, those before or after the own ones. The first two are the ranks of the own samples.
    int next_before_next = 0, last_after_last = 0, last_after_next = 0, next_before_last = 0;
    int candidates = has_next ? 1 : 0;
    FATHOM_UNROLL
    for (int distance = 1; distance < ways; ++distance) {
      const Key next = block.shuffle_xor(own.next, distance), last = block.shuffle_xor(own.last, distance);
      const int run = k ^ distance, lane = block.lane() ^ distance;
      if (with_next >> lane & 1) {
        ++candidates;
        next_before_next += precedes(next, run, own.next, k);
        next_before_last += precedes(next, run, own.last, k);
      }
      if (with_last >> lane & 1) {
        last_after_last += precedes(own.last, k, last, run);
        last_after_next += precedes(own.next, k, last, run);
      }
    }
    const bool select =
        has_next && (next_before_next < missing || last_after_next > next_before_next - missing);
    const bool unselect = has_last && next_before_last > last_after_last + missing;
    missing -= min(missing, candidates);
    if (select) select_next(own, step);
    if (unselect) unselect_last(own, step);
    return block.ballot(select || unselect) != 0;
  }

  /// The order of samples; equal ones come from the earlier run first.
  FATHOM_DEVICE
  static bool precedes(const Key& a, int run_of_a, const Key& b, int run_of_b) {
    return run_of_a < run_of_b ? !compare(b, a, LessThan{}) : compare(a, b, LessThan{});
  }

  template <class Block>
  FATHOM_DEVICE
  Index sum_of_group(Block& block, Index value) const {
    FATHOM_UNROLL
    for (int distance = 1; distance < ways; distance *= 2) value += block.shuffle_xor(value, distance);
    return value;
  }

  FATHOM_DEVICE
  void select_next(Selection& own, Index step) const {
    own.selected += step;
    own.before_last = own.last;
    own.last = own.next;
    own.next = own.after_next;
    load(own, own.selected - 1 + 2 * step, own.after_next);
  }
  FATHOM_DEVICE
  void unselect_last(Selection& own, Index step) const {
    own.selected -= step;
    own.after_next = own.next;
    own.next = own.last;
    own.last = own.before_last;
    load(own, own.selected - 1 - step, own.before_last);
  }
};

}  // namespace fathom
