// SPDX-License-Identifier: Apache-2.0
// Published times on the m4000, worked by hand.
#include "formulas.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

// M = 1248 KiB = 319488 words, that is 192 for each of its P = 1664 cores. Global bandwidth takes 1/0.0301 =
// 33.2 clocks, or latency 269.5/(X·I) if that is more; shared memory 1/0.233 = 4.29, or 85.84/(X·I).
constexpr double P = 1664, B_g = 0.0301, B_s = 0.233, N = 1 << 20;

/// The levels' terms, in clocks. Returns the bottleneck.
Bottleneck check(const char* slug, double n, const Parameters& parameters, double global, double shared,
                 std::optional<double> registers = {}) {
  const Descriptor& formula = algorithm(slug);
  const Prediction found = predicted(formula, m4000(), problem_of(formula, n, parameters));
  INFO(slug << ", n = " << n);
  CHECK(found.terms.global_s * 780e6 == Approx(global));
  CHECK(found.terms.shared_s * 780e6 == Approx(shared));
  if (registers) CHECK(found.terms.register_s * 780e6 == Approx(*registers));
  return found.bottleneck.value();
}

}  // namespace

TEST_CASE("published times of sorts, worked by hand") {
  // Tiles of 2^12, r = 8, so 36 + 8 + 1 passes, and 78 + 8·12 steps within tiles; X = 319488/(P·32) = 6, I
  // = 2. 269.5/12 = 22.5 < 33.2, 85.84/12 = 7.15 > 4.29.
  check("sort-bitonic", N, {{"E", 32}, {"t", 128}}, 2 * N / P * 45 / B_g, 2 * N / P * 174 * (85.84 / 12), 0);
  // Blocks of 2^8, 12 rounds; 36 steps sort a block, and in a round 2·9 are done for every element written.
  // X = 319488/(P·16) = 12; 269.5/(12·8) = 2.8 < 33.2, 85.84/24 = 3.58 < 4.29.
  check("sort-warp", N, {{"E", 8}}, 2 * N / P * 13 / B_g, 2 * N / P * (36 + 12 * 18) / B_s, 0);
  // tE = 2^11, log N/(tE) = 9, log NtE = 31, log N/(2tE) = 8, log N/E = 16, X = 319488/(P·16) = 12, X·I = 24:
  // 269.5/24 = 11.2 < 33.2; 85.84/(12·3.1) = 2.31 and 85.84/(12·2.2) = 3.25 < 4.29.
  CHECK(check("sort-pairwise", N, {{"E", 16}, {"t", 128}}, 2 * N / P * (9 + 31 * 8 / (4 * 2048.) + 1) / B_g,
              2 * N / P * (3.1 * 16 + 2.2 * 11 * 9 / (2 * 16)) / B_s, 0)
            .limit == Limit::bandwidth);
  // w = 32: log_8 2^15 = 5, X = 319488/(P·30) = 6.4. ⌈269.5/6.4⌉ = 43 > 33.2; ⌈85.84/6.4⌉ = 14 > 4.29.
  check("sort-multiway", N, {{"K", 8}}, 2 * N / P * (5 + 1) * 43, 4 * N / P * (5 * 15 + 12.5) * 14, 0);
  // N/w² = 2^10, ⌈log_8⌉ = 4, log = 10; X = 319488/(P·15) = 12.8, I = 3, X·I = 38.4. ⌈269.5/38.4⌉ = 8 < 33.2,
  // ⌈85.84/38.4⌉ = 3 < 4.29, ⌈6/38.4⌉ = 1.
  check("sort-mms", N, {{"K", 8}}, 2 * N / P * (4 + 1) / B_g, 4 * N / P * (10 + 5) / B_s,
        6 * N / P * (10 * 5 + 125));
}

TEST_CASE("published operations of costly comparisons, worked by hand") {
  const auto operations = [](const char* slug, ElementType type, const Parameters& parameters) {
    const Descriptor& formula = algorithm(slug);
    return words_of(phases_of(formula, m4000(), problem_of(formula, N, parameters, type)), Level::registers);
  };
  using enum ElementType;
  for (const ElementType type : {point, rational}) {  // 8 operations more than a u64's one
    // ⌈log N/E⌉ = 17 levels of merges.
    CHECK(operations("sort-pairwise", type, {{"E", 15}}) == 8 * N * 17);
    CHECK(operations("sort-kway", type, {{"E", 15}}) == 8 * N * 17);
    // log w·log N/w = 5·15 comparators per key, and 12.5 in the base case.
    CHECK(operations("sort-multiway", type, {{"K", 8}}) == 8 * N * (75 + 12.5));
    // Of two words: 6·(2 + ⅔·8)·N for 6·2·N, at each of 10·5 + 125 steps.
    CHECK(operations("sort-mms", type, {{"K", 8}}) == Approx(44 * N * 175));
  }
  for (const char* slug : {"sort-pairwise", "sort-kway", "sort-multiway"})
    CHECK(operations(slug, u64, {}) == 0);
  CHECK(operations("sort-mms", u64, {{"K", 8}}) == Approx(12 * N * 175));
}

