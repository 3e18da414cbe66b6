// SPDX-License-Identifier: Apache-2.0
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/merge/pairwise/sort_pairwise.h>

namespace {

using namespace fathom;
using namespace fathom::tests;

struct Pairwise {
  template <class Element, class LessThan, class Stability = Unstable>
  using Solver = SortPairwise<Element, LessThan, Stability>;
  using Shape = std::array<int, 2>;  // threads, elements per thread
  static constexpr bool can_be_stable = true;
  static std::vector<Shape> small() { return {{64, 5}}; }
  static std::vector<Shape> others() { return every<2>({{64, 128}, {3, 4, 8, 15, 16, 17, 32, 47}}); }
  static std::vector<int> edges(const Shape& shape) { return {shape[0] * shape[1]}; }
};
struct ConflictFree : Pairwise {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortConflictFree<Element, LessThan>;
  static std::vector<Shape> small() { return {{64, 8}}; }
  static std::vector<Shape> others() { return every<2>({{64, 128}, {16, 32}}); }
};

}  // namespace

#define COMPARISON_SORTS Pairwise, ConflictFree
#define COMPARISON_SORTS_OF_RECORDS Pairwise
#include "comparison_sort_cases.h"
