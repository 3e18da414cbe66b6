// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/sort/merge/make_heap_sort.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm sort_multiway() {
  return make_heap_sort<BufferedHeap>({.slug = "sort-multiway",
                                       .source = "agpu2015 §7.3, karsin2018 §4.2",
                                       .formula = formulas::sort_multiway()});
}

}  // namespace fathom
