// SPDX-License-Identifier: Apache-2.0
// A pass of a multiway mergesort: every warp merges some pieces of K lists, each through a heap (karsin2018
// §5, agpu2015 §7.3).
#pragma once

#include <fathom/algorithms/block/exchange.h>
#include <fathom/algorithms/sort/merge/heap_pieces.h>

namespace fathom {

/// A node is filled down to a leaf, which gets the next keys of its list. In both heaps the keys that choose
/// the children are known before: all merges of a path are independent of each other.
///
/// The papers' warp merges two rows with all its lanes, one pair after the other along the path. Here every
/// merge has `lanes` lanes of its own, and the warp has as many heaps as there is room for. A merge by one
/// lane needs no shuffles, by more the fewer keys each of them holds. One lane compares 3.1 times per key and
/// level in rows of 8 keys, 4.1 times in rows of 16; a thread of the pairwise mergesort 1.9 times (E = 17):
/// keys that are dear to compare favour the latter.
///
/// Keys here are elements: keys, or records with a value each. LessThan orders keys.
template <class Element, class LessThan, class Heap, class Ways = Number, class Node = Number,
          class Lanes = Number>
struct MergeByHeaps {
  static constexpr const char* header = "fathom/algorithms/sort/merge/merge_by_heaps.h";

  using Order = OrderOf<Element, LessThan>;
  using Heaps = WarpHeaps<Element, Heap, Ways, Node, Lanes>;

  HeapPieces<Element> pieces;
  Ways ways;
  Node node;
  Lanes lanes;

  static int shared_memory(int ways, int node, int lanes) { return Heaps::shared_memory(ways, node, lanes); }
  static HeapLayout layout_of(int ways, int node, int lanes) { return Heaps::layout_of(ways, node, lanes); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Heaps heaps = Heaps::make(block, ways, node, lanes);
    const Index count = pieces.pieces.count;
    // A round's number takes less registers than its first piece.
    for (int round = 0;; ++round) {
      const Index first = (round * block.blocks() + block.index()) * heaps.layout().heaps();
      if (first >= count) return;
      const int steps = pieces.begin(block, heaps, first);
      if (steps > 0) merge(block, heaps, steps);
      block.warp_barrier();
    }
  }

