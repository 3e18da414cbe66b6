// SPDX-License-Identifier: Apache-2.0
// The heap of a whole warp, as the papers have it: all lanes merge two rows, one key of each per lane
// (karsin2018 §5, agpu2015 §7.3).
#pragma once

#include <fathom/algorithms/block/exchange.h>
#include <fathom/algorithms/sort/merge/piece_end.h>
#include <fathom/algorithms/sort/merge/warp_heaps.h>

namespace fathom {

/// The lists that a warp merges: lane i knows where list i goes on. A lane behind a list's end gets padding.
template <class Element>
struct ListsOfWarp {
  ConstListOf<Element> input;
  Element padding;
  Index next;
  int left;

  /// Takes the next row of a list, a key per lane.
  template <class Block>
  FATHOM_DEVICE
  Element take_row(Block& block, int list) {
    const Index from = block.shuffle(next, list);
    const int count = min(block.shuffle(left, list), warp_width);
    if (block.lane() == list) {
      next += count;
      left -= count;
    }
    return block.lane() < count ? input.load(from + block.lane()) : padding;
  }
};

/// A heap of the warp, which is a block, over `ways` lists, whose rows have a key for each lane. Nodes are
/// counted from the root, 1; node `ways` + i is the leaf of list i. A node is filled down to a leaf. Which
/// children are emptied is known before: all merges of a path are independent of each other, and the warp
/// does step by step all of them (karsin2018 counts on this for MinBlockHeap alone).
///
/// The root's row goes from registers to global memory. So MinBlockHeap has 2·ways − 2 rows, one less than in
/// karsin2018; BufferedHeap 3·ways − 3, since leaves need no rest: agpu2015 counts two for each inner node,
/// karsin2018 two for each node. No lane accesses another bank than its own or its mirror image: there are no
/// bank conflicts.
template <class Element, class LessThan, class Heap, class Ways>
struct WholeWarpHeap {
  using Order = OrderOf<Element, LessThan>;

  Ways ways;
  Shared<Element> nodes;

  static int shared_memory(int ways) { return shared_bytes<Element>(rows(ways) * warp_width); }
  template <class Block>
  FATHOM_DEVICE
  static WholeWarpHeap make(Block& block, Ways ways) {
    return {ways, block.template shared<Element>(rows(ways) * warp_width)};
  }

  /// Merges into `output` what lists have from `begin`, one list per lane, to their ends, and begins to write
  /// at `first`. Every lane from `ways` on has none.
  template <class Block>
  FATHOM_DEVICE
  void merge(Block& block, const ConstListOf<Element>& input, const ListOf<Element>& output, Index begin,
             const PieceEnd& end, Index first) const {
    const int count = int(end.equal - begin);
    const int merged = block.reduce_add(count);
    const Element greatest = copy_greatest<Element>(block, input, output, end, first + merged);
    if (merged == 0) return;

    ListsOfWarp<Element> lists{input, block.shuffle(greatest, 0), begin, count};
    u32 right = build(block, lists);
    FATHOM_NO_UNROLL
    for (int at = block.lane(); at - block.lane() < merged; at += warp_width) {
      const Element key = fill(block, lists, 1, 0, false, right);
      if (at < merged) output.store(first + at, key);
    }
    block.warp_barrier();
  }

 private:
  static constexpr bool keeps_rest = Heap::rows == 2;
  static constexpr int most_levels = 5;
  using PerLevel = Constant<most_levels>;
  using Rows = Registers<Element, PerLevel>;

  FATHOM_DEVICE
  static constexpr int rows(int ways) { return (keeps_rest ? 3 : 2) * (ways - 1); }
  FATHOM_DEVICE
  Shared<Element> row_of(int node) const { return nodes.from((node - 2) * warp_width); }
  FATHOM_DEVICE
  Shared<Element> rest_of(int node) const { return nodes.from((2 * ways - 3 + node) * warp_width); }
  /// The key of a row by which children are chosen: of those to be halved the greatest, else the least.
  FATHOM_DEVICE
  static constexpr int deciding_lane() { return keeps_rest ? 0 : warp_width - 1; }

