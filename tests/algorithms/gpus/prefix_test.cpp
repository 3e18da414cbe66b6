// SPDX-License-Identifier: Apache-2.0
// Buckets of several GPUs: how elements are divided, where buckets are cut, and which keys are refused.
#include "../filled.h"
#include "spread_arrays.h"

#include <fathom/algorithms/gpus/prefix/order_by_prefix.h>
#include <fathom/algorithms/gpus/schemes.h>
#include <fathom/device/group/simulated_group.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>

using namespace fathom;
using namespace fathom::tests;

namespace {

struct CutByHand {
  bool refused;
  std::vector<Index> first_buckets, begins;
};

/// Cuts the buckets of two ranks, which have eight each; `counts` are the elements of these.
CutByHand cut(const std::vector<std::vector<u32>>& counts, int pieces, u32 capacity,
              const std::vector<u32>& skewed = {0, 0}) {
  CountingExecutor executor;
  std::vector<u32> begins;
  Index n = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    u32 sum = 0;
    for (const u32 count : counts[rank]) {
      begins.push_back(sum);
      sum += count;
    }
    begins.push_back(sum);
    begins.push_back(skewed[rank]);
    n += sum;
  }
  const int ranks = int(counts.size()), parts = ranks * pieces;
  const DeviceArray<u32> on_device(executor, std::span<const u32>(begins));
  const DeviceArray<Index> result(executor, std::size_t(1 + (ranks + 1) * (parts + 1)));
  const std::vector<RadixPass> planned{{{0, 4}, RadixPass::input, RadixPass::other, 1},
                                       {{4, 4}, RadixPass::other, RadixPass::output, 0}};
  const DeviceArray<RadixPass> passes(executor, std::span<const RadixPass>(planned));
  constexpr int threads = 64;
  PreparedPlan plan(executor,
                    {launch_of<CutBuckets<>>(8, 1, {threads, CutBuckets<>::shared_memory()}, {threads})});
  plan.launch(0, CutBuckets<>{read_only(on_device.span()), 10, result.span(), passes.span(), n, capacity, 8,
                              ranks, pieces, threads});
  executor.synchronize();
  const std::vector<Index> all = result.download();
  const bool refused = all[0] != 0;
  for (const RadixPass& pass : passes.download()) CHECK((pass.to == RadixPass::nowhere) == refused);
  const auto middle = all.begin() + 2 + parts;
  return {refused, {all.begin() + 1, middle}, {middle, all.end()}};
}

}  // namespace

TEST_CASE("buckets are cut where the parts come nearest to equal ones") {
  // In all: 6 2 4 8 | 3 5 8 4, of which the halves are 20 and 20.
  const auto halves = cut({{4, 1, 2, 5, 1, 2, 5, 2}, {2, 1, 2, 3, 2, 3, 3, 2}}, 1, 8);
  CHECK_FALSE(halves.refused);
  CHECK(halves.first_buckets == std::vector<Index>{0, 4, 8});
  CHECK(halves.begins == std::vector<Index>{0, 12, 22, 0, 8, 18});
  // Quarters begin at 10, 20 and 30 of 40: the buckets begin at 0 6 8 12 20 23 28 36, and 8 is as near as 12.
  const auto quarters = cut({{4, 1, 2, 5, 1, 2, 5, 2}, {2, 1, 2, 3, 2, 3, 3, 2}}, 2, 8);
  CHECK_FALSE(quarters.refused);
  CHECK(quarters.first_buckets == std::vector<Index>{0, 3, 4, 6, 8});
  CHECK(quarters.begins == std::vector<Index>{0, 7, 12, 15, 22, 0, 5, 8, 13, 18});
}

TEST_CASE("empty buckets behind the last element belong to no rank") {
  const auto found = cut({{5, 0, 0, 0, 0, 0, 0, 0}, {0, 5, 0, 0, 0, 0, 0, 0}}, 1, 8);
  CHECK_FALSE(found.refused);
  CHECK(found.first_buckets == std::vector<Index>{0, 1, 2});
  CHECK(found.begins == std::vector<Index>{0, 5, 5, 0, 0, 5});
}

