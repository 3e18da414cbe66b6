// sort-bitonic and sort-warp: their published formulas.
#include "formulas.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm& bitonic = algorithm("sort-bitonic");
const Algorithm& warp = algorithm("sort-warp");

}  // namespace

TEST_CASE("sort-bitonic, published: computed by hand") {
  // m4000, N = 2^20, E = 32, t = 128: tiles of 2^12, r = 8, so 36 + 8 + 1 passes, and 78 + 8·12 steps within
  // tiles; X = 319488/(1664·32) = 6, I = 2. 269.5/12 = 22.5 < 33.2, 85.84/12 = 7.15 > 4.29.
  const double N = 1048576, P = 1664;
  const Problem problem = problem_of(bitonic, N, {{"E", 32}, {"t", 128}});
  const Prediction prediction = predicted(bitonic, m4000(), problem);
  CHECK(prediction.terms.global_s == Approx(2 * N / P * 45 / 0.0301 / 780e6));
  CHECK(prediction.terms.shared_s == Approx(2 * N / P * 174 * (85.84 / 12) / 780e6));
  CHECK(prediction.terms.register_s == 0);
}

TEST_CASE("sort-bitonic, published: one tile takes one pass and ½·log n·(log n + 1) steps in shared memory") {
  const Phases phases = phases_of(bitonic, m4000(), problem_of(bitonic, 4096, {{"E", 32}, {"t", 128}}));
  CHECK(words_of(phases, Level::global) == 2 * 4096);
  CHECK(words_of(phases, Level::shared) == 2 * 4096 * 78);
}

TEST_CASE("sort-warp, published: computed by hand") {
  // m4000, N = 2^20, E = 8: blocks of 2^8, 12 rounds; 36 steps sort a block, and in a round 2·9 are done for
  // every element written. X = 319488/(1664·16) = 12; 269.5/(12·8) = 2.8 < 33.2, 85.84/24 = 3.58 < 4.29.
  const double N = 1048576, P = 1664;
  const Prediction prediction = predicted(warp, m4000(), problem_of(warp, N, {{"E", 8}}));
  CHECK(prediction.terms.global_s == Approx(2 * N / P * 13 / 0.0301 / 780e6));
  CHECK(prediction.terms.shared_s == Approx(2 * N / P * (36 + 12 * 18) / 0.233 / 780e6));
  CHECK(prediction.terms.register_s == 0);
}

TEST_CASE("sort-warp, published: one block is sorted in one pass, and two take a round") {
  const auto global_words = [](double n) {
    return words_of(phases_of(warp, m4000(), problem_of(warp, n, {{"E", 32}})), Level::global);
  };
  CHECK(global_words(1024) == 2 * 1024);
  CHECK(global_words(2048) == 2 * 2 * 2048);
}
