// Both cost laws on phases small enough to compute by hand. The clock runs at 1 Hz, so that seconds are
// clocks.
#include <fathom/model/predict.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace fathom;

namespace {

/// P = 8.
Machine<double> toy() {
  Machine<double> machine;
  machine.name = "toy";
  machine.multiprocessors = 2;
  machine.cores_per_multiprocessor = 4;
  machine.warp_width = 4;
  machine.clock = Hertz{1};
  machine.limits.blocks_per_multiprocessor = 3;
  machine.limits.shared_bytes_per_multiprocessor = 1024;
  machine.limits.shared_bytes_per_block = 1024;
  machine.at(Level::global).latency = 10;
  machine.at(Level::global).bandwidth = 0.5;
  machine.at(Level::shared).latency = 12;
  machine.at(Level::shared).bandwidth = 2;
  machine.at(Level::registers).latency = 5;
  machine.at(Level::registers).bandwidth = 1;
  machine.launch_overhead = 0;
  machine.kernel_gap = 0;
  return machine;
}

Descriptor algorithm_of(Phases<double> phases) {
  Descriptor algorithm;
  algorithm.slug = "by-hand";
  algorithm.formula.emplace().phases = [phases](const auto&...) { return phases; };
  return algorithm;
}

Prediction predicted(const Phases<double>& phases, const Law& law, const Machine<double>& machine = toy()) {
  return predict(algorithm_of(phases), machine, {.n = 1}, law, {});
}

double seconds(const Phase<double>& phase, const Law& law, const Machine<double>& machine = toy()) {
  return predicted({phase}, law, machine).time_s;
}

Phase<double> published_phase(double X, std::initializer_list<Access<double>> accesses) {
  Phase<double> phase;
  phase.name = "phase";
  phase.multiplicity = X;
  phase.accesses = accesses;
  return phase;
}

/// `blocks` blocks of 8 threads (X = 2 each, three resident: X = 6); every thread makes 10 accesses.
Phase<double> calibrated_phase(double blocks, Level level, double conflict = 1, double parallelism = 1) {
  Phase<double> phase;
  phase.name = "phase";
  phase.blocks = blocks;
  phase.threads_per_block = 8;
  phase.accesses = {{level, blocks * 8 * 10, conflict, parallelism}};
  return phase;
}

const Law published{LawName::published};
const Law calibrated{};

}  // namespace

TEST_CASE("published: A_P·max(1/B, L/(X·I))") {
  // A_P = 80/8 = 10.
  CHECK(seconds(published_phase(4, {{Level::global, 80, 1, 2}}), published) == Approx(20));  // max(2, 10/8)
  CHECK(seconds(published_phase(2, {{Level::global, 80, 1, 2}}), published) == Approx(25));  // max(2, 10/4)
  CHECK(seconds(published_phase(3, {{Level::registers, 80}}), published) ==
        Approx(10 * 5. / 3));  // max(1, 5/3)
}

TEST_CASE("published: the ceiling is taken as printed, always or never") {
  const Phase<double> printed = published_phase(2, {{Level::global, 80, 1, 2, true}});
  const Phase<double> without = published_phase(2, {{Level::global, 80, 1, 2, false}});
  for (const auto& [ceiling, with_time, without_time] :
       {std::tuple{Ceiling::as_printed, 30, 25}, {Ceiling::always, 30, 30}, {Ceiling::never, 25, 25}}) {
    CHECK(seconds(printed, {LawName::published, ceiling}) == Approx(with_time));
    CHECK(seconds(without, {LawName::published, ceiling}) == Approx(without_time));
  }
}

TEST_CASE("published: a conflict serialises, and its extra accesses are independent") {
  // A·β/P = 40. 1/B = 0.5, L/(X·β) = 12/(2·4) = 1.5.
  CHECK(seconds(published_phase(2, {{Level::shared, 80, 4}}), published) == Approx(60));
  // X = 8: 12/32 < 0.5.
  CHECK(seconds(published_phase(8, {{Level::shared, 80, 4}}), published) == Approx(20));
}

