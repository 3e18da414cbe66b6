// A pass of a multiway mergesort: every warp merges some pieces of K lists, each through a heap (karsin2018
// §5, agpu2015 §7.3).
#pragma once

#include <fathom/algorithms/sort/merge/heap_layout.h>
#include <fathom/algorithms/sort/merge/multiway_pieces.h>
#include <fathom/algorithms/sort/merge/networks.h>

namespace fathom {

/// GPU-MMS (karsin2018 §5): a node holds a row of sorted keys, not greater than any below them. To fill an
/// empty node its children are merged: it gets the smaller half, the child whose greatest key was greater the
/// larger half, and the other child is to be filled next.
struct MinBlockHeap {
  static constexpr int rows = 1;
  static constexpr int base_keys_per_lane = warp_width;  ///< the paper's base case sorts w² keys per warp
};

/// Koike and Sadakane (agpu2015 §7.3): a node has two rows of sorted keys, those that come next and, greater
/// than these, the rest. To fill it, the next row of the child with the smaller first key is merged with the
/// rest, and that child is to be filled next.
struct BufferedHeap {
  static constexpr int rows = 2;
  static constexpr int base_keys_per_lane = 1;  ///< base blocks of w keys
};

/// Down to a leaf, which gets the next keys of its list. In both heaps the keys that choose the children are
/// known before: all merges of a path are independent of each other.
///
/// The papers' warp merges two rows with all its lanes, one pair after the other along the path. Here every
/// merge has `lanes` lanes of its own, and the warp has as many heaps as there is room for. A merge by one
/// lane needs no shuffles, by more the fewer keys each of them holds.
template <class Key, class LessThan, class Heap, class Ways = Number, class Node = Number,
          class Lanes = Number>
struct MergeByHeaps {
  static constexpr const char* header = "fathom/algorithms/sort/merge/merge_by_heaps.h";

  Span<const Key> input;
  Span<Key> output;
  Span<const PieceEnd> ends;
  MultiwayPieces pieces;
  Ways ways;
  Node node;
  Lanes lanes;

  static int shared_memory(int ways, int node, int lanes) {
    const HeapLayout layout = layout_of(ways, node, lanes);
    const int heaps = layout.heaps(), lists = ways * pitch_of_lists(heaps);
    return shared_bytes<Key>(layout.keys()) + shared_bytes<Key>(heaps) + 3 * shared_bytes<Index>(heaps) +
           shared_bytes<int>(heaps) + shared_bytes<Index>(lists) + shared_bytes<int>(lists);
  }
  FATHOM_DEVICE
  static constexpr HeapLayout layout_of(int ways, int node, int lanes) {
    return {ways, node, lanes, int(sizeof(Key) / 4), Heap::rows};
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int heaps = layout().heaps(), lists = ways * pitch_of_lists(heaps);
    const State state{block.template shared<Key>(layout().keys()), block.template shared<Key>(heaps),
                      block.template shared<Index>(heaps),         block.template shared<Index>(heaps),
                      block.template shared<Index>(heaps),         block.template shared<int>(heaps),
                      block.template shared<Index>(lists),         block.template shared<int>(lists)};
    // A round's number takes less registers than its first piece.
    for (int round = 0;; ++round) {
      const Index first = (round * block.blocks() + block.index()) * heaps;
      if (first >= pieces.count()) return;
      const int steps = begin_pieces(block, state, first);
      if (steps > 0) merge(block, state, steps);
      block.warp_barrier();
    }
  }

 private:
  struct State {
    Shared<Key> nodes;
    Shared<Key> padding;       ///< of each heap: a key that is greater than all that it merges
    Shared<Index> first, end;  ///< where these go
    Shared<Index> row_from;    ///< the keys that come next into one of its leaves: where they are,
    Shared<int> row_to;        ///< where they go, and how many there are
    Shared<Index> next;        ///< of each list of each heap: the first key not yet in a leaf,
    Shared<int> left;          ///< and how many there are
  };

  FATHOM_DEVICE
  constexpr HeapLayout layout() const { return layout_of(ways, node, lanes); }
  /// Lists are stored leaf by leaf, so that lanes which access any leaf of different heaps do not conflict.
  FATHOM_DEVICE
  static constexpr int pitch_of_lists(int heaps) { return 1 << ceil_log2_to_32(heaps); }
  FATHOM_DEVICE
  int list_of(int heap, int leaf) const { return leaf * pitch_of_lists(layout().heaps()) + heap; }

