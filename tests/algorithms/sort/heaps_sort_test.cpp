// SPDX-License-Identifier: Apache-2.0
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/merge/mms/sort_mms_shuffles.h>
#include <fathom/algorithms/sort/merge/multiway/sort_multiway_separators.h>
#include <fathom/algorithms/sort/merge/sort_by_heaps.h>

namespace {

using namespace fathom;
using namespace fathom::tests;

struct Mms {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortMms<Element, LessThan>;
  using Shape = std::array<int, 5>;  // as HeapMergeShape
  static constexpr bool can_be_stable = false;
  /// The published shape; small tiles; tiles that a bitonic network sorts.
  static std::vector<Shape> small() { return {{8, 32, 4, 64, 0}, {8, 16, 1, 64, 3}, {4, 8, 1, 64, 32}}; }
  static std::vector<Shape> others() {
    return every<5>({{2, 4, 8, 16, 32}, {8, 16, 32}, {1, 2, 4}, {64}, {3}});
  }
  static std::vector<int> edges(const Shape& shape) {
    const int tile = shape[4] == 0 ? shape[1] * shape[1] : shape[3] * shape[4];
    return {tile, shape[0] * tile};
  }
};
struct Multiway : Mms {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortMultiway<Element, LessThan>;
};
/// A heap per warp.
struct MmsShuffles {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortMmsShuffles<Element, LessThan>;
  using Shape = std::array<int, 1>;  // K
  static constexpr bool can_be_stable = false;
  static std::vector<Shape> small() { return {{2}, {16}}; }
  static std::vector<Shape> others() { return {{2}, {4}, {8}, {16}, {32}}; }
  static std::vector<int> edges(const Shape& shape) { return {1024, 1024 * shape[0]}; }
};
/// Up to 8 heaps are resident here: column-wise passes first, if there are as many groups.
struct MultiwaySeparators : MmsShuffles {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortMultiwaySeparators<Element, LessThan>;
  static std::vector<int> edges(const Shape& shape) {
    return {warp_width, warp_width * shape[0], warp_width * shape[0] * shape[0]};
  }
};

}  // namespace

#define COMPARISON_SORTS Mms, Multiway, MmsShuffles, MultiwaySeparators
#define COMPARISON_SORTS_OF_RECORDS Mms, Multiway, MmsShuffles
#include "comparison_sort_cases.h"
