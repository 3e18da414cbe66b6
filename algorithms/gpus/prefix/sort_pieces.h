// SPDX-License-Identifier: Apache-2.0
// Sorts what a rank has received, piece by piece.
#pragma once

#include <fathom/algorithms/gpus/prefix/prefix_division.h>
#include <fathom/device/prepared_plan.h>

namespace fathom {

/// The kernel that sorts buckets of elements from so many ranks.
template <class Element>
class SortPieces {
  using Sort = SortReceivedBuckets<Element>;

 public:
  SortPieces(Executor& executor, PrefixDivision division, int ranks)
      : division_(division), ranks_(ranks), plan_(executor, plan(1, division, ranks)) {}

  /// Plans it for all n elements that a rank receives.
  static Plan plan(Index n, PrefixDivision division, int ranks) {
    constexpr int digit_bits = PrefixDivision::digit_bits;
    const auto [threads, elements] = division.shape;
    Launch sort = launch_of<Sort>(n, std::max(1, division.buckets() / ranks),
                                  {threads, Sort::shared_memory(threads, elements, digit_bits)},
                                  {threads, elements, digit_bits});
    sort.grid = Grid::buckets;
    return {sort};
  }

  /// Queues it for `count` buckets from `first` on, which `output` begins with. `begins`: those of all ranks
  /// (SortReceivedBuckets), a rank's `words` words behind those of the rank before it.
  void run(const ReceivedBuckets<Element>& from, Span<const u32> begins, Index words, Index first,
           Index count, ListOf<Element> output) {
    if (count == 0) return;
    const BitRange rest{0, key_bits<KeyOf<Element>> - division_.bits};
    plan_.launch(0,
                 Sort{from, output, begins, words, first, ranks_, rest, division_.shape.threads,
                      division_.shape.elements, PrefixDivision::digit_bits},
                 count);
  }

 private:
  PrefixDivision division_;
  int ranks_;
  PreparedPlan plan_;
};

}  // namespace fathom
