// The formulas of the scans other than scan-matrix, computed by hand.
#include "formulas.h"

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm &naive = algorithm("scan-naive"), &interval = algorithm("scan-interval"),
                &sequential = algorithm("scan-sequential"), &lookback = algorithm("scan-lookback");

Phases<double> published_phases(const Descriptor& algorithm, const Problem& problem) {
  return phases_of(algorithm, m4000(), problem, LawName::published);
}

double launches(const Phases<double>& phases) {
  double sum = 0;
  for (const Phase<double>& phase : phases) sum += phase.launches;
  return sum;
}

double published_seconds(const Descriptor& algorithm, const Problem& problem) {
  return predicted(algorithm, m4000(), problem, published).time_s;
}

// m4000: P = 1664, 128 cores per multiprocessor, 2048 threads: X is at most 16.
constexpr double P = 1664, B_g = 0.0301, L_g = 269.5, clock_hz = 780e6;

}  // namespace

TEST_CASE("scan-naive: log n steps move all elements, and make n·log n − n + 1 additions") {
  const double n = 1 << 20;
  const Phases<double> paper = published_phases(naive, problem_of(naive, n, {{"t", 256}}));
  CHECK(launches(paper) == 20);
  CHECK(words_of(paper, Level::global) == 20 * 2 * n + 20 * n - n + 1);
  // 630 threads per core, 16 of them resident: 269.5/16 = 16.8 < 33.2.
  CHECK(published_seconds(naive, problem_of(naive, n, {{"t", 256}})) ==
        Approx((59 * n + 1) / P / B_g / clock_hz));

  const Phases<double> kernels = calibrated_phases(naive, problem_of(naive, n, {{"t", 256}}));
  REQUIRE(kernels.size() == 20);
  CHECK(kernels[0].blocks == 4096);
  // In the last step half of the array is read a second time, and half of a step's accesses lie in between.
  CHECK(kernels[19].accesses[1].count == n / 2);
  CHECK(kernels[19].accesses[1].reuse_bytes == n / 2 * 8);
  CHECK(kernels[19].footprint_bytes == 8 * n);
  CHECK(words_of(kernels, Level::global) == 20 * 2 * n + 19 * n + 1);
  // u64: twice the words.
  CHECK(words_of(calibrated_phases(naive, problem_of(naive, n, {{"t", 256}}, ElementType::u64)),
                 Level::global) == 2 * (20 * 2 * n + 19 * n + 1));
  // 5 elements: distances 1, 2 and 4, with 4 + 3 + 1 additions.
  CHECK(words_of(published_phases(naive, problem_of(naive, 5, {{"t", 256}})), Level::global) ==
        3 * 2 * 5 + 8);
}

TEST_CASE("scan-naive: small steps cost a latency for every access of a thread") {
  // 8 elements: 7 + 6 + 4 = 17 additions in 3 steps, each with another 8 reads and 8 writes.
  CHECK(published_seconds(naive, problem_of(naive, 8, {{"t", 256}})) ==
        Approx((3 * 2 + 17. / 8) * L_g / clock_hz));
}

TEST_CASE("scan-interval: 8 accesses for each of n − 1 pairs, two kernels per level") {
  const double n = 1 << 22;
  const Phases<double> paper = published_phases(interval, problem_of(interval, n, {{"t", 256}}));
  CHECK(launches(paper) == 2 * 22);
  CHECK(words_of(paper, Level::global, "upsweep") == 3 * (n - 1));
  CHECK(words_of(paper, Level::global, "downsweep") == 5 * (n - 1));
  // 16 elements are 4 levels, each with too few pairs to hide latency: 8 latencies per level.
  CHECK(published_seconds(interval, problem_of(interval, 16, {{"t", 256}})) ==
        Approx(4 * 8 * L_g / clock_hz));
}

TEST_CASE("scan-interval, calibrated: halves until one block can scan the rest") {
  // 5000 → 2500 → 1250 → 625, in blocks of 256 pairs: 10, 5 and 3 blocks down, 10, 5 and 3 up.
  const Phases<double> kernels = calibrated_phases(interval, problem_of(interval, 5000, {{"t", 256}}));
  REQUIRE(kernels.size() == 7);
  CHECK(kernels[0].blocks == 10);
  CHECK(kernels[2].blocks == 3);
  CHECK(kernels[3].name == "SpineScan");
  CHECK(kernels[3].blocks == 1);
  CHECK(kernels[6].name == "Downsweep");
  CHECK(kernels[6].blocks == 10);
  // 2500, 1250 and 625 pairs in whole warps.
  CHECK(words_of(kernels, Level::global, "Upsweep") == 3 * (2528 + 1280 + 640));
  CHECK(words_of(kernels, Level::global, "Downsweep") == 5 * (2528 + 1280 + 640));
  CHECK(words_of(kernels, Level::global, "SpineScan") == 3 * 640);  // 625 in whole warps
  // 32 warps store their sums and load all sums.
  CHECK(words_of(kernels, Level::shared) == 2 * 1024);
  // What one block can scan alone takes one launch.
  CHECK(launches(calibrated_phases(interval, problem_of(interval, 1024, {{"t", 256}}))) == 1);
}

