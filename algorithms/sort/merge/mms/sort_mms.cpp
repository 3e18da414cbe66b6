#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/mms/sort_mms.h>
#include <fathom/model/formulas.h>

namespace fathom {

Algorithm sort_mms() {
  return make_sort<SortMms>(
      {.slug = "sort-mms",
       .group = "sort/merge",
       .source = "karsin2018 §5",
       .parameters =
           {{"K", "lists merged at a time", {2, 4, 8, 16, 32}, 16},
            {"node", "keys per node of the heap", {8, 16, 32}, 16},
            {"lanes", "lanes that merge two nodes", {1, 2, 4}, 1},
            {"t", "threads per block that sorts a tile", {64, 128, 256, 512}, 256},
            {"E", "keys per thread of a tile; 0: a warp sorts w²", {0, 8, 11, 15, 16, 17, 19, 23, 31}, 17}},
       .formula = formulas::sort_mms()},
      KeyElements{}, "K", "node", "lanes", "t", "E");
}

}  // namespace fathom
