// SPDX-License-Identifier: Apache-2.0
// Algorithms for several GPUs on those that are present. Skipped (exit code 77) with fewer than two, or
// without NCCL.
#include "../../support/skip.h"
#include "../filled.h"
#include "spread_arrays.h"

#include <fathom/algorithms/gpus/group_workload.h>
#include <fathom/device/cuda/nccl_group.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <tuple>

using namespace fathom;
using namespace fathom::tests;

namespace {

Problem problem_of(const GroupAlgorithm& algorithm) {
  return algorithm.problem(1, ElementType::u64);
}

}  // namespace

TEST_CASE("GPUs sort what is spread over them evenly or not, by both schemes, in any number of pieces") {
  skip_without_several_gpus();
  NcclGroup group;
  const std::size_t ranks = std::size_t(group.size());
  const GroupAlgorithm& sort = group_algorithm("sort-gpus");
  Shares uneven = equal_shares(1 << 20, ranks);
  std::swap(uneven[0], uneven[1]);
  uneven[0] /= 7;
  for (const Shares& shares : {equal_shares(1 << 20, ranks), uneven, Shares(ranks, 1)})
    for (const Input input : {Input::random, Input::reverse, Input::zipf, Input::equal})
      for (const auto& [scheme, pieces, slices] :
           {std::tuple(1, 1, 1), std::tuple(1, 3, 1), std::tuple(1, 3, 3), std::tuple(2, 1, 1),
            std::tuple(2, 4, 1)}) {
        INFO(name(input) << ", scheme " << scheme << ", pieces " << pieces << ", slices " << slices);
        const std::size_t n = std::accumulate(shares.begin(), shares.end(), std::size_t(0));
        const std::vector<u64> keys = keys_of<u64>(input, n);
        std::vector<u64> expected = keys;
        std::ranges::sort(expected);
        Problem problem = problem_of(sort);
        problem.parameters.set("scheme", scheme);
        problem.parameters.set("pieces", pieces);
        problem.parameters.set("slices", slices);
        const auto result = result_of<u64>(group, sort, problem, shares, keys);
        CHECK(result.keys == expected);
        const double part = double(n) / double(ranks);
        if (n > 1000)
          for (const std::size_t share : result.shares) CHECK(std::abs(double(share) - part) <= 0.05 * part);
      }
}

TEST_CASE("CUB's sort and merge on several GPUs pass the checks of sorts") {
  skip_without_several_gpus();
  NcclGroup group;
  constexpr Index n = 1'000'003;
  Spread uneven = equal_parts(n, group.size());
  uneven[1] = 1000;
  const GroupAlgorithm& sort = group_algorithm("cub-sort-gpus");
  for (const Instantiation& of : sort.instantiations())
    for (const Spread& spread : {equal_parts(n, group.size()), uneven}) {
      INFO(name(of) << ", " << spread[1] << " on the first");
      CHECK_NOTHROW(group.run([&](Communicator& own) {
        make_group_workload(sort, own, sort.problem(n, of), Input::few_unique, spread)->check();
      }));
    }
}

TEST_CASE("GPUs add up and scan what is spread over them") {
  skip_without_several_gpus();
  NcclGroup group;
  const Shares shares = equal_shares(1000003, std::size_t(group.size()));
  const std::vector<u64> elements = summands_of<u64>(Input::random, 1000003);
  std::vector<u64> before(elements.size());
  std::exclusive_scan(elements.begin(), elements.end(), before.begin(), u64(0));
  const GroupAlgorithm &scan = group_algorithm("scan-gpus"), &reduction = group_algorithm("reduce-gpus");
  CHECK(result_of<u64>(group, scan, problem_of(scan), shares, elements).keys == before);
  CHECK(result_of<u64>(group, reduction, problem_of(reduction), shares, elements).keys ==
        std::vector<u64>(shares.size(), before.back() + elements.back()));
}
