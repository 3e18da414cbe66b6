// SPDX-License-Identifier: Apache-2.0
// The lists of a segmented sort that fit in a block's tile: as many at a time as the tile has room for.
#pragma once

#include <fathom/algorithms/block/first_without.h>
#include <fathom/algorithms/block/scan.h>
#include <fathom/algorithms/sort/segments/large_lists.h>
#include <fathom/algorithms/sort/segments/sort_shares.h>

namespace fathom {

/// Sorts those of the block's lists that have more than `above` and at most threads × elements elements, from
/// `input` to `output`. A thread has no more than one list's elements: so a list costs the time of the
/// elements of its threads. Blocks of one warp read and write neighbouring lists as a whole, others each list
/// by its threads. Lists of more elements are listed in `large`.
template <class Element, class LessThan, class Threads = Number, class Elements = Number>
struct SortLists {
  static constexpr const char* header = "fathom/algorithms/sort/segments/sort_lists.h";

  using Sort = ShareSort<Element, LessThan, Threads, Elements>;

  ConstListOf<Element> input;
  ListOf<Element> output;
  Span<const Index> begins;  ///< of each list, and the end of the last
  Index lists_per_block;
  int above;
  LargeLists large;  ///< without room if another launch lists them
  Threads threads_per_block;
  Elements elements_per_thread;

  /// Blocks take places among the large lists from each other.
  static constexpr bool blocks_communicate = true;

  static constexpr int least_resident_blocks() { return Sort::least_resident_blocks(); }
  static int shared_memory(int threads, int elements) {
    return Sort::shared_memory(threads, elements) + 3 * shared_bytes<int>(threads) +
           shared_bytes<Index>(threads) + 3 * shared_bytes<int>(warp_width);
  }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Sort sort(block, threads_per_block, elements_per_thread);
    const auto share_ends = block.template shared<int>(threads_per_block);
    const auto firsts = block.template shared<int>(threads_per_block);
    const auto counts = block.template shared<int>(threads_per_block);
    const auto list_begins = block.template shared<Index>(threads_per_block);
    const auto sums = block.template shared<int>(warp_width);
    const auto misfits = block.template shared<int>(warp_width);
    const auto longest = block.template shared<int>(warp_width);
    const bool one_warp = threads_per_block == warp_width;
    const int tile_size = threads_per_block * elements_per_thread;
    const Index end = min(Index(begins.count) - 1, (block.index() + 1) * lists_per_block);
    FATHOM_NO_UNROLL
    for (Index base = block.index() * lists_per_block; base < end;) {
      // One list per thread: as many as fit are taken.
      const Index start = begins.load(base), list = base + block.thread();
      const bool exists = list < end;
      const Index first = exists ? begins.load(list) : 0, size = exists ? begins.load(list + 1) - first : 0;
      const bool fits_alone = size > above && size <= tile_size;
      const int shares = fits_alone ? shares_of(int(size)) : 0;
      const int share_end = thread_prefix_in_block(block, shares, sums, Plus{}).exclusive_prefix + shares;
      const bool fits =
          share_end <= threads_per_block && (!one_warp || shares == 0 || first + size - start <= tile_size);
      share_ends.store(block.thread(), share_end);
      // Lists that a warp takes lie one behind the other; in a larger block others may lie between them.
      firsts.store(block.thread(),
                   one_warp ? int(first - start) : (share_end - shares) * elements_per_thread);
      counts.store(block.thread(), int(size));
      list_begins.store(block.thread(), first);
      const u32 misfit = ~block.ballot(fits);
      const int most_of_warp = block.reduce_max(fits ? shares : 0);
      if (block.lane() == 0) {
        misfits.store(block.warp(), misfit == 0
                                        ? int(threads_per_block)
                                        : block.warp() * warp_width + count_ones((misfit & -misfit) - 1));
        longest.store(block.warp(), most_of_warp);
      }
      block.barrier();
      const bool has_warp = block.lane() < block.warps();
      const int taken = block.reduce_min(has_warp ? misfits.load(block.lane()) : int(threads_per_block));
      const int most_shares = block.reduce_max(has_warp ? longest.load(block.lane()) : 0);
      if (!one_warp && large.has_room())
        large.add(block, first, block.thread() < taken && size > tile_size ? size : 0, tile_size);
      if (most_shares > 0) {
        const int number = list_of_share(block.thread(), taken, share_ends);
        const auto share = [&] {
          ListShare mine;
          if (number < taken) {
            const int count = counts.load(number), of_list = shares_of(count);
            mine = {firsts.load(number), count, of_list,
                    block.thread() - (share_ends.load(number) - of_list)};
          }
          return mine;
        };
        const int span = one_warp ? block.reduce_max(fits && shares > 0 ? int(first + size - start) : 0) : 0;
        const auto moves = [&]() -> Moves {
          if (one_warp) return {start, 0, block.thread(), threads_per_block, span};
          const ListShare mine = share();
          return {mine.count > 0 ? list_begins.load(number) : 0, mine.first, mine.share, mine.shares,
                  mine.count};
        };
        sort.sort(block, input, output, share(), most_shares, moves);
      }
      block.barrier();
      base += taken;
    }
  }

 private:
  FATHOM_DEVICE
  int shares_of(int count) const { return (count + elements_per_thread - 1) / elements_per_thread; }
  /// The number of the list of which a thread has a share: `lists` if it has none.
  FATHOM_DEVICE
  static int list_of_share(int thread, int lists, const Shared<int>& share_ends) {
    return first_without(0, lists, [&](int list) { return share_ends.load(list) <= thread; });
  }
};

}  // namespace fathom
