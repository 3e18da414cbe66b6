// sort-multiway and sort-mms: both merge K lists at a time.
#include "formulas.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm& multiway = algorithm("sort-multiway");
const Algorithm& mms = algorithm("sort-mms");

Prediction predicted(const Descriptor& algorithm, const Machine<double>& machine, double n, int K) {
  return tests::predicted(algorithm, machine, problem_of(algorithm, n, {{"K", K}}), published);
}

Limit limit(const Prediction& prediction, Level level) {
  Limit found{};
  for (const PhaseTime& phase : prediction.phases)
    if (phase.level == level) found = phase.limited_by;
  return found;
}

}  // namespace

TEST_CASE("sort-multiway, published: computed by hand") {
  // m4000, N = 2^20, K = 8, w = 32: log_8 2^15 = 5, X = 319488/(1664·30) = 6.4.
  // ⌈269.5/6.4⌉ = ⌈42.1⌉ = 43 > 33.2; ⌈85.84/6.4⌉ = ⌈13.4⌉ = 14 > 4.29.
  const double N = 1048576, P = 1664;
  const Prediction prediction = predicted(multiway, m4000(), N, 8);
  CHECK(prediction.terms.global_s == Approx(2 * N / P * (5 + 1) * 43 / 780e6));
  CHECK(prediction.terms.shared_s == Approx(4 * N / P * (5 * 15 + 12.5) * 14 / 780e6));
  CHECK(prediction.terms.register_s == 0);
}

TEST_CASE("sort-multiway, published: memory becomes latency-bound as K grows on the m4000") {
  // X = 192/(4K − 2). Shared: ⌈85.84/X⌉ passes 1/B_s = 4.29 at K = 3 (5), as karsin2018 says; K = 2 gives 3.
  CHECK(limit(predicted(multiway, m4000(), 1e8, 2), Level::shared) == Limit::bandwidth);
  CHECK(limit(predicted(multiway, m4000(), 1e8, 4), Level::shared) == Limit::latency);
  // Global: karsin2018 says K = 6, where the formula gives ⌈30.9⌉ = 31 < 1/B_g = 33.2; K = 7 gives 37. Among
  // the powers of two, which the heap needs, the change lies between 4 and 8 either way.
  CHECK(limit(predicted(multiway, m4000(), 1e8, 4), Level::global) == Limit::bandwidth);
  CHECK(limit(predicted(multiway, m4000(), 1e8, 8), Level::global) == Limit::latency);
}

TEST_CASE("sort-multiway, published: at K = 32 over 75 % of the time is shared") {
  const Prediction prediction = predicted(multiway, m4000(), 1e8, 32);
  CHECK(prediction.terms.shared_s > 0.75 * prediction.time_s);
  CHECK(prediction.bottleneck->level == Level::shared);
}

TEST_CASE("sort-mms, published: computed by hand") {
  // m4000, N = 2^20, K = 8: N/w² = 2^10, ⌈log_8⌉ = 4, log = 10; X = 319488/(1664·15) = 12.8, I = 3, X·I
  // = 38.4. ⌈269.5/38.4⌉ = 8 < 33.2, ⌈85.84/38.4⌉ = 3 < 4.29, ⌈6/38.4⌉ = 1.
  const double N = 1048576, P = 1664;
  const Prediction prediction = predicted(mms, m4000(), N, 8);
  CHECK(prediction.terms.global_s == Approx(2 * N / P * (4 + 1) / 0.0301 / 780e6));
  CHECK(prediction.terms.shared_s == Approx(4 * N / P * (10 + 5) / 0.233 / 780e6));
  CHECK(prediction.terms.register_s == Approx(6 * N / P * (10 * 5 + 125) / 780e6));
}

TEST_CASE("sort-mms, published: share of registers by the exponent of the base case") {
  // With log^k w instead of log³ w, the base case of 5³ = 125 merges has 5^k.
  const auto share = [&](double exponent) {
    Phases phases = phases_of(mms, m4000(), problem_of(mms, 1e8, {{"K", 8}}));
    phases[0].accesses[2].count *= std::pow(5, exponent - 3);
    const double time = predicted_seconds(phases, m4000(), published);
    for (Phase& phase : phases) phase.accesses = {phase.accesses[2]};
    return predicted_seconds(phases, m4000(), published) / time;
  };
  CHECK(share(3) == Approx(0.6).margin(0.01));  // as published
  // The paper reports about 35 %; log² w gives 44 %, and log w 40 %: the exponent alone does not explain it
  // at K = 8.
  CHECK(share(2) == Approx(0.44).margin(0.005));
  CHECK(share(1) < share(2));
}
