// SPDX-License-Identifier: Apache-2.0
// What the published formulas say of merge sorts of 10^8 keys, as their sources do, or where they differ.
#include "formulas.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

constexpr double n = 1e8;

Prediction of_multiway(int K, const Law& law = published) {
  const Algorithm& multiway = algorithm("sort-multiway");
  return predicted(multiway, m4000(), problem_of(multiway, n, {{"K", K}}), law);
}

const Algorithm& pairwise = algorithm("sort-pairwise");
Problem with(int E, ElementType type = ElementType::u32) {
  return problem_of(pairwise, n, {{"E", E}, {"t", 128}}, type);
}

/// All phases that access the level are limited so.
bool is_limited(const Prediction& prediction, Level level, Limit limit) {
  for (const PhaseTime& phase : prediction.phases)
    if (phase.level == level && phase.limited_by != limit) return false;
  return true;
}

}  // namespace

TEST_CASE("sort-multiway, published: memory becomes latency-bound as K grows on the m4000") {
  // X = 192/(4K − 2). Shared: ⌈85.84/X⌉ passes 1/B_s = 4.29 at K = 3 (5), as karsin2018 says; K = 2 gives 3,
  // if X = 32 threads could be resident on a core.
  const Law as_printed{.law = LawName::published, .options = {{"resident-threads", 0}}};
  CHECK(is_limited(of_multiway(2, as_printed), Level::shared, Limit::bandwidth));
  CHECK(is_limited(of_multiway(2), Level::shared, Limit::latency));
  CHECK(is_limited(of_multiway(4), Level::shared, Limit::latency));
  // Global: karsin2018 says K = 6, where the formula gives ⌈30.9⌉ = 31 < 1/B_g = 33.2; K = 7 gives 37. Among
  // the powers of two, which the heap needs, the change lies between 4 and 8 either way.
  CHECK(is_limited(of_multiway(4), Level::global, Limit::bandwidth));
  CHECK(is_limited(of_multiway(8), Level::global, Limit::latency));
  // At K = 32 over 75 % of the time is shared.
  CHECK(of_multiway(32).terms.shared_s > 0.75 * of_multiway(32).time_s);
  CHECK(of_multiway(32).bottleneck->level == Level::shared);
}

TEST_CASE("sort-multiway, published: agpu2015 counts the buffers of inner nodes alone") {
  // K = 8, w = 32: 7 nodes of 64 words instead of 15, X = 192/14 = 13.7. ⌈269.5/13.7⌉ = 20 < 1/B_g,
  // ⌈85.84/13.7⌉ = 7.
  const Law inner{.law = LawName::published, .options = {{"leaf-buffers", 0}}};
  const Algorithm& multiway = algorithm("sort-multiway");
  const double n = 1 << 20;
  const Terms terms = predicted(multiway, m4000(), problem_of(multiway, n, {{"K", 8}}), inner).terms;
  CHECK(terms.global_s * 780e6 == Approx(2 * n / 1664 * 6 / 0.0301));
  CHECK(terms.shared_s * 780e6 == Approx(4 * n / 1664 * (5 * 15 + 12.5) * 7));
}

TEST_CASE("sort-mms, published: the factor of the register operations is an option") {
  const Algorithm& mms = algorithm("sort-mms");
  const auto registers = [&](int factor) {
    const Law law{.law = LawName::published, .options = {{"register-factor", factor}}};
    return predicted(mms, m4000(), mms.problem(n), law).terms.register_s;
  };
  CHECK(registers(6) == predicted(mms, m4000(), mms.problem(n)).terms.register_s);
  CHECK(registers(2) == Approx(registers(6) / 3));
}

TEST_CASE("an option that a formula does not have, or a value out of its range, is refused") {
  const Algorithm& mms = algorithm("sort-mms");
  const auto read = [&](const char* option, int value) {
    phases_of(mms, m4000(), mms.problem(n), {{{option, value}}});
  };
  CHECK_THROWS_WITH(read("registerfactor", 2),
                    "sort-mms has no option 'registerfactor': did you mean 'register-factor'? (it has "
                    "register-factor, resident-threads)");
  CHECK_THROWS_WITH(read("register-factor", 7), "option register-factor of sort-mms is 7: choose from 1..6");
}

TEST_CASE("sort-pairwise, published: latency-bound if E uses up the shared memory") {
  // E = 40: X = 4.8. Shared, merging: 85.84/(4.8·3.1) = 5.77 > 4.29. Global: 269.5/9.6 = 28.1 < 33.2.
  const Prediction maxwell = predicted(pairwise, m4000(), with(40));
  CHECK(is_limited(maxwell, Level::shared, Limit::latency));
  CHECK(is_limited(maxwell, Level::global, Limit::bandwidth));
  // Kepler's lower X: 131072/(1536·40) = 2.13 threads per core make global memory latency-bound, too.
  const Prediction kepler = predicted(pairwise, gtx770(), with(40));
  for (const Level level : {Level::shared, Level::global}) CHECK(is_limited(kepler, level, Limit::latency));
}

TEST_CASE("sort-pairwise, published: 64-bit elements count as two words") {
  // Twice the accesses at half the X; both levels bandwidth-bound at E = 8 (X = 12 for words of 64 bits).
  const Terms narrow = predicted(pairwise, m4000(), with(8)).terms,
              wide = predicted(pairwise, m4000(), with(8, ElementType::u64)).terms;
  CHECK(wide.global_s == Approx(2 * narrow.global_s));
  CHECK(wide.shared_s == Approx(2 * narrow.shared_s));
}

TEST_CASE("sort-pairwise, published: bank conflicts cost 15 to 20 %, and there is a best E") {
  for (const auto& [machine, default_E] : {std::pair{m4000(), 15}, {gtx770(), 11}, {k40m(), 11}}) {
    INFO(machine.name);
    Phases phases = phases_of(pairwise, machine, with(default_E));
    const double with_conflicts = predicted_seconds(phases, machine, published);
    for (Phase& phase : phases)
      for (Access& access : phase.accesses) access.conflict = 1;
    const double share = 1 - predicted_seconds(phases, machine, published) / with_conflicts;
    CHECK(share > 0.145);
    CHECK(share < 0.2);
    // Fewer rounds cost X.
    std::map<double, int> by_time;
    for (int E = 3; E <= 47; ++E) by_time[predicted(pairwise, machine, with(E)).time_s] = E;
    const auto [least, best] = *by_time.begin();
    CHECK(best > 8);
    CHECK(best < 40);
    CHECK(predicted(pairwise, machine, with(3)).time_s > 1.2 * least);
    CHECK(predicted(pairwise, machine, with(47)).time_s > 1.15 * least);
  }
}
