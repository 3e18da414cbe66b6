// SPDX-License-Identifier: Apache-2.0
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/merge/warp/sort_warp.h>

namespace {

using namespace fathom;
using namespace fathom::tests;

struct Warp {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortWarp<Element, LessThan>;
  using Shape = std::array<int, 3>;  // threads, elements, blocks
  static std::vector<Shape> small() { return every<3>({{128}, {1, 8}, {2, 4, 8}}); }
  static std::vector<Shape> others() { return every<3>({{128, 256}, {1, 8, 16, 32}, {2, 4, 8}}); }
  static std::vector<int> edges(const Shape& shape) { return {32 * shape[1], shape[0] * shape[1]}; }
};

}  // namespace

#define COMPARISON_SORTS Warp
#include "comparison_sort_cases.h"
