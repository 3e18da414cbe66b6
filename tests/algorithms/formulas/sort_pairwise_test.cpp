#include "formulas.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace fathom;
using namespace fathom::tests;

namespace {

const Algorithm& sort = algorithm("sort-pairwise");

Problem problem(double n, int E, int t, ElementType type = ElementType::u32) {
  return problem_of(sort, n, {{"E", E}, {"t", t}}, type);
}

Prediction predicted(const Machine<double>& machine, const Problem& problem, const Law& law = published) {
  return tests::predicted(sort, machine, problem, law);
}

Phases<double> calibrated_phases(const Problem& problem) {
  return tests::calibrated_phases(sort, problem);
}

struct Published {
  Machine<double> machine;
  int E;
};
std::vector<Published> published_setups() {
  return {{m4000(), 15}, {gtx770(), 11}, {k40m(), 11}};
}

/// Compare-exchanges per thread of a phase, from the formula with all other independent operations at cost 0.
double exchanges(const Problem& problem, std::size_t phase) {
  ConstantValues<double> constants = sort.formula->default_constants();
  constants[2] = 1;  // exchange_operations
  constants[3] = 0;  // element_operations
  const Phase<double> found =
      phases_of(sort, complete_machine(), problem, LawName::calibrated, constants).at(phase);
  for (const Access<double>& access : found.accesses)
    if (access.level == Level::registers)
      return access.count / (found.launches * found.blocks * found.threads_per_block);
  return -1;
}
double merge_exchanges(int E) {
  return exchanges(problem(1e6, E, 64), 2);
}
double sort_exchanges(int E) {
  return exchanges(problem(E * 64, E, 64), 0) - 6 * merge_exchanges(E);
}

}  // namespace

TEST_CASE("sort-pairwise, published: computed by hand") {
  // m4000, N = 2^20, E = 16, t = 128: tE = 2^11, log N/(tE) = 9, log NtE = 31, log N/(2tE) = 8, log N/E = 16,
  // X = 319488/(1664·16) = 12, X·I_g = 24.
  const double N = 1048576, P = 1664;
  // 269.5/24 = 11.2 < 1/0.0301 = 33.2
  const double T_g = 2 * N / P * (9 + 31 * 8 / (4 * 2048.) + 1) / 0.0301;
  // 85.84/(12·3.1) = 2.31 and 85.84/(12·2.2) = 3.25, both < 1/0.233 = 4.29
  const double T_s = 2 * N / P * (3.1 * 16 + 2.2 * 11 * 9 / (2 * 16)) / 0.233;
  const Prediction prediction = predicted(m4000(), problem(N, 16, 128));
  CHECK(prediction.terms.global_s == Approx(T_g / 780e6));
  CHECK(prediction.terms.shared_s == Approx(T_s / 780e6));
  CHECK(prediction.time_s == Approx((T_g + T_s) / 780e6));
  CHECK(prediction.bottleneck->limit == Limit::bandwidth);
}

TEST_CASE("sort-pairwise, published: latency-bound if E uses up the shared memory") {
  // E = 48 would give X = 4; E = 40: X = 4.8. Shared, merging: 85.84/(4.8·3.1) = 5.77 > 4.29. Global:
  // 269.5/9.6 = 28.1 < 33.2.
  const Prediction prediction = predicted(m4000(), problem(1e8, 40, 128));
  for (const PhaseTime& phase : prediction.phases)
    CHECK(phase.limited_by == (phase.level == Level::shared ? Limit::latency : Limit::bandwidth));
  // Kepler's lower X: 131072/(1536·40) = 2.13 threads per core make global memory latency-bound, too.
  for (const PhaseTime& phase : predicted(gtx770(), problem(1e8, 40, 128)).phases)
    CHECK(phase.limited_by == Limit::latency);
}

TEST_CASE("sort-pairwise, published: 64-bit elements count as two words") {
  // Twice the accesses at half the X; both levels bandwidth-bound at E = 8 (X = 12 for words of 64 bits).
  const Prediction narrow = predicted(m4000(), problem(1e8, 8, 128));
  const Prediction wide = predicted(m4000(), problem(1e8, 8, 128, ElementType::u64));
  CHECK(wide.terms.global_s == Approx(2 * narrow.terms.global_s));
  CHECK(wide.terms.shared_s == Approx(2 * narrow.terms.shared_s));
}

TEST_CASE("sort-pairwise, published: global memory's share at N = 1e8") {
  // karsin2018 finds 65–75 % of the time in global memory on all three GPUs. Its formula, errata applied,
  // with its own constants gives less, and on Kepler less than half: B_s is so low there (0.13) that 3.1·24
  // shared accesses per element and pass outweigh the 18 global ones. This test pins the formula's result,
  // not the reported one.
  const auto share = [](const Published& setup) {
    const Prediction prediction = predicted(setup.machine, problem(1e8, setup.E, 128));
    return prediction.terms.global_s / prediction.time_s;
  };
  const std::vector<Published> setups = published_setups();
  CHECK(share(setups[0]) == Approx(0.611).margin(0.001));
  CHECK(share(setups[1]) == Approx(0.475).margin(0.001));
  CHECK(share(setups[2]) == Approx(0.481).margin(0.001));
}