TEST_CASE("a bucket that no block sorts, unequal parts, or a rank that refuses, are refused") {
  const std::vector<u32> even(8, 10);
  CHECK_FALSE(cut({even, even}, 1, 20).refused);
  CHECK(cut({even, even}, 1, 19).refused);
  CHECK(cut({even, even}, 1, 20, {0, SkewedKeys::all}).refused);
  // Two ranks may have 41 and 39 of 80 elements, but not 43 and 37.
  CHECK_FALSE(cut({{10, 10, 10, 11, 9, 10, 10, 10}, std::vector<u32>(8, 0)}, 1, 50).refused);
  CHECK(cut({{10, 10, 10, 13, 7, 10, 10, 10}, std::vector<u32>(8, 0)}, 1, 50).refused);
}

TEST_CASE("elements are divided so that blocks hold the buckets of random keys, and all but fill them") {
  const auto division = []<class Element>(std::type_identity<Element>, Index n, int ranks) {
    return PrefixDivision::of<Element>(n, ranks, any_device());
  };
  constexpr std::type_identity<u64> keys;
  constexpr std::type_identity<Record<u32, u32>> pairs;
  for (const int exponent : {20, 24, 28, 29}) {
    const PrefixDivision of = division(keys, Index(1) << exponent, 2);
    CHECK(of.fits);
    const double filled = std::exp2(exponent - of.bits) / double(of.shape.tile());
    CHECK(filled > 0.8);
    CHECK(filled < 0.98);
  }
  CHECK(division(keys, Index(1) << 28, 2).shape.tile() == 384 * 12);
  CHECK(division(keys, Index(11) << 25, 2).shape.tile() == 384 * 17);
  CHECK(division(keys, Index(1) << 29, 2).shape.tile() == 768 * 12);
  CHECK(division(pairs, Index(1) << 29, 2).shape.tile() == 512 * 17);
  CHECK_FALSE(division(pairs, Index(1) << 30, 2).fits);
  CHECK_FALSE(division(keys, Index(1) << 33, 16).fits);
  CHECK_FALSE(division(keys, 0, 2).fits);
  CHECK_FALSE(division(keys, 1000, 1).fits);
  CHECK_FALSE(division(keys, 1000, 17).fits);
  // As many buckets as balance needs, however few elements there are.
  CHECK(division(keys, 1000, 2).buckets() >= 40);
  CHECK(division(keys, 1000, 16).buckets() >= 320);
  // On devices whose blocks have less shared memory, fewer elements.
  CHECK(PrefixDivision::of<u64>(Index(1) << 28, 2, any_device(99 * 1024)).bits == 15);
  CHECK_FALSE(PrefixDivision::of<u64>(Index(1) << 29, 2, any_device(99 * 1024)).fits);
}

TEST_CASE("pieces have 32 MiB, and a rank has eight at most") {
  Problem problem = group_algorithm("sort-gpus").problem(1, ElementType::u64);
  CHECK(pieces_of_buckets(problem, 1000) == 1);
  CHECK(pieces_of_buckets(problem, 0x1p23) == 2);
  CHECK(pieces_of_buckets(problem, 0x1p28) == 8);
  CHECK(pieces_of_buckets(problem, 5 * 0x1p22) == 4);  // as the law's bucket is that of a power of two
  problem.parameters.set("pieces", 16);
  CHECK(pieces_of_buckets(problem, 0x1p28) == 16);
}

namespace {

/// Whether a kernel has run on a GPU of the group.
bool has_run(SimulatedGroup& group, const char* kernel) {
  return std::ranges::count(group.executor(0).counts(), kernel, &KernelCounts::kernel) > 0;
}

}  // namespace

TEST_CASE("buckets of keys that are equal, or differ in their last bits alone, are sorted stably",
          "[counts]") {
  // Each of 64 prefixes is equally frequent, so that buckets can be cut into equal parts. Blocks sort 15 keys
  // of a bucket by counting. A hundred are too many for the thread whose values they have: if ten of them
  // agree in the next 16 bits, they look at each other for their order; if all do, the bucket is sorted by
  // all its digits.
  struct Bucket {
    std::size_t keys, groups;
  };
  const Bucket bucket = GENERATE(Bucket{15, 1}, Bucket{100, 10}, Bucket{100, 1});
  const u64 last = GENERATE(1, 5);
  const std::size_t n = 64 * bucket.keys;
  std::vector<u64> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = u64(i * 37 % 64) << 58 | u64(i / 64 % bucket.groups) << 42 | i / 64 * 7 % last;
  std::vector<u32> places(n);
  std::iota(places.begin(), places.end(), 0u);
  std::vector<u32> expected = places;
  std::ranges::stable_sort(expected, {}, [&](u32 place) { return keys[place]; });
  std::vector<u64> sorted = keys;
  std::ranges::sort(sorted);

  SimulatedGroup group(4);
  const GroupAlgorithm& sort = group_algorithm("sort-gpus");
  Problem problem = sort.problem(1, Instantiation({ElementType::u64, ElementType::u32}, true));
  problem.parameters.set("scheme", 2);
  problem.parameters.set("pieces", 2);
  const auto result =
      result_of<u64, u32>(group, sort, problem, {n / 2, n / 8, 0, n - n / 2 - n / 8}, keys, places);
  CHECK(result.keys == sorted);
  CHECK(result.values == expected);
  CHECK(has_run(group, "SortReceivedBuckets"));
}

