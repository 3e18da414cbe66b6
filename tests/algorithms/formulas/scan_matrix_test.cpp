#include "formulas.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm& scan = algorithm("scan-matrix");

Problem problem(double n, int alpha, int t, ElementType type = ElementType::u32) {
  return problem_of(scan, n, {{"alpha", alpha}, {"t", t}}, type);
}

Prediction predicted(const Machine<double>& machine, const Problem& problem, const Law& law) {
  return tests::predicted(scan, machine, problem, law);
}

}  // namespace

TEST_CASE("scan-matrix, published: computed by hand") {
  // m4000, N = 1e8, α = 8: X = (M/P)·b/(α(b + 1)) = 192·32/264 = 23.27. Global: 269.5/23.27 = 11.6 < 33.2.
  // Shared, row-wise: β' = min(4, 8) = 4, 85.84/(23.27·4) = 0.92 < 4.29. Others: 3 + 2·5/8 = 4.25, 3.69
  // < 4.29.
  const double N = 1e8, P = 1664;
  const Prediction prediction = predicted(m4000(), problem(N, 8, 128), published);
  CHECK(prediction.terms.global_s == Approx(3 * N / P / 0.0301 / 780e6));
  CHECK(prediction.terms.shared_s == Approx(N / P * (2 * 4 + 4.25) / 0.233 / 780e6));
  CHECK(prediction.bottleneck->level == Level::global);
}

TEST_CASE("scan-matrix, published: large tiles leave too few threads") {
  // α = 32: X = 5.82. Global: 269.5/5.82 = 46.3 > 33.2. β' = 1; shared: 85.84/5.82 = 14.75 > 4.29.
  const double N = 1e8, P = 1664, X = 192. / 33;
  const Prediction prediction = predicted(m4000(), problem(N, 32, 128), published);
  CHECK(prediction.terms.global_s == Approx(3 * N / P * 269.5 / X / 780e6));
  CHECK(prediction.terms.shared_s == Approx(N / P * (2 + 3 + 10. / 32) * 85.84 / X / 780e6));
  CHECK(prediction.bottleneck->limit == Limit::latency);
}

TEST_CASE("scan-matrix: row-wise accesses have conflicts of degree min(⌈b/α⌉, α)") {
  for (const auto& [alpha, degree] :
       {std::pair{1, 1}, {2, 2}, {5, 5}, {6, 6}, {7, 5}, {8, 4}, {16, 2}, {31, 2}, {32, 1}}) {
    INFO("alpha " << alpha);
    CHECK(phases_of(scan, m4000(), problem(1e6, alpha, 256))[1].accesses[1].conflict == degree);
  }
}
