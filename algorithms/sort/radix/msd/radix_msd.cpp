// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/msd/radix_msd.h>
#include <fathom/algorithms/sort/radix/radix_shape.h>
#include <fathom/model/formulas/formulas.h>

namespace fathom {
namespace {

/// Two passes, by the halves of a prefix that has as many values as there are tiles.
asymptotic::AgpuCost cost(const asymptotic::AgpuSize& size, const Problem& problem) {
  const double E = problem.parameters.at("E"), tile = problem.parameters.at("t") * E;
  const double prefix = std::log2(std::max(problem.n / tile, 4.0));
  return radix_msd_cost(
      size, {.k = 32 * words(problem.type), .r = std::exp2(std::ceil(prefix / 2)), .m = tile, .E = E});
}

/// A block's tile has to hold the largest bucket.
bool is_skewed(const Problem& problem, const Input& input) {
  const PrefixBuckets buckets{Index(problem.parameters.at("t")) * problem.parameters.at("E")};
  const Index n = Index(problem.n);
  const int bits = buckets.bits(n, {0, 8 * size_in_bytes(problem.type)});
  return buckets.overflow(n, share_of_commonest_prefix(input, problem.type, bits));
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
       .all_variants_with = {{"t", 256}, {"E", 1}},
       .is_skewed = is_skewed,
       .shared_bits = shared_bits,
       .formula = formulas::radix_msd(),
       .asymptotic_costs = {.agpu = cost}},
      "t", "E", "S", &Problem::skewed, &Problem::shared_bits);
}

}  // namespace fathom
