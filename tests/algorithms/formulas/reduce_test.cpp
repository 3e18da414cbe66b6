#include "formulas.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm &tree = algorithm("reduce-tree"), &cascading = algorithm("reduce-cascading"),
                &pipeline = algorithm("reduce-pipeline"), &matrix = algorithm("reduce-matrix"),
                &vector = algorithm("reduce-vector");

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
  const Phases<double> phases = phases_of(tree, m4000(), small, LawName::published);
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
    return words_of(phases_of(algorithm, m4000(), problem(algorithm, n), LawName::published), Level::shared);
  };
  CHECK(shared(cascading) < shared(matrix));
  CHECK(shared(matrix) < shared(pipeline));
  CHECK(shared(pipeline) < shared(tree));
}

TEST_CASE("reductions, calibrated: every element is read once, and little else moves") {
  for (const Algorithm* each : with_formula()) {
    if (each->kind != Kind::reduce) continue;
    for (ElementType type : each->types)
      for (double n : {1048576., 100000007.}) {
        INFO(each->slug << " " << name(type) << " n = " << n);
        // The words that memory moves: those requested, minus those of idle lanes in accesses by one lane.
        double moved = 0;
        for (const Phase<double>& phase : calibrated_phases(*each, problem(*each, n, type)))
          for (const Access<double>& access : phase.accesses)
            if (access.level == Level::global) moved += access.count * access.conflict;
        CHECK(moved >= n * words(type));
        CHECK(moved < 1.01 * n * words(type));
      }
  }
}

TEST_CASE("reduce-tree, calibrated: one phase per level, its words computed by hand") {
  // At each level the warps of a block load two words per lane and write one: 8 + 4 + 2 + 1 warps, and one
  // warp at each of five more levels. Before that, each thread stores two words.
  const Phases<double> phases = calibrated_phases(tree, problem(tree, 1 << 20));
  REQUIRE(phases.size() == 3);
  CHECK(phases[0].blocks == 2048);
  CHECK(phases[1].blocks == 4);
  CHECK(phases[2].blocks == 1);
  CHECK(words_of(phases, Level::shared) == (2048 + 4 + 1) * (2 * 256 + 3 * 32 * (8 + 4 + 2 + 1 + 5)));
  CHECK(words_of(phases, Level::global) == (1 << 20) + 2048 + 4 + 32 * (2048 + 4 + 1));
}

TEST_CASE("reductions, calibrated: as many blocks as are resident, fewer for few elements") {
  // Cascading, 32 registers, t = 256: 8 blocks for each of 132 multiprocessors.
  CHECK(calibrated_phases(cascading, problem(cascading, 1e8))[0].blocks == 8 * 132);
  CHECK(calibrated_phases(cascading, problem(cascading, 1e8))[1].blocks == 1);
  CHECK(calibrated_phases(cascading, problem(cascading, 10000))[0].blocks == 5);  // 2048 elements each
  CHECK(calibrated_phases(cascading, problem(cascading, 2048)).size() == 1);
  // Vector: a block for every 512·8 vectors of 4 elements; one launch, however many blocks.
  const Phases<double> phases = calibrated_phases(vector, problem(vector, 1 << 20));
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].blocks == 64);
  CHECK(phases[0].launches + phases[1].launches == 1);
}

TEST_CASE("reduce-pipeline, calibrated: shared words of the steps") {
  // n = 2^20: 8192 rows of 128 elements; 6 blocks of 40 registers per multiprocessor are 792 blocks, 6336
  // warps. 4·32 words per step; 3 per thread to clear the tree and read the result; 2 per warp to combine.
  const Phases<double> phases = calibrated_phases(pipeline, problem(pipeline, 1 << 20));
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].blocks == 256);
  double shared = 0;
  for (const Access<double>& access : phases[0].accesses)
    if (access.level == Level::shared) shared += access.count;
  CHECK(shared == 128. * (8192 + 2 + 2048 * 6) + 3 * 2048 * 32 + (2048 + 256) * 32);
}

TEST_CASE("reductions, calibrated: large ones take the time of their bytes, small ones that of a launch") {
  const Machine<double> machine = complete_machine();
  for (const Algorithm* each : {&cascading, &pipeline, &matrix, &vector}) {
    INFO(each->slug);
    const double n = 1 << 30, bytes_per_second = 0.035 * 4 * machine.P() * machine.clock.value;
    const double time = predicted(*each, machine, n, calibrated).time_s;
    CHECK(time > n * 4 / bytes_per_second);
    CHECK(time < 1.3 * n * 4 / bytes_per_second);
    CHECK(predicted(*each, machine, 1, calibrated).time_s < 10e-6);
  }
  CHECK(predicted(vector, machine, 1 << 20, calibrated).time_s <
        predicted(cascading, machine, 1 << 20, calibrated).time_s);
}
