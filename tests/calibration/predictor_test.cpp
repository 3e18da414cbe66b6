// SPDX-License-Identifier: Apache-2.0
// A Predictor: the constants that it needs under each law, and when it looks up counted work.
#include <fathom/calibration/predictor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "../support/links.h"
#include "counted_algorithm.h"

using namespace fathom;
using namespace fathom::synthetic;
using Catch::Matchers::Contains;

namespace {

/// Of the synthetic algorithm on a GPU whose launches take no time.
DeviceProfile profile_with_rates() {
  DeviceProfile profile = counted_profile();
  profile.machine.launch_overhead = profile.machine.kernel_gap = 0;
  return profile;
}

/// 1000 blocks of E elements for each of 256 threads, or another number of blocks.
Problem problem_with(int E, double blocks = 1000) {
  return problem_of(blocks * 256 * E, E, 256);
}

/// Counts how often it is asked.
struct Lookup {
  int& asked;
  auto operator()(const Descriptor& of, const Instantiation& type, const Parameters& parameters,
                  Input input) const {
    ++asked;
    return work_of(of, type, parameters, input);
  }
};

const Law counted{LawName::counted}, fitted{LawName::fitted};

/// The synthetic algorithm, and an exchange of 5 MB, 40 ± 5 µs between two GPUs.
Descriptor on_several_gpus() {
  return {.slug = "computation-gpus",
          .kind = computation().kind,
          .source = "this test",
          .parameters = {{"gpus", "GPUs", {1, 2, 8}, 2}},
          .steps = [](const Problem&, const PlanDevice&) {
            return std::vector<RankStep>{{.local = &computation(),
                                          .problem = problem_with(1),
                                          .exchange = Exchange{ExchangeKind::all_to_all, 5e6}}};
          }};
}

}  // namespace

