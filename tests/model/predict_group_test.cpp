// SPDX-License-Identifier: Apache-2.0
// Launches on several GPUs with exchanges between them, worked by hand.
#include <fathom/model/laws/predict_group.h>

#include <catch2/catch.hpp>

#include "../support/links.h"
#include "../support/machines.h"

using namespace fathom;
using Catch::Matchers::Contains;
using tests::linked_machine;

namespace {

constexpr double us = 1e-6;

/// Two blocks on two multiprocessors with so many instructions of the ALU, of which two end in a clock.
CountedRun run_of(double alu) {
  return {"run",
          {{.kernel = "Compute",
            .work = {.alu = alu},
            .once = {},
            .shape = {.blocks = 2, .threads_per_block = 128}}}};
}

const Exchange five_megabytes{ExchangeKind::all_to_all, 5e6};  // 40 µs among 2

}  // namespace

TEST_CASE("the time of several GPUs is their launches, the exchanges, and one overhead") {
  const CountedRun before = run_of(20'000), after = run_of(40'000);
  const GroupStep steps[] = {{&before, five_megabytes}, {&after}};
  const Prediction prediction = predict_group("sort", steps, 2, linked_machine());
  CHECK(prediction.time_s == Approx((2 + 10 + 40 + 20) * us));
  REQUIRE(prediction.resources);
  const ResourceTerms& terms = *prediction.resources;
  CHECK(terms.of(Resource::link) == Approx(40 * us));
  CHECK(terms.of(Resource::alu) == Approx(30 * us));
  CHECK(terms.launch_s == Approx(2 * us));
  CHECK(terms.overlap_s == Approx(0).margin(1e-15));
  CHECK_FALSE(prediction.assumptions);
}

