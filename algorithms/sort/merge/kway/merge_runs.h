// A pass of the K-way mergesort: every block writes one tile of the merged runs.
#pragma once

#include <fathom/algorithms/block/merge.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/store.h>
#include <fathom/algorithms/sort/merge/kway/multiway_partition.h>

namespace fathom {

/// Merges groups of K runs, as partitioned by MultiwayPartition. One block per tile, which reads its part of
/// each run, merges the parts pairwise in log K levels in shared memory, and writes the tile: the data pass
/// through global memory once for log K levels.
template <class Element, class LessThan, class Stability = Unstable, class Ways = Number,
          class Threads = Number, class Elements = Number>
struct MergeRuns {
  static constexpr const char* header = "fathom/algorithms/sort/merge/kway/merge_runs.h";

  using Tile = TileOf<Element>;
  using Order = OrderOf<Element, LessThan, Stability>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const Index> splits;
  Index n;
  Index run;
  int tile_size;
  Ways ways;
  Threads threads_per_block;
  Elements elements_per_thread;

  /// The most elements that a tile may have, in whole rows of a warp. At every level each pair of lists
  /// occupies whole shares of E, the last of which may be nearly empty.
  static int largest_tile(int ways, int threads, int elements) {
    return (threads * elements - ways / 2 * (elements - 1)) / warp_width * warp_width;
  }
  static int shared_memory(int ways, int threads, int elements) {
    return Tile::bytes(threads * elements) + shared_bytes<int>(threads) + shared_bytes<Index>(ways) +
           shared_bytes<int>(ways + 1);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const GroupTile place = GroupTile::number(block.index(), n, run, ways, tile_size);
    const int count = place.count;
    if (count <= 0) return;

    const auto tile = Tile::in(block, threads_per_block * elements_per_thread);
    const auto split_of_thread = block.template shared<int>(threads_per_block);
    const auto part_begin = block.template shared<Index>(ways);    // in the input
    const auto part_first = block.template shared<int>(ways + 1);  // elements of the parts before it
    find_parts(block, place, part_begin, part_first);
    block.barrier();
    read_parts(block, part_begin, part_first, tile);
    pad_tile(block, elements_per_thread, tile, count);
    block.barrier();

    Registers<Element, Elements> sorted(elements_per_thread);
    for (int merged = 2; merged <= ways; merged *= 2) {  // parts in a list after this level
      const PairShare pair = share_of_thread(block.thread(), merged, part_first);
      merge_share(sorted, elements_per_thread, tile, pair, split_of_thread, block.thread(), Order{},
                  [&] { block.barrier(); });
      block.barrier();
      if (merged < ways) {
        const int at = pair.a_first + pair.share * elements_per_thread;
        if (at + elements_per_thread <= pair.end) {
          store_consecutive(tile.from(at), 0, elements_per_thread, sorted);
        } else {
          FATHOM_UNROLL
          for (int i = 0; i < elements_per_thread; ++i)
            if (at + i < pair.end) tile.store(at + i, sorted[i]);
        }
        block.barrier();
      }
    }
    write_tile(block, sorted, elements_per_thread, tile, output.from(place.group.first + place.begin), count);
  }

 private:
  /// Which pair of lists a thread works on at a level after which a list holds `merged` parts.
  FATHOM_DEVICE
  PairShare share_of_thread(int thread, int merged, Shared<int> part_first) const {
    PairShare pair{0, 0, 0, thread, false};
    for (int part = 0;;) {
      pair.a_first = pair.end;
      pair.b_first = part_first.load(part + merged / 2);
      pair.end = part_first.load(part + merged);
      part += merged;
      const int shares = (pair.end - pair.a_first + elements_per_thread - 1) / elements_per_thread;
      pair.last = pair.share >= shares - 1;
      if (pair.share < shares || part >= ways) return pair;
      pair.share -= shares;
    }
  }

