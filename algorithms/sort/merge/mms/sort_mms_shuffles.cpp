// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/mms/sort_mms_shuffles.h>
#include <fathom/model/formulas/formulas.h>

#include <algorithm>

namespace fathom {

namespace {

/// Pieces of the least size: inputs on the memory machines are small.
asymptotic::MultiwayShape shape(const Problem& problem) {
  const double K = problem.parameters.at("K"), w = warp_width, piece = 16 * w;
  return {.K = K, .tile = w * w, .piece = piece, .heap = K * w, .node = w, .keys = piece / w};
}

/// The costs of sort_multiway(), and for each list of a piece two blocks of a row that is not full, and one
/// that is read to copy the greatest keys.
asymptotic::AgpuCost on_agpu(const asymptotic::AgpuSize& size, const Problem& problem) {
  const auto& [n, p, b, M] = size;
  const asymptotic::MultiwayShape of = shape(problem);
  asymptotic::AgpuCost cost = asymptotic::sort_multiway(size, of);
  const double pieces = std::min(n / of.piece, p / b * M / (2 * of.heap));
  for (double run = of.tile; run < n; run *= of.K) cost.io += 3 * pieces * std::min(of.K, n / run);
  return cost;
}

template <class Element, class LessThan, class>
using Solver = SortMmsShuffles<Element, LessThan>;

}  // namespace

Algorithm sort_mms_shuffles() {
  constexpr bool stable = false;
  return make_sort_with_values<Solver, stable>(
      {.slug = "sort-mms-shuffles",
       .group = "sort/merge",
       .source = "karsin2018 §5",
       .parameters = {{"K", "lists merged at a time", {2, 4, 8, 16, 32}, 16}},
       .formula = formulas::sort_mms(),
       .asymptotic_costs = {.umm =
                                [](const asymptotic::Instance& of) {
                                  return sort_multiway_global(of.size, shape(of.problem));
                                },
                            .dmm =
                                [](const asymptotic::Instance& of) {
                                  return sort_multiway_shared(of.size, shape(of.problem));
                                },
                            .agpu = on_agpu,
                            .compares = true}},
      KeyElements{}, RecordTypes{}, "K");
}

}  // namespace fathom
