// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/radix_shape.h>
#include <fathom/algorithms/sort/radix/recursive/radix_msd_recursive.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

Algorithm radix_msd_recursive() {
  using asymptotic::AgpuSize;
  return make_sort<RadixMsdRecursive>(
      {.slug = "radix-msd-recursive",
       .group = "sort/radix",
       .source = "agpu-radix",
       .parameters = {{"d", "bits of a digit", {4, 5, 6, 8}, 8},
                      {"t", "threads of a block that sorts a bucket", {256, 512}, 512},
                      {"E", "elements per thread of such a block", {9, 12, 17}, 17}},
       .fits_by = {"E", "t"},
       .formula = formulas::radix_msd_recursive(),
       .asymptotic_costs = {.agpu =
                                [](const AgpuSize& size, const Problem& problem) {
                                  return radix_msd_cost(size, radix_shape(problem));
                                }}},
      Types<u32, u64, i32, f32, f64>{}, "d", "t", "E");
}

}  // namespace fathom