  /// Which elements of each run belong to the tile.
  template <class Block>
  FATHOM_DEVICE
  void find_parts(Block& block, const GroupTile& of, Shared<Index> part_begin, Shared<int> part_first) const {
    if (block.warp() > 0) return;
    const int k = block.lane();
    int size = 0;
    if (k < ways) {
      const Index begin = splits.load(block.index() * ways + k);
      const Index end = of.last ? of.group.count_of(k) : splits.load((block.index() + 1) * ways + k);
      part_begin.store(k, of.group.begin_of(k) + begin);
      size = int(end - begin);
    }
    const int up_to_here = inclusive_scan_lanes(block, size, k, ways, Plus{});
    if (k < ways) part_first.store(k, up_to_here - size);
    if (k == ways) part_first.store(k, of.count);
  }

  /// Elements of a part that a warp reads together: a few aligned rows.
  static constexpr int rows_of_chunk = 4, chunk_size = rows_of_chunk * warp_width;
  using InFlight = Constant<4>;  // chunks
  struct Chunk {
    Index source;  ///< of the thread's first element, in the input
    int element;   ///< the same within the part; negative before the part
    int size;      ///< of the part
    int place;     ///< of the thread's first element, in the tile
    bool whole;    ///< all elements of the chunk are of the part

    /// Calls action(row) for each row in which the thread has an element.
    template <class Action>
    FATHOM_DEVICE
    void for_each_row(Action action) const {
      if (whole) {
        FATHOM_UNROLL
        for (int row = 0; row < rows_of_chunk; ++row) action(row);
      } else {
        FATHOM_UNROLL
        for (int row = 0; row < rows_of_chunk; ++row) {
          const int at = element + row * warp_width;
          if (at >= 0 && at < size) action(row);
        }
      }
    }
  };

  /// Reads the parts one after the other, a warp a chunk at a time.
  template <class Block>
  FATHOM_DEVICE
  void read_parts(Block& block, Shared<Index> part_begin, Shared<int> part_first,
                  typename Tile::type tile) const {
    // Lane k knows part k.
    const int k = min(block.lane(), int(ways) - 1);
    const int place = part_first.load(k);
    const Index begin = part_begin.load(k);
    const int size = part_first.load(k + 1) - place;
    const int skipped = int(begin % warp_width);
    const int own_chunks = block.lane() < ways ? int(ceil_div(size + skipped, chunk_size)) : 0;
    const int chunks = inclusive_scan_warp(block, own_chunks, Plus{});  // of this part and those before
    const int all_chunks = block.shuffle(chunks, warp_width - 1);
    const int element = -(chunks - own_chunks) * chunk_size - skipped;  // in chunk 0

    const InFlight in_flight{};
    for (int first = block.warp(); first < all_chunks; first += block.warps() * in_flight) {
      Registers<Chunk, InFlight> chunk(in_flight);
      Registers<Element, Constant<4 * rows_of_chunk>> elements(Constant<4 * rows_of_chunk>{});
      FATHOM_UNROLL
      for (int i = 0; i < in_flight; ++i) {
        const int at = first + i * block.warps();
        const int part = min(block.reduce_add(chunks <= at ? 1 : 0), int(ways) - 1);
        const int first_element = block.shuffle(element, part) + at * chunk_size;
        const int part_size = at < all_chunks ? block.shuffle(size, part) : 0;
        const int in_part = first_element + block.lane();
        chunk[i] = {block.shuffle(begin, part) + in_part, in_part, part_size,
                    block.shuffle(place, part) + in_part,
                    first_element >= 0 && first_element + chunk_size <= part_size};
        chunk[i].for_each_row([&](int row) {
          elements[i * rows_of_chunk + row] = input.load(chunk[i].source + row * warp_width);
        });
      }
      FATHOM_UNROLL
      for (int i = 0; i < in_flight; ++i)
        chunk[i].for_each_row([&](int row) {
          tile.store(chunk[i].place + row * warp_width, elements[i * rows_of_chunk + row]);
        });
    }
  }
};

}  // namespace fathom