 private:
  /// Builds the heaps from the bottom up, and then fills and empties their roots.
  template <class Block>
  FATHOM_DEVICE
  void merge(Block& block, const Heaps& heaps, int steps) const {
    const int lane = block.lane(), levels = heaps.layout().levels(), pitch = heaps.layout().pitch();
    const int keys_per_lane = node / lanes, of_lane = lane % lanes, slot = lane / lanes;
    const int heap = slot % heaps.layout().heaps(), level = min(slot / heaps.layout().heaps(), levels - 1);
    const int at_level = heaps.layout().at(heap, level) + of_lane;
    const int below_level = heaps.layout().at(heap, level + 1) + of_lane;

    const int root = heaps.layout().at(lane / node, 0) + lane % node;  // of row 0

    typename Heaps::Keys incoming(node), low(node), high(node);
    Registers<int, Node> to(node), count(node);
    Registers<ListOf<Element>, Node> merged(node);
    FATHOM_UNROLL
    for (int i = 0; i < heaps.rows(); ++i) {
      const int heap_of_key = heaps.heap_of_row(lane, i);
      count[i] = 0;
      if (heap_of_key >= heaps.layout().heaps()) continue;
      const Index first = heaps.piece_first.load(heap_of_key);
      count[i] = int(heaps.piece_end.load(heap_of_key) - first);
      merged[i] = pieces.output.from(first);
    }
    FATHOM_NO_UNROLL
    for (int leaf = 0; leaf < ways; ++leaf) {
      heaps.begin_rows(block, leaf);
      heaps.load_rows(block, pieces.input, incoming, to);
      heaps.store_rows(block, incoming, to);
      block.warp_barrier();
    }

    // Bit j: of node j of this lane's level the right child is the next one to be emptied.
    u32 right = 0;
    // Nodes are counted from the root, 1. A node with a rest gets that first, from one of its children.
    constexpr bool keeps_rest = Heap::rows == 2;
    const int least_step = keeps_rest ? 3 - 2 * ways : 2 - ways;
    FATHOM_NO_UNROLL
    for (int step = least_step; step < steps; ++step) {
      const int top = max(1, keeps_rest ? (2 - step) / 2 : 1 - step), top_level = level_of(top);
      const bool is_first = keeps_rest ? step < 0 && step % 2 != 0 : step <= 0;
      const bool gets_rest = keeps_rest && is_first;
      int leaf = top - (1 << top_level);
      if (is_first) {
        const int child = heaps.layout().at(heap, top_level + 1) + 2 * leaf * pitch + deciding_key();
        const bool right_first = compare(heaps.nodes.load(child + pitch), heaps.nodes.load(child), Order{});
        if (level == top_level) right |= u32(right_first) << leaf;
      }
      FATHOM_UNROLL
      for (int above = 0; above < levels; ++above) {
        const u32 rights = block.shuffle(right, (above * heaps.layout().heaps() + heap) * lanes + lanes - 1);
        if (above >= top_level) leaf = 2 * leaf + int(rights >> leaf & 1);
      }
      const int filled = leaf >> (levels - level), emptied = leaf >> (levels - level - 1);
      const bool takes_part = slot < levels * heaps.layout().heaps() && level >= top_level;
      const bool moves = takes_part && gets_rest && level == top_level;  // a row becomes the rest as it is
      const bool merges = takes_part && !moves;
      const int at_filled = at_level + filled * pitch, at_emptied = below_level + emptied * pitch;
      const int at_sibling = below_level + (emptied ^ 1) * pitch;
      const int at_other = keeps_rest ? at_filled + heaps.layout().row() : at_sibling;

      heaps.begin_rows(block, leaf);
      heaps.load_rows(block, pieces.input, incoming, to);
      if (takes_part) {
        const int from_end = at_other + node - 1 - 2 * of_lane;
        FATHOM_UNROLL
        for (int i = 0; i < keys_per_lane; ++i) {
          low[i] = heaps.nodes.load(at_emptied + i * lanes);
          if (merges) high[i] = heaps.nodes.load(from_end - i * lanes);
        }
      }
      block.warp_barrier();
      if (moves) {
        FATHOM_UNROLL
        for (int i = 0; i < keys_per_lane; ++i) heaps.nodes.store(at_other + i * lanes, low[i]);
      }
      merge_rows(block, low, high, keys_per_lane, lanes, Order{});
      if (merges) {
        FATHOM_UNROLL
        for (int i = 0; i < keys_per_lane; ++i) {
          heaps.nodes.store(at_filled + i * lanes, low[i]);
          heaps.nodes.store(at_other + i * lanes, high[i]);
        }
      }
      heaps.store_rows(block, incoming, to);
      block.warp_barrier();

      if (takes_part) {
        const Element of_emptied = heaps.nodes.load(at_emptied - of_lane + deciding_key());
        const Element of_sibling =
            keeps_rest ? heaps.nodes.load(at_sibling - of_lane) : high[keys_per_lane - 1];
        const bool same_again = compare(of_emptied, of_sibling, Order{});
        const u32 next_right = u32(emptied & 1) ^ u32(!same_again);
        right = (right & ~(1u << filled)) | next_right << filled;
      }
      if (step < 0) continue;
      const int at = step * node + lane % node;
      FATHOM_UNROLL
      for (int i = 0; i < heaps.rows(); ++i) {
        if (heaps.heap_of_row(lane, i) >= heaps.layout().heaps()) continue;
        const Element key = heaps.nodes.load(root + heaps.layout().at(heaps.heap_of_row(0, i), 0));
        if (at < count[i]) merged[i].store(at, key);
      }
    }
  }

  /// The key of a row by which children are chosen: of those to be halved the greatest, else the least.
  FATHOM_DEVICE
  int deciding_key() const { return Heap::rows == 2 ? 0 : node - 1; }
  /// ⌊log₂ node⌋.
  FATHOM_DEVICE
  static constexpr int level_of(int node) { return (node > 1) + (node > 3) + (node > 7) + (node > 15); }
};

}  // namespace fathom