TEST_CASE("published: level totals of the whole algorithm are combined by sum, maximum or exponent") {
  const Phases<double> phases{published_phase(4, {{Level::global, 80, 1, 2}}),   // 20
                              published_phase(2, {{Level::shared, 80, 4}}),      // 60
                              published_phase(4, {{Level::global, 40, 1, 2}})};  // 10
  const auto time = [&](Composition q) { return predicted(phases, {LawName::published, {}, q}).time_s; };
  CHECK(time(Composition::sum()) == Approx(90));
  CHECK(time(Composition::max()) == Approx(60));
  CHECK(time({2}) == Approx(std::sqrt(30. * 30 + 60 * 60)));
}

TEST_CASE("published: terms, phases and bottleneck") {
  Phase<double> second = published_phase(2, {{Level::global, 8, 1, 1}, {Level::shared, 80, 4}});
  second.name = "second";
  const Prediction prediction =
      predicted({published_phase(4, {{Level::global, 80, 1, 2}}), second}, published);
  CHECK(prediction.terms.global_s == Approx(25));  // 20 + 1·max(2, 5)
  CHECK(prediction.terms.shared_s == Approx(60));
  CHECK(prediction.terms.l2_s == 0);
  CHECK(prediction.terms.register_s == 0);
  CHECK(prediction.terms.launch_s == 0);
  REQUIRE(prediction.phases.size() == 3);
  CHECK(prediction.phases[0].limited_by == Limit::bandwidth);
  CHECK(prediction.phases[1].limited_by == Limit::latency);
  CHECK(prediction.phases[1].accesses == 8);
  CHECK(prediction.phases[2].level == Level::shared);
  CHECK(prediction.phases[2].seconds == Approx(60));
  REQUIRE(prediction.bottleneck);
  CHECK(prediction.bottleneck->level == Level::shared);
  CHECK(prediction.bottleneck->limit == Limit::latency);
}

TEST_CASE("calibrated: full waves run at full X, the last wave at its own X") {
  Machine<double> machine = toy();
  machine.at(Level::registers).latency = 5;
  // 15 blocks: two waves of 6 at X = 6, then 3 blocks, 2 of them on one multiprocessor: X = 4.
  // 10·(2·max(6, 5) + max(4, 5)).
  CHECK(seconds(calibrated_phase(15, Level::registers), calibrated, machine) == Approx(170));
  // One block: X = 2, latency-bound.
  CHECK(seconds(calibrated_phase(1, Level::registers), calibrated, machine) == Approx(50));
  // Exactly two waves.
  CHECK(seconds(calibrated_phase(12, Level::registers), calibrated, machine) == Approx(120));
  // I = 5: L/I = 1, so that X/B dominates everywhere: 10·(2·6 + 4).
  CHECK(seconds(calibrated_phase(15, Level::registers, 1, 5), calibrated, machine) == Approx(160));
}

TEST_CASE("calibrated: issue cost and a smooth knee") {
  Machine<double> machine = toy();
  machine.at(Level::registers).latency = 3;
  machine.at(Level::registers).issue = 1;
  // One block: X/B = 2, L/I + c = 4.
  CHECK(seconds(calibrated_phase(1, Level::registers), calibrated, machine) == Approx(40));
  machine.at(Level::registers).bandwidth = 2. / 3;  // X/B = 3, and with s = 2 the root of 9 + 16
  machine.at(Level::registers).sharpness = 2;
  CHECK(seconds(calibrated_phase(1, Level::registers), calibrated, machine) == Approx(50));
  machine.at(Level::registers).sharpness = 1000;  // so sharp that it is the maximum
  CHECK(seconds(calibrated_phase(1, Level::registers), calibrated, machine) == Approx(40));
}

