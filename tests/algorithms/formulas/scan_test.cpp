// SPDX-License-Identifier: Apache-2.0
// The formulas of the scans, computed by hand.
#include "formulas.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm &naive = algorithm("scan-naive"), &interval = algorithm("scan-interval"),
                &sequential = algorithm("scan-sequential"), &lookback = algorithm("scan-lookback"),
                &matrix = algorithm("scan-matrix");

Phases published_phases(const Descriptor& algorithm, double n, const Parameters& parameters = {{"t", 256}}) {
  return phases_of(algorithm, m4000(), problem_of(algorithm, n, parameters));
}

double launches(const Phases& phases) {
  double sum = 0;
  for (const Phase& phase : phases) sum += phase.launches;
  return sum;
}

double published_seconds(const Descriptor& algorithm, double n, const Parameters& parameters = {{"t", 256}}) {
  return predicted(algorithm, m4000(), problem_of(algorithm, n, parameters), published).time_s;
}

// m4000: P = 1664, 128 cores per multiprocessor, 2048 threads: X is at most 16.
constexpr double P = 1664, B_g = 0.0301, L_g = 269.5, clock_hz = 780e6;

}  // namespace

TEST_CASE("scan-naive: log n steps move all elements, and make n·log n − n + 1 additions") {
  const double n = 1 << 20;
  const Phases paper = published_phases(naive, n);
  CHECK(launches(paper) == 20);
  CHECK(words_of(paper, Level::global) == 20 * 2 * n + 20 * n - n + 1);
  // 630 threads per core, 16 of them resident: 269.5/16 = 16.8 < 33.2.
  CHECK(published_seconds(naive, n) == Approx((59 * n + 1) / P / B_g / clock_hz));

  // 5 elements: distances 1, 2 and 4, with 4 + 3 + 1 additions.
  CHECK(words_of(published_phases(naive, 5), Level::global) == 3 * 2 * 5 + 8);
}

TEST_CASE("scan-naive: small steps cost a latency for every access of a thread") {
  // 8 elements: 7 + 6 + 4 = 17 additions in 3 steps, each with another 8 reads and 8 writes.
  CHECK(published_seconds(naive, 8) == Approx((3 * 2 + 17. / 8) * L_g / clock_hz));
}

TEST_CASE("scan-interval: 8 accesses for each of n − 1 pairs, two kernels per level") {
  const double n = 1 << 22;
  const Phases paper = published_phases(interval, n);
  CHECK(launches(paper) == 2 * 22);
  CHECK(words_of(paper, Level::global, "upsweep") == 3 * (n - 1));
  CHECK(words_of(paper, Level::global, "downsweep") == 5 * (n - 1));
  // 16 elements are 4 levels, each with too few pairs to hide latency: 8 latencies per level.
  CHECK(published_seconds(interval, 16) == Approx(4 * 8 * L_g / clock_hz));
}

TEST_CASE("scan-sequential: one scan per group of k, and one of the rest") {
  const double k = 1 << 16;
  const Parameters parameters{{"k", 1 << 16}, {"t", 256}};
  const auto words = [&](double n) {
    return words_of(published_phases(sequential, n, parameters), Level::global);
  };
  CHECK(words(5 * k) == 5 * 8 * (k - 1));
  CHECK(words(5 * k + 4096) == 5 * 8 * (k - 1) + 8 * (4096 - 1));
}

TEST_CASE("scan-lookback: every element is read and written once, and every tile reads a window of states") {
  // 2^20 elements in tiles of 256·16: 256 tiles.
  const double n = 1 << 20;
  const Parameters parameters{{"E", 16}, {"t", 256}};
  const Phases paper = published_phases(lookback, n, parameters);
  CHECK(launches(paper) == 1);
  CHECK(words_of(paper, Level::global) == 2 * n + 256 * (2 + 32) * 2);
  // 65,536 threads are 39 per core: X = 16, which with I = 16 is bandwidth-bound; so are the states, at I =
  // 1.
  CHECK(published_seconds(lookback, n, parameters) == Approx((2 * n + 256 * 34 * 2) / P / B_g / clock_hz));
}

TEST_CASE("scan-matrix: row-wise accesses have conflicts of degree min(⌈b/α⌉, α)") {
  for (const auto& [alpha, degree] :
       {std::pair{1, 1}, {2, 2}, {5, 5}, {6, 6}, {7, 5}, {8, 4}, {16, 2}, {31, 2}, {32, 1}}) {
    INFO("alpha " << alpha);
    CHECK(published_phases(matrix, 1e6, {{"alpha", alpha}, {"t", 256}})[1].accesses[1].conflict == degree);
  }
}