TEST_CASE("what several GPUs spend their time in is told by kernel and exchange") {
  const CountedRun run = run_of(20'000);
  const GroupStep steps[] = {{&run, five_megabytes}, {&run, five_megabytes}, {&run}};
  const Prediction prediction = predict_group("sort", steps, 2, linked_machine());
  REQUIRE(prediction.kernels.size() == 2);
  const KernelTime &compute = prediction.kernels[0], &exchange = prediction.kernels[1];
  CHECK(compute.kernel == "Compute");
  CHECK(compute.launches == 3);
  CHECK(compute.seconds == Approx(30 * us));
  CHECK(compute.bound.resource == Resource::alu);
  CHECK(compute.bound.saved_s == Approx(30 * us * (1 - 1 / 1.1)));
  CHECK(exchange.kernel == "all-to-all");
  CHECK(exchange.launches == 2);
  CHECK(exchange.seconds == Approx(80 * us));
  CHECK(exchange.bound.resource == Resource::link);
  CHECK(exchange.bound.saved_s == Approx(80 * us * (1 - 1 / 1.1)));
}

TEST_CASE("the bottleneck of several GPUs is the resource that saves most in all steps together") {
  const CountedRun small = run_of(60'000), large = run_of(100'000);  // 30 and 50 µs
  const auto bound = [&](std::initializer_list<GroupStep> steps) {
    return *predict_group("sort", std::vector<GroupStep>(steps), 2, linked_machine()).bound;
  };
  CHECK(bound({{&small, five_megabytes}}).resource == Resource::link);
  CHECK(bound({{&large, five_megabytes}}).resource == Resource::alu);
  CHECK(bound({{&small, five_megabytes}, {&small}}).resource == Resource::alu);
  CHECK(bound({{&small, five_megabytes}}).saved_s == Approx(40 * us * (1 - 1 / 1.1)));
}

TEST_CASE("of an exchange and the launches beside it the longer one counts") {
  const CountedRun shorter = run_of(20'000), longer = run_of(100'000);  // 10 and 50 µs
  const auto seconds = [&](std::initializer_list<GroupStep> steps) {
    const Prediction prediction = predict_group("sort", std::vector<GroupStep>(steps), 2, linked_machine());
    CHECK(prediction.time_s ==
          Approx(2 * us + prediction.resources->of(Resource::link) + prediction.resources->of(Resource::alu) +
                 prediction.resources->overlap_s));
    CHECK(group_seconds(std::vector<GroupStep>(steps), 2, linked_machine()) == prediction.time_s);
    return prediction.time_s;
  };
  CHECK(seconds({{&shorter, five_megabytes, true}, {&shorter}}) == Approx((2 + 10 + 40) * us));
  CHECK(seconds({{&shorter, five_megabytes, true}, {&longer}}) == Approx((2 + 10 + 50) * us));
  CHECK(seconds({{&shorter, five_megabytes, true}, {&longer, five_megabytes, true}, {&shorter}}) ==
        Approx((2 + 10 + 50 + 40) * us));
  // Two exchanges beside the same launches follow one another.
  CHECK(seconds({{&shorter, five_megabytes, true}, {nullptr, five_megabytes, true}, {&longer}}) ==
        Approx((2 + 10 + 80) * us));
  // Exchanges follow one another, and the last one has nothing beside it.
  CHECK(seconds({{&shorter, five_megabytes, true}, {nullptr, five_megabytes, true}}) ==
        Approx((2 + 10 + 40 + 40) * us));
}

TEST_CASE("the times of steps add up, without what of an exchange is hidden") {
  const CountedRun shorter = run_of(20'000), longer = run_of(100'000);  // 10 and 50 µs
  const GroupStep steps[] = {{.local = &shorter, .exchange = five_megabytes, .name = "sort"},
                             {.exchange = five_megabytes, .beside_next = true},
                             {.local = &shorter, .name = "merge"},
                             {.exchange = five_megabytes, .beside_next = true},
                             {.local = &longer, .name = "merge"}};
  const Prediction prediction = predict_group("sort", steps, 2, linked_machine());
  REQUIRE(prediction.steps.size() == 3);
  const StepTime &sort = prediction.steps[0], &exchange = prediction.steps[1], &merge = prediction.steps[2];
  CHECK(sort.step == "sort");
  CHECK(sort.seconds == Approx((2 + 10) * us));
  CHECK(exchange.step == "exchange");
  CHECK(exchange.seconds == Approx((40 + 40 - 10) * us));
  CHECK(exchange.hidden_s == Approx((10 + 40) * us));
  CHECK(merge.step == "merge");
  CHECK(merge.seconds == Approx((10 + 50) * us));
  CHECK(prediction.time_s == Approx(sort.seconds + exchange.seconds + merge.seconds));
}

TEST_CASE("of two exchanges beside the same launches, as much is hidden as these take") {
  const CountedRun shorter = run_of(20'000), longer = run_of(100'000);  // 10 and 50 µs
  const GroupStep steps[] = {
      {.local = &shorter, .exchange = five_megabytes, .beside_next = true, .name = "sort"},
      {.exchange = five_megabytes, .beside_next = true},
      {.local = &longer, .name = "merge"}};
  const Prediction prediction = predict_group("sort", steps, 2, linked_machine());
  const StepTime& exchange = *std::ranges::find(prediction.steps, "exchange", &StepTime::step);
  CHECK(exchange.hidden_s == Approx(50 * us));
  CHECK(exchange.seconds == Approx(30 * us));
  CHECK(prediction.time_s == Approx((2 + 10 + 80) * us));
}

TEST_CASE("the exchanges of a run are known as far as the links are") {
  const GroupStep steps[] = {{.exchange = five_megabytes}, {.exchange = five_megabytes}};
  const Prediction prediction = predict_group("exchange", steps, 2, linked_machine());
  REQUIRE(prediction.exchanges_s);  // each ±3 µs, and ±0.8 µs for a megabyte
  CHECK(prediction.exchanges_s->low == Approx(2 * 35 * us));
  CHECK(prediction.exchanges_s->high == Approx(2 * 45 * us));
}

TEST_CASE("one GPU exchanges nothing, and needs no links") {
  const CountedRun run = run_of(20'000);
  Machine<double> machine = linked_machine();
  machine.links.reset();
  const GroupStep step{&run, five_megabytes};
  const Prediction prediction = predict_group("sort", std::span(&step, 1), 1, machine);
  CHECK(prediction.time_s == Approx((2 + 10) * us));
  CHECK_FALSE(prediction.exchanges_s);
}

TEST_CASE("exchanges without launches take their time alone") {
  const GroupStep step{.exchange = five_megabytes};
  const Prediction prediction = predict_group("exchange", std::span(&step, 1), 2, linked_machine());
  CHECK(prediction.time_s == Approx(40 * us));
  CHECK(prediction.bound->resource == Resource::link);
}

TEST_CASE("a prediction for more GPUs than measured says so once") {
  const GroupStep steps[] = {{.exchange = five_megabytes}, {.exchange = five_megabytes}};
  const Prediction prediction = predict_group("exchange", steps, 8, linked_machine());
  REQUIRE(prediction.assumptions);
  REQUIRE(prediction.assumptions->sentences.size() == 1);
  CHECK_THAT(prediction.assumptions->sentences[0], Contains("extrapolated"));
}

TEST_CASE("several GPUs on a machine without links, or a group without work, are refused") {
  const GroupStep step{.exchange = five_megabytes};
  Machine<double> machine = linked_machine();
  machine.links.reset();
  CHECK_THROWS_AS(predict_group("sort", std::span(&step, 1), 2, machine), MissingConstant);
  CHECK_THROWS_AS(predict_group("sort", {}, 2, linked_machine()), ImpossibleTime);
}