TEST_CASE("calibrated: conflicts take wavefronts and delay the last data") {
  // A wavefront is w/(B·cores) = 4/(2·4) = 0.5 clocks. β = 5: L + 4 wavefronts = 14; X·β/B = 2·5/2 = 5.
  CHECK(seconds(calibrated_phase(1, Level::shared, 5), calibrated) == Approx(140));
  // Six blocks: X = 6, X·β/B = 15.
  CHECK(seconds(calibrated_phase(6, Level::shared, 5), calibrated) == Approx(150));
  // In global memory β is words moved per word: X·β/B = 2·5/0.5 = 20, L = 10.
  CHECK(seconds(calibrated_phase(1, Level::global, 5), calibrated) == Approx(200));
  // A broadcast requests less than a word per thread.
  CHECK(seconds(calibrated_phase(6, Level::global, 0.25), calibrated) == Approx(100));
}

TEST_CASE("calibrated: the L2 serves its share of the global accesses") {
  Machine<double> machine = toy();
  machine.at(Level::l2).latency = 4;
  machine.at(Level::l2).bandwidth = 1;
  Phase<double> phase = calibrated_phase(1, Level::global);
  phase.footprint_bytes = 1000;
  CHECK(seconds(phase, calibrated, machine) == Approx(100));  // no l2_half: all from DRAM, 10·10
  machine.l2_half = 1000;
  machine.l2_steepness = 2;
  const Prediction half = predicted({phase}, calibrated, machine);
  CHECK(half.terms.global_s == Approx(50));
  CHECK(half.terms.l2_s == Approx(20));
  CHECK(half.time_s == Approx(70));
  // Both serve shares of the same accesses: their times form one term of the composition.
  CHECK(predicted({phase}, {LawName::calibrated, {}, Composition::max()}, machine).time_s == Approx(70));
  phase.footprint_bytes = 3000;  // h = 1/(1 + 9)
  CHECK(predicted({phase}, calibrated, machine).terms.l2_s == Approx(4));
  phase.footprint_bytes = 1e7;  // h = 1e-8: rounded to 0
  const Prediction from_dram = predicted({phase}, calibrated, machine);
  REQUIRE(from_dram.phases.size() == 1);
  CHECK(from_dram.phases[0].level == Level::global);
  CHECK(from_dram.time_s == 100);
  phase.footprint_bytes = 0.1;  // 1 - h = 1e-8
  const Prediction from_l2 = predicted({phase}, calibrated, machine);
  REQUIRE(from_l2.phases.size() == 1);
  CHECK(from_l2.phases[0].level == Level::l2);
  CHECK(from_l2.time_s == 40);
}

TEST_CASE("phases of one name are reported as one") {
  const Phase<double> phase = calibrated_phase(1, Level::global);  // 100
  Phase<double> other = calibrated_phase(1, Level::shared);        // 120
  other.name = "other";
  const Prediction prediction = predicted({phase, other, phase}, calibrated);
  REQUIRE(prediction.phases.size() == 2);
  CHECK(prediction.phases[0].phase == "phase");
  CHECK(prediction.phases[0].launches == 2);
  CHECK(prediction.phases[0].accesses == 160);
  CHECK(prediction.phases[0].seconds == Approx(200));
  CHECK(prediction.phases[1].seconds == Approx(120));
}

TEST_CASE("calibrated: the reuse distance of an access may differ from the phase's footprint") {
  Machine<double> machine = toy();
  machine.at(Level::l2).latency = 4;
  machine.at(Level::l2).bandwidth = 1;
  machine.l2_half = 1000;
  machine.l2_steepness = 2;
  Phase<double> phase = calibrated_phase(1, Level::global);
  phase.footprint_bytes = 1000;
  phase.accesses.push_back(phase.accesses[0]);
  phase.accesses[0].reuse_bytes = 3000;  // a tenth from the L2: 90 and 4
  phase.accesses[1].reuse_bytes = 500;   // four fifths: 20 and 32
  const Prediction prediction = predicted({phase}, calibrated, machine);
  CHECK(prediction.terms.global_s == Approx(110));
  CHECK(prediction.terms.l2_s == Approx(36));
}

