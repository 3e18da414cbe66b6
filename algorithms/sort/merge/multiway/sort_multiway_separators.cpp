// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/multiway/sort_multiway_separators.h>
#include <fathom/model/formulas/formulas.h>

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

/// Rows of the least mean size, 8K²: inputs on the memory machines are small.
asymptotic::MultiwayShape shape(const Problem& problem) {
  const double K = problem.parameters.at("K"), w = warp_width, row = 8 * K * K;
  return {.K = K, .tile = w, .piece = row, .heap = 1.5 * K * w, .node = w, .keys = row / w};
}

/// The source's time, and the I/Os of our passes. Where lists are merged as wholes, every block is read and
/// written once. Rows, about one for each heap that fits into M words, begin within blocks, so that lanes
/// that access consecutive keys access two: 4n/b. In each list of a row five blocks more are read: three for
/// its greatest keys, and two because the last access is not full. Each of a row's K samples is searched for
/// among those of K lists, and then the separator among the keys between two.
asymptotic::AgpuCost on_agpu(const asymptotic::AgpuSize& size, const Problem& problem) {
  const auto& [n, p, b, M] = size;
  const double K = problem.parameters.at("K"), heaps = p / b * M / ((3 * K - 3) * warp_width);
  asymptotic::AgpuCost cost = asymptotic::sort_multiway(size, K);
  cost.io = 2 * n / b;  // of the base blocks
  for (double run = warp_width; run < n; run *= K) {
    const double groups = std::ceil(n / (run * K)), lists = std::min(K, n / run);
    const double rows = std::min(std::max(1.0, heaps / groups), std::max(1.0, run / (8 * K)));
    cost.io += (rows > 1 ? 4 : 2) * n / b + 5 * lists * rows * groups;
    if (rows > 1)
      cost.io += groups * rows * lists * (lists * std::log2(rows) + std::max(0.0, std::log2(run / rows / b)));
  }
  return cost;
}

}  // namespace

Algorithm sort_multiway_separators() {
  return make_sort<SortMultiwaySeparators>(
      {.slug = "sort-multiway-separators",
       .group = "sort/merge",
       .source = "agpu2015 §7.3",
       .parameters = {{"K", "lists merged at a time", {2, 4, 8, 16, 32}, 16}},
       .formula = formulas::sort_multiway(),
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
      Types<u32, u64, i32, f32, f64>{}, "K");
}

}  // namespace fathom
