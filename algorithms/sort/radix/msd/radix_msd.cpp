// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/msd/radix_msd.h>
#include <fathom/algorithms/sort/radix/radix_shape.h>
#include <fathom/model/formulas/formulas.h>

#include <boost/math/distributions/binomial.hpp>

namespace fathom {
namespace {

/// Two passes, by the halves of a prefix that has as many values as there are tiles.
asymptotic::AgpuCost cost(const asymptotic::AgpuSize& size, const Problem& problem) {
  const double E = problem.parameters.at("E"), tile = problem.parameters.at("t") * E;
  const double prefix = std::log2(std::max(problem.n / tile, 4.0));
  return radix_msd_cost(
      size, {.k = 32 * words(problem.type), .r = std::exp2(std::ceil(prefix / 2)), .m = tile, .E = E});
}

BitRange sorted_bits(const Problem& problem) {
  const KeyBits& bits = problem.key_bits;
  return bits.are_all() ? BitRange{0, 32 * int(words(problem.type))} : BitRange{bits.begin, bits.end};
}

/// Returns how many of n elements have keys that CountClasses is likely to find frequent.
double with_frequent_keys(double n, const std::vector<double>& shares) {
  using Classes = CountClasses<u32>;
  for (int level = 0; level < Classes::levels; ++level) {
    double keys = 0, elements = 0;
    for (const double share : shares) {
      const boost::math::binomial in_sample(Classes::samples, share);
      const double found = boost::math::cdf(boost::math::complement(in_sample, Classes::least(level)));
      keys += found;
      elements += found * share * n;
    }
    if (keys < Classes::Frequent::most + 0.5) return std::round(elements);
  }
  return 0;
}

/// The elements of large buckets, or all, as PlanBuckets decides, or those with rare keys, as CountClasses
/// and PlanClasses do. The keys are taken to be independent, and frequent in all their bits. That those of
/// one bucket alone need no passes by the digits of its prefix is left out.
KeySkew skew_of(const std::function<Plan(const Problem&, const PlanDevice&)>& plan, const Problem& problem,
                const Input& input, const PlanDevice& device) {
  // The first launch of a plan tells the prefix, and the last the tile, which has to hold the largest bucket.
  const Plan launches = plan(problem, any_device(device.shared_bytes_per_block));
  const auto [threads, elements, digit] = launches.back().constants;
  const PrefixBuckets in_tiles{Index(threads) * elements};
  double skewed = 0, large_buckets = 0, commonest = 0;
  for (const auto& [share, prefixes] : prefix_shares(input, problem.type, launches.front().constants[1])) {
    const auto [probability, mean] = in_tiles.large(Index(problem.n), share);
    large_buckets += prefixes * probability;
    skewed += prefixes * mean;
    commonest = std::max(commonest, share);
  }
  if (large_buckets < 0.5) return {};
  skewed = std::round(skewed);
  const Plan on_device = plan(problem, device);
  const bool overflows =
      commonest * problem.n / double(on_device.front().blocks) > CountPrefixes<u32>::most_of_block;
  const Index most = RadixMsd<u32>::most_gathered(on_device, Index(problem.n), sorted_bits(problem));
  if (!overflows && skewed <= double(most)) return {.skewed = skewed};
  const bool has_classes = std::ranges::any_of(
      on_device, [](const Launch& launch) { return launch.name().starts_with("SplitByClass"); });
  const double frequent = with_frequent_keys(problem.n, frequent_key_shares(input));
  const BitRange sorted = sorted_bits(problem);
  const ClassCosts costs = RadixMsd<u32>::class_costs(on_device, Index(problem.n), sorted);
  const int digits = sorted.digits(digit) - PassesLeftOut{sorted, digit, shared_bits(problem, input)}.count();
  if (!has_classes || !costs.pays(Index(problem.n - frequent), digits)) return {.skewed = problem.n};
  return {.skewed = problem.n - frequent, .frequent = frequent};
}

}  // namespace

Algorithm radix_msd() {
  Algorithm sort = make_radix_sort<RadixMsd>(
      {.slug = "radix-msd",
       .group = "sort/radix",
       .source = "agpu-radix; Stehle and Jacobsen 2017",
       .parameters =
           {{"t", "threads of a block that sorts a bucket", {256, 384, 512, 768, 1024}, 512},
            {"E", "elements per thread of such a block", {4, 6, 9, 12, 17, 24}, 17},
            {"S", "elements per thread of the passes", {2, 4, 8, 12, 14, 16, 18, 20, 22, 24, 28, 32}, 20}},
       // t and E are the fastest of what scripts/campaigns/measure-defaults measured on an H200; n is between
       // two sizes. From 2^25 on it is about the smallest tile that buckets nearly fill, for all types. Up to
       // 1.38e8 elements prefixes of 15 bits do, for which more GPUs have the shared memory: with 16 bits, t
       // = 256 and E = 9 would be 3 to 9 % faster at 2^27. Keys alone of 4 bytes keep one tile up to 2^26.
       // Since buckets are sorted by counting, a few of these tiles have been measured anew
       // (data/h200-radix-sorts/bucket-kernels.txt, 7): at 2^24 and 2^26 others are 1 to 2 % faster.
       // S is about the fastest of those in data/h200-radix-sorts/trials.txt.
       .other_defaults =
           {{.parameters = {{"t", 256}, {"E", 6}}, .most_n = 7.4e5},
            {.parameters = {{"t", 256}, {"E", 9}}, .most_n = 5.9e6},
            {.parameters = {{"t", 512}, {"E", 17}}, .most_n = 0x1p26, .key_bytes = 4, .value_bytes = 0},
            {.parameters = {{"t", 256}, {"E", 9}}, .most_n = 3.36e7},
            {.parameters = {{"t", 256}, {"E", 12}}, .most_n = 4.5e7},
            {.parameters = {{"t", 256}, {"E", 17}}, .most_n = 6.5e7},
            {.parameters = {{"t", 256}, {"E", 9}}, .most_n = 0x1p26},
            {.parameters = {{"t", 256}, {"E", 12}}, .most_n = 9e7},
            {.parameters = {{"t", 256}, {"E", 17}}, .most_n = 1.3e8},
            {.parameters = {{"t", 384}, {"E", 12}}, .most_n = 1.38e8},
            {.parameters = {{"t", 256}, {"E", 12}}, .most_n = 1.8e8},
            {.parameters = {{"t", 256}, {"E", 17}}, .most_n = 2.6e8},
            {.parameters = {{"t", 384}, {"E", 12}}, .most_n = 2.77e8},
            {.parameters = {{"t", 384}, {"E", 17}}, .most_n = 3.95e8},
            {.parameters = {{"S", 4}}, .most_n = 9.3e4},
            {.parameters = {{"S", 8}}, .most_n = 1.48e6},
            {.parameters = {{"S", 22}}, .key_bytes = 4, .value_bytes = 0},
            {.parameters = {{"S", 14}}, .key_bytes = 8, .value_bytes = 0},
            {.parameters = {{"S", 18}}, .most_n = 1.19e7, .key_bytes = 4},
            {.parameters = {{"S", 14}}, .most_n = 3.36e7, .key_bytes = 4},
            {.parameters = {{"S", 32}}, .key_bytes = 4},
            {.parameters = {{"S", 12}}, .most_n = 1.19e7, .value_bytes = 4},
            {.parameters = {{"S", 8}}, .most_n = 1.19e7, .value_bytes = 8}},
       .fits_by = {"E", "S", "t"},
       .all_variants_with = {{"t", 256}, {"E", 1}},
       .shared_bits = shared_bits,
       .formula = formulas::radix_msd(),
       .asymptotic_costs = {.agpu = cost}},
      "t", "E", "S", &Problem::skewed, &Problem::frequent, &Problem::shared_bits, SortedBits{});
  sort.skew = [plan = sort.plan](const Problem& problem, const Input& input, const PlanDevice& device) {
    return skew_of(plan, problem, input, device);
  };
  return sort;
}

}  // namespace fathom
