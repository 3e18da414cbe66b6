// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/distribution/deterministic/sort_splitter_deterministic.h>
#include <fathom/algorithms/sort/distribution/splitter_shape.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm sort_splitter_deterministic() {
  return make_sort<SortSplitterDeterministic>(
      {.slug = "sort-splitter-deterministic",
       .group = "sort/distribution",
       .source = "agpu-radix",
       .parameters = {{"S", "buckets of a bucket, at most", {4, 8, 16, 32}, 32},
                      {"t", "threads per block that sorts a chunk or a bucket", {128, 256, 384, 512}, 384},
                      {"E", "elements per thread of it", {7, 11, 15, 21}, 21}},
       .formula = formulas::sort_splitter_deterministic(),
       .asymptotic_costs = {.agpu = splitter_cost, .compares = true}},
      KeyElements{}, "S", "t", "E");
}

}  // namespace fathom
