// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/distribution/deterministic/sort_splitter_deterministic.h>
#include <fathom/algorithms/sort/distribution/splitter_shape.h>
#include <fathom/model/formulas/formulas.h>

#include <cmath>

namespace fathom {
namespace {

/// A level also reads all keys to sort them in chunks.
asymptotic::AgpuCost cost(const asymptotic::AgpuSize& size, const Problem& problem) {
  const double tile = problem.parameters.at("t") * problem.parameters.at("E");
  const double levels = std::ceil(std::log2(problem.n / tile) / std::log2(problem.parameters.at("S")));
  asymptotic::AgpuCost cost = splitter_cost(size, problem);
  cost.io += std::max(levels, 0.0) * size.n / size.b;
  return cost;
}

}  // namespace

Algorithm sort_splitter_deterministic() {
  return make_sort<SortSplitterDeterministic>(
      {.slug = "sort-splitter-deterministic",
       .group = "sort/distribution",
       .source = "agpu-radix",
       .parameters = {{"S", "buckets of a bucket, at most", {4, 8, 16, 32}, 32},
                      {"t", "threads per block that sorts a chunk or a bucket", {128, 256, 384, 512}, 384},
                      {"E", "elements per thread of it", {7, 11, 15, 21}, 21}},
       .fits_by = {"E"},
       .formula = formulas::sort_splitter_deterministic(),
       .asymptotic_costs = {.agpu = cost, .compares = true}},
      KeyElements{}, "S", "t", "E");
}

}  // namespace fathom
