// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/reduce/cascading/reduce_cascading.h>
#include <fathom/model/formulas/formulas.h>

#include <algorithm>

namespace fathom {
namespace {

using namespace asymptotic;

/// Every warp reduces to one word in registers, which its lane 0 alone stores: one wavefront on any machine.
/// So the warps count as threads of a machine with one bank. Nothing hides the latency of the block that
/// combines the others' results.
double word_per_warp(const Instance& of) {
  constexpr double elements_of_a_thread = 8;
  const double warps = std::max(of.size.n / elements_of_a_thread, of.parameter("t")) / warp_width;
  return contiguous_access({warps, std::max(1.0, of.size.p / warp_width), 1, of.size.l}) + of.size.l;
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
           .dmm = word_per_warp,
           .agpu = [](const AgpuSize& size, const Problem&) { return asymptotic::reduce_cascading(size); }}},
      "t");
}

}  // namespace fathom