  /// From the bottom up, all but the root's row. Returns in bit j whether of node j's children the right one
  /// is to be emptied next.
  template <class Block>
  FATHOM_DEVICE
  u32 build(Block& block, ListsOfWarp<Element>& lists) const {
    FATHOM_NO_UNROLL
    for (int list = 0; list < ways; ++list)
      row_of(ways + list).store(block.lane(), lists.take_row(block, list));
    block.warp_barrier();

    u32 right = 0;
    int level = ceil_log2_to_32(ways) - 1;
    FATHOM_NO_UNROLL
    for (int node = ways - 1; node > 0; --node) {
      if (node < 1 << level) --level;
      const Element of_left = row_of(2 * node).load(deciding_lane());
      const Element of_right = row_of(2 * node + 1).load(deciding_lane());
      right |= u32(compare(of_right, of_left, Order{})) << node;
      // A node with a rest gets that first, from one of its children.
      FATHOM_NO_UNROLL
      for (int rest = keeps_rest; rest >= int(node == 1); --rest)
        fill(block, lists, node, level, rest != 0, right);
    }
    return right;
  }

  /// Fills the row of node `top`, which is on `top_level`, or its rest. Returns the lane's key of the row.
  template <class Block>
  FATHOM_DEVICE
  Element fill(Block& block, ListsOfWarp<Element>& lists, int top, int top_level, bool gets_rest,
               u32& right) const {
    const int lane = block.lane(), levels = ceil_log2_to_32(ways);
    Registers<int, PerLevel> emptied(PerLevel{});
    int leaf = top;
    FATHOM_UNROLL
    for (int level = 0; level < levels; ++level) {
      if (level >= top_level) leaf = 2 * leaf + int(right >> leaf & 1);
      emptied[level] = leaf;
    }
    const Element incoming = lists.take_row(block, leaf - ways);

    Rows low(PerLevel{}), high(PerLevel{});
    FATHOM_UNROLL
    for (int level = 0; level < levels; ++level) {
      if (level < top_level) continue;
      low[level] = row_of(emptied[level]).load(lane);
      high[level] =
          gets_rest && level == top_level ? low[level] : other_of(emptied[level]).load(warp_width - 1 - lane);
    }
    block.warp_barrier();
    merge_levels(block, low, high, levels);
    FATHOM_UNROLL
    for (int level = 0; level < levels; ++level) {
      if (level < top_level) continue;
      const int filled = emptied[level] >> 1;
      if (filled > 1 && !(gets_rest && level == top_level)) row_of(filled).store(lane, low[level]);
      other_of(emptied[level]).store(lane, high[level]);
    }
    row_of(leaf).store(lane, incoming);
    block.warp_barrier();

    // Only one lane compares the keys that decide.
    FATHOM_UNROLL
    for (int level = 0; level < levels; ++level) {
      if (level < top_level) continue;
      const int filled = emptied[level] >> 1;
      const Element of_emptied = level + 1 < levels ? low[level + 1] : incoming;
      const Element of_sibling = keeps_rest ? row_of(emptied[level] ^ 1).load(0) : high[level];
      const bool same_again = compare(of_emptied, of_sibling, Order{});
      right = (right & ~(1u << filled)) | (u32(emptied[level] & 1) ^ u32(!same_again)) << filled;
    }
    right = block.shuffle(right, deciding_lane());
    return low[0];
  }

  /// What is merged with the row of a node that is emptied, and gets the greater half: the parent's rest, or
  /// the sibling.
  FATHOM_DEVICE
  Shared<Element> other_of(int emptied) const {
    return keeps_rest ? rest_of(emptied >> 1) : row_of(emptied ^ 1);
  }

  /// Merges the rows of each level, the second of which is read backwards, bitonically across the lanes.
  template <class Block>
  FATHOM_DEVICE
  static void merge_levels(Block& block, Rows& low, Rows& high, int levels) {
    FATHOM_UNROLL
    for (int level = 0; level < levels; ++level) compare_exchange(low[level], high[level], Order{});
    FATHOM_UNROLL
    for (int distance = warp_width / 2; distance > 0; distance /= 2) {
      const bool upper = (block.lane() & distance) != 0;
      FATHOM_UNROLL
      for (int level = 0; level < levels; ++level) {
        low[level] = of_pair(low[level], block.shuffle_xor(low[level], distance), upper, Order{});
        high[level] = of_pair(high[level], block.shuffle_xor(high[level], distance), upper, Order{});
      }
    }
  }
};

}  // namespace fathom
