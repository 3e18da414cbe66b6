// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/lsd/radix_lsd.h>
#include <fathom/algorithms/sort/radix/radix_shape.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm radix_lsd() {
  using namespace asymptotic;
  return make_radix_sort<RadixLsd>(
      {.slug = "radix-lsd",
       .group = "sort/radix",
       .source = "merrill2010",
       .parameters = {{"t", "threads per block", {64, 128, 256}, 128},
                      {"d", "bits of a digit", consecutive(1, 8), 6},
                      {"E", "elements per thread", {7, 9, 11, 13, 15, 17, 19, 21, 23}, 23}},
       .formula = formulas::radix_lsd(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return radix_lsd_global(of.size, radix_shape(of.problem)); },
           .dmm =
               [](const Instance& of) {
                 return radix_lsd_shared(of.size, radix_shape(of.problem), of.conflict);
               },
           .agpu = [](const AgpuSize& size,
                      const Problem& problem) { return asymptotic::radix_lsd(size, radix_shape(problem)); }}},
      "d", "t", "E");
}

}  // namespace fathom
