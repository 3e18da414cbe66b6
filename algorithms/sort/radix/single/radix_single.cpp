// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/single/radix_single.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm radix_single() {
  return make_radix_sort<RadixSingle>(
      {.slug = "radix-single",
       .group = "sort/radix",
       .source = "merrill2010: one block, in shared memory",
       .parameters = {{"d", "bits of a digit", {4, 5, 6, 7, 8}, 8},
                      {"t", "threads per block", {256, 512, 1024}, 256},
                      {"E", "elements per thread of a tile", {1, 2, 3, 4, 6, 8, 12, 16}, 8}},
       .formula = formulas::radix_single()},
      "d", "t", "E", SortedBits{});
}

}  // namespace fathom
