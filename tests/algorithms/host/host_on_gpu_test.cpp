// SPDX-License-Identifier: Apache-2.0
// Sorts of data in host memory on the GPU that is present. Skipped (exit code 77) without one.
#include "../../support/skip.h"

#include <fathom/algorithms/check/on_host.h>
#include <fathom/algorithms/host/registry.h>
#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>

using namespace fathom;
using namespace fathom::tests;

TEST_CASE("a GPU sorts pinned memory and other, in one round and in two") {
  skip_without_gpu();
  CudaExecutor in, kernels, out;
  constexpr std::size_t n = 3000001, bytes = n * sizeof(u64);
  const HostAlgorithm& sort = *find_host_algorithm("sort-host");
  for (const Input input : {Input::random, Input::reverse, Input::few_unique}) {
    std::vector<u64> keys(n);
    fill_keys_on_host(std::span(keys), input);
    std::vector<u64> expected = keys;
    std::ranges::sort(expected);
    for (const std::size_t memory : {8 * bytes, bytes}) {
      INFO(name(input) << ", " << memory << " bytes of the GPU's memory");
      const auto call =
          sort.make_call({{in, kernels, out}}, sort.problem(double(n), ElementType::u64), memory);
      std::vector<u64> sorted(n);
      call->run({keys.data()}, {sorted.data()});
      CHECK(sorted == expected);
      const HostArray<u64> pinned(kernels, n);
      std::ranges::copy(keys, pinned.data());
      for (int run = 0; run < 2; ++run) call->run({pinned.data()}, {pinned.data()});
      CHECK(std::ranges::equal(std::span<const u64>(pinned.data(), n), expected));
    }
  }
}
