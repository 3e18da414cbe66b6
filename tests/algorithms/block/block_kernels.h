// SPDX-License-Identifier: Apache-2.0
// One small kernel for each primitive of algorithms/block/: a block works on a tile of `count` random
// numbers. They run on the CPU and on a GPU against the same serial results.
#pragma once

#include <fathom/algorithms/block/conflict_free_merge.h>
#include <fathom/algorithms/block/load.h>
#include <fathom/algorithms/block/merge.h>
#include <fathom/algorithms/block/merge_path.h>
#include <fathom/algorithms/block/merge_sort.h>
#include <fathom/algorithms/block/multiway_select.h>
#include <fathom/algorithms/block/radix/radix_sort.h>
#include <fathom/algorithms/block/radix/rank_in_any_order.h>
#include <fathom/algorithms/block/reduce.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/block/store.h>

namespace block_kernels {

using namespace fathom;

/// Composes the maps x → ax + b modulo 2^16, a in the upper half of a word and b in the lower one:
/// associative, but not commutative.
struct Compose {
  template <class T>
  FATHOM_DEVICE
  static constexpr T identity() { return 0x10000; }
  template <class T>
  FATHOM_DEVICE
  constexpr T operator()(const T& first, const T& second) const {
    const u32 a = second >> 16;
    return (first >> 16) * a << 16 | (((first & 0xffff) * a + second) & 0xffff);
  }
};

/// `Primitive` reads `count` elements of the input and writes the output.
template <class Primitive, class Threads = Number, class Elements = Number>
struct OnTile {
  static constexpr const char* header = "fathom/tests/algorithms/block/block_kernels.h";

  Span<const u32> input;
  Span<u32> output;
  int count;
  Threads threads;
  Elements elements;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const { Primitive::run(block, *this); }

  using Items = Registers<u32, Elements>;
  /// The first of two sorted lists of the input, for merges; the rest is the second one.
  FATHOM_DEVICE
  int a_count() const { return count / 3; }
  FATHOM_DEVICE
  PairShare lists(int thread) const { return {0, a_count(), count, thread, thread == threads - 1}; }
};

inline constexpr int group = 8;  ///< lanes that scan or select together

struct ScanWarp {
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const u32 value = kernel.input.load(block.thread());
    kernel.output.store(block.thread(), inclusive_scan_warp(block, value, Compose{}));
  }
};
struct ScanLanes {
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const u32 value = kernel.input.load(block.thread());
    kernel.output.store(block.thread(),
                        inclusive_scan_lanes(block, value, block.lane() % group, group, Compose{}));
  }
};
/// The threads' prefixes, then what each of them knows of the whole block.
struct ScanBlock {
  static int shared_memory(int, int) { return shared_bytes<u32>(warp_width); }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const auto sums = block.template shared<u32>(warp_width);
    const auto prefix = thread_prefix_in_block(block, kernel.input.load(block.thread()), sums, Compose{});
    kernel.output.store(block.thread(), prefix.exclusive_prefix);
    kernel.output.store(kernel.threads + block.thread(), prefix.aggregate);
  }
};
struct ReduceBlock {
  static int shared_memory(int, int) { return shared_bytes<u32>(warp_width); }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const u32 total = reduce_block(block, kernel.input.load(block.thread()), Compose{});
    if (block.thread() == 0) kernel.output.store(0, total);
  }
};

/// Counts the input's values modulo `group`.
struct CountInGrid {
  static int shared_memory(int, int) { return shared_bytes<u32>(group); }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const auto counts = block.template shared<u32>(group);
    fill_shared(block, kernel.threads, counts, group, 0u);
    block.barrier();
    const auto count = [&](u32 key) { counts.atomic_add(int(key % group), 1u); };
    constexpr int in_flight = 4;
    for_each_in_grid<in_flight>(
        block, kernel.threads, kernel.input, Index(kernel.count),
        [&](const auto& keys) {
          FATHOM_UNROLL
          for (int i = 0; i < in_flight; ++i) count(keys[i]);
        },
        count);
    block.barrier();
    if (block.thread() < group) kernel.output.store(block.thread(), counts.load(block.thread()));
  }
};

/// The input itself, of which every thread has consecutive elements in between.
struct LoadConsecutive {
  static int shared_memory(int threads, int elements) { return shared_bytes<u32>(threads * elements); }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const auto tile = block.template shared<u32>(kernel.threads * kernel.elements);
    typename Kernel::Items loaded(kernel.elements);
    load_consecutive(block, kernel.input, kernel.count, tile, kernel.elements, loaded);
    block.barrier();
    write_tile(block, loaded, kernel.elements, tile, kernel.output, kernel.count);
  }
};
/// What each thread has after load_padded() and a network.
struct SortThreads {
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    typename Kernel::Items keys(kernel.elements);
    const int begin = block.thread() * kernel.elements;
    if (!load_padded(
            keys, kernel.elements, begin, kernel.count, [&](int at) { return kernel.input.load(at); },
            Less{}))
      return;
    odd_even_merge_sort(keys, kernel.elements, Less{});
    store_consecutive(kernel.output, begin, kernel.elements, keys);
  }
};

