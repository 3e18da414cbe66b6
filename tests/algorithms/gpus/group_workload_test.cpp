// SPDX-License-Identifier: Apache-2.0
// Inputs that are spread over GPUs, and checks of what comes out.
#include "../../support/sanitized.h"

#include <fathom/algorithms/gpus/group_workload.h>
#include <fathom/device/group/simulated_group.h>

#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

constexpr Index n = 5000;

/// Without baselines, which run on GPUs only.
std::vector<GroupAlgorithm> our_algorithms() {
  std::vector<GroupAlgorithm> ours;
  for (const GroupAlgorithm& one : group_algorithms())
    if (!one.baseline) ours.push_back(one);
  return ours;
}

void checks(const GroupAlgorithm& algorithm, const Problem& problem, const Input& input,
            const Spread& spread) {
  INFO(algorithm.slug << " " << type_text(problem) << " " << name(input));
  SimulatedGroup group(int(spread.size()) - 1);
  CHECK_NOTHROW(group.run([&](Communicator& own) {
    const auto workload = make_group_workload(algorithm, own, problem, input, spread);
    workload->check();
    if (workload->output_spread().back() != (algorithm.kind == Kind::reduce ? own.size() : n))
      throw std::logic_error("output is missing");
  }));
}

/// What an algorithm makes of its input is changed behind its back.
GroupAlgorithm spoiled(const char* slug, int rank, std::size_t byte) {
  struct Spoiled final : GroupCall {
    Communicator* own;
    std::unique_ptr<GroupCall> call;
    int rank;
    std::size_t byte;
    OwnPart run(const InputArrays& input) override {
      const OwnPart part = call->run(input);
      if (own->rank() == rank) own->executor().fill(static_cast<char*>(part.keys) + byte, 0x77, 1);
      return part;
    }
  };
  GroupAlgorithm algorithm = group_algorithm(slug);
  algorithm.make_call = [=, make = algorithm.make_call](Communicator& own, const Problem& problem) {
    auto call = std::make_unique<Spoiled>();
    call->own = &own;
    call->call = make(own, problem);
    call->rank = rank;
    call->byte = byte;
    return call;
  };
  return algorithm;
}

}  // namespace

TEST_CASE(
    "every algorithm for several GPUs passes its check, for every type and input, however it is spread") {
  for (const GroupAlgorithm& algorithm : our_algorithms())
    for (const Instantiation& of : two_if_sanitized(algorithm.instantiations()))
      checks(algorithm, algorithm.problem(n, of), Input::random, {0, 1000, 1000, n});
  for (const GroupAlgorithm& algorithm : our_algorithms())
    for (const Input input : two_if_sanitized(std::vector<Input>(all_inputs.begin(), all_inputs.end()))) {
      const bool is_sum = algorithm.kind != Kind::sort;
      checks(algorithm, algorithm.problem(n, is_sum ? ElementType::f32 : ElementType::u64), input,
             equal_parts(n, 3));
    }
}

TEST_CASE("a single wrong byte on any rank is found") {
  for (const char* slug : {"sort-gpus", "scan-gpus", "reduce-gpus"})
    for (const int rank : {0, 2}) {
      INFO(slug << ", rank " << rank);
      const GroupAlgorithm algorithm = spoiled(slug, rank, 3);
      SimulatedGroup group(3);
      CHECK_THROWS_WITH(group.run([&](Communicator& own) {
        make_group_workload(algorithm, own, algorithm.problem(n), Input::random, equal_parts(n, 3))->check();
      }),
                        Contains("wrong result"));
    }
}

TEST_CASE("a spread that is not one of the problem's elements is refused") {
  const GroupAlgorithm& scan = group_algorithm("scan-gpus");
  for (const Spread& spread : {Spread{0, n}, Spread{0, 10, n - 1}, Spread{0, n, 10}, Spread{1, 10, n}}) {
    SimulatedGroup group(2);
    CHECK_THROWS_WITH(group.run([&](Communicator& own) {
      make_group_workload(scan, own, scan.problem(n), Input::random, spread);
    }),
                      Contains("must ascend from 0 to n"));
  }
}

TEST_CASE("the exchanges that the law is told are those of a run", "[counts]") {
  constexpr Index many = 30000;
  for (const GroupAlgorithm& algorithm : our_algorithms())
    for (const int gpus : {1, 2, 5})
      for (const Instantiation& of :
           {Instantiation(ElementType::u64), Instantiation({ElementType::u32, ElementType::u32}, false)})
        for (const int scheme : {1, 2}) {
          const bool is_sort = algorithm.kind == Kind::sort;
          if (!is_sort && (of.type.value || scheme > 1)) continue;
          INFO(algorithm.slug << " " << name(of) << ", scheme " << scheme << ", " << gpus << " GPUs");
          Problem problem = algorithm.problem(many, of);
          problem.parameters.set("gpus", gpus);
          if (is_sort) {
            problem.parameters.set("scheme", scheme);
            problem.parameters.set("pieces", 4);
            problem.parameters.set("slices", 2);
          }
          SimulatedGroup group(gpus);
          std::size_t first = 0;  // exchange of the run
          group.run([&](Communicator& own) {
            const auto workload =
                make_group_workload(algorithm, own, problem, Input::random, equal_parts(many, gpus));
            if (own.rank() == 0) first = group.exchanges().size();
            workload->run();
          });
          std::vector<Exchange> told;
          for (const RankStep& step : algorithm.steps(problem, any_device()))
            if (step.exchange) told.push_back(*step.exchange);
          REQUIRE(group.exchanges().size() == first + told.size());
          double bytes_told = 0, bytes_counted = 0;  // of parts, which differ
          for (std::size_t i = 0; i < told.size(); ++i) {
            const Exchange counted = group.exchanges()[first + i].priced();
            CHECK(told[i].kind == counted.kind);
            if (told[i].kind == ExchangeKind::all_to_all) {
              bytes_told += told[i].bytes;
              bytes_counted += counted.bytes;
            } else {
              CHECK(told[i].bytes == counted.bytes);
            }
          }
          CHECK(bytes_told == Approx(bytes_counted).epsilon(0.06));
        }
}
