// SPDX-License-Identifier: Apache-2.0
// radix-lsd and radix-tiled: their published formulas.
#include "formulas.h"

#include <fathom/store/profile.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm& lsd = algorithm("radix-lsd");
const Algorithm& tiled = algorithm("radix-tiled");

Problem pairs_of(const Descriptor& algorithm, double n, const Parameters& given) {
  Problem problem = algorithm.problem(n, {{ElementType::u32, ElementType::u32}, false});
  for (const auto& [name, value] : given) problem.parameters.set(name, value);
  return problem;
}

}  // namespace

TEST_CASE("radix-lsd, published: 4-bit pairs on the GTX 285, computed by hand") {
  // 723 thread-cycles a pair at 354·10^9/s take 2.042 ns, 160 bytes at 142.5·10^9/s 1.123 ns: in each kernel
  // the instructions are more. So 489.6·10^6 pairs/s; the source measured 482.
  const Machine<double> gtx285 = built_in_profile("gtx285").machine;
  const double n = 1 << 24;
  const Prediction prediction = predicted(lsd, gtx285, pairs_of(lsd, n, {{"d", 4}}));
  CHECK(prediction.time_s == Approx(n * 723 / 354e9).epsilon(1e-4));
  CHECK(n / prediction.time_s == Approx(489.6e6).epsilon(1e-3));
  CHECK(prediction.terms.register_s == prediction.time_s);
  CHECK(prediction.terms.global_s == 0);  // hidden
}

TEST_CASE("radix-lsd, published: keys alone take half the instructions of memory and exchange") {
  // 8 passes of 723/8 − (6.3 + 14.7)/2 thread-cycles: 554·10^6 keys/s; the source measured 550.
  const Machine<double> gtx285 = built_in_profile("gtx285").machine;
  const double n = 1 << 24;
  CHECK(n / predicted(lsd, gtx285, problem_of(lsd, n, {{"d", 4}})).time_s ==
        Approx(354e9 / (723 - 8 * 10.5)).epsilon(1e-4));
}

TEST_CASE("radix-tiled, published: 2.7 times the instructions of radix-lsd") {
  const Machine<double> gtx285 = built_in_profile("gtx285").machine;
  const double n = 1 << 24;
  const Parameters tile{{"d", 4}, {"t", 256}, {"E", 4}};
  CHECK(n / predicted(tiled, gtx285, pairs_of(tiled, n, tile)).time_s ==
        Approx(354e9 / (2.7 * 723)).epsilon(1e-4));
}

TEST_CASE("radix sorts, published: five bits are more than a multiprocessor has room for") {
  // ⌈32/5⌉ passes of 22.975 + 51.4 + 32 thread-cycles, at 68 % of the rate.
  const Machine<double> gtx285 = built_in_profile("gtx285").machine;
  const double n = 1 << 24;
  CHECK(n / predicted(lsd, gtx285, pairs_of(lsd, n, {{"d", 5}})).time_s ==
        Approx(0.68 * 354e9 / (7 * (22.975 + 51.4 + 32))).epsilon(1e-4));
}

TEST_CASE("radix-lsd, published: every kernel takes as long as its longer level") {
  // A machine of 2 words and 16 thread-instructions per clock and core. Per pass: the reduction reads 1 word,
  // 0.5 clocks, and has 22.975/16 = 1.44; the scatter reads 2 and writes 2 as if they were 3.4, 2.7 clocks,
  // and has 67.4/16 = 4.2125. At half a word per clock, memory takes longer in both: 2 and 10.8.
  Machine<double> machine = m4000();
  machine.at(Level::global).bandwidth = 2;
  machine.at(Level::registers).bandwidth = 16;
  machine.at(Level::global).latency.reset();  // the source takes latencies to be hidden
  machine.at(Level::registers).latency.reset();
  const Problem problem = pairs_of(lsd, 1e6, {{"d", 4}});
  const double passes = 8 * 1e6 / machine.P() / machine.clock.value;
  CHECK(predicted(lsd, machine, problem).time_s == Approx(passes * (22.975 + 67.4) / 16));
  machine.at(Level::global).bandwidth = 0.5;
  CHECK(predicted(lsd, machine, problem).time_s == Approx(passes * (2 + 10.8)));
  machine.at(Level::global).bandwidth = 1;  // 1 and 5.4 clocks: each kernel has its own limit
  CHECK(predicted(lsd, machine, problem).time_s == Approx(passes * (22.975 / 16 + 5.4)));
}

TEST_CASE("radix sorts, published: words of traffic") {
  const auto words = [](const Algorithm& sort, const Problem& problem) {
    return words_of(phases_of(sort, m4000(), problem), Level::global);
  };
  const double n = 1000;
  CHECK(words(lsd, problem_of(lsd, n, {{"d", 4}})) == 8 * 3 * n);
  CHECK(words(lsd, pairs_of(lsd, n, {{"d", 4}})) == 8 * 5 * n);
  CHECK(words(lsd, problem_of(lsd, n, {{"d", 8}}, ElementType::u64)) == 8 * 6 * n);
  CHECK(words(lsd, problem_of(lsd, n, {{"d", 5}})) == 7 * 3 * n);  // ⌈k/d⌉
  Reading as_printed{{{"whole-passes", 0}}};
  CHECK(words_of(phases_of(lsd, m4000(), problem_of(lsd, n, {{"d", 5}}), as_printed), Level::global) ==
        Approx(6.4 * 3 * n));
  const Parameters tile{{"d", 4}, {"t", 256}, {"E", 4}};
  CHECK(words(tiled, problem_of(tiled, n, tile)) == 8 * n * (5 * 16 / 1024. + 5));
  CHECK(words(tiled, pairs_of(tiled, n, tile)) == 8 * n * (5 * 16 / 1024. + 9));
}
