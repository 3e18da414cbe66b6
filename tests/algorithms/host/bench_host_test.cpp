// SPDX-License-Identifier: Apache-2.0
// Inputs and checks in host memory, and timed runs of what sorts there.
#include "../../support/error_of.h"
#include "../../support/sanitized.h"
#include "../filled.h"

#include <fathom/algorithms/check/on_host.h>
#include <fathom/algorithms/host/bench.h>

#include <catch2/catch.hpp>

#include <cstring>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

TEST_CASE("keys made on the host are those made on the device, bit by bit") {
  const auto same = [&]<class Key>(Key) {
    for (const Input input : all_inputs) {
      if (input == Input::conflict_heavy) continue;
      INFO(name(element_type_of<Key>) << " " << name(input));
      std::vector<Key> keys(1500);
      fill_keys_on_host(std::span(keys), input);
      CHECK(std::memcmp(keys.data(), keys_of<Key>(input).data(), keys.size() * sizeof(Key)) == 0);
    }
  };
  same(u32());
  same(i64());
  same(f64());
  std::vector<u32> keys(100);
  CHECK_THAT(error_of<std::invalid_argument>(
                 [&] { fill_keys_on_host(std::span(keys), Input(Input::conflict_heavy)); }),
             Contains("choose another"));
}

TEST_CASE("a check in host memory finds keys out of order, changed keys, and values that strayed") {
  using Keys = std::vector<u32>;
  const auto found = [](const Keys& in, const Keys& out, const Keys& values, bool stable) {
    return error_of<KernelFailure>([&] {
      check_sorted_pairs_on_host<u32, u32>(std::span<const u32>(in), std::span<const u32>(out),
                                           std::span<const u32>(values), stable);
    });
  };
  CHECK(found({3, 1, 1, 2}, {1, 1, 2, 3}, {1, 2, 3, 0}, true) == "");
  CHECK(found({3, 1, 1, 2}, {1, 1, 2, 3}, {2, 1, 3, 0}, false) == "");
  CHECK_THAT(found({3, 1, 1, 2}, {1, 1, 2, 3}, {2, 1, 3, 0}, true), Contains("not stable"));
  CHECK_THAT(found({3, 1, 1, 2}, {1, 2, 1, 3}, {1, 3, 2, 0}, false),
             Contains("1 of 4 keys are out of order"));
  CHECK_THAT(found({3, 1, 1, 2}, {1, 1, 1, 3}, {1, 2, 2, 0}, false), Contains("keys differ"));
  CHECK_THAT(found({3, 1, 1, 2}, {1, 1, 2, 3}, {1, 2, 0, 3}, false), Contains("2 of 4 values are paired"));
  CHECK_THAT(found({3, 1, 1, 2}, {1, 1, 2, 3}, {1, 1, 3, 0}, false), Contains("duplicated"));
}

TEST_CASE("a sort in host memory is checked, and timed so often") {
  const HostAlgorithm& sort = *find_host_algorithm("sort-host");
  for (const Instantiation& of : two_if_sanitized(sort.instantiations())) {
    INFO(name(of));
    CountingExecutor executor;
    std::vector<std::size_t> told;
    const Measurement run = bench(
        {{executor, executor, executor}}, 1 << 30, {&sort, sort.problem(3001, of)}, 2, [] { return 1e9; },
        [&](auto, std::size_t done, std::size_t) { told.push_back(done); });
    CHECK(run.algorithm == "sort-host");
    CHECK(run.checked);
    CHECK(run.clock_hz == 1e9);
    CHECK(run.seconds.size() == 2);
    CHECK(told == std::vector<std::size_t>{0, 1});
  }
}

TEST_CASE("a sort in host memory that is wrong fails with the run's name") {
  struct Nothing final : Call {
    void run(const InputArrays&, const OutputArrays&) override {}
  };
  HostAlgorithm wrong = *find_host_algorithm("sort-host");
  wrong.make_call = [](auto&&...) { return std::make_unique<Nothing>(); };
  CountingExecutor executor;
  CHECK_THAT(
      error_of<KernelFailure>([&] {
        bench({{executor, executor, executor}}, 1 << 30, {&wrong, wrong.problem(100)}, 2, [] { return 1e9; });
      }),
      Contains("sort-host n = 100, ") && Contains("wrong result"));
}
