// SPDX-License-Identifier: Apache-2.0
// The kernels on a GPU. Skipped (exit code 77) without one.
#include "../support/skip.h"
#include "block_cases.h"
#include "registry_cases.h"

#include <fathom/algorithms/bench.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// All parameters with sizes around the edges of warps and tiles, and every input with the defaults.
std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const Algorithm& each : algorithms()) {
    if (!each.make_workload) continue;
    for (const Instantiation& of : each.instantiations()) {
      std::vector<Parameters> choices = default_and_extremes(each);
      if (of.type.value) choices.resize(1);  // the same kernels as for keys, which take longer to compile
      for (const Parameters& parameters : choices)
        for (double n : {1., 2., 33., 1023., 1024., 4097., 100003., 1048576., 3000017.}) {
          Problem problem = each.problem(n, of);
          problem.parameters = parameters;
          cases.push_back({&each, problem});
        }
      for (Input input : all_inputs) cases.push_back({&each, each.problem(200003, of), input});
    }
  }
  return cases;
}

}  // namespace

// Both tests compile on all CPU cores first: one kernel after another, as they are run, takes minutes on an
// empty cache. If one does not compile, its run below names it.

TEST_CASE("every primitive of blocks gives the same results on the GPU as on the CPU") {
  skip_without_gpu();
  CudaExecutor executor;
  const std::vector<BlockCase> cases = block_cases();
  std::vector<Launch> launches;
  for (const BlockCase& each : cases) launches.push_back(each.launch);
  CHECK_NOTHROW(executor.warm_cache(launches, {}));
  for (const BlockCase& each : cases) {
    INFO(each.name);
    CHECK(each.run(executor) == "");
  }
}

TEST_CASE("every kernel gives correct results on the GPU, around its edges and for every input") {
  skip_without_gpu();
  CudaExecutor executor;
  const std::vector<Case> cases = every_case();
  CHECK_NOTHROW(warm_cache(executor, cases, {}));
  std::size_t ways_of_cub = 0;
  for (const Case& each : cases) {
    INFO(in_words(each) << " " << name(each.input));
    std::unique_ptr<Workload> workload;
    try {
      workload = each.algorithm->make_workload(executor, each.problem, each.input);
    } catch (const std::invalid_argument& refusal) {  // not compiled for all types, or not in this build
      INFO(refusal.what());
      CHECK(each.algorithm->baseline);
      CHECK(each.problem.parameters != each.algorithm->default_parameters(each.problem));
      continue;
    }
    CHECK_NOTHROW(workload->check());
    ways_of_cub += each.problem.parameters.contains("bits") && each.problem.parameters.at("bits") == 32;
  }
  CHECK(ways_of_cub > 0);
}

TEST_CASE("a bench of a kernel is checked and complete") {
  skip_without_gpu();
  CudaExecutor executor;
  const double hz = executor.clock_hz();
  CHECK(hz > 2e8);
  CHECK(hz < 5e9);
  const Case bench_case{&algorithm("sort-pairwise"), algorithm("sort-pairwise").problem(1 << 20)};
  const Measurement measured = bench(executor, bench_case);
  CHECK(measured.checked);
  CHECK(measured.algorithm == "sort-pairwise");
  CHECK(measured.problem == bench_case.problem);
  REQUIRE(measured.seconds.size() == 11);
  for (double seconds : measured.seconds) {
    CHECK(seconds > 1e-6);  // at least three kernels
    CHECK(seconds < 0.1);
  }
  CHECK(measured.kernels.size() == 3);
  for (const Measurement::Kernel& kernel : measured.kernels) {
    CHECK(kernel.registers > 0);
    CHECK(kernel.resident_blocks > 0);
  }
}
