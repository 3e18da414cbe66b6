// SPDX-License-Identifier: Apache-2.0
// The parts of algorithms for several GPUs whose work is counted on one.
#include "../../support/sanitized.h"

#include <fathom/algorithms/gpus/group_workload.h>
#include <fathom/algorithms/gpus/rank_parts.h>
#include <fathom/device/group/simulated_group.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace fathom;
using namespace fathom::tests;

TEST_CASE("every part of an algorithm for several GPUs passes its check, for every type", "[counts]") {
  struct Row {
    const Algorithm& part;
    Parameters parameters;
  };
  const Row rows[] = {{cuts_part(), {{"ranks", 2}, {"parts", 3}}},
                      {cuts_part(), {{"ranks", 5}, {"parts", 40}}},
                      {prefix_part(), {{"ranks", 2}, {"t", 512}, {"E", 17}}},
                      {prefix_part(), {{"ranks", 3}, {"t", 512}, {"E", 17}}},
                      {prefix_part(), {{"ranks", 2}, {"t", 384}, {"E", 12}}},
                      {prefix_part(), {{"ranks", 4}, {"t", 384}, {"E", 17}}},
                      {prefix_part(), {{"ranks", 2}, {"t", 768}, {"E", 12}}},
                      {merge_part(), {{"runs", 2}}},
                      {merge_part(), {{"runs", 5}}}};
  for (const auto& [part, parameters] : rows)
    for (const Instantiation& of : some_if_sanitized(part.instantiations())) {
      INFO(part.slug << " " << name(of));
      CountingExecutor executor(CountingDevice{.multiprocessors = 2});
      Problem problem = part.problem(20'001, of);
      problem.parameters = parameters;
      part.make_workload(executor, problem, Input::random)->check();
    }
}

TEST_CASE("the kernels of a run of several GPUs are those of its steps", "[counts]") {
  constexpr Index n = 30'000;
  for (const GroupAlgorithm& algorithm : group_algorithms())
    for (const int scheme : {1, 2}) {
      if (algorithm.baseline || (algorithm.kind != Kind::sort && scheme > 1)) continue;
      INFO(algorithm.slug << ", scheme " << scheme);
      Problem problem = algorithm.problem(n, ElementType::u64);
      if (algorithm.kind == Kind::sort) {
        problem.parameters.set("scheme", scheme);
        problem.parameters.set("pieces", 4);
        problem.parameters.set("slices", 2);
      }
      std::set<std::string> told;
      SimulatedGroup group(2);
      for (const RankStep& step : algorithm.steps(problem, any_device())) {
        if (!step.local) continue;
        const Plan plan = step.local->plan(step.problem, any_device());
        for (std::size_t i = 0; i < plan.size(); ++i)
          if (step.launches.empty() || std::ranges::count(step.launches, i) > 0) told.emplace(plan[i].name());
      }
      std::set<std::string> ran;
      group.run([&](Communicator& own) {
        const auto workload = make_group_workload(algorithm, own, problem, Input::random, equal_parts(n, 2));
        auto& executor = dynamic_cast<CountingExecutor&>(own.executor());
        executor.reset();
        workload->run();
        if (own.rank() == 0)
          for (const KernelCounts& counts : executor.counts()) ran.insert(counts.kernel);
      });
      CHECK(ran == told);
    }
}