TEST_CASE("calibrated: a launch that only reads has its own l2_half, and a DRAM start") {
  Machine<double> machine = toy();
  machine.at(Level::l2).latency = 4;
  machine.at(Level::l2).bandwidth = 1;
  machine.l2_half = 1000;
  machine.l2_half_reading = 3000;
  machine.l2_steepness = 2;
  machine.dram_start = 16;
  Phase<double> phase = calibrated_phase(1, Level::global);
  phase.footprint_bytes = 3000;
  CHECK(seconds(phase, calibrated, machine) == Approx(90 + 4));
  phase.reads_only = true;  // half from the L2, and half of the start
  CHECK(seconds(phase, calibrated, machine) == Approx(50 + 20 + 8));
  CHECK(predicted({phase}, calibrated, machine).terms.launch_s == Approx(8));
  phase.launches = 3;
  CHECK(seconds(phase, calibrated, machine) == Approx(50 + 20 + 24));
  machine.l2_half_reading.reset();
  phase.launches = 1;
  CHECK(seconds(phase, calibrated, machine) == Approx(90 + 4 + 0.9 * 16));
}

TEST_CASE("calibrated: a phase may have its own sharpness") {
  Machine<double> machine = toy();
  machine.at(Level::global).sharpness = 1;
  Phase<double> phase = calibrated_phase(1, Level::global);  // X/B·10 = 40, L·10 = 100
  CHECK(seconds(phase, calibrated, machine) == Approx(140));
  phase.memory_sharpness = 2;
  CHECK(seconds(phase, calibrated, machine) == Approx(std::sqrt(100. * 100 + 40 * 40)));
}

TEST_CASE("calibrated: blocks start one after another") {
  Machine<double> machine = toy();
  machine.warp_width = 4;
  const Phase<double> lone = calibrated_phase(1, Level::global), wave = calibrated_phase(6, Level::global);
  const double of_lone = seconds(lone, calibrated), of_wave = seconds(wave, calibrated);
  CHECK(of_lone == Approx(100));
  CHECK(of_wave == Approx(120));  // X = 6
  machine.block_start = 5;
  machine.warp_start = 1;  // two warps: the block's start counts
  CHECK(seconds(lone, calibrated, machine) == Approx(of_lone + 5));
  CHECK(seconds(wave, calibrated, machine) == Approx(of_wave + 2 * 5));  // three on each multiprocessor
  machine.warp_start = 4;                                                // now its warps do
  CHECK(seconds(wave, calibrated, machine) == Approx(of_wave + 2 * 8));
  CHECK(predicted({wave}, calibrated, machine).terms.launch_s == Approx(3 * 8));
  // Two waves of three: if starts take longer than the work, only the last block's work adds to them.
  const Phase<double> waves = calibrated_phase(12, Level::global);
  machine.block_start = 100;
  CHECK(seconds(waves, calibrated, machine) == Approx(6 * 100 + 100));
  // A phase that continues the launch of another phase has no starts.
  Phase<double> rest = lone;
  rest.launches = 0;
  CHECK(seconds(rest, calibrated, machine) == Approx(of_lone));
}

TEST_CASE("calibrated: latencies of all levels add up along a thread's chain for any q") {
  Machine<double> machine = toy();
  machine.launch_overhead = 1000;
  machine.kernel_gap = 7;
  Phase<double> phase = calibrated_phase(1, Level::registers);  // 50
  phase.accesses.push_back({Level::shared, 1 * 8 * 10, 1, 1});  // 120
  phase.launches = 3;
  for (const Composition q : {Composition::sum(), Composition{2}, Composition::max()}) {
    const Prediction prediction = predicted({phase, phase}, {LawName::calibrated, {}, q}, machine);
    CHECK(prediction.time_s == Approx(2 * 170 + 1000 + 6 * 7));
    CHECK(prediction.terms.register_s == Approx(2 * 50));  // each level alone
    CHECK(prediction.terms.shared_s == Approx(2 * 120));
    CHECK(prediction.terms.launch_s == Approx(1042));
  }
}

