// SPDX-License-Identifier: Apache-2.0
// One merge round of GPU-Warpsort (agpu2015, after Ye et al. 2010): every warp writes one piece of the merged
// runs, block by block.
#pragma once

#include <fathom/algorithms/block/exchange.h>
#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/merge_path.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/merge/warp/merge_piece.h>

namespace fathom {

/// Merges pairs of runs of length `run`. A block is what a warp holds in registers, warp × elements keys; a
/// piece has `blocks_per_piece` of them, and MergePathPartition has found where the pieces begin.
///
/// A warp keeps the larger half of what it has merged so far. It reads the next block from the run whose next
/// key is smaller, merges it with the kept one by a bitonic merge, and writes the smaller half.
template <class Key, class LessThan, class Threads = Number, class Elements = Number>
struct MergeByWarps {
  static constexpr const char* header = "fathom/algorithms/sort/merge/warp/merge_by_warps.h";

  Span<const Key> input;
  Span<Key> output;
  Span<const Index> splits;
  Index n;
  Index run;
  int blocks_per_piece;
  Threads threads_per_block;
  Elements elements_per_lane;

  static int shared_memory(int threads, int elements) {
    return TileExchange<Key, Elements, int>::shared_memory(threads * elements, elements);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int size = warp_width * elements_per_lane;
    TileExchange<Key, Elements, Block> exchange(block, elements_per_lane, coalesced(block));
    // The last piece first: its end may take longer.
    const Index piece_size = Index(size) * blocks_per_piece;
    const Index index = Index(splits.count) - 1 - (block.index() * block.warps() + block.warp());
    if (index < 0) return;
    MergePiece piece = MergePiece::number(index, piece_size, run, n, splits);
    Span<Key> to = output.from(index * piece_size);

    int blocks = piece.count() / size;
    if (blocks * size < piece.count()) merge_end(block, exchange.tile(), piece, blocks * size, to);
    if (blocks == 0) return;

    Registers<Key, Elements> kept(elements_per_lane), next(elements_per_lane);
    read_first(block, piece, kept);
    Key head_a = head(piece.a), head_b = head(piece.b);
    for (;; to = to.from(size)) {
      const bool more = --blocks > 0;
      if (more) {  // on its way while the kept block is sorted
        const bool from_a =
            piece.b == piece.b_end || (piece.a != piece.a_end && !compare(head_b, head_a, LessThan{}));
        const Index at = from_a ? piece.a : piece.b;
        read_mirrored(block, at, next);
        const Key after = head(at + size);
        if (from_a) {
          piece.a += size;
          head_a = after;
        } else {
          piece.b += size;
          head_b = after;
        }
      }
      sort_bitonic(exchange, block, kept);
      if (!more) break;
      FATHOM_UNROLL
      for (int i = 0; i < elements_per_lane; ++i) compare_exchange(next[i], kept[i], LessThan{});
      sort_bitonic(exchange, block, next);
      store_strided(to, block.lane(), warp_width, elements_per_lane, next);
    }
    store_strided(to, block.lane(), warp_width, elements_per_lane, kept);
  }

 private:
  /// Key i of a lane is element i·warp + lane of the warp's block.
  template <class Block>
  FATHOM_DEVICE
  TileLayout<Elements> coalesced(Block& block) const {
    return tile_layout(block.thread(), elements_per_lane, log2_of(warp_width));
  }

  /// A run's next key; of a run that has none, some key.
  FATHOM_DEVICE
  Key head(Index at) const { return input.load(min(at, n - 1)); }

  /// The first block: so much of each run that whole blocks are left, the second part backwards. Together a
  /// bitonic sequence.
  template <class Block>
  FATHOM_DEVICE
  void read_first(Block& block, MergePiece& piece, Registers<Key, Elements>& keys) const {
    const int size = warp_width * elements_per_lane;
    const int rest = int((piece.a_end - piece.a) & (size - 1));
    const int from_a = rest == 0 && piece.a != piece.a_end ? size : rest;
    const Index b_last = piece.b + size - 1;
    FATHOM_UNROLL
    for (int i = 0; i < elements_per_lane; ++i) {
      const int at = i * warp_width + block.lane();
      keys[i] = input.load(at < from_a ? piece.a + at : b_last - at);
    }
    piece.a += from_a;
    piece.b += size - from_a;
  }

  /// Backwards: the keys that the first step of a merge with an ascending block compares are in the same
  /// lane.
  template <class Block>
  FATHOM_DEVICE
  void read_mirrored(Block& block, Index at, Registers<Key, Elements>& keys) const {
    const Span<const Key> from = input.from(at);
    const int last = warp_width * elements_per_lane - 1 - block.lane();
    load_strided(keys, elements_per_lane, last, -warp_width, [&](int place) { return from.load(place); });
  }

  template <class Exchange, class Block>
  FATHOM_DEVICE
  void sort_bitonic(Exchange& exchange, Block& block, Registers<Key, Elements>& keys) const {
    if (elements_per_lane == 1) return sort_lanes(block, keys[0]);
    half_cleaners(keys, elements_per_lane, log2_of(elements_per_lane), LessThan{});
    exchange.finish_merge(keys, log2_of(warp_width), LessThan{});
    exchange.move(keys, coalesced(block));
  }

  /// The same for one key per lane: a lane alone can do no step.
  template <class Block>
  FATHOM_DEVICE
  void sort_lanes(Block& block, Key& key) const {
    FATHOM_UNROLL
    for (int distance = warp_width / 2; distance > 0; distance /= 2)
      key = of_pair(key, block.shuffle_xor(key, distance), (block.lane() & distance) != 0, LessThan{});
  }

  /// Merges the keys of the last piece that are no whole block, from `first` on, and takes them from the
  /// piece. Each lane searches for its keys in shared memory.
  template <class Block>
  FATHOM_DEVICE
  void merge_end(Block& block, Shared<Key> tile, MergePiece& piece, int first, Span<Key> to) const {
    const int count_a = int(piece.a_end - piece.a), count = piece.count() - first;
    const int split = merge_path(input.from(piece.a), count_a, input.from(piece.b), piece.count() - count_a,
                                 first, LessThan{});
    const Index a = piece.a + split, b = piece.b + first - split;
    const int from_a = count_a - split;
    const Shared<Key> keys = tile.from(block.warp() * warp_width * elements_per_lane);
    for (int at = block.lane(); at < count; at += warp_width)
      keys.store(at, input.load(at < from_a ? a + at : b + at - from_a));
    block.warp_barrier();
    const Shared<Key> keys_b = keys.from(from_a);
    for (int at = block.lane(); at < count; at += warp_width) {
      const int before = merge_path(keys, from_a, keys_b, count - from_a, at, LessThan{});
      const bool take_a =
          at - before == count - from_a ||
          (before < from_a && !compare(keys_b.load(at - before), keys.load(before), LessThan{}));
      to.store(first + at, take_a ? keys.load(before) : keys_b.load(at - before));
    }
    block.warp_barrier();
    piece.a_end = a;
    piece.b_end = b;
  }
};

}  // namespace fathom
