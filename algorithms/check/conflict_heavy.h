// SPDX-License-Identifier: Apache-2.0
// Input for which the merges of a pairwise mergesort read shared memory through few banks (karsin2018,
// "conflict-heavy").
#pragma once

#include <fathom/algorithms/check/pattern.h>
#include <fathom/algorithms/sort/merge/runs.h>

namespace fathom {

/// Stores the element of each rank where the sort must find it initially: undoes the merges, from the last
/// down to those of two threads' runs. One thread per rank, independent of all others.
///
/// When two runs are merged, every thread produces `elements_per_thread` = E consecutive keys. In the first
/// half of the output, threads cyclically take E, …, E and then the remainder to 32 keys from the first run;
/// in the second half they take these from the second run. So threads begin to read at k·E mod 32 for few k,
/// hence in few banks, for any E. With random input they begin anywhere. `Role` is AsKey or AsSummand.
template <class T, class Role>
struct ConflictHeavy {
  static constexpr const char* header = "fathom/algorithms/check/conflict_heavy.h";

  Span<T> output;
  Index longest_run;  ///< of the last merge: E·2^k, below the number of keys
  int threads_per_block;
  int elements_per_thread;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(output.count);
    const Index stride = block.blocks() * block.threads();
    for (Index rank = block.index() * block.threads() + block.thread(); rank < n; rank += stride)
      output.store(input_position(sorted_position(rank, n), n), Role::template of<T>(ordered_value(rank, n)));
  }

 private:
  /// The key's position once every thread has sorted its own run.
  FATHOM_DEVICE
  Index sorted_position(Index rank, Index n) const {
    Index position = rank;
    for (Index run = longest_run; run >= elements_per_thread; run /= 2) {
      const RunPair pair = pair_around(position, run, n);
      const Index merged = position - pair.a_first;
      const Index from_a = taken_from_a(merged, run, pair);
      position = taken_from_a(merged + 1, run, pair) > from_a ? pair.a_first + from_a
                                                              : pair.b_first + merged - from_a;
    }
    return position;
  }

  /// How many of the first `merged` keys of the output come from the pair's first run. Clamped for a short
  /// last run; the bounds rise by 0 or 1 from key to key, as the pattern does.
  FATHOM_DEVICE
  Index taken_from_a(Index merged, Index run, const RunPair& pair) const {
    const Index wanted =
        merged < run ? in_turns(merged) : in_turns(run) + merged - run - in_turns(merged - run);
    return min(max(wanted, merged - pair.b_count()), min(merged, pair.a_count()));
  }

  /// How many of the first `merged` keys come from the run from which threads take E, …, E and the remainder
  /// to 32.
  FATHOM_DEVICE
  Index in_turns(Index merged) const {
    const int whole_turns = (warp_width - 1) / elements_per_thread;
    const int last_turn = warp_width - whole_turns * elements_per_thread;
    const Index thread = merged / elements_per_thread;
    const int turn = int(thread % (whole_turns + 1));
    const int of_thread = int(merged % elements_per_thread);
    return thread / (whole_turns + 1) * warp_width + turn * elements_per_thread +
           (turn < whole_turns ? of_thread : min(of_thread, last_turn));
  }

  /// Where BlockSort reads the element that the thread owning `position` sorts: full tiles with consecutive
  /// threads at consecutive addresses, a partial tile thread by thread.
  FATHOM_DEVICE
  Index input_position(Index position, Index n) const {
    const Index tile_size = Index(threads_per_block) * elements_per_thread;
    const Index tile_first = position / tile_size * tile_size;
    if (tile_first + tile_size > n) return position;
    const Index in_tile = position - tile_first;
    return tile_first + in_tile % elements_per_thread * threads_per_block + in_tile / elements_per_thread;
  }
};

}  // namespace fathom
