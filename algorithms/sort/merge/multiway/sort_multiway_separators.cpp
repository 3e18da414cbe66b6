// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/multiway/sort_multiway_separators.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {

namespace {

/// Rows of the least mean size, 8K²: inputs on the memory machines are small.
asymptotic::MultiwayShape shape(const Problem& problem) {
  const double K = problem.parameters.at("K"), w = warp_width, row = 8 * K * K;
  return {.K = K, .tile = w, .piece = row, .heap = (3 * K - 3) * w, .node = w, .keys = row / w};
}

}  // namespace

Algorithm sort_multiway_separators() {
  return make_sort<SortMultiwaySeparators>(
      {.slug = "sort-multiway-separators",
       .group = "sort/merge",
       .source = "agpu2015 §7.3",
       .parameters = {{"K", "lists merged at a time", {2, 4, 8, 16, 32}, 16}},
       .formula = formulas::sort_multiway(),
       .asymptotic_costs = {
           .umm =
               [](const asymptotic::Instance& of) {
                 return sort_multiway_global(of.size, shape(of.problem));
               },
           .dmm =
               [](const asymptotic::Instance& of) {
                 return sort_multiway_shared(of.size, shape(of.problem));
               },
           .agpu = [](const asymptotic::AgpuSize& size,
                      const Problem& problem) { return asymptotic::sort_multiway(size, shape(problem)); },
           .compares = true}},
      Types<u32, u64, i32, f32, f64>{}, "K");
}

}  // namespace fathom
