// SPDX-License-Identifier: Apache-2.0
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/merge/kway/sort_kway.h>

namespace {

using namespace fathom;
using namespace fathom::tests;

struct Kway {
  template <class Element, class LessThan, class Stability = Unstable>
  using Solver = SortKway<Element, LessThan, Stability>;
  using Shape = std::array<int, 3>;  // ways, threads, elements
  static constexpr bool can_be_stable = true;
  static std::vector<Shape> small() { return every<3>({{2, 4, 8, 16}, {64}, {8}}); }
  static std::vector<Shape> others() { return every<3>({{4}, {128, 256}, {8, 16, 32}}); }
  static std::vector<int> edges(const Shape& shape) {
    return {shape[1] * shape[2], shape[0] * shape[1] * shape[2]};
  }
};

}  // namespace

#define COMPARISON_SORTS Kway
#define COMPARISON_SORTS_OF_RECORDS Kway
#include "comparison_sort_cases.h"