TEST_CASE("the interval of several GPUs is that of the law and that of the links") {
  DeviceProfile profile = profile_with_rates();
  profile.machine.links = tests::links();
  int asked = 0;
  const Descriptor algorithm = on_several_gpus();
  Predictor predictor(profile, algorithm, counted, Lookup{asked});
  Problem problem = algorithm.problem(256'000);
  const Prediction two = predictor(problem);
  CHECK(predictor(problem).time_s == two.time_s);
  CHECK(asked == 1);
  const double of_law = std::exp(2.201 * definition(LawName::counted).error->sigma);
  REQUIRE(two.interval_s);
  CHECK(two.interval_s->high - two.time_s ==
        Approx(std::hypot(two.time_s * (of_law - 1), 5e-6)).epsilon(1e-3));
  CHECK(two.time_s - two.interval_s->low ==
        Approx(std::hypot(two.time_s * (1 - 1 / of_law), 5e-6)).epsilon(1e-3));

  problem.parameters.set("gpus", 8);  // one message after another in the worst case
  const Prediction eight = predictor(problem);
  REQUIRE(eight.interval_s);
  CHECK(eight.interval_s->high - eight.time_s > 2 * (two.interval_s->high - two.time_s));
  CHECK_THROWS_WITH(predictor(problem, Input::sorted), Contains("random input only"));
  CHECK_THROWS_WITH(Predictor(profile, algorithm, fitted, Lookup{asked}), Contains("choose `law=counted`"));
}

TEST_CASE("work is looked up once for each choice of parameters and input, and used for every n") {
  int asked = 0;
  const DeviceProfile profile = profile_with_rates();
  Predictor predictor(profile, computation(), counted, Lookup{asked});
  const auto alu = [&](int E, double blocks, Input input = Input::random) {
    return predictor(problem_with(E, blocks), input).resources->of(Resource::alu);
  };
  // 160 clocks a block and element of a thread; 10 or 40 blocks on each multiprocessor.
  CHECK(alu(1, 1000) == Approx(10 * 160e-9));
  CHECK(alu(1, 4000) == Approx(40 * 160e-9));
  CHECK(asked == 1);
  CHECK(alu(3, 1000) == Approx(10 * 480e-9));
  CHECK(alu(1, 1000, Input::sorted) == Approx(10 * 320e-9));
  CHECK(asked == 3);
  const Prediction explained = predictor.explained(problem_with(1));
  CHECK(explained.bound->resource == Resource::alu);
  CHECK(explained.kernels.size() == 1);
  REQUIRE(explained.interval_s);  // how far the law is off
  CHECK(std::log(explained.interval_s->high / explained.time_s) ==
        Approx(2.201 * definition(LawName::counted).error->sigma).epsilon(1e-3));  // t of 11
  CHECK(asked == 3);
}

TEST_CASE(
    "under fitted the factors of the algorithm's fit apply to every type, and the fit gives the interval") {
  DeviceProfile profile = profile_with_rates();
  AlgorithmFit fit;
  fit.algorithm = "computation";
  fit.factors = {{1.2, {}}, {0.5, {}}};
  fit.residual = 0.03;
  fit.dataset = "runs.json";
  profile.algorithms = {fit};
  int asked = 0;
  const Problem problem = problem_with(1);
  const Prediction as_counted = Predictor(profile, computation(), counted, Lookup{asked})(problem);
  Predictor predictor(profile, computation(), fitted, Lookup{asked});
  const Prediction prediction = predictor(problem);
  CHECK(prediction.resources->of(Resource::alu) == Approx(1.2 * as_counted.resources->of(Resource::alu)));
  CHECK(predictor.fitted_from() == "runs.json");
  const auto log_width = [&](const Prediction& one) {
    return std::log(one.interval_s.value().high / one.time_s) / 1.96;
  };
  CHECK(log_width(prediction) == Approx(0.03));
  const Prediction explained = predictor.explained(problem);
  CHECK(explained.time_s == prediction.time_s);
  CHECK(explained.interval_s->high == prediction.interval_s->high);
  CHECK(explained.bound->resource == Resource::alu);

  SECTION("the derivatives are those of the time with the factors") {
    const double h = 1e-4;
    DeviceProfile faster = profile;
    *faster.machine.rates.alu *= 1 + h;
    const double then = Predictor(faster, computation(), fitted, Lookup{asked})(problem).time_s;
    const auto found = predictor.sensitivities(problem);
    const auto alu = std::ranges::find(found, "pipe.alu", &Sensitivity::constant);
    REQUIRE(alu != found.end());
    CHECK(alu->value == Approx(std::log(then / prediction.time_s) / std::log1p(h)).epsilon(1e-3));
  }
  SECTION("the factors' covariance widens the interval as far as the time depends on them") {
    // All but launches, which take none here, is work or waiting: a common error of both is one of the time.
    profile.algorithms[0].covariance = {0.04 * 0.04, 0.04 * 0.04, 0.04 * 0.04, 0.04 * 0.04};
    CHECK(log_width(Predictor(profile, computation(), fitted, Lookup{asked})(problem)) == Approx(0.05));
    profile.algorithms[0].covariance = {-1e-30, 0, 0, -1e-30};  // by rounding
    CHECK(log_width(Predictor(profile, computation(), fitted, Lookup{asked})(problem)) == Approx(0.03));
  }
  SECTION("a fit too uncertain for an interval gives none") {
    profile.algorithms[0].residual = 1e160;
    const Prediction uncertain = Predictor(profile, computation(), fitted, Lookup{asked})(problem);
    CHECK_FALSE(uncertain.interval_s);
    CHECK(uncertain.time_s == prediction.time_s);
  }
}

TEST_CASE("work is not asked for a problem that the algorithm does not solve") {
  int asked = 0;
  const DeviceProfile profile = profile_with_rates();
  Predictor predictor(profile, computation(), counted, Lookup{asked});
  CHECK_THROWS_WITH(predictor(problem_with(99)), Contains("1..32"));
  CHECK(asked == 0);
}

TEST_CASE("a profile that a law cannot use is named, with the way out") {
  int asked = 0;
  DeviceProfile profile = profile_with_rates();
  const auto predict = [&](const Law& law) { Predictor(profile, computation(), law, Lookup{asked}); };
  CHECK_THROWS_WITH(predict(fitted),
                    "profile 'synthetic' has no fit of computation for the law fitted: run "
                    "fathom fit, or choose `law=counted`");
  CHECK_THROWS_AS(predict(fitted), MissingConstant);
  profile.machine.rates = {};
  CHECK_THROWS_WITH(predict(counted), Contains("'synthetic' was calibrated by an older version") &&
                                          Contains("run fathom calibrate, or choose `law=published`"));
  profile.origin = "published";
  CHECK_THROWS_WITH(predict(counted), Contains("published constants") && Contains("choose `law=published`"));
  CHECK_THROWS_AS(predict(counted), MissingConstant);
  Descriptor formula_only = computation();
  formula_only.plan = {};
  CHECK_THROWS_WITH(check_predictable(profile, formula_only, LawName::counted),
                    Contains("no kernels") && Contains("`law=published`"));
}

TEST_CASE("laws of counted work need a lookup, and the others what their formula knows of an input") {
  const DeviceProfile profile = profile_with_rates();
  CHECK_THROWS_WITH(Predictor(profile, computation(), counted), Contains("needs the work"));
  CHECK_THROWS_WITH(Predictor(profile, computation(), Law{LawName::published}), Contains("no formula"));

  Descriptor with_formula = computation();
  with_formula.formula =
      Formula{[](const Machine<double>&, const Problem&, const Reading& reading) -> Phases {
        return {{.name = "phase",
                 .multiplicity = 1,
                 .accesses = {{Level::registers, 1000 * reading.conflict.value_or(1)}}}};
      }};
  int asked = 0;
  const ConflictLookup conflicts = [&](const Descriptor&, const Instantiation&, const Parameters&, Input) {
    ++asked;
    return 3.;
  };
  Predictor published(profile, with_formula, Law{LawName::published}, {}, conflicts);
  const Prediction random = published(problem_with(1));
  CHECK_FALSE(random.interval_s);
  CHECK_FALSE(published.fitted_from());
  CHECK(random.time_s > 0);
  CHECK_THROWS_WITH(published(problem_with(1), Input::sorted),
                    Contains("random input only, not for sorted: choose `law=counted`"));

  with_formula.formula->input = InputDependence::none;
  CHECK(published(problem_with(1), Input::sorted).time_s == random.time_s);
  CHECK(asked == 0);

  with_formula.formula->input = InputDependence::conflicts;
  CHECK(published(problem_with(1), Input::sorted).time_s == Approx(3 * random.time_s));
  CHECK(published(problem_with(1, 2000), Input::sorted).time_s == Approx(3 * random.time_s));
  CHECK(asked == 1);
  CHECK(published(problem_with(1)).time_s == random.time_s);
  CHECK_THROWS_WITH(Predictor(profile, with_formula, Law{LawName::published})(problem_with(1), Input::sorted),
                    Contains("needs the conflicts of sorted input counted"));
}
