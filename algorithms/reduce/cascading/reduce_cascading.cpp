// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/reduce/cascading/reduce_cascading.h>
#include <fathom/model/formulas/formulas.h>

#include <algorithm>

namespace fathom {
namespace {

using namespace asymptotic;

/// Nothing hides the latency of the block that combines the others' results.
double words_of_warps(const Instance& of) {
  constexpr double elements_of_a_thread = 8;
  const double warps = std::max(of.size.n / elements_of_a_thread, of.parameter("t")) / warp_width;
  return word_per_warp(of.size, warps) + of.size.l;
}

}  // namespace

Algorithm reduce_cascading() {
  return make_reduction<ReduceCascading>(
      {.slug = "reduce-cascading",
       .group = "reduce",
       .source = "agpu2015 (reduce, cascading)",
       .parameters = {{"t", "threads per block", {128, 256, 512}, 256}},
       .formula = formulas::reduce_cascading(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return sum(of.size); },
           .dmm = words_of_warps,
           .agpu = [](const AgpuSize& size, const Problem&) { return asymptotic::reduce_cascading(size); }}},
      "t");
}

}  // namespace fathom