TEST_CASE("a call sorts keys that are refused, and then others") {
  constexpr std::size_t n = 4000, of_rank = n / 2;
  SimulatedGroup group(2);
  const GroupAlgorithm& sort = group_algorithm("sort-gpus");
  std::vector<std::vector<u32>> results(4);
  const Input inputs[] = {Input::random, Input::equal, Input::zipf, Input::random};
  std::mutex mutex;
  group.run([&](Communicator& own) {
    const auto call = sort.make_call(own, sort.problem(double(of_rank), ElementType::u32));
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::vector<u32> keys = keys_of<u32>(inputs[i], n);
      const DeviceArray<u32> part(
          own.executor(), std::span<const u32>(keys).subspan(std::size_t(own.rank()) * of_rank, of_rank));
      const OwnPart out = call->run({part.data()});
      const std::vector<u32> sorted =
          download(own.executor(), Span<const u32>{static_cast<const u32*>(out.keys), u64(out.count)});
      const std::lock_guard lock(mutex);
      results[i].insert(own.rank() == 0 ? results[i].begin() : results[i].end(), sorted.begin(),
                        sorted.end());
    }
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<u32> expected = keys_of<u32>(inputs[i], n);
    std::ranges::sort(expected);
    CHECK(results[i] == expected);
  }
}

TEST_CASE("the steps of a sort are those of scheme 1 where buckets are too large") {
  const GroupAlgorithm& sort = group_algorithm("sort-gpus");
  const auto names = [&](double n, ElementType type, const PlanDevice& device) {
    std::vector<std::string> names;
    for (const RankStep& step : sort.steps(sort.problem(n, type), device))
      if (step.local) names.emplace_back(step.name);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  };
  const std::vector<std::string> by_prefix{"buckets", "cuts", "split", "sort"},
      by_merging{"sort", "cuts", "merge"}, refused{"buckets", "cuts", "sort", "cuts", "merge"};
  CHECK(names(0x1p29, ElementType::u64, any_device()) == by_prefix);
  CHECK(names(0x1p30, ElementType::u32, any_device()) == by_merging);
  CHECK(names(0x1p29, ElementType::u64, any_device(99 * 1024)) == by_merging);
  // Zeros, of which random floating-point keys have some, fill large buckets.
  CHECK(names(0x1p18, ElementType::f64, any_device()) == by_prefix);
  CHECK(names(0x1p25, ElementType::f64, any_device()) == refused);
}

TEST_CASE("two GPUs put keys in buckets, unless too many begin alike", "[counts]") {
  constexpr std::size_t n = 20'000;
  const auto kernels = [](const Input& input, int ranks) {
    SimulatedGroup group(ranks);
    const std::vector<u64> keys = keys_of<u64>(input, n);
    std::vector<u64> expected = keys;
    std::ranges::sort(expected);
    const GroupAlgorithm& sort = group_algorithm("sort-gpus");
    CHECK(result_of<u64>(group, sort, sort.problem(1, ElementType::u64), equal_shares(n, std::size_t(ranks)),
                         keys)
              .keys == expected);
    return std::array{has_run(group, "CutBuckets"), has_run(group, "SortReceivedBuckets"),
                      has_run(group, "MergeListedRuns")};
  };
  CHECK(kernels(Input::random, 2) == std::array{true, true, false});
  CHECK(kernels(Input::equal, 2) == std::array{true, false, true});
  CHECK(kernels(Input::random, 3) == std::array{false, false, true});
}
