// A pass of GPU-MMS (karsin2018 §5): every warp merges some pieces of K lists, each through a heap.
#pragma once

#include <fathom/algorithms/sort/merge/mms/heap_layout.h>
#include <fathom/algorithms/sort/merge/multiway_pieces.h>
#include <fathom/algorithms/sort/merge/networks.h>

namespace fathom {

/// A node of the heap holds `node` sorted keys, not greater than any below them. To fill an empty node its
/// children are merged: it gets the smaller half, the child whose greatest key was greater the larger half,
/// and the other child is to be filled next, down to a leaf, which gets the next keys of its list. Which
/// nodes these are is known before: the greatest key of the child that is not emptied stays the same. So all
/// merges of a path are independent.
///
/// The paper's warp merges two nodes with all its lanes, one after the other along the path. Here every merge
/// has `lanes` lanes of its own, and the warp has as many heaps as there is room for. A merge by one lane
/// needs no shuffles, by more the fewer keys each of them holds.
template <class Key, class LessThan, class Ways = Number, class Node = Number, class Lanes = Number>
struct MergeByHeaps {
  static constexpr const char* header = "fathom/algorithms/sort/merge/mms/merge_by_heaps.h";

  Span<const Key> input;
  Span<Key> output;
  Span<const PieceEnd> ends;
  MultiwayPieces pieces;
  Ways ways;
  Node node;
  Lanes lanes;

  static int shared_memory(int ways, int node, int lanes) {
    const HeapLayout layout{ways, node, lanes};
    const int heaps = layout.heaps(), lists = ways * pitch_of_lists(heaps);
    return shared_bytes<Key>(layout.keys()) + 4 * shared_bytes<Index>(heaps) + shared_bytes<Index>(lists) +
           shared_bytes<int>(lists);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const HeapLayout layout = heaps();
    const int lists = ways * pitch_of_lists(layout.heaps());
    const State state{block.template shared<Key>(layout.keys()),
                      block.template shared<Index>(layout.heaps()),
                      block.template shared<Index>(layout.heaps()),
                      block.template shared<Index>(layout.heaps()),
                      block.template shared<Index>(layout.heaps()),
                      block.template shared<Index>(lists),
                      block.template shared<int>(lists)};
    for (Index first = block.index() * layout.heaps(); first < pieces.count();
         first += block.blocks() * layout.heaps()) {
      const int steps = begin_pieces(block, state, first);
      if (steps > 0) merge(block, state, steps);
      block.warp_barrier();
    }
  }

 private:
  struct State {
    Shared<Key> nodes;
    Shared<Index> from, to;  ///< of each heap: the keys of the output that are left to merge
    Shared<Index> any;       ///< where the input has a key that no merged key exceeds
    Shared<Index> row;       ///< the keys that come next into a leaf: see begin_rows()
    Shared<Index> next;      ///< of each list of each heap: the first key not yet in a leaf
    Shared<int> left;        ///< and how many there are
  };

  FATHOM_DEVICE
  HeapLayout heaps() const { return {ways, node, lanes}; }
  /// Lists are stored leaf by leaf, so that lanes which access any leaf of different heaps do not conflict.
  FATHOM_DEVICE
  static constexpr int pitch_of_lists(int heaps) { return 1 << levels_of_heap(heaps); }
  FATHOM_DEVICE
  int list_of(int heap, int leaf) const { return leaf * pitch_of_lists(heaps().heaps()) + heap; }

  /// Copies what needs no merging and sets up the lists of each heap. Returns the nodes that the longest
  /// piece fills.
  template <class Block>
  FATHOM_DEVICE
  int begin_pieces(Block& block, const State& state, Index first_piece) const {
    const int lane = block.lane();
    int most = 0;
    FATHOM_NO_UNROLL
    for (int heap = 0; heap < heaps().heaps(); ++heap) {
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
        state.from.store(heap, first);
        state.to.store(heap, first + merged);
      }
      const Index any = copy_greatest(block, end, first + merged);
      if (lane == 0) state.any.store(heap, any);
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
  int rows() const { return int(ceil_div(heaps().heaps() * node, warp_width)); }
  FATHOM_DEVICE
  int heap_of_row(int lane, int row) const { return (row * warp_width + lane) / node; }

  /// For each heap, packs where the next keys of a leaf's list are, how many there are, and the leaf.
  static constexpr int most_leaves = 32, most_keys = 64;
  template <class Block>
  FATHOM_DEVICE
  void begin_rows(Block& block, const State& state, int leaf) const {
    const int heap = block.lane() / lanes;
    if (block.lane() % lanes == 0 && heap < heaps().heaps()) {
      const int list = list_of(heap, leaf);
      const Index next = state.next.load(list);
      const int left = state.left.load(list), count = min(left, int(node));
      state.row.store(heap, (next * most_keys + count) * most_leaves + leaf);
      state.next.store(list, next + count);
      state.left.store(list, left - count);
    }
    block.warp_barrier();
  }
  using Keys = Registers<Key, Node>;
  template <class Block>
  FATHOM_DEVICE
  void load_rows(Block& block, const State& state, const Keys& padding, Keys& keys,
                 Registers<int, Node>& to) const {
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i) {
      const int heap = heap_of_row(block.lane(), i), key = block.lane() % node;
      if (heap >= heaps().heaps()) continue;
      const Index row = state.row.load(heap);
      const int count = int(row / most_leaves % most_keys);
      keys[i] = padding[i];
      if (key < count) keys[i] = input.load(row / (most_leaves * most_keys) + key);
      to[i] = heaps().at(heap, heaps().levels(), int(row % most_leaves)) + key;
    }
  }
  template <class Block>
  FATHOM_DEVICE
  void store_rows(Block& block, const State& state, const Keys& keys, const Registers<int, Node>& to) const {
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i)
      if (heap_of_row(block.lane(), i) < heaps().heaps()) state.nodes.store(to[i], keys[i]);
  }