/// The input itself, whose layout over the threads changes twice in between. Elements are a power of two.
struct ExchangeLayouts {
  static int shared_memory(int threads, int elements) {
    return shared_memory_of_tile<u32>(threads, elements);
  }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const auto coalesced = tile_layout(block.thread(), kernel.elements, log2_of(kernel.threads));
    const auto consecutive = tile_layout(block.thread(), kernel.elements, 0);
    const int size = kernel.threads * kernel.elements;
    const auto scratch = block.template shared<u32>(block.warps());
    typename Kernel::Items keys(kernel.elements);
    read_tile_in_layout(block, kernel.input, kernel.count, size, scratch, coalesced, coalesced, keys, Less{});
    TileExchange<u32, decltype(Kernel::elements), Block> exchange(block, kernel.elements, coalesced);
    exchange.move(keys, consecutive);
    exchange.move(keys, coalesced);
    write_tile_in_layout(kernel.output, kernel.count, size, coalesced, keys);
  }
};

/// Merges the input's two lists.
struct MergeShares {
  static int shared_memory(int threads, int elements) {
    return shared_bytes<u32>(threads * elements) + shared_bytes<int>(threads);
  }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const auto tile = block.template shared<u32>(kernel.threads * kernel.elements);
    const auto splits = block.template shared<int>(kernel.threads);
    fill_tile<u32>(block, kernel.threads, kernel.elements, tile, kernel.count, kernel.elements,
                   [&](int at) { return kernel.input.load(at); });
    pad_tile(block, kernel.elements, tile, kernel.count);
    block.barrier();
    typename Kernel::Items merged(kernel.elements);
    merge_share(merged, kernel.elements, tile, kernel.lists(block.thread()), splits, block.thread(), Less{},
                [&] { block.barrier(); });
    block.barrier();
    write_tile(block, merged, kernel.elements, tile, kernel.output, kernel.count);
  }
};
/// The same of records, stably: writes the places in the input from which the merged keys are.
/// How many of the first elements of the merged lists are in the first one, for each number of elements.
struct SplitByWarp {
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const int a_count = kernel.a_count();
    for (int diagonal = block.warp(); diagonal <= kernel.count; diagonal += block.warps()) {
      const int split = merge_path_by_warp(block, kernel.input, a_count, kernel.input.from(a_count),
                                           kernel.count - a_count, diagonal, Less{});
      if (block.lane() == 0) kernel.output.store(diagonal, u32(split));
    }
  }
};

struct MergeRecords {
  using Tile = TileOf<Record<u32, u32>>;
  static int shared_memory(int threads, int elements) {
    return Tile::bytes(threads * elements) + shared_bytes<int>(threads);
  }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const auto tile = Tile::in(block, kernel.threads * kernel.elements);
    const auto splits = block.template shared<int>(kernel.threads);
    fill_tile<Record<u32, u32>>(block, kernel.threads, kernel.elements, tile, kernel.count, kernel.elements,
                                [&](int at) {
                                  return Record<u32, u32>{kernel.input.load(at), u32(at)};
                                });
    pad_tile(block, kernel.elements, tile, kernel.count);
    block.barrier();
    Registers<Record<u32, u32>, decltype(Kernel::elements)> merged(kernel.elements);
    merge_share(merged, kernel.elements, tile, kernel.lists(block.thread()), splits, block.thread(),
                OrderOf<Record<u32, u32>, Less, Stable>{}, [&] { block.barrier(); });
    FATHOM_UNROLL
    for (int i = 0; i < kernel.elements; ++i) {
      const int at = block.thread() * kernel.elements + i;
      if (at < kernel.count) kernel.output.store(at, merged[i].value);
    }
  }
};
/// The same without bank conflicts. Elements are a power of two.
struct MergeWithoutConflicts {
  static int shared_memory(int threads, int elements) {
    return shared_bytes<u32>(padded<u32>(threads * elements, elements)) + shared_bytes<int>(threads);
  }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const int size = kernel.threads * kernel.elements;
    const auto tile = block.template shared<u32>(padded<u32>(size, kernel.elements));
    const auto splits = block.template shared<int>(kernel.threads);
    for (int at = block.thread(); at < kernel.count; at += kernel.threads) {
      const int place = at < kernel.a_count() ? at : size - 1 - (at - kernel.a_count());
      tile.store(padded<u32>(place, kernel.elements), kernel.input.load(at));
    }
    block.barrier();
    typename Kernel::Items merged(kernel.elements);
    const PairShare lists = kernel.lists(block.thread());
    merge_region(merged, kernel.elements, tile,
                 {0, size, kernel.a_count(), kernel.count - kernel.a_count(), lists.share, lists.last},
                 splits, block.thread(), Less{}, [&] { block.barrier(); });
    block.barrier();
    write_padded_tile(block, merged, kernel.elements, tile, kernel.output, kernel.count);
  }
};

