// SPDX-License-Identifier: Apache-2.0
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/merge/bitonic/sort_bitonic.h>

namespace {

using namespace fathom;
using namespace fathom::tests;

struct Bitonic {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortBitonic<Element, LessThan>;
  using Shape = std::array<int, 3>;  // threads, elements, steps per pass
  static std::vector<Shape> small() { return every<3>({{64}, {8}, {1, 2, 3, 4, 5}}); }
  static std::vector<Shape> others() { return every<3>({{64, 128, 256}, {8, 16, 32}, {2}}); }
  static std::vector<int> edges(const Shape& shape) { return {shape[0] * shape[1]}; }
};

}  // namespace

#define COMPARISON_SORTS Bitonic
#include "comparison_sort_cases.h"
