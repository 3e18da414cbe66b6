#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/kway/sort_kway.h>
#include <fathom/model/formulas.h>

namespace fathom {

Algorithm sort_kway() {
  return make_sort_with_values<SortKway>(
      {.slug = "sort-kway",
       .group = "sort/merge",
       .source = "this project",
       .parameters = {{"K", "runs merged at a time, at most", {2, 4, 8, 16}, 8},
                      {"t", "threads per block", {128, 256, 512}, 256},
                      {"E", "elements per thread", consecutive(7, 47), 23}},
       .formula = formulas::sort_kway()},
      KeyElements{}, RecordTypes{}, "K", "t", "E");
}

}  // namespace fathom
