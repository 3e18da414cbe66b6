// SPDX-License-Identifier: Apache-2.0
// The single-pass scan of large inputs: the blocks of a fixed grid take tiles in turn, several at a time.
#pragma once

#include <fathom/algorithms/scan/lookback/tile_states.h>
#include <fathom/algorithms/scan/lookback/warp_rows.h>

namespace fathom {

/// Scans tiles of (threads − 96) · elements_per_thread elements. `elements_per_thread` is a multiple of
/// widest_vector<T>, `stages` from 4 to 32.
///
/// A block has `stages` tiles under way, which it takes one step apart. In each step its warps combine the
/// elements of a tile that has arrived, write another, whose place is known, and start to fetch the next one
/// into the memory that this leaves. Three more warps meanwhile publish the combination of one tile, find
/// what precedes another, and take the number of the next, each of which waits for global memory. The block
/// itself waits neither for memory nor for other blocks unless they are several steps late. That the elements
/// of a tile are combined some steps before they are scanned costs a second reading of shared memory.
///
/// A tile is preceded by the block's last tile, all before it, and the tiles of other blocks between the
/// two. Only the combinations of tiles alone are published, and so each state is written once.
/// data/h200-scans/trials.txt tells what else was tried.
///
/// Tiles are taken by tickets: whoever waits for one waits for a block that runs.
template <class T, class Operator, class Kind, class Threads = Number, class Elements = Number,
          class Stages = Number>
struct ScanTilesInTurn {
  static constexpr const char* header = "fathom/algorithms/scan/stream/scan_tiles_in_turn.h";

  Span<const T> input;
  Span<T> output;
  TileStates<T> states;
  Span<u32> tickets;  ///< one; 0 before and after
  Index n;
  Threads threads_per_block;
  Elements elements_per_thread;
  Stages stages;

  static constexpr bool blocks_communicate = true;
  /// A tile is published in step stages / 3 + 1 after its first, and placed in a later one, stages − 1.
  static constexpr int least_stages = 4;
  /// The windows of 32 states that are read together: five hold a tile from each of up to 160
  /// multiprocessors.
  static constexpr int windows = 5;
  /// The warps that have no part of a tile, in their order behind those that have.
  enum Role { publishes, places, takes_tickets, other_warps };
  using Rows = WarpRows<T, Elements>;

  static int shared_memory(int threads, int elements, int stages) {
    const int warps = threads / warp_width;
    return stages * Rows::shared_memory(threads - warp_width * other_warps, elements) +
           shared_bytes<u64>(warps * stages) + shared_bytes<T>((warps - other_warps) * stages) +
           shared_bytes<T>(stages) + shared_bytes<int>(2 * stages);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Memory memory = memory_of(block);
    auto copies =
        block.template copy_pipeline<typename Rows::Row>(memory.arrivals.from(block.warp() * stages), stages);
    const int arrival = stages / 3, placing = stages - 1;  // steps after a tile's first
    const int role = block.warp() - warps();               // a Role, or negative
    u32 ticket = 0;
    Placed placed{-1, identity_of<Operator, T>()};
    if (role == takes_tickets && block.lane() == 0) {
      const int first = number_of(block, take_ticket());
      memory.numbers.store(0, first);
      if (first != none()) ticket = take_ticket();
    }
    FATHOM_NO_UNROLL
    for (int step = 0;; ++step) {  // counts the block's tiles as well
      block.barrier();
      const int to_fetch = number(memory, step), to_write = number(memory, step - stages);
      if (step >= stages && to_write == none()) return;
      if (role < 0) {
        const int to_combine = number(memory, step - arrival);
        if (to_combine != none()) combine_tile(block, memory, copies, step - arrival, to_combine);
        if (to_write != none()) write_tile(block, memory, step, to_write);
        if (to_fetch != none()) fetch_tile(block, memory, copies, step, to_fetch);
      } else if (role == publishes) {
        const int to_publish = number(memory, step - arrival - 1);
        if (to_publish != none()) publish_tile(block, memory, step - arrival - 1, to_publish);
      } else if (role == places) {
        const int to_place = number(memory, step - placing);
        if (to_place != none()) place_tile(block, memory, step - placing, to_place, placed);
      } else if (block.lane() == 0) {
        const int next = to_fetch == none() ? none() : number_of(block, ticket);
        memory.numbers.store((step + 1) % (2 * stages), next);
        if (next != none()) ticket = take_ticket();
      }
    }
  }

 private:
  using Row = typename Rows::Row;

  struct Memory {
    Shared<Row> rows;  ///< of each stage, those of one warp behind those of another
    Shared<u64> arrivals;
    Shared<T> warps;      ///< of each stage, what each warp combines; then, what precedes it in the tile
    Shared<T> tiles;      ///< of each stage, what the tile combines; then, what precedes it
    Shared<int> numbers;  ///< of the block's last 2 · stages tiles
  };

