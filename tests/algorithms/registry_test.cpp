// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/lists.h>
#include <fathom/device/counting/counting_executor.h>

#include <catch2/catch.hpp>

#include <set>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

/// A baseline that cannot run, so that other tests that find it in the registry ignore it.
Algorithm made_up(const char* slug) {
  Algorithm algorithm;
  algorithm.slug = slug;
  algorithm.group = algorithm.source = "made up";
  algorithm.baseline = true;
  return algorithm;
}

}  // namespace

TEST_CASE("every algorithm has a unique slug, is found, and has a formula or a kernel or is a baseline") {
  std::set<std::string> slugs;
  for (const Algorithm& each : algorithms()) {
    INFO(each.slug);
    CHECK(slugs.insert(each.slug).second);
    CHECK(&algorithm(each.slug) == &each);
    CHECK((each.formula || each.make_workload || each.baseline));
    CHECK(bool(each.make_workload) == !each.types.empty());
    CHECK(bool(each.plan) == (each.make_workload && !each.baseline));
    CHECK(bool(each.make_call) == (each.plan && each.kind != Kind::other));
    CHECK_FALSE(each.group.empty());
    CHECK_FALSE(each.source.empty());
  }
  CHECK_THROWS_WITH(algorithm("sort-pairwize"), Contains("did you mean 'sort-pairwise'?"));
}

TEST_CASE("a name means one algorithm of all lists") {
  std::set<std::string> slugs;
  for (const AnyAlgorithm& each : all_algorithms()) {
    INFO(descriptor(each).slug);
    CHECK(slugs.insert(descriptor(each).slug).second);
    CHECK(find_in_all_lists(descriptor(each).slug) == each);
  }
  CHECK(list_info(*find_in_all_lists("radix-msd")).runs_on == "one GPU");
  CHECK(list_info(*find_in_all_lists("sort-gpus")).runs_on == "several GPUs");
  CHECK(list_info(*find_in_all_lists("sort-host")).runs_on == "data in host memory");
  CHECK_FALSE(find_in_all_lists("sort-hosts"));
  CHECK_THROWS_WITH(algorithm("sort-hosts"), Contains("did you mean 'sort-host'?"));
}

TEST_CASE("every algorithm with kernels of its own runs and passes its check on the CPU") {
  for (const Algorithm& each : algorithms()) {
    if (!each.make_workload || each.baseline) continue;
    for (const Instantiation& of : each.instantiations()) {
      CountingExecutor executor;
      INFO(each.slug << " " << name(of));
      const auto workload = each.make_workload(executor, each.problem(3000, of), Input::random);
      CHECK_NOTHROW(workload->check());
      CHECK(!workload->kernels().empty());
    }
  }
}

TEST_CASE("a caller can register an algorithm under an unused slug") {
  CHECK_THROWS_WITH(add_algorithm(made_up("sort-pairwise")),
                    Contains("the slug 'sort-pairwise' is already taken"));
  for (const char* slug : {"sort-gpus", "sort-host"})
    CHECK_THROWS_WITH(add_algorithm(made_up(slug)), Contains("is already taken"));
  const Algorithm& before = algorithm("scan-matrix");
  CHECK(find_descriptor("sort-by-hand") == nullptr);
  add_algorithm(made_up("sort-by-hand"));
  CHECK(find_descriptor("sort-by-hand") == &algorithms().back());
  CHECK(&algorithm("scan-matrix") == &before);
}
