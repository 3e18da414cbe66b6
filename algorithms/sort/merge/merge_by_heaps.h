// A pass of a multiway mergesort: every warp merges some pieces of K lists, each through a heap (karsin2018
// §5, agpu2015 §7.3).
#pragma once

#include <fathom/algorithms/block/networks.h>
#include <fathom/algorithms/block/records.h>
#include <fathom/algorithms/sort/merge/heap_layout.h>
#include <fathom/algorithms/sort/merge/multiway_pieces.h>

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
///
/// Keys here are elements: keys, or records with a value each. LessThan orders keys.
template <class Element, class LessThan, class Heap, class Ways = Number, class Node = Number,
          class Lanes = Number>
struct MergeByHeaps {
  static constexpr const char* header = "fathom/algorithms/sort/merge/merge_by_heaps.h";

  using Order = OrderOf<Element, LessThan>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const PieceEnd> ends;
  MultiwayPieces pieces;
  Ways ways;
  Node node;
  Lanes lanes;

  static int shared_memory(int ways, int node, int lanes) {
    const HeapLayout layout = layout_of(ways, node, lanes);
    const int heaps = layout.heaps(), lists = ways * pitch_of_lists(heaps);
    return shared_bytes<Element>(layout.keys()) + shared_bytes<Element>(heaps) +
           3 * shared_bytes<Index>(heaps) + shared_bytes<int>(heaps) + shared_bytes<Index>(lists) +
           shared_bytes<int>(lists);
  }
  FATHOM_DEVICE
  static constexpr HeapLayout layout_of(int ways, int node, int lanes) {
    return {ways, node, lanes, int(sizeof(Element) / 4), Heap::rows};
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int heaps = layout().heaps(), lists = ways * pitch_of_lists(heaps);
    const State state{block.template shared<Element>(layout().keys()),
                      block.template shared<Element>(heaps),
                      block.template shared<Index>(heaps),
                      block.template shared<Index>(heaps),
                      block.template shared<Index>(heaps),
                      block.template shared<int>(heaps),
                      block.template shared<Index>(lists),
                      block.template shared<int>(lists)};
    const Index count = pieces.count;
    // A round's number takes less registers than its first piece.
    for (int round = 0;; ++round) {
      const Index first = (round * block.blocks() + block.index()) * heaps;
      if (first >= count) return;
      const int steps = begin_pieces(block, state, first);
      if (steps > 0) merge(block, state, steps);
      block.warp_barrier();
    }
  }