struct SortByMerges {
  static int shared_memory(int threads, int elements) {
    return MergeShares::shared_memory(threads, elements);
  }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const auto tile = block.template shared<u32>(kernel.threads * kernel.elements);
    const auto splits = block.template shared<int>(kernel.threads);
    typename Kernel::Items sorted(kernel.elements);
    sort_in_block(
        block, sorted, kernel.elements, tile, splits, kernel.count,
        [&](int at) { return kernel.input.load(at); }, Less{});
    write_front(block, sorted, kernel.elements, tile, kernel.output, kernel.count);
  }
};

inline constexpr int digit_bits = 5;
inline constexpr BitRange sorted_bits{3, 17};
/// Sorts by some of the keys' bits, stably, digit by digit.
struct SortByDigits {
  template <class Count = Number>  // a template, since NVRTC knows no registers for a Number
  static int shared_memory(int threads, int elements) {
    return BlockRadixSort<u32, Count, Count>::shared_memory(threads, elements, digit_bits);
  }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    BlockRadixSort<u32, decltype(Kernel::threads), decltype(Kernel::elements)> sort(
        block, kernel.threads, kernel.elements, digit_bits);
    sort.load(kernel.input, kernel.count);
    sort.sort_by(block, sorted_bits, digit_bits);
    sort.store(block, kernel.output, [](u32, int at) { return Index(at); });
  }
};

/// Keys that are sorted by their last `last_bits` bits begin with these.
template <int last_bits>
inline constexpr u32 common_bits = 0xa5a5a5a5u >> last_bits << last_bits;
/// Sorts records of a key, an element of the input with common_bits, and its place there by the last bits,
/// and writes first the keys, then the places. If the sort refuses, it writes the records as they are.
template <int last_bits>
struct SortWithPlaces {
  template <class Count = Number>
  static int shared_memory(int threads, int elements) {
    return shared_bytes<u32>(BlockValueSort<u32, Count, Count>::words(threads, elements)) +
           BlockRadixSort<Item, Count, Count>::shared_memory_beside_rows(threads, elements);
  }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    using Threads = decltype(Kernel::threads);
    using Elements = decltype(Kernel::elements);
    const int counts = BlockValueSort<u32, Threads, Elements>::words(kernel.threads, kernel.elements);
    const BlockRadixSort<Item, Threads, Elements> sort(block, kernel.threads, kernel.elements,
                                                       DigitRows{block.template shared<u32>(counts), 1});
    const ListOf<Item> output{kernel.output, kernel.output.from(kernel.count)};
    const auto load = [&](int at) { return Item{kernel.input.load(at) | common_bits<last_bits>, u32(at)}; };
    if (sort.by_counting().sort(block, kernel.count, load, output, last_bits)) return;
    for (int at = block.thread(); at < kernel.count; at += kernel.threads) output.store(at, load(at));
  }

 private:
  using Item = Record<u32, u32>;
};

/// Ranks numbers by their last bits in any order where these are equal, and writes the bits at the ranks; for
/// the padding of the tile, whose bits come first of all, a number beyond.
struct RankInAnyOrder {
  static constexpr Digit digit{0, 5};
  static constexpr int bins = 1 << digit.count;
  static constexpr u32 padding = bins;

  static int shared_memory(int threads, int) {
    return DigitCounts::shared_memory(threads, bins) + shared_bytes<u32>(warp_width);
  }
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const auto counts = DigitCounts::make(block, bins);
    const auto sums = block.template shared<u32>(warp_width);
    const int own = ItemsOfWarp::first(block, kernel.elements);
    typename Kernel::Items numbers(kernel.elements), ranks(kernel.elements);
    int there = 0;
    for (int i = 0; i < kernel.elements; ++i) {
      const int at = own + i * warp_width;
      numbers[i] = at < kernel.count ? kernel.input.load(at) : 0;
      there += at < kernel.count ? 1 : 0;
    }
    counts.rank(block, digit, numbers, kernel.elements, there, ranks);
    block.barrier();
    const bool has_bin = block.thread() < bins;
    const auto column = counts.column(has_bin ? block.thread() : 0, kernel.threads);
    const u32 here = has_bin ? column.sum() : 0;
    const u32 start = thread_prefix_in_block(block, here, sums, Plus{}).exclusive_prefix;
    if (has_bin) column.store_ranks(start);
    block.barrier();
    counts.rank_in_tile(block, kernel.elements, ranks);
    for (int i = 0; i < kernel.elements; ++i)
      kernel.output.store(int(ranks[i]), i < there ? u32(digit.of(numbers[i])) : padding);
  }
};

/// The input has `group` sorted lists of `count` elements. Each group of lanes, of one warp, selects another
/// number of the first elements of all of them: how many each list has.
struct SelectFromLists {
  template <class Block, class Kernel>
  FATHOM_DEVICE
  static void run(Block& block, const Kernel& kernel) {
    const Index list = block.lane() % group, count = kernel.count;
    const MultiwaySelect<u32, Less, Constant<group>> select{
        kernel.input.from(list * count), count, count, {}};
    kernel.output.store(block.thread(), u32(select(block, rank_of(block.thread(), kernel.count))));
  }
  FATHOM_DEVICE
  static Index rank_of(int thread, int count) { return Index(thread / group) * count * 2 - thread / group; }
};

}  // namespace block_kernels
