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
       // The smallest tile that holds all elements: on an H200 within 5 % of the fastest of all t and E, for
       // all types.
       .other_defaults = {{.parameters = {{"t", 256}, {"E", 1}}, .most_n = 256},
                          {.parameters = {{"t", 256}, {"E", 2}}, .most_n = 512},
                          {.parameters = {{"t", 256}, {"E", 4}}, .most_n = 1024},
                          {.parameters = {{"t", 256}, {"E", 8}}, .most_n = 2048},
                          {.parameters = {{"t", 512}, {"E", 8}}, .most_n = 4096},
                          {.parameters = {{"t", 512}, {"E", 16}}, .most_n = 8192}},
       .fits_by = {"E"},
       .formula = formulas::radix_single()},
      "d", "t", "E", SortedBits{});
}

}  // namespace fathom
