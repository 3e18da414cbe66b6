// SPDX-License-Identifier: Apache-2.0
// Work estimated from that of relatives, on numbers that are worked by hand.
#include <fathom/model/laws/estimated_work.h>
#include <fathom/model/laws/predict_counted.h>

#include <catch2/catch.hpp>

#include "../support/machines.h"

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

const KernelInfo merge{"Merge", nullptr, nullptr, {}};

/// Blocks of E elements, and of twice as many in later launches.
const Descriptor algorithm{
    .slug = "one-kernel",
    .kind = Kind::sort,
    .group = "test",
    .source = "this test",
    .parameters = {{.name = "E", .meaning = "elements", .values = {8, 16}, .default_value = 8}},
    .plan = [](const Problem& problem, const PlanDevice&) {
      const auto blocks = Index(problem.n / problem.parameters.at("E"));
      return Plan{{.kernel = &merge, .blocks = blocks, .shape = {128, 0}},
                  {.kernel = &merge, .blocks = blocks / 2, .shape = {128, 0}, .repeats = 3}};
    }};

AlgorithmWork work(ElementType type, int elements, const KernelWork& kernel) {
  AlgorithmWork work;
  work.algorithm = algorithm.slug;
  work.type = type;
  work.parameters = {{"E", elements}};
  work.architecture = type == ElementType::u32 ? 90 : 80;
  work.kernels = {kernel};
  return work;
}

/// E = 8 and 16 of u32 on sm_90, and E = 8 of f32 on sm_80, whose E = 16 is wanted.
struct Relatives {
  KernelWork here{.kernel = "Merge", .registers = 40, .constant = {.instructions = 100, .alu = 40, .fma = 0}};
  KernelWork there{
      .kernel = "Merge", .registers = 44, .constant = {.instructions = 120, .alu = 40, .fma = 30}};
  KernelWork wanted{
      .kernel = "Merge", .registers = 60, .constant = {.instructions = 200, .alu = 80, .fma = 5}};

  std::optional<AlgorithmWork> estimate() const {
    return estimated_work(algorithm, tests::complete_machine(), 1 << 20,
                          {.same_case = work(ElementType::f32, 8, there),
                           .same_parameters = work(ElementType::u32, 16, wanted),
                           .neither = work(ElementType::u32, 8, here)});
  }
};

}  // namespace

TEST_CASE("demands are estimated in proportion, and what the other case lacks is added") {
  const auto estimate = Relatives{}.estimate();
  REQUIRE(estimate);
  CHECK(static_cast<const WorkKey&>(*estimate) ==
        WorkKey{"one-kernel", ElementType::f32, {{"E", 16}}, Input::random, 80});
  const KernelWork& kernel = estimate->of("Merge");
  CHECK(kernel.constant.instructions == Approx(200 * 1.2));
  CHECK(kernel.constant.alu == Approx(80));
  CHECK(kernel.constant.fma == Approx(5 + 2 * 30));  // twice the instructions, hence twice the difference
  CHECK(kernel.constant.sectors_read == 0);
  CHECK(kernel.registers == 64);
}

TEST_CASE("an estimate is what was counted where the relatives are the same case") {
  Relatives same;
  same.there = same.here;
  const auto estimate = same.estimate();
  REQUIRE(estimate);
  CHECK(estimate->of("Merge") == same.wanted);
}

TEST_CASE("the proportion is that of the launches at this n, each of one block") {
  Relatives grows;
  grows.here.constant = {.instructions = 10};
  grows.here.per_element.instructions = 1;  // 8 elements a block in one launch, 16 in three: 18, 26, 26, 26
  grows.there.constant = {.instructions = 36};
  grows.wanted.constant = {.instructions = 20};
  grows.wanted.per_element.instructions = 2;
  const auto estimate = grows.estimate();
  REQUIRE(estimate);
  CHECK(estimate->of("Merge").constant.instructions == Approx(20 * 36 / 24.0));
  CHECK(estimate->of("Merge").per_element.instructions == Approx(2 * 36 / 24.0));
}

TEST_CASE("cases whose kernels do different work are no relatives") {
  Relatives strangers;
  strangers.there.constant.instructions = 201;
  CHECK(!strangers.estimate());
  strangers.there.constant.instructions = 49;
  CHECK(!strangers.estimate());
  strangers.there.constant.instructions = 50;
  CHECK(strangers.estimate());
}

TEST_CASE("kernels that are not launched stay as they are") {
  AlgorithmWork same_parameters = work(ElementType::u32, 16, Relatives{}.wanted);
  same_parameters.kernels.push_back({.kernel = "Rare", .constant = {.instructions = 7}});
  AlgorithmWork same_case = work(ElementType::f32, 8, Relatives{}.there),
                neither = work(ElementType::u32, 8, Relatives{}.here);
  same_case.kernels.push_back({.kernel = "Rare", .constant = {.instructions = 1000}});
  neither.kernels.push_back({.kernel = "Rare", .constant = {.instructions = 1}});
  const auto estimate =
      estimated_work(algorithm, tests::complete_machine(), 1 << 20, {same_case, same_parameters, neither});
  REQUIRE(estimate);
  CHECK(estimate->of("Rare").constant.instructions == 7);
}

TEST_CASE("a prediction says that its work is estimated, and from what") {
  const auto estimate = Relatives{}.estimate();
  REQUIRE(estimate);
  const Machine<double> machine = tests::complete_machine();
  Problem problem = algorithm.problem(1 << 20, ElementType::f32);
  problem.parameters = {{"E", 16}};
  const Prediction prediction = CountedRun(algorithm, machine, problem, *estimate).predicted(machine);
  REQUIRE(prediction.assumptions);
  REQUIRE(prediction.assumptions->sentences.size() == 1);
  CHECK_THAT(prediction.assumptions->sentences[0],
             Contains("estimated from that of one-kernel u32 E=16 random on sm_90"));
  REQUIRE(prediction.assumptions->error);
  CHECK(prediction.assumptions->error->sigma == error_of_estimates.sigma);
}
