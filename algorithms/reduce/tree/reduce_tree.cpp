// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/reduce/tree/reduce_tree.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

}  // namespace

Algorithm reduce_tree() {
  return make_reduction<ReduceTree>(
      {.slug = "reduce-tree",
       .group = "reduce",
       .source = "agpu2015 (reduce, tree)",
       .parameters =
           {{"t", "threads per block, half a block's elements", {32, 64, 128, 256, 512, 1024}, 256}},
       .formula = formulas::reduce_tree(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return sum(of.size); },
           .dmm = [](const Instance& of) { return reduce_tree_shared(of.size, of.parameter("t")); },
           .agpu = [](const AgpuSize& size, const Problem&) { return asymptotic::reduce_tree(size); }}},
      "t");
}

}  // namespace fathom