  /// Copies what needs no merging and sets up the lists of each heap. Returns the nodes that the longest
  /// piece fills.
  template <class Block>
  FATHOM_DEVICE
  int begin_pieces(Block& block, const State& state, Index first_piece) const {
    const int lane = block.lane();
    int most = 0;
    FATHOM_NO_UNROLL
    for (int heap = 0; heap < layout().heaps(); ++heap) {
      const Index piece = first_piece + heap;
      const bool exists = piece < pieces.count(), has_list = exists && lane < ways;
      Index begin = 0;
      PieceEnd end{0, 0};
      if (has_list) {
        begin = piece % pieces.pieces_per_group == 0 ? pieces.list_first(piece, lane)
                                                     : ends.load((piece - 1) * ways + lane).end;
        end = ends.load(piece * ways + lane);
        end.equal = max(end.equal, begin);
      }
      const int merged = block.reduce_add(int(end.equal - begin));
      const Index first = exists ? pieces.first(piece) : 0;
      store_lists(block, state, heap, begin, int(end.equal - begin));
      if (lane == 0) {
        state.first.store(heap, first);
        state.end.store(heap, first + merged);
      }
      const Index any = copy_greatest(block, end, first + merged);
      if (lane == 0) state.padding.store(heap, input.load(any));
      most = max(most, merged);
    }
    block.warp_barrier();
    return int(ceil_div(most, node));
  }

  /// One after the other: the lists of a heap are in one bank.
  template <class Block>
  FATHOM_DEVICE
  void store_lists(Block& block, const State& state, int heap, Index next, int left) const {
    FATHOM_NO_UNROLL
    for (int list = 0; list < ways; ++list) {
      const Index next_of_list = block.shuffle(next, list);
      const int left_of_list = block.shuffle(left, list);
      if (block.lane() > 0) continue;
      state.next.store(list_of(heap, list), next_of_list);
      state.left.store(list_of(heap, list), left_of_list);
    }
  }

  /// Copies the keys that are equivalent to the piece's last one, list by list; returns where one of them is.
  template <class Block>
  FATHOM_DEVICE
  Index copy_greatest(Block& block, const PieceEnd& end, Index to) const {
    const u32 lists = block.ballot(end.equal < end.end);
    Index any = 0;
    FATHOM_NO_UNROLL
    for (int list = 0; list < ways; ++list) {
      if ((lists >> list & 1) == 0) continue;
      any = block.shuffle(end.equal, list);
      const int count = block.shuffle(int(end.end - end.equal), list);
      for (int i = block.lane(); i < count; i += warp_width) output.store(to + i, input.load(any + i));
      to += count;
    }
    return any;
  }

  // The warp moves rows of keys between global memory and one node of every heap: lanes take consecutive
  // keys, of one heap after the other.
  FATHOM_DEVICE
  int rows() const { return int(ceil_div(layout().heaps() * node, warp_width)); }
  FATHOM_DEVICE
  int heap_of_row(int lane, int row) const { return (row * warp_width + lane) / node; }
  using Keys = Registers<Key, Node>;

