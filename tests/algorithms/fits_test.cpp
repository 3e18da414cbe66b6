// SPDX-License-Identifier: Apache-2.0
// Every algorithm runs with default parameters on every architecture: plans choose tiles, digits and prefixes
// that fit.
#include "registry_cases.h"

#include <fathom/device/counting/counting_executor.h>
#include <fathom/model/architectures.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

std::vector<std::string> kernels(const Algorithm& algorithm, const Problem& problem, double shared_bytes) {
  std::vector<std::string> all;
  for (const Launch& launch : algorithm.plan(problem, any_device(shared_bytes)))
    all.push_back(launch.source().expression);
  return all;
}

void check_lowered(double KiB, std::size_t at_least) {
  constexpr double n = 30000;
  std::size_t lowered = 0;
  for (const Algorithm* each : with_plan())
    for (const Instantiation& of : each->instantiations()) {
      const Problem problem = each->problem(n, of);
      if (kernels(*each, problem, 1024 * KiB) == kernels(*each, problem, 227 * 1024)) continue;
      ++lowered;
      INFO(KiB << " KiB " << each->slug << " " << name(of));
      CountingExecutor executor(
          {.multiprocessors = 4,
           .limits = {.shared_bytes_per_multiprocessor = 1024 * KiB, .shared_bytes_per_block = 1024 * KiB}});
      const auto workload = each->make_workload(executor, problem, Input::random);
      CHECK_NOTHROW(workload->check());
    }
  CHECK(lowered >= at_least);
}

}  // namespace

TEST_CASE("with default parameters every algorithm fits on every architecture") {
  for (const Architecture& on : architectures()) {
    const PlanDevice device = plan_device(4, on.limits());
    for (const Algorithm* each : with_plan())
      for (const Instantiation& of : each->instantiations())
        for (const double n : {1., 1000., 1e6, 0x1p28, 0x1p33})
          for (const double skewed : {0., std::floor(n / 3), n}) {
            Problem problem = each->problem(n, of);
            problem.skewed = skewed;
            problem.frequent = n - skewed;
            INFO(on.name() << " " << each->slug << " " << name(of) << " n = " << n);
            for (const Launch& launch : each->plan(problem, device)) {
              INFO(launch.name() << ": " << launch.shape.shared_bytes << " bytes");
              CHECK(device.resident_blocks(launch) >= 1);
            }
          }
  }
}

TEST_CASE("what defaults are lowered to in 99 KiB sorts and adds up right") {
  check_lowered(99, 1);
}

TEST_CASE("what defaults are lowered to in 64 KiB, those of sm_75, sorts and adds up right") {
  check_lowered(64, 1);
}

TEST_CASE("on sm_90 every default is as large as it is") {
  for (const Algorithm* each : with_plan())
    for (const Instantiation& of : each->instantiations())
      for (const double n : {1000., 1e6, 0x1p28}) {
        const Problem problem = each->problem(n, of);
        INFO(each->slug << " " << name(of) << " n = " << n);
        CHECK(kernels(*each, problem, find_architecture(90)->limits().shared_bytes_per_block) ==
              kernels(*each, problem, any_device().shared_bytes_per_block));
      }
}

TEST_CASE("on sm_90 nothing is lowered, whatever is asked for beside the defaults") {
  const Algorithm& sort = algorithm("radix-msd");
  Problem asked = sort.problem(1e6, Instantiation({ElementType::u64, ElementType::u64}, false));
  asked.parameters = sort.default_parameters();
  asked.parameters.set("t", 1024);
  const OccupancyLimits of_sm_90 = find_architecture(90)->limits();
  const Plan plan = sort.plan(asked, any_device(of_sm_90.shared_bytes_per_block));
  CHECK(plan.back().constants[0] == 1024);
  CHECK(plan.back().constants[1] == 17);
  CountingExecutor executor({.multiprocessors = 1, .limits = of_sm_90});
  CHECK_THROWS_AS(sort.make_workload(executor, asked, Input::random), BlockDoesNotFit);
}

TEST_CASE("a pass that only many elements have lowers no parameter of the others") {
  const Algorithm& sort = algorithm("radix-msd");
  for (const int architecture : {75, 86, 90})
    for (const Instantiation& of : sort.instantiations()) {
      INFO("sm_" << architecture << " " << name(of));
      const PlanDevice device = plan_device(4, find_architecture(architecture)->limits());
      const auto elements = [&](double n) {
        Problem problem = sort.problem(n, of);
        problem.parameters.set("S", sort.default_parameters().at("S"));
        return sort.plan(problem, device)[2].constants[1];
      };
      CHECK(elements(0x1p23) == elements(1e4));
      CHECK(elements(0x1p28) == elements(1e4));
    }
}

TEST_CASE("only defaults are lowered, to values of the list") {
  const double of_sm_86 = find_architecture(86)->limits().shared_bytes_per_block;
  const Algorithm& sort = algorithm("radix-onesweep");
  const auto elements = [&](const Problem& problem, double shared_bytes) {
    for (const Launch& launch : sort.plan(problem, any_device(shared_bytes)))
      if (launch.name() == "SplitByDigit") return launch.constants[1];
    return 0;
  };
  const auto pairs = sort.problem(1e8, Instantiation({ElementType::u64, ElementType::u64}, false));
  CHECK(elements(pairs, 227 * 1024) == 20);
  // 512 threads have 33,920 bytes of counters and places, and 8 KiB for each element of theirs: 8 take 99,456
  // bytes, and 10, the next value, more than the 101,376 that there are.
  CHECK(elements(pairs, of_sm_86) == 8);
  CHECK(elements(sort.problem(1e8), of_sm_86) == 22);
  // A default of any n is lowered for every n, since work is counted for few.
  Problem few = sort.problem(1e4, Instantiation({ElementType::u64, ElementType::u64}, false));
  few.parameters = pairs.parameters;
  CHECK(elements(few, of_sm_86) == 8);
  Problem asked = pairs;
  asked.parameters.set("E", 24);
  CHECK(elements(asked, of_sm_86) == 24);
  CountingExecutor executor({.multiprocessors = 1, .limits = find_architecture(86)->limits()});
  CHECK_THROWS_AS(sort.make_workload(executor, asked, Input::random), BlockDoesNotFit);
  // An odd number of elements stays odd.
  const Algorithm& pairwise = algorithm("sort-pairwise");
  const auto records = pairwise.problem(1e6, Instantiation({ElementType::u64, ElementType::u64}, false));
  CHECK(pairwise.plan(records, any_device(64 * 1024)).front().constants[1] == 15);
}