TEST_CASE("calibrated: throughputs overlap as far as q and the resident blocks allow") {
  Machine<double> machine = toy();
  machine.at(Level::registers).latency = 0.1;
  machine.at(Level::shared).latency = 0.1;
  // Six blocks, three on each multiprocessor, X = 6. Registers 10·6/1 = 60, shared 10·6/2 = 30, the chain 1
  // + 1.
  Phase<double> phase = calibrated_phase(6, Level::registers);
  phase.accesses.push_back({Level::shared, 6 * 8 * 10, 1, 1});
  const auto time = [&](Composition q) { return seconds(phase, {LawName::calibrated, {}, q}, machine); };
  const double sum = 60 + 30 - 2;  // the chain is part of both and counts once
  CHECK(time(Composition::sum()) == Approx(sum));
  CHECK(time(Composition::max()) == Approx(60 + (sum - 60) / 3));
  const double root = std::sqrt(60. * 60 + 30 * 30 - 2 * 2);
  CHECK(time({2}) == Approx(root + (sum - root) / 3));
  // A single block on a multiprocessor has nothing to overlap with: X = 2.
  phase = calibrated_phase(1, Level::registers);
  phase.accesses.push_back({Level::shared, 1 * 8 * 10, 1, 1});
  CHECK(time(Composition::max()) == Approx(20 + 10 - 2));
}

TEST_CASE("calibrated: the start of a launch is paid once per launch, not per wave") {
  Phase<double> phase = calibrated_phase(15, Level::registers);
  const double without = seconds(phase, calibrated);
  phase.start = 33;
  CHECK(seconds(phase, calibrated) == Approx(without + 33));
}

TEST_CASE("a missing constant is named") {
  Machine<double> machine = toy();
  machine.at(Level::shared).latency.reset();
  CHECK_THROWS_AS(seconds(calibrated_phase(1, Level::shared), calibrated, machine), MissingConstant);
  CHECK_THROWS_WITH(seconds(calibrated_phase(1, Level::shared), calibrated, machine),
                    Catch::Contains("toy") && Catch::Contains("shared.latency"));
  CHECK_THROWS_WITH(seconds(published_phase(1, {{Level::shared, 1}}), published, machine),
                    Catch::Contains("shared.latency"));
  machine.kernel_gap.reset();
  CHECK_THROWS_WITH(seconds(calibrated_phase(1, Level::global), calibrated, machine),
                    Catch::Contains("kernel_gap"));
}

TEST_CASE("invalid problems are rejected") {
  Phase<double> phase = calibrated_phase(1, Level::global);
  phase.shared_bytes_per_block = 2000;
  CHECK_THROWS_WITH(seconds(phase, calibrated), Catch::Contains("toy") && Catch::Contains("2000"));
  Descriptor algorithm = algorithm_of({calibrated_phase(1, Level::global)});
  const auto predict_with = [&](const Problem& problem, const ConstantValues<double>& constants) {
    return predict(algorithm, toy(), problem, calibrated, constants);
  };
  CHECK_THROWS_WITH(predict_with({.n = 0}, {}), Catch::Contains("at least one element"));
  CHECK_THROWS_WITH(predict_with({.n = 1, .parameters = {{"E", 1}}}, {}),
                    Catch::Contains("no parameter 'E'"));
  CHECK_THROWS_WITH(predict_with({.n = 1}, {1.0}), Catch::Contains("0 constants, 1 were given"));
  algorithm.formula.reset();
  CHECK_THROWS_WITH(predict_with({.n = 1}, {}), Catch::Contains("by-hand is a baseline"));
}

TEST_CASE("without work there is no time, and no prediction") {
  CHECK_THROWS_AS(predicted({published_phase(1, {})}, published), ImpossibleTime);
}