  /// Takes the next keys of a list of every heap; all lanes of a heap name the same leaf.
  static constexpr int most_keys = 64;
  template <class Block>
  FATHOM_DEVICE
  void begin_rows(Block& block, const State& state, int leaf) const {
    const int heap = block.lane() / lanes;
    if (block.lane() % lanes == 0 && heap < layout().heaps()) {
      const int list = list_of(heap, leaf);
      const Index next = state.next.load(list);
      const int left = state.left.load(list), count = min(left, int(node));
      const int to = layout().at(heap, layout().levels()) + leaf * layout().pitch();
      state.row_from.store(heap, next);
      state.row_to.store(heap, to * most_keys + count);
      state.next.store(list, next + count);
      state.left.store(list, left - count);
    }
    block.warp_barrier();
  }
  template <class Block>
  FATHOM_DEVICE
  void load_rows(Block& block, const State& state, const Keys& padding, Keys& keys,
                 Registers<int, Node>& to) const {
    const int key = block.lane() % node;
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i) {
      const int heap = heap_of_row(block.lane(), i);
      if (heap >= layout().heaps()) continue;
      const u32 row_to = u32(state.row_to.load(heap));
      const Index from = state.row_from.load(heap);
      keys[i] = padding[i];
      if (key < int(row_to % most_keys)) keys[i] = input.load(from + key);
      to[i] = int(row_to / most_keys) + key;
    }
  }
  template <class Block>
  FATHOM_DEVICE
  void store_rows(Block& block, const State& state, const Keys& keys, const Registers<int, Node>& to) const {
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i)
      if (heap_of_row(block.lane(), i) < layout().heaps()) state.nodes.store(to[i], keys[i]);
  }

  /// Builds the heaps from the bottom up, and then fills and empties their roots.
  template <class Block>
  FATHOM_DEVICE
  void merge(Block& block, const State& state, int steps) const {
    const int lane = block.lane(), levels = layout().levels(), pitch = layout().pitch();
    const int keys_per_lane = node / lanes, of_lane = lane % lanes, slot = lane / lanes;
    const int heap = slot % layout().heaps(), level = min(slot / layout().heaps(), levels - 1);
    const int at_level = layout().at(heap, level) + of_lane;
    const int below_level = layout().at(heap, level + 1) + of_lane;

    const int root = layout().at(lane / node, 0) + lane % node;  // of row 0

    Keys padding(node), incoming(node), low(node), high(node);
    Registers<int, Node> to(node), count(node);
    Registers<Span<Key>, Node> merged(node);
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i) {
      const int heap_of_key = heap_of_row(lane, i);
      count[i] = 0;
      if (heap_of_key >= layout().heaps()) continue;
      const Index first = state.first.load(heap_of_key);
      padding[i] = state.padding.load(heap_of_key);
      count[i] = int(state.end.load(heap_of_key) - first);
      merged[i] = output.from(first);
    }
    FATHOM_NO_UNROLL
    for (int leaf = 0; leaf < ways; ++leaf) {
      begin_rows(block, state, leaf);
      load_rows(block, state, padding, incoming, to);
      store_rows(block, state, incoming, to);
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
        const int child = layout().at(heap, top_level + 1) + 2 * leaf * pitch + deciding_key();
        const bool right_first =
            compare(state.nodes.load(child + pitch), state.nodes.load(child), LessThan{});
        if (level == top_level) right |= u32(right_first) << leaf;
      }
      FATHOM_UNROLL
      for (int above = 0; above < levels; ++above) {
        const u32 rights = block.shuffle(right, (above * layout().heaps() + heap) * lanes + lanes - 1);
        if (above >= top_level) leaf = 2 * leaf + int(rights >> leaf & 1);
      }
      const int filled = leaf >> (levels - level), emptied = leaf >> (levels - level - 1);
      const bool merges = slot < levels * layout().heaps() && level >= top_level;
      const int at_filled = at_level + filled * pitch, at_emptied = below_level + emptied * pitch;
      const int at_sibling = below_level + (emptied ^ 1) * pitch;
      const int at_other = keeps_rest ? at_filled + layout().row() : at_sibling;

      begin_rows(block, state, leaf);
      load_rows(block, state, padding, incoming, to);
      if (merges) {
        const int from_end = at_other + node - 1 - 2 * of_lane;
        const bool has_other = !(gets_rest && level == top_level);
        FATHOM_UNROLL
        for (int i = 0; i < keys_per_lane; ++i) {
          low[i] = state.nodes.load(at_emptied + i * lanes);
          if (has_other) high[i] = state.nodes.load(from_end - i * lanes);
        }
      }
      block.warp_barrier();
      if (gets_rest && level == top_level) {
        FATHOM_UNROLL
        for (int i = 0; i < keys_per_lane; ++i) high[i] = low[i];
      }
      merge_nodes(block, low, high);
      if (merges) {
        FATHOM_UNROLL
        for (int i = 0; i < keys_per_lane; ++i) {
          if (!gets_rest || level > top_level) state.nodes.store(at_filled + i * lanes, low[i]);
          state.nodes.store(at_other + i * lanes, high[i]);
        }
      }
      store_rows(block, state, incoming, to);
      block.warp_barrier();

      if (merges) {
        const Key of_emptied = state.nodes.load(at_emptied - of_lane + deciding_key());
        const Key of_sibling = keeps_rest ? state.nodes.load(at_sibling - of_lane) : high[keys_per_lane - 1];
        const bool same_again = compare(of_emptied, of_sibling, LessThan{});
        const u32 next_right = u32(emptied & 1) ^ u32(!same_again);
        right = (right & ~(1u << filled)) | next_right << filled;
      }
      if (step < 0) continue;
      const int at = step * node + lane % node;
      FATHOM_UNROLL
      for (int i = 0; i < rows(); ++i) {
        if (heap_of_row(lane, i) >= layout().heaps()) continue;
        const Key key = state.nodes.load(root + layout().at(heap_of_row(0, i), 0));
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

  /// Merges two sorted nodes, the second one read backwards: key i of each in lane i % lanes.
  template <class Block>
  FATHOM_DEVICE
  void merge_nodes(Block& block, Keys& low, Keys& high) const {
    const int keys_per_lane = node / lanes;
    FATHOM_UNROLL
    for (int i = 0; i < keys_per_lane; ++i) compare_exchange(low[i], high[i], LessThan{});
    bitonic_merge(low, keys_per_lane, LessThan{});
    bitonic_merge(high, keys_per_lane, LessThan{});
    FATHOM_UNROLL
    for (int log_distance = ceil_log2_to_32(warp_width) - 1; log_distance >= 0; --log_distance) {
      const int distance = 1 << log_distance;
      if (distance >= lanes) continue;
      const bool upper = (block.lane() & distance) != 0;
      FATHOM_UNROLL
      for (int i = 0; i < keys_per_lane; ++i) {
        low[i] = of_pair(low[i], block.shuffle_xor(low[i], distance), upper);
        high[i] = of_pair(high[i], block.shuffle_xor(high[i], distance), upper);
      }
    }
  }

  /// The greater or the smaller of two lanes' keys; of equivalent ones, its own.
  FATHOM_DEVICE
  static Key of_pair(const Key& own, const Key& other, bool greater) {
    const Key least = compare(other, own, LessThan{}) ? other : own;
    const Key greatest = compare(own, other, LessThan{}) ? other : own;
    return greater ? greatest : least;
  }
};

}  // namespace fathom
