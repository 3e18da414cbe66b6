// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/radix_shape.h>
#include <fathom/algorithms/sort/radix/tiled/radix_tiled.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm radix_tiled() {
  using namespace asymptotic;
  return make_radix_sort<RadixTiled>(
      {.slug = "radix-tiled",
       .group = "sort/radix",
       .source = "merrill2010, after Satish et al. 2009",
       .parameters = {{"t", "threads per block", {128, 256, 512}, 256},
                      {"d", "bits of a digit", consecutive(1, 8), 4},
                      {"E", "elements per thread", {2, 4, 8}, 4}},
       .formula = formulas::radix_tiled(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return radix_tiled_global(of.size, radix_shape(of.problem)); },
           .dmm =
               [](const Instance& of) {
                 return radix_tiled_shared(of.size, radix_shape(of.problem), of.conflict);
               }}},
      "d", "t", "E");
}

}  // namespace fathom