TEST_CASE("scan-sequential: one scan per group of k, and one of the rest") {
  const double k = 1 << 16;
  const Parameters parameters{{"k", 1 << 16}, {"t", 256}};
  const auto of_interval = [](double n) {
    return words_of(calibrated_phases(interval, problem_of(interval, n, {{"t", 256}})), Level::global);
  };
  const Phases<double> kernels =
      calibrated_phases(sequential, problem_of(sequential, 5 * k + 3000, parameters));
  CHECK(words_of(kernels, Level::global) == 5 * of_interval(k) + of_interval(3000) + 6 * 1024);  // the carry
  CHECK(launches(kernels) == 5 * (2 * 6 + 1) + (2 * 2 + 1));  // 2^16 is 6 halvings from 2^10, 3000 is 2
  CHECK(words_of(published_phases(sequential, problem_of(sequential, 5 * k, parameters)), Level::global) ==
        5 * 8 * (k - 1));
}

TEST_CASE("scan-sequential: small groups cost launches, groups larger than the L2 cost bandwidth") {
  const auto time = [](int k) {
    const Problem problem = problem_of(sequential, 1 << 28, {{"k", k}, {"t", 256}});
    return predicted(sequential, complete_machine(), problem, calibrated).time_s;
  };
  CHECK(time(1 << 22) < time(1 << 16));
  CHECK(time(1 << 16) < time(1 << 12));
}

TEST_CASE("scan-lookback: every element is read and written once, and every tile reads a window of states") {
  // 2^20 elements in tiles of 256·16: 256 tiles.
  const double n = 1 << 20;
  const Parameters parameters{{"E", 16}, {"t", 256}};
  const Phases<double> paper = published_phases(lookback, problem_of(lookback, n, parameters));
  CHECK(launches(paper) == 1);
  CHECK(words_of(paper, Level::global) == 2 * n + 256 * (2 + 32) * 2);
  // 65,536 threads are 39 per core: X = 16, which with I = 16 is bandwidth-bound; so are the states, at I =
  // 1.
  CHECK(published_seconds(lookback, problem_of(lookback, n, parameters)) ==
        Approx((2 * n + 256 * 34 * 2) / P / B_g / clock_hz));
}

TEST_CASE("scan-lookback, calibrated: the kernel's accesses") {
  const Parameters parameters{{"E", 16}, {"t", 256}};
  const auto kernel = [&](double n, ElementType type) {
    const Phases<double> all = calibrated_phases(lookback, problem_of(lookback, n, parameters, type));
    REQUIRE(all.size() == 1);
    return all[0];
  };
  const Phase<double> narrow = kernel(1 << 20, ElementType::u32), wide = kernel(1 << 20, ElementType::u64);
  CHECK(narrow.blocks == 256);
  CHECK(narrow.registers_per_thread == Approx(25 + 1.97 * 4));  // four rows of a vector, one word of each
  CHECK(wide.registers_per_thread == Approx(25 + 1.97 * 16));   // eight rows, two words
  for (int direction : {0, 1}) {                                // read, written
    CHECK(narrow.accesses[direction].count == 1 << 20);
    CHECK(wide.accesses[direction].count == 2 << 20);
  }
  CHECK(narrow.accesses[2].count == 256 * (2 * 32 + 32) * 2);
  CHECK(narrow.accesses[3].count == 3 << 20);  // every element is stored once and loaded twice
  // The warps store their sums and load all sums; one stores the tile's prefix, all load it.
  CHECK(narrow.accesses[4].count == 256 * (2 * 256 + 32 + 256));
  CHECK(wide.accesses[4].count == 2 * narrow.accesses[4].count);
}

TEST_CASE("scan-lookback: a block waits for its look-back, step by step") {
  // 6 blocks of 256 threads on each of 132 multiprocessors hold 4096 elements each. One tile needs one step,
  // all 792 at once need (√(1 + 8·792/32) − 1)/2 = 6.55, 2 latencies each.
  const Parameters parameters{{"E", 16}, {"t", 256}};
  const auto latencies = [&](double n) {
    const Phase<double> phase = calibrated_phases(lookback, problem_of(lookback, n, parameters))[0];
    const Access<double>& states = phase.accesses[2];
    return states.count / (phase.blocks * phase.threads_per_block) / states.parallelism;
  };
  const double whole_machine = 2 * (std::sqrt(1 + 8 * 792 / 32.) - 1) / 2;
  CHECK(latencies(4096) == Approx(2));
  CHECK(latencies(32 * 4096) == Approx(2));
  CHECK(latencies(3 * 32 * 4096) == Approx(2 * 2));
  CHECK(latencies(792. * 4096) == Approx(whole_machine));
  // In a full machine each block waits 2.5 µs before its first look and then finds most states: the default
  // is one latency per step.
  const auto machine = complete_machine();
  const double backoff = 2.5e-6 * machine.clock.value / *machine.at(Level::l2).latency;
  CHECK(latencies(1e9) == Approx(whole_machine / 2 + backoff));
}

TEST_CASE("large scans rank by the words that they move: look-back, matrix, interval, naive") {
  double before = 0;
  for (const char* slug : {"scan-lookback", "scan-matrix", "scan-interval", "scan-naive"}) {
    const Algorithm& scan = algorithm(slug);
    const double time = predicted(scan, complete_machine(), scan.problem(1 << 28), calibrated).time_s;
    INFO(slug);
    CHECK(time > 1.2 * before);
    before = time;
  }
}
