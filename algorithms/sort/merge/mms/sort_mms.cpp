// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/sort/merge/make_heap_sort.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm sort_mms() {
  return make_heap_sort<MinBlockHeap>(
      {.slug = "sort-mms", .source = "karsin2018 §5", .formula = formulas::sort_mms()});
}

}  // namespace fathom
