// SPDX-License-Identifier: Apache-2.0
// Sorts of data in host memory on the GPUs that are present. Skipped (exit code 77) with fewer than two.
#include "../../support/skip.h"

#include <fathom/algorithms/check/on_host.h>
#include <fathom/algorithms/host/registry.h>
#include <fathom/device/cuda/host_gpus.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <span>

using namespace fathom;
using namespace fathom::tests;

TEST_CASE("several GPUs sort pinned memory and other") {
  skip_with_one_gpu();
  const int present = int(present_gpus().size());
  for (const int count : {2, present}) {
    HostGpus gpus(count == 2 ? std::vector{0, 1} : std::vector<int>());
    constexpr std::size_t n = 3000001;
    const HostAlgorithm& sort = *find_host_algorithm("sort-host");
    Problem problem = sort.problem(double(n), ElementType::u64);
    problem.parameters.set("gpus", count);
    std::vector<u64> keys(n), sorted(n);
    fill_keys_on_host(std::span(keys), Input::random);
    std::vector<u64> expected = keys;
    std::ranges::sort(expected);
    const auto call = sort.make_call(gpus.streams(), problem, std::size_t(1) << 30);
    call->run({keys.data()}, {sorted.data()});
    CHECK(sorted == expected);
    const HostArray<u64> pinned(gpus.first(), n);
    std::ranges::copy(keys, pinned.data());
    for (int run = 0; run < 2; ++run) call->run({pinned.data()}, {pinned.data()});
    CHECK(std::ranges::equal(pinned.span(), expected));
  }
}
