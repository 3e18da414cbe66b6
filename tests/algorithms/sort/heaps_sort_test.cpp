// SPDX-License-Identifier: Apache-2.0
#include "sort_on_cpu.h"

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

}  // namespace

#define COMPARISON_SORTS Mms, Multiway
#define COMPARISON_SORTS_OF_RECORDS Mms, Multiway
#include "comparison_sort_cases.h"