  template <class Block>
  FATHOM_DEVICE
  Memory memory_of(Block& block) const {
    Memory memory;
    memory.rows = block.template shared<Row>(stages * warps() * rows_of_warp());
    memory.arrivals = block.template shared<u64>((warps() + other_warps) * stages);
    memory.warps = block.template shared<T>(warps() * stages);
    memory.tiles = block.template shared<T>(stages);
    memory.numbers = block.template shared<int>(2 * stages);
    return memory;
  }
  /// The number of warps that have a part of a tile.
  FATHOM_DEVICE
  int warps() const { return threads_per_block / warp_width - other_warps; }
  FATHOM_DEVICE
  int rows_of_warp() const { return warp_width * (elements_per_thread / Rows::width); }
  FATHOM_DEVICE
  int none() const { return states.tiles; }

  /// The number of the block's tile `mine`, or none().
  FATHOM_DEVICE
  int number(const Memory& memory, int mine) const {
    return mine < 0 ? none() : memory.numbers.load(mine % (2 * stages));
  }
  /// The warp's part of the tile in a stage.
  template <class Block>
  FATHOM_DEVICE
  Rows part(const Block& block, const Memory& memory, int stage) const {
    return {memory.rows.from((stage * warps() + block.warp()) * rows_of_warp()), elements_per_thread};
  }
  /// The warp's first element in a tile.
  template <class Block>
  FATHOM_DEVICE
  Index first(const Block& block, int number) const {
    return (Index(number) * warps() + block.warp()) * warp_width * elements_per_thread;
  }

  FATHOM_DEVICE
  u32 take_ticket() const { return tickets.atomic_add_relaxed(0, 1u); }
  /// The number of the tile that is a ticket's, or none(). Whoever has the last ticket of all blocks prepares
  /// the next run.
  template <class Block>
  FATHOM_DEVICE
  int number_of(const Block& block, u32 ticket) const {
    if (ticket == u32(none()) + u32(block.blocks()) - 1) tickets.store(0, 0);
    return min(int(ticket), none());
  }

  template <class Block, class Copies>
  FATHOM_DEVICE
  void fetch_tile(Block& block, const Memory& memory, Copies& copies, int mine, int number) const {
    const int stage = mine % stages;
    part(block, memory, stage)
        .begin(block, copies, stage, input, first(block, number), n, identity_of<Operator, T>());
  }

  template <class Block, class Copies>
  FATHOM_DEVICE
  void combine_tile(Block& block, const Memory& memory, Copies& copies, int mine, int number) const {
    const int stage = mine % stages;
    const Rows rows = part(block, memory, stage);
    rows.wait(block, copies, stage, first(block, number), n);
    const T sum = rows.reduce(block, Operator{});
    if (block.lane() == 0) memory.warps.store(stage * warps() + block.warp(), sum);
  }

  template <class Block>
  FATHOM_DEVICE
  void publish_tile(Block& block, const Memory& memory, int mine, int number) const {
    const int stage = mine % stages, place = stage * warps() + block.lane();
    const bool has_warp = block.lane() < warps();
    const T of_warp = has_warp ? memory.warps.load(place) : identity_of<Operator, T>();
    const T scanned = inclusive_scan_warp(block, of_warp, Operator{});
    const T of_tile = block.shuffle(scanned, warp_width - 1), before = block.shuffle_up(scanned, 1);
    if (block.lane() == 0) {
      states.publish(number, of_tile, false);
      memory.tiles.store(stage, of_tile);
    }
    if (has_warp) memory.warps.store(place, block.lane() == 0 ? identity_of<Operator, T>() : before);
  }

  /// The block's last tile that has been placed.
  struct Placed {
    int number;
    T up_to;  ///< the combination of all tiles up to it, in lane 0
  };

  template <class Block>
  FATHOM_DEVICE
  void place_tile(Block& block, const Memory& memory, int mine, int number, Placed& last) const {
    const T between = states.template combine_tiles<windows>(block, last.number + 1, number, Operator{});
    if (block.lane() == 0) {
      const int stage = mine % stages;
      const T before = Operator{}(last.up_to, between);
      last.up_to = Operator{}(before, memory.tiles.load(stage));
      memory.tiles.store(stage, before);
    }
    last.number = number;
  }

  template <class Block>
  FATHOM_DEVICE
  void write_tile(Block& block, const Memory& memory, int mine, int number) const {
    const int stage = mine % stages;
    const Rows rows = part(block, memory, stage);
    Registers<T, Elements> before_row(elements_per_thread);
    rows.scan(block, before_row, Operator{});
    const T before = Operator{}(memory.tiles.load(stage), memory.warps.load(stage * warps() + block.warp()));
    rows.template write<Kind>(block, output, first(block, number), n, before, before_row, Operator{});
    block.warp_barrier();
  }
};

}  // namespace fathom
