// SPDX-License-Identifier: Apache-2.0
// Work of cases that are in no table, on a GPU of an architecture whose tables have unsigned types alone.
#include "../support/environment.h"
#include "../support/temporary_directory.h"

#include <fathom/calls/predicting/estimates.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/counting/work.h>
#include <fathom/model/laws/estimated_work.h>
#include <fathom/model/laws/predict_counted.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace fathom;
using Catch::Matchers::Contains;
using tests::Environment;

namespace {

/// No disassembler, and no work that was counted before.
class NoTools {
  tests::TemporaryDirectory empty_;
  Environment cache_{"FATHOM_CACHE", empty_.path().string()},
      disassembler_{"FATHOM_NVDISASM", "/no/such/nvdisasm"};
};

DeviceProfile profile_of(int architecture) {
  DeviceProfile profile = built_in_profile("h200");
  profile.architecture = architecture;
  return profile;
}

Case sort_of(ElementType type, Parameters changed = {}) {
  const Algorithm& sort = algorithm("radix-onesweep");
  Case of{&sort, sort.problem(1 << 24, type)};
  of.problem.parameters = sort.default_parameters();
  for (const auto& [name, value] : changed) of.problem.parameters.set(name, value);
  return of;
}

/// Instructions of a block of the pass over a digit.
double instructions(const AlgorithmWork& work, double elements) {
  return work.of("SplitByDigit").at({elements, 0, 0}).instructions;
}

}  // namespace

TEST_CASE("a type without a table is to its unsigned type as on the architecture that has both") {
  const NoTools none;
  const auto estimate = calls::estimated_without_counting(sort_of(ElementType::f64), profile_of(80));
  REQUIRE(estimate);
  CHECK(*estimate == work_key(sort_of(ElementType::f64), 80));
  REQUIRE(estimate->estimate);
  CHECK_THAT(estimate->estimate->sentences.at(0), Contains("radix-onesweep f64") && Contains("sm_90"));
  const auto here = known_work(sort_of(ElementType::u64), 80),
             there = known_work(sort_of(ElementType::u64), 90),
             wanted = known_work(sort_of(ElementType::f64), 90);
  REQUIRE((here && there && wanted));
  const double tile = 384 * 18;
  CHECK(instructions(*wanted, tile) != Approx(instructions(*there, tile)).epsilon(0.001));
  CHECK(instructions(*estimate, tile) ==
        Approx(instructions(*wanted, tile) * instructions(*here, tile) / instructions(*there, tile))
            .epsilon(0.002));
}

TEST_CASE("other parameters of such a type are estimated from its default") {
  const NoTools none;
  const DeviceProfile profile = profile_of(80);
  const Case of = sort_of(ElementType::i32, {{"E", 24}});
  const auto estimate = calls::estimated_without_counting(of, profile);
  REQUIRE(estimate);
  CHECK(*estimate == work_key(of, 80));
  CHECK(estimate->estimate);
  const auto at_default = calls::estimated_without_counting(sort_of(ElementType::i32), profile);
  REQUIRE(at_default);
  // A third more elements per thread.
  const double ratio = instructions(*estimate, 384 * 24) / instructions(*at_default, 384 * 18);
  CHECK((ratio > 1.1 && ratio < 1.4));
}

TEST_CASE("what a table has is not estimated, and what no table is like is not either") {
  const NoTools none;
  const auto known = calls::estimated_without_counting(sort_of(ElementType::u64), profile_of(80));
  REQUIRE(known);
  CHECK_FALSE(known->estimate);
  Case sorted = sort_of(ElementType::f64);
  sorted.input = Input::sorted;
  CHECK_FALSE(calls::estimated_without_counting(sorted, profile_of(80)));
  CHECK_FALSE(calls::estimated_without_counting(sort_of(ElementType::f64), profile_of(75)));
}

TEST_CASE("a prediction by estimated work says so, and what would have the work counted") {
  const NoTools none;
  const Algorithm& sort = algorithm("radix-onesweep");
  const calls::Question asked{
      .algorithm = &sort, .problem = sort.problem(1e8, ElementType::f64), .law = {.law = LawName::counted}};
  const calls::Listener silent{[](auto&&...) {}, [](std::string_view) {}};
  const auto predicted = calls::predict(asked, profile_of(80), silent);
  const auto counted = calls::predict(asked, profile_of(90), silent);
  CHECK_FALSE(counted.prediction.assumptions);
  REQUIRE(predicted.prediction.assumptions);
  CHECK_THAT(predicted.prediction.assumptions->sentences.at(1), Contains("nvdisasm") || Contains("NVRTC"));
  const auto width = [](const Prediction& of) { return of.interval_s->high / of.interval_s->low; };
  CHECK(width(predicted.prediction) > width(counted.prediction));
  CHECK_THROWS_AS(calls::predict(asked, profile_of(75), silent), WorkUnavailable);
}

TEST_CASE("times by estimates of a type are as close to counted ones as the interval says") {
  const NoTools none;
  double squares = 0;
  int count = 0;
  for (const int architecture : {80, 100}) {
    DeviceProfile profile = profile_of(architecture);
    for (const Algorithm& one : algorithms()) {
      if (!one.is_countable()) continue;
      for (const Instantiation& type : one.instantiations()) {
        Case of{&one, one.problem(1 << 24, type)};
        const auto counted = known_work(of, architecture);
        const auto estimated = calls::estimated_by_type(of, profile);
        if (!counted || !estimated) continue;
        const auto seconds = [&](const AlgorithmWork& work) {
          return CountedRun(one, profile.machine, of.problem, work).seconds(profile.machine);
        };
        const double error = std::log(seconds(*estimated) / seconds(*counted));
        INFO(in_words(work_key(of, architecture)) << ": " << error);
        CHECK(std::abs(error) < 0.5);
        squares += error * error;
        ++count;
      }
    }
  }
  INFO(count << " cases, root mean square " << std::sqrt(squares / count));
  CHECK(count > 50);
  CHECK(std::sqrt(squares / count) < error_of_estimates.sigma);
}
