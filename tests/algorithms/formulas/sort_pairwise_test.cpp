#include "formulas.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm& sort = algorithm("sort-pairwise");

Problem problem(double n, int E, int t, ElementType type = ElementType::u32) {
  return problem_of(sort, n, {{"E", E}, {"t", t}}, type);
}

Prediction predicted(const Machine<double>& machine, const Problem& problem, const Law& law = published) {
  return tests::predicted(sort, machine, problem, law);
}

struct Published {
  Machine<double> machine;
  int E;
};
std::vector<Published> published_setups() {
  return {{m4000(), 15}, {gtx770(), 11}, {k40m(), 11}};
}

}  // namespace

TEST_CASE("sort-pairwise, published: latency-bound if E uses up the shared memory") {
  // E = 48 would give X = 4; E = 40: X = 4.8. Shared, merging: 85.84/(4.8·3.1) = 5.77 > 4.29. Global:
  // 269.5/9.6 = 28.1 < 33.2.
  const Prediction prediction = predicted(m4000(), problem(1e8, 40, 128));
  for (const PhaseTime& phase : prediction.phases)
    CHECK(phase.limited_by == (phase.level == Level::shared ? Limit::latency : Limit::bandwidth));
  // Kepler's lower X: 131072/(1536·40) = 2.13 threads per core make global memory latency-bound, too.
  for (const PhaseTime& phase : predicted(gtx770(), problem(1e8, 40, 128)).phases)
    CHECK(phase.limited_by == Limit::latency);
}

TEST_CASE("sort-pairwise, published: 64-bit elements count as two words") {
  // Twice the accesses at half the X; both levels bandwidth-bound at E = 8 (X = 12 for words of 64 bits).
  const Prediction narrow = predicted(m4000(), problem(1e8, 8, 128));
  const Prediction wide = predicted(m4000(), problem(1e8, 8, 128, ElementType::u64));
  CHECK(wide.terms.global_s == Approx(2 * narrow.terms.global_s));
  CHECK(wide.terms.shared_s == Approx(2 * narrow.terms.shared_s));
}

TEST_CASE("sort-pairwise, published: bank conflicts are about 15 to 20 % of the time") {
  for (const Published& setup : published_setups()) {
    Phases phases = phases_of(sort, setup.machine, problem(1e8, setup.E, 128));
    const double with_conflicts = predicted_seconds(phases, setup.machine, published);
    for (Phase& phase : phases)
      for (Access& access : phase.accesses) access.conflict = 1;
    const double share = 1 - predicted_seconds(phases, setup.machine, published) / with_conflicts;
    INFO(setup.machine.name);
    CHECK(share > 0.145);
    CHECK(share < 0.2);
  }
}

TEST_CASE("sort-pairwise, published: there is a best E, since fewer rounds cost X") {
  for (const Published& setup : published_setups()) {
    const auto time = [&](int E) { return predicted(setup.machine, problem(1e8, E, 128)).time_s; };
    int best = 3;
    for (int E = 3; E <= 47; ++E)
      if (time(E) < time(best)) best = E;
    INFO(setup.machine.name << ", best E " << best);
    CHECK(best > 8);
    CHECK(best < 40);
    CHECK(time(3) > 1.2 * time(best));
    CHECK(time(47) > 1.15 * time(best));
  }
}
