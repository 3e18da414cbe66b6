// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/reduce/matrix/reduce_matrix.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

/// Each lane reduces a row of a tile.
double sum_of_tiles(const Instance& of) {
  return sum(with_elements_per_thread(of.size, warp_width));
}

}  // namespace

Algorithm reduce_matrix() {
  return make_reduction<ReduceMatrix>(
      {.slug = "reduce-matrix",
       .group = "reduce",
       .source = "agpu2015 (reduce, matrix)",
       .parameters = {{"t", "threads per block", {64, 128, 256}, 128}},
       .formula = formulas::reduce_matrix(),
       .asymptotic_costs = {.umm = sum_of_tiles,
                            .dmm = sum_of_tiles,
                            .agpu = [](const AgpuSize& size,
                                       const Problem&) { return asymptotic::reduce_matrix(size); }}},
      "t");
}

}  // namespace fathom