TEST_CASE("published times of reductions and of the matrix scan, worked by hand") {
  // A multiprocessor of 128 cores holds 2048 threads, so that X is at most 16, and shared memory
  // takes 85.84/16 = 5.365 clocks.
  constexpr double wait = 85.84 / 16;
  // t = 256: ⌈n/512⌉ = 2048 blocks, then 4, then 1, of 512 + 32 words moved each; 2 + 3·9 shared accesses for
  // each of 256 threads. Shared memory would have room for X = 192/2 = 96.
  constexpr double blocks = 2048 + 4 + 1;
  CHECK(check("reduce-tree", N, {}, blocks * 544 / P / B_g, blocks * 256 * 29 / P * wait).level ==
        Level::shared);
  // Room for X = 192; p = P, 52 warps. Shared: 1 + 3·5 = 16 a core, and for the warps' results.
  constexpr double n = 1e8, words = n + P + P / 32 + 32;
  check("reduce-cascading", n, {}, words / P / B_g, (P + P / 32) * 16 / P * wait, n / P);
  // 2b words per warp: room for X = 96. Four shared accesses per element and for each of six draining steps.
  constexpr double steps = n + (P + P / 32) * 6;
  check("reduce-pipeline", n, {}, words / P / B_g, 4 * steps / P * wait, steps / P);
  // Large tiles leave too few threads: b(b + 1) words per warp, X = 192/33 = 5.82. Global: 46.3 > 33.2;
  // shared: 14.75 > 4.29.
  constexpr double X = 192. / 33;
  CHECK(check("reduce-matrix", n, {}, words / P * 269.5 / X, n * (2 + 15. / 32) / P * 85.84 / X).limit ==
        Limit::latency);
  // α = 8: room for X = (M/P)·b/(α(b + 1)) = 192·32/264 = 23.27, so X = 16. Global: 16.8 < 33.2. Shared,
  // row-wise: β' = min(4, 8) = 4, 85.84/(16·4) = 1.34 < 4.29. Others: 3 + 2·5/8 = 4.25, which wait.
  CHECK(check("scan-matrix", n, {{"alpha", 8}, {"t", 128}}, 3 * n / P / B_g,
              n / P * (2 * 4 / B_s + 4.25 * wait))
            .level == Level::global);
  // α = 32: X = 5.82, β' = 1, and both levels wait, as in the reduction.
  CHECK(check("scan-matrix", n, {{"alpha", 32}, {"t", 128}}, 3 * n / P * 269.5 / X,
              n / P * (2 + 3 + 10. / 32) * 85.84 / X)
            .limit == Limit::latency);
}

TEST_CASE("the published time of the sum by halving, worked by hand") {
  // Steps of 2^19, 2^18, …, 1 pairs, 3 words each. With 2^14 pairs X = 2^14/P = 9.8, and latency takes
  // 269.5/9.8 = 27.4 clocks < 33.2. With 2^13 or fewer it takes more: a latency for each word of a pair.
  const double wide = (1 << 20) - (1 << 14);  // pairs of the steps of 2^19 … 2^14
  const double narrow = 14;                   // steps of 2^13 … 1
  check("reduce-halving", N, {}, 3 * wide / P / B_g + 3 * narrow * 269.5, 0, 0);
}

TEST_CASE("published words of small sorts and of reductions, worked by hand") {
  const auto words = [](const char* slug, double n, const Parameters& parameters, Level level) {
    const Descriptor& formula = algorithm(slug);
    return words_of(phases_of(formula, m4000(), problem_of(formula, n, parameters)), level);
  };
  // One tile takes one pass and ½·log n·(log n + 1) steps in shared memory.
  CHECK(words("sort-bitonic", 4096, {{"E", 32}, {"t", 128}}, Level::global) == 2 * 4096);
  CHECK(words("sort-bitonic", 4096, {{"E", 32}, {"t", 128}}, Level::shared) == 2 * 4096 * 78);
  // One block is sorted in one pass, and two take a round.
  CHECK(words("sort-warp", 1024, {{"E", 32}}, Level::global) == 2 * 1024);
  CHECK(words("sort-warp", 2048, {{"E", 32}}, Level::global) == 2 * 2 * 2048);
  // With b threads per block the I/Os of the tree are the paper's, 3⌈n/(2b)^i⌉; at t = 64 a block has four
  // reading I/Os and one writing.
  CHECK(words("reduce-tree", 64 * 64, {{"t", 32}}, Level::global) == (64 + 1) * 3 * 32);
  CHECK(words("reduce-tree", 128 * 128, {{"t", 64}}, Level::global) == (128 + 1) * 5 * 32);
  // Pairs of 11, 6, 3 and 2 elements.
  CHECK(words("reduce-halving", 11, {}, Level::global) == 3 * (5 + 3 + 1 + 1));
  // With E = 1 a block is one of w keys, and two of them take a round.
  CHECK(words("sort-warp", 64, {{"E", 1}}, Level::global) == 2 * 2 * 64);
  // The pipeline preserves the order with a fraction of the tree's shared accesses.
  const auto shared = [&](const char* slug) { return words(slug, 1 << 24, {}, Level::shared); };
  CHECK(shared("reduce-cascading") < shared("reduce-matrix"));
  CHECK(shared("reduce-matrix") < shared("reduce-pipeline"));
  CHECK(shared("reduce-pipeline") < shared("reduce-tree"));
}
