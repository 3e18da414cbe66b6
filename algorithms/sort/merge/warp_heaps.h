// SPDX-License-Identifier: Apache-2.0
// The heaps of a warp in shared memory, and the rows of keys that come into their leaves.
#pragma once

#include <fathom/algorithms/block/records.h>
#include <fathom/algorithms/sort/merge/heap_layout.h>

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

/// All heaps of a warp, which is a block. Every heap merges `ways` lists, through nodes of `node` keys, each
/// by `lanes` lanes.
template <class Element, class Heap, class Ways, class Node, class Lanes>
struct WarpHeaps {
  using Keys = Registers<Element, Node>;

  Ways ways;
  Node node;
  Lanes lanes;
  Shared<Element> nodes;
  Shared<Element> padding;               ///< of each heap: a key that is greater than all that it merges
  Shared<Index> piece_first, piece_end;  ///< where these go
  Shared<Index> row_from;                ///< the keys that come next into one of its leaves: where they are,
  Shared<int> row_to;                    ///< where they go, and how many there are
  Shared<Index> list_next;               ///< of each list of each heap: the first key not yet in a leaf,
  Shared<int> list_left;                 ///< and how many there are

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
  static WarpHeaps make(Block& block, Ways ways, Node node, Lanes lanes) {
    const HeapLayout layout = layout_of(ways, node, lanes);
    const int heaps = layout.heaps(), lists = ways * pitch_of_lists(heaps);
    return {ways,
            node,
            lanes,
            block.template shared<Element>(layout.keys()),
            block.template shared<Element>(heaps),
            block.template shared<Index>(heaps),
            block.template shared<Index>(heaps),
            block.template shared<Index>(heaps),
            block.template shared<int>(heaps),
            block.template shared<Index>(lists),
            block.template shared<int>(lists)};
  }

  FATHOM_DEVICE
  constexpr HeapLayout layout() const { return layout_of(ways, node, lanes); }
  /// Lists are stored leaf by leaf, so that lanes which access any leaf of different heaps do not conflict.
  FATHOM_DEVICE
  static constexpr int pitch_of_lists(int heaps) { return 1 << ceil_log2_to_32(heaps); }
  FATHOM_DEVICE
  int list_of(int heap, int leaf) const { return leaf * pitch_of_lists(layout().heaps()) + heap; }

  /// One after the other: the lists of a heap are in one bank.
  template <class Block>
  FATHOM_DEVICE
  void store_lists(Block& block, int heap, Index next, int left) const {
    FATHOM_NO_UNROLL
    for (int list = 0; list < ways; ++list) {
      const Index next_of_list = block.shuffle(next, list);
      const int left_of_list = block.shuffle(left, list);
      if (block.lane() > 0) continue;
      list_next.store(list_of(heap, list), next_of_list);
      list_left.store(list_of(heap, list), left_of_list);
    }
  }

  // The warp moves rows of keys between global memory and one node of every heap: lanes take consecutive
  // keys, of one heap after the other.
  FATHOM_DEVICE
  int rows() const { return int(ceil_div(layout().heaps() * node, warp_width)); }
  FATHOM_DEVICE
  int heap_of_row(int lane, int row) const { return (row * warp_width + lane) / node; }

  /// Takes the next keys of a list of every heap; all lanes of a heap name the same leaf.
  static constexpr int most_keys = 64;
  template <class Block>
  FATHOM_DEVICE
  void begin_rows(Block& block, int leaf) const {
    const int heap = block.lane() / lanes;
    if (block.lane() % lanes == 0 && heap < layout().heaps()) {
      const int list = list_of(heap, leaf);
      const Index next = list_next.load(list);
      const int left = list_left.load(list), count = min(left, int(node));
      const int to = layout().at(heap, layout().levels()) + leaf * layout().pitch();
      row_from.store(heap, next);
      row_to.store(heap, to * most_keys + count);
      list_next.store(list, next + count);
      list_left.store(list, left - count);
    }
    block.warp_barrier();
  }
  template <class Block>
  FATHOM_DEVICE
  void load_rows(Block& block, const ConstListOf<Element>& input, Keys& keys,
                 Registers<int, Node>& to) const {
    const int key = block.lane() % node;
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i) {
      const int heap = heap_of_row(block.lane(), i);
      if (heap >= layout().heaps()) continue;
      const u32 target = u32(row_to.load(heap));
      const Index from = row_from.load(heap);
      const bool exists = key < int(target % most_keys);
      if (exists) keys[i] = input.load(from + key);
      to[i] = (int(target / most_keys) + key) * 2 + int(exists);
    }
  }
  template <class Block>
  FATHOM_DEVICE
  void store_rows(Block& block, Keys& keys, const Registers<int, Node>& to) const {
    FATHOM_UNROLL
    for (int i = 0; i < rows(); ++i) {
      const int heap = heap_of_row(block.lane(), i);
      if (heap >= layout().heaps()) continue;
      if (to[i] % 2 == 0) keys[i] = padding.load(heap);
      nodes.store(u32(to[i]) / 2, keys[i]);
    }
  }
};

}  // namespace fathom