TEST_CASE("sort-pairwise, published: bank conflicts are about 15 to 20 % of the time") {
  ConstantValues<double> without_conflicts = sort.formula->default_constants();
  without_conflicts[0] = without_conflicts[1] = 1;
  for (const Published& setup : published_setups()) {
    const Problem p = problem(1e8, setup.E, 128);
    const double share = 1 - predict(sort, setup.machine, p, published, without_conflicts).time_s /
                                 predicted(setup.machine, p).time_s;
    INFO(setup.machine.name);
    CHECK(share > 0.145);
    CHECK(share < 0.2);
  }
}

TEST_CASE("sort-pairwise, published: there is a best E, since fewer rounds cost X") {
  for (const Published& setup : published_setups()) {
    const auto time = [&](int E) { return predicted(setup.machine, problem(1e8, E, 128)).time_s; };
    int best = 3;
    for (int E = 3; E <= 47; ++E)
      if (time(E) < time(best)) best = E;
    INFO(setup.machine.name << ", best E " << best);
    CHECK(best > 8);
    CHECK(best < 40);
    CHECK(time(3) > 1.2 * time(best));
    CHECK(time(47) > 1.15 * time(best));
  }
}

TEST_CASE("sort-pairwise: the register networks") {
  // Batcher's for 2^p elements has (p² − p + 4)·2^(p−2) − 1.
  CHECK(sort_exchanges(4) == 5);
  CHECK(sort_exchanges(8) == 19);
  CHECK(sort_exchanges(16) == 63);
  CHECK(sort_exchanges(32) == 191);
  CHECK(sort_exchanges(3) == 3);
  CHECK(sort_exchanges(5) == 9);
  CHECK(sort_exchanges(6) == 12);
  CHECK(sort_exchanges(7) == 16);
  // Half cleaners: p·2^(p−1). With 5 wires: distance 4 joins 1 pair, distance 2 joins 2, distance 1 joins 2.
  CHECK(merge_exchanges(8) == 12);
  CHECK(merge_exchanges(32) == 80);
  CHECK(merge_exchanges(5) == 5);
}

TEST_CASE("sort-pairwise, calibrated: launches, blocks and counts of the kernels") {
  // n = 2^20, E = 17, t = 256: tiles of 4352, 241 of them (240.9), ⌈log 241⌉ = 8 rounds.
  const Phases<double> phases = calibrated_phases(problem(1048576, 17, 256));
  REQUIRE(phases.size() == 3);
  CHECK(phases[0].name == "BlockSort");
  CHECK(phases[0].launches == 1);
  CHECK(phases[0].blocks == 241);
  CHECK(phases[0].shared_bytes_per_block == 4352 * 4 + 256 * 4);
  CHECK(phases[0].accesses[0].count == 2 * 241 * 4352);  // reads and writes
  CHECK(phases[0].accesses[0].parallelism == 17);
  CHECK(phases[1].name == "MergePathPartition");
  CHECK(phases[1].launches == 8);
  CHECK(phases[1].blocks == 2);  // 241 tiles, 128 per block
  CHECK(phases[2].name == "MergeTiles");
  CHECK(phases[2].launches == 8);
  CHECK(phases[2].accesses[0].count == 8. * 2 * 241 * 4352);
  // Runs of 17·2^j: Σ_{j<8} (log 17 + j + 1) steps of two reads.
  CHECK(phases[0].accesses[3].count == Approx(241 * 256 * 2 * (8 * (std::log2(17) + 1) + 28)));
}

TEST_CASE("sort-pairwise, calibrated: an input that fits one tile takes one launch") {
  CHECK(calibrated_phases(problem(1000, 17, 256)).size() == 1);
  CHECK(calibrated_phases(problem(4352, 17, 256)).size() == 1);
  CHECK(calibrated_phases(problem(4353, 17, 256)).size() == 3);
}

TEST_CASE("sort-pairwise, calibrated: conflicts of a stride of E, stored as words, pairs or fours") {
  const auto conflict = [](int E, ElementType type) {
    return calibrated_phases(problem(1e6, E, 128, type))[0].accesses[2].conflict;
  };
  CHECK(conflict(15, ElementType::u32) == 1);
  CHECK(conflict(6, ElementType::u32) ==
        1);  // pairs: half a warp on 16 pairs of banks, a stride of 3 of them
  CHECK(conflict(12, ElementType::u32) ==
        1);  // fours: a quarter of a warp on 8 fours of banks, a stride of 3
  CHECK(conflict(8, ElementType::u32) == 2);
  CHECK(conflict(16, ElementType::u32) == 4);
  CHECK(conflict(32, ElementType::u32) == 8);
  CHECK(conflict(15, ElementType::u64) == 1);
  CHECK(conflict(16, ElementType::u64) == 8);  // as 32 words
}

TEST_CASE("sort-pairwise, calibrated: an E with conflicts costs more than its odd neighbours") {
  for (int E : {16, 32}) {
    const auto time = [](int E) {
      return predicted(complete_machine(), problem(1 << 26, E, 256), Law{}).time_s;
    };
    CHECK(time(E) > time(E + 1));
    CHECK(time(E) > time(E - 1));
  }
}
