// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/onesweep/radix_onesweep.h>
#include <fathom/algorithms/sort/radix/radix_shape.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm radix_onesweep() {
  using asymptotic::AgpuSize;
  return make_radix_sort<RadixOnesweep>(
      {.slug = "radix-onesweep",
       .group = "sort/radix",
       .source = "Fathom: single-pass digits with look-back, after Adinets and Merrill 2022",
       .parameters = {{"d", "bits of a digit", {4, 5, 6, 7, 8}, 8},
                      {"t", "threads per block", {256, 384, 512}, 384},
                      {"E", "elements per thread", {4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 32}, 18}},
       .fits_by = {"E"},
       .shared_bits = shared_bits,
       .formula = formulas::radix_onesweep(),
       .asymptotic_costs = {.agpu =
                                [](const AgpuSize& size, const Problem& problem) {
                                  return asymptotic::radix_lsd(size, radix_shape(problem));
                                }}},
      "d", "t", "E", &Problem::shared_bits);
}

}  // namespace fathom