 private:
  struct State {
    Shared<Element> nodes;
    Shared<Element> padding;   ///< of each heap: a key that is greater than all that it merges
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
    MultiwayPieces::Place at = pieces.place(first_piece);
    FATHOM_NO_UNROLL
    for (int heap = 0; heap < layout().heaps(); ++heap, at = pieces.after(at)) {
      const Index piece = first_piece + heap, first = pieces.first(at);
      Index begin = 0;
      PieceEnd end{0, 0};
      if (piece < pieces.count && lane < ways) {
        begin = at.in_group == 0 ? pieces.list_first(at, lane) : ends.load((piece - 1) * ways + lane).end;
        end = ends.load(piece * ways + lane);
        end.equal = max(end.equal, begin);
      }
      const int merged = block.reduce_add(int(end.equal - begin));
      store_lists(block, state, heap, begin, int(end.equal - begin));
      if (lane == 0) {
        state.first.store(heap, first);
        state.end.store(heap, first + merged);
      }
      const Element greatest = copy_greatest(block, end, first + merged);
      if (lane == 0) state.padding.store(heap, greatest);
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

  /// Copies the keys that are equivalent to the piece's last one, list by list; lane 0 returns one of them.
  /// Lanes take consecutive keys of all lists together, several each: the warp waits for all at once.
  template <class Block>
  FATHOM_DEVICE
  Element copy_greatest(Block& block, const PieceEnd& end, Index to) const {
    constexpr int keys_at_once = 8;
    const int count = int(end.end - end.equal);
    int first = count;  // of the list's keys among all
    for (int distance = 1; distance < warp_width; distance *= 2) {
      const int before = block.shuffle_up(first, distance);
      if (block.lane() >= distance) first += before;
    }
    const int all = block.shuffle(first, warp_width - 1);
    first -= count;

    Element greatest{};
    FATHOM_NO_UNROLL
    for (int begin = 0; begin < all; begin += keys_at_once * warp_width) {
      Keys keys(node);
      FATHOM_UNROLL
      for (int i = 0; i < keys_at_once; ++i) {
        const int at = begin + i * warp_width + block.lane();
        if (begin + i * warp_width >= all) continue;
        const Index from = source_of(block, end.equal - first, first, at);
        if (at < all) keys[i] = input.load(from);
      }
      if (begin == 0) greatest = keys[0];
      FATHOM_UNROLL
      for (int i = 0; i < keys_at_once; ++i) {
        const int at = begin + i * warp_width + block.lane();
        if (at < all) output.store(to + at, keys[i]);
      }
    }
    return greatest;
  }

  /// Where key `at` of all lists together is, if `first` of them are before a lane's list, which begins at
  /// `list_first` + `first`. Of lists with the same first key the last one has it.
  template <class Block>
  FATHOM_DEVICE
  Index source_of(Block& block, Index list_first, int first, int at) const {
    int list = 0;
    FATHOM_UNROLL
    for (int bit = warp_width / 2; bit > 0; bit /= 2) {
      const int first_of_list = block.shuffle(first, list + bit);
      if (first_of_list <= at) list += bit;
    }
    return block.shuffle(list_first, list) + at;
  }

  // The warp moves rows of keys between global memory and one node of every heap: lanes take consecutive
  // keys, of one heap after the other.
  FATHOM_DEVICE
  int rows() const { return int(ceil_div(layout().heaps() * node, warp_width)); }
  FATHOM_DEVICE
  int heap_of_row(int lane, int row) const { return (row * warp_width + lane) / node; }
  using Keys = Registers<Element, Node>;

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
  void load_rows(Block& block, const State& state, Keys& keys, Registers<int, Node>& to) const {
    const int key = block.lane() % node;
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i) {
      const int heap = heap_of_row(block.lane(), i);
      if (heap >= layout().heaps()) continue;
      const u32 row_to = u32(state.row_to.load(heap));
      const Index from = state.row_from.load(heap);
      const bool exists = key < int(row_to % most_keys);
      if (exists) keys[i] = input.load(from + key);
      to[i] = (int(row_to / most_keys) + key) * 2 + int(exists);
    }
  }
  template <class Block>
  FATHOM_DEVICE
  void store_rows(Block& block, const State& state, Keys& keys, const Registers<int, Node>& to) const {
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i) {
      const int heap = heap_of_row(block.lane(), i);
      if (heap >= layout().heaps()) continue;
      if (to[i] % 2 == 0) keys[i] = state.padding.load(heap);
      state.nodes.store(u32(to[i]) / 2, keys[i]);
    }
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

    Keys incoming(node), low(node), high(node);
    Registers<int, Node> to(node), count(node);
    Registers<ListOf<Element>, Node> merged(node);
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i) {
      const int heap_of_key = heap_of_row(lane, i);
      count[i] = 0;
      if (heap_of_key >= layout().heaps()) continue;
      const Index first = state.first.load(heap_of_key);
      count[i] = int(state.end.load(heap_of_key) - first);
      merged[i] = output.from(first);
    }
    FATHOM_NO_UNROLL
    for (int leaf = 0; leaf < ways; ++leaf) {
      begin_rows(block, state, leaf);
      load_rows(block, state, incoming, to);
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
        const bool right_first = compare(state.nodes.load(child + pitch), state.nodes.load(child), Order{});
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
      load_rows(block, state, incoming, to);
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
        const Element of_emptied = state.nodes.load(at_emptied - of_lane + deciding_key());
        const Element of_sibling =
            keeps_rest ? state.nodes.load(at_sibling - of_lane) : high[keys_per_lane - 1];
        const bool same_again = compare(of_emptied, of_sibling, Order{});
        const u32 next_right = u32(emptied & 1) ^ u32(!same_again);
        right = (right & ~(1u << filled)) | next_right << filled;
      }
      if (step < 0) continue;
      const int at = step * node + lane % node;
      FATHOM_UNROLL
      for (int i = 0; i < rows(); ++i) {
        if (heap_of_row(lane, i) >= layout().heaps()) continue;
        const Element key = state.nodes.load(root + layout().at(heap_of_row(0, i), 0));
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
    for (int i = 0; i < keys_per_lane; ++i) compare_exchange(low[i], high[i], Order{});
    bitonic_merge(low, keys_per_lane, Order{});
    bitonic_merge(high, keys_per_lane, Order{});
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
  static Element of_pair(const Element& own, const Element& other, bool greater) {
    const Element least = compare(other, own, Order{}) ? other : own;
    const Element greatest = compare(own, other, Order{}) ? other : own;
    return greater ? greatest : least;
  }
};

}  // namespace fathom
