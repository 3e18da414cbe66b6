// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/distribution/splitter/sort_splitter.h>
#include <fathom/algorithms/sort/distribution/splitter_shape.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm sort_splitter() {
  return make_sort_with_values<SortSplitter, false>(
      {.slug = "sort-splitter",
       .group = "sort/distribution",
       .source = "agpu-radix",
       .parameters = {{"S", "buckets of a bucket, at most", {16, 32, 64, 128, 256}, 256},
                      {"a", "samples per bucket", {16, 32, 64}, 64},
                      {"t", "threads per block that sorts a bucket", {64, 128, 256, 384, 512}, 384},
                      {"E", "elements per thread of it", {7, 9, 11, 13, 15, 17, 19, 21, 23, 27, 31}, 21}},
       .fits_by = {"E", "a"},
       .formula = formulas::sort_splitter(),
       .asymptotic_costs = {.agpu = splitter_cost, .compares = true}},
      KeyElements{}, RecordTypes{}, "S", "a", "t", "E");
}

}  // namespace fathom