  /// Builds the heaps from the bottom up, and then fills and empties their roots.
  template <class Block>
  FATHOM_DEVICE
  void merge(Block& block, const State& state, int steps) const {
    const int lane = block.lane(), levels = heaps().levels();
    const int keys_per_lane = node / lanes;
    const int slot = lane / lanes, heap = slot % heaps().heaps();
    const int level = min(slot / heaps().heaps(), levels - 1);
    const int of_lane = lane % lanes;

    Keys padding(node), incoming(node), low(node), high(node);
    Registers<int, Node> to(node);
    Registers<Index, Node> output_at(node), output_end(node);
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i) {
      const int heap_of_key = heap_of_row(lane, i);
      output_at[i] = output_end[i] = 0;
      if (heap_of_key >= heaps().heaps()) continue;
      padding[i] = input.load(state.any.load(heap_of_key));
      output_at[i] = state.from.load(heap_of_key) + lane % node;
      output_end[i] = state.to.load(heap_of_key);
    }
    FATHOM_NO_UNROLL
    for (int leaf = 0; leaf < ways; ++leaf) {
      begin_rows(block, state, leaf);
      load_rows(block, state, padding, incoming, to);
      store_rows(block, state, incoming, to);
      block.warp_barrier();
    }

    u32 right = 0;  // bit i: of node i, counted from 1, the right child is the one to be emptied
    const auto greatest = [&](int at_level, int j) {
      return state.nodes.load(heaps().at(heap, at_level, j) + node - 1);
    };
    FATHOM_NO_UNROLL
    for (int step = 2 - ways; step < steps; ++step) {
      const int top = max(1, 1 - step);
      if (step <= 0) {
        const int level_below = level_of(top) + 1, child = 2 * top - (1 << level_below);
        right |= u32(compare(greatest(level_below, child + 1), greatest(level_below, child), LessThan{}))
                 << top;
      }
      int leaf = top;
      while (leaf < ways) leaf = 2 * leaf + int(right >> leaf & 1);
      const int filled = leaf >> (levels - level), emptied = leaf >> (levels - level - 1);
      const bool merges = slot < levels * heaps().heaps() && filled >= top;
      const int at_filled = heaps().at(heap, level, filled - (1 << level)) + of_lane;
      const int at_emptied = heaps().at(heap, level + 1, emptied - (2 << level)) + of_lane;
      const int at_other = heaps().at(heap, level + 1, (emptied ^ 1) - (2 << level)) + of_lane;

      begin_rows(block, state, leaf - ways);
      load_rows(block, state, padding, incoming, to);
      if (merges) {
        FATHOM_UNROLL
        for (int i = 0; i < keys_per_lane; ++i) {
          low[i] = state.nodes.load(at_emptied + i * lanes);
          high[i] = state.nodes.load(at_other + node - 1 - 2 * of_lane - i * lanes);
        }
      }
      block.warp_barrier();
      merge_nodes(block, low, high);
      if (merges) {
        FATHOM_UNROLL
        for (int i = 0; i < keys_per_lane; ++i) {
          state.nodes.store(at_filled + i * lanes, low[i]);
          state.nodes.store(at_other + i * lanes, high[i]);
        }
      }
      store_rows(block, state, incoming, to);
      block.warp_barrier();

      const Key of_emptied = merges ? state.nodes.load(at_emptied - of_lane + node - 1) : Key{};
      const bool same_again = compare(of_emptied, high[keys_per_lane - 1], LessThan{});
      const u32 goes_right = block.ballot((emptied & 1) == int(same_again));
      for (int above = 0; above < levels; ++above) {
        const int of_path = leaf >> (levels - above);
        const int its_lane = (above * heaps().heaps() + heap) * lanes + lanes - 1;
        if (of_path >= top) right = (right & ~(1u << of_path)) | (goes_right >> its_lane & 1) << of_path;
      }
      if (step < 0) continue;
      FATHOM_UNROLL
      for (int i = 0; i < rows(); ++i) {
        if (output_at[i] < output_end[i])
          output.store(output_at[i], state.nodes.load(heaps().at(heap_of_row(lane, i), 0, 0) + lane % node));
        output_at[i] += node;
      }
    }
  }

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
    for (int log_distance = levels_of_heap(warp_width) - 1; log_distance >= 0; --log_distance) {
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
