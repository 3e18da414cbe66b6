// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/msd/radix_msd.h>
#include <fathom/algorithms/sort/radix/radix_shape.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

/// The prefix of up to 15 bits is the only digit: its two passes are one of the source's.
asymptotic::AgpuCost cost(const asymptotic::AgpuSize& size, const Problem& problem) {
  const double E = problem.parameters.at("E"), most_prefixes = 1 << 15;
  return radix_msd_cost(
      size, {.k = 32 * words(problem.type), .r = most_prefixes, .m = problem.parameters.at("t") * E, .E = E});
}

}  // namespace

Algorithm radix_msd() {
  return make_radix_sort<RadixMsd>(
      {.slug = "radix-msd",
       .group = "sort/radix",
       .source = "agpu-radix; Stehle and Jacobsen 2017",
       .parameters = {{"t", "threads of a block that sorts a bucket", {256, 384, 512, 768, 1024}, 512},
                      {"E", "elements per thread of such a block", {4, 6, 9, 12, 17, 24}, 17},
                      {"S", "elements per thread of the passes", {4, 8, 12, 14, 16, 18, 20, 22, 24}, 18}},
       .formula = formulas::radix_msd(),
       .asymptotic_costs = {.agpu = cost}},
      "t", "E", "S");
}

}  // namespace fathom
