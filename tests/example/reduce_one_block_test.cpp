// SPDX-License-Identifier: Apache-2.0
// The algorithm of docs/adding-an-algorithm.md: after one line of registration, everything works on it as on
// any other.
#include "reduce_one_block.h"

#include "../support/machines.h"

#include <fathom/algorithms/bench.h>
#include <fathom/algorithms/check/check.h>
#include <fathom/algorithms/registry.h>
#include <fathom/counting/audit.h>
#include <fathom/device/recording_executor.h>
#include <fathom/model/laws/predict.h>

#include <catch2/catch.hpp>

#include <numeric>

using namespace fathom;
using Catch::Matchers::Contains;

namespace fathom {
Algorithm reduce_one_block();
}

namespace {

const Algorithm& example() {
  static const bool registered = (add_algorithm(reduce_one_block()), true);
  static_cast<void>(registered);
  return algorithm("reduce-one-block");
}

Machine<double> machine() {
  Machine<double> machine = tests::machine_of("small", 4, 128, 1e9, "launch_overhead 2e-6 kernel_gap 1e-6");
  machine.limits.shared_bytes_per_multiprocessor = machine.limits.shared_bytes_per_block = 200 * 1024;
  for (Level level : all_levels) machine.at(level) = {100.0, 0.05, {}, {}};
  return machine;
}

}  // namespace

TEST_CASE("the example is found by its slug, which no other algorithm can use") {
  CHECK(example().kind == Kind::reduce);
  CHECK(find_descriptor("reduce-one-block") == &example());
  CHECK_THROWS_WITH(add_algorithm(reduce_one_block()),
                    Contains("reduce-one-block") && Contains("another slug"));
}

TEST_CASE("the example reduces every type on the CPU, and its check detects a wrong sum") {
  for (ElementType type : example().types)
    for (double n : {1., 31., 256., 100003.}) {
      CountingExecutor executor;
      INFO(name(type) << " n = " << n);
      CHECK_NOTHROW(example().make_workload(executor, example().problem(n, type), Input::random)->check());
    }
  std::vector<u32> values(1000);
  std::iota(values.begin(), values.end(), 1u);
  CountingExecutor executor;
  const DeviceArray<u32> input(executor, std::span<const u32>(values)), output(executor, 1);
  ReduceOneBlock<u32, Plus>(executor, 1000, 128).run({input.data(), 1000}, output.span());
  CHECK(output.download() == std::vector<u32>{500500});
  executor.fill(output.data(), 0, output.bytes());
  CHECK_THROWS_AS((check_reduction<u32, Plus>(executor, {input.data(), 1000}, {output.data(), 1})),
                  KernelFailure);
}

TEST_CASE("the example is planned, recorded, counted and predicted like any other") {
  const Problem problem = example().problem(1e6);
  const Plan plan = example().plan(problem, plan_device(machine().multiprocessors, machine().limits));
  REQUIRE(plan.size() == 1);
  CHECK(plan[0].name() == "ReduceInOneBlock");
  CHECK(plan[0].source().expression ==
        "fathom::ReduceInOneBlock<unsigned int, fathom::Plus, fathom::Constant<256>>");
  const Case one{&example(), problem, Input::random};
  CountingExecutor counting(counting_device(machine(), one));
  CHECK(device_bytes(example(), problem, counting.plan_device()) == 4000000 + 4);
  const Count counted = count(one, counting_device(machine(), one));
  CHECK(counted.kernels.at(0).global(MemoryOperation::load).words == 1000000);
  CHECK(predict(example(), machine(), problem, {LawName::published}).time_s > 1e-5);
}
