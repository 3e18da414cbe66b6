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

Phases<double> calibrated_phases(const Problem& problem) {
  return tests::calibrated_phases(scan, problem);
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
    CHECK(calibrated_phases(problem(1e6, alpha, 256))[2].accesses[1].conflict == degree);
  }
}

TEST_CASE("scan-matrix, calibrated: one chunk per resident warp") {
  // α = 8, t = 256: 40 registers are 1280 per warp, 12 warps per scheduler, 6 blocks per multiprocessor, 792
  // in all. 2^20 elements are 4096 tiles, 8 per block: 512 blocks, one tile per warp.
  const Phases<double> few = calibrated_phases(problem(1 << 20, 8, 256));
  REQUIRE(few.size() == 3);
  CHECK(few[2].blocks == 512);
  CHECK(few[2].shared_bytes_per_block == 8 * 8 * 33 * 4);
  CHECK(few[2].accesses[0].count == 2 << 20);
  // A tile leaves 8 words per lane, too few for four rows of 16 bytes, so they are read one by one.
  CHECK(few[0].accesses[0].count == 0);
  CHECK(few[0].accesses[1].count == 1 << 20);
  // 2^26: 262144 tiles, 6336 warps, ⌈41.4⌉ = 42 tiles each, for ⌈6241.5⌉ = 6242 warps in ⌈780.25⌉ = 781
  // blocks.
  const Phases<double> many = calibrated_phases(problem(1 << 26, 8, 256));
  CHECK(many[2].blocks == 781);
  // The last chunk and the last block are partial: only existing elements are moved.
  CHECK(many[2].accesses[0].count == 2 << 26);
  CHECK(many[0].accesses[0].count == 1 << 26);  // 336 words per lane are 21 times 16
  CHECK(many[0].accesses[1].count == 0);
  CHECK(many[0].accesses[2].count == 6242 * 32);  // one sum per chunk, each an access of a warp
  // 5 more elements are one more row of a warp and one more tile in shared memory.
  const Phases<double> odd = calibrated_phases(problem((1 << 26) + 5, 8, 256));
  CHECK(odd[2].accesses[0].count == 2. * ((1 << 26) + 32));
  CHECK(odd[2].accesses[1].count == 2. * ((1 << 26) + 256));
  // One block scans 6242 sums.
  CHECK(many[1].blocks == 1);
  CHECK(many[1].threads_per_block == 1024);
}

TEST_CASE(
    "scan-matrix, calibrated: the scan costs more than the reduction, wide elements more than narrow ones") {
  const Prediction narrow = predicted(complete_machine(), problem(1 << 26, 8, 256), calibrated);
  const Prediction wide =
      predicted(complete_machine(), problem(1 << 26, 8, 256, ElementType::u64), calibrated);
  double reducing = 0, scanning = 0;
  for (const PhaseTime& phase : narrow.phases)
    (phase.phase == "ReduceChunks" ? reducing : scanning) += phase.seconds;
  CHECK(scanning > reducing);
  CHECK(wide.time_s > 1.5 * narrow.time_s);
  CHECK(wide.time_s < 3 * narrow.time_s);
}
