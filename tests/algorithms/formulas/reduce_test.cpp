#include "formulas.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm &tree = algorithm("reduce-tree"), &cascading = algorithm("reduce-cascading"),
                &pipeline = algorithm("reduce-pipeline"), &matrix = algorithm("reduce-matrix");

/// With the parameters for which the numbers in this file are computed.
Problem problem(const Descriptor& algorithm, double n, ElementType type = ElementType::u32) {
  return problem_of(algorithm, n, {}, type);
}

Prediction predicted(const Descriptor& algorithm, const Machine<double>& machine, double n, const Law& law) {
  return tests::predicted(algorithm, machine, problem(algorithm, n), law);
}

// m4000: M = 1248 KiB = 319488 words, that is 192 for each of its P = 1664 cores. Global bandwidth is the
// limit from X = 8.1 on, 1/0.0301 = 33.2 clocks against 269.5/X; shared bandwidth from X = 20 on, 1/0.233 =
// 4.29 against 85.84/X.
constexpr double P = 1664, clock_hz = 780e6;

}  // namespace

TEST_CASE("reduce-tree, published: computed by hand") {
  // n = 2^20, t = 256: ⌈n/512⌉ = 2048 blocks, then 4, then 1, of 512 + 32 words moved each; 2 + 3·9 shared
  // accesses for each of 256 threads. X = 192/2 = 96.
  const double blocks = 2048 + 4 + 1;
  const Prediction prediction = predicted(tree, m4000(), 1 << 20, published);
  CHECK(prediction.terms.global_s == Approx(blocks * 544 / P / 0.0301 / clock_hz));
  CHECK(prediction.terms.shared_s == Approx(blocks * 256 * 29 / P / 0.233 / clock_hz));
  CHECK(prediction.bottleneck->level == Level::shared);
}

TEST_CASE("reduce-tree, published: with b threads the I/Os are the paper's") {
  // b = t would be 32, which no kernel supports; at t = 64 a block has four reading I/Os and one writing.
  Problem small = problem(tree, 128 * 128);
  small.parameters.set("t", 64);
  const Phases phases = phases_of(tree, m4000(), small);
  CHECK(words_of(phases, Level::global) == (128 + 1) * 5 * 32);
}

TEST_CASE("reduce-cascading, published: computed by hand") {
  // X = 192; p = P = 1664, 52 warps. Shared: 1 + 3·5 = 16 a core, and for the warps' results.
  const double n = 1e8, p = P;
  const Prediction prediction = predicted(cascading, m4000(), n, published);
  CHECK(prediction.terms.global_s == Approx((n + p + p / 32 + 32) / P / 0.0301 / clock_hz));
  CHECK(prediction.terms.shared_s == Approx((p + p / 32) * 16 / P / 0.233 / clock_hz));
  CHECK(prediction.terms.register_s == Approx(n / P / clock_hz));
}

TEST_CASE("reduce-pipeline, published: computed by hand") {
  // 2b words per warp: X = 96. Four shared accesses per element and for each of six draining steps.
  const double n = 1e8, p = P, steps = n + (p + p / 32) * 6;
  const Prediction prediction = predicted(pipeline, m4000(), n, published);
  CHECK(prediction.terms.global_s == Approx((n + p + p / 32 + 32) / P / 0.0301 / clock_hz));
  CHECK(prediction.terms.shared_s == Approx(4 * steps / P / 0.233 / clock_hz));
  CHECK(prediction.terms.register_s == Approx(steps / P / clock_hz));
}

TEST_CASE("reduce-matrix, published: large tiles leave too few threads") {
  // b(b + 1) words per warp: X = 192/33 = 5.82. Global: 269.5/5.82 = 46.3 > 33.2; shared: 14.75 > 4.29.
  const double n = 1e8, X = 192. / 33, p = P;
  const Prediction prediction = predicted(matrix, m4000(), n, published);
  CHECK(prediction.terms.global_s == Approx((n + p + p / 32 + 32) / P * 269.5 / X / clock_hz));
  CHECK(prediction.terms.shared_s == Approx(n * (2 + 15. / 32) / P * 85.84 / X / clock_hz));
  CHECK(prediction.bottleneck->limit == Limit::latency);
}

TEST_CASE(
    "reductions, published: the pipeline preserves the order with a fraction of the tree's shared accesses") {
  const double n = 1 << 24;
  const auto shared = [&](const Descriptor& algorithm) {
    return words_of(phases_of(algorithm, m4000(), problem(algorithm, n)), Level::shared);
  };
  CHECK(shared(cascading) < shared(matrix));
  CHECK(shared(matrix) < shared(pipeline));
  CHECK(shared(pipeline) < shared(tree));
}
