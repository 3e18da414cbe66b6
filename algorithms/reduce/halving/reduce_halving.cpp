// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/reduce/halving/reduce_halving.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

}  // namespace

Algorithm reduce_halving() {
  return make_reduction<ReduceHalving>(
      {.slug = "reduce-halving",
       .group = "reduce",
       .source = "nakano2012 (sum)",
       .parameters = {{"t", "threads per block", {128, 256, 512}, 256}},
       .formula = formulas::reduce_halving(),
       .asymptotic_costs = {.umm = [](const Instance& of) { return sum(of.size); }}},
      "t");
}

}  // namespace fathom
