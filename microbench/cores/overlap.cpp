// SPDX-License-Identifier: Apache-2.0
// How do demands on different resources overlap? Kernels that mix loads from DRAM, shared wavefronts, ALU and
// FMA instructions in known proportions, and the same kernels with one of these only. And how do they if
// blocks use them one after another, with barriers in between, and few blocks are resident?
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace fathom::microbench {
namespace {

/// Parts of a mix: of DRAM, shared wavefronts, ALU, FMA. Two parts of each take about the same time alone.
using Parts = std::array<int, 4>;

struct Unit {  ///< what two parts are
  int loads, stores;
  int shared, alu, fma;
};

constexpr int granule = 8;  // half of it is still four chains
constexpr int most_instructions = 512;
constexpr int threads_with_barriers = 256;
constexpr int waves = 24;

Mix mix_of(const Unit& unit, const Parts& parts) {
  const auto share = [&](int count, int part) { return count * part / 2; };
  return {.loads = share(unit.loads, parts[0]),
          .stores = share(unit.stores, parts[0]),
          .shared = share(unit.shared, parts[1]),
          .alu = share(unit.alu, parts[2]),
          .fma = share(unit.fma, parts[3])};
}

std::vector<Parts> reading_mixes(bool quick) {
  std::vector<Parts> all;
  for (std::size_t a = 0; a < 4; ++a) {
    Parts single{};
    single[a] = 2;
    all.push_back(single);
    if (quick) continue;
    single[a] = 1;
    all.push_back(single);
  }
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = a + 1; b < 4; ++b)
      for (const auto& [first, second] : {std::pair(2, 2), std::pair(2, 1), std::pair(1, 2)}) {
        if (quick && first != second) continue;
        Parts pair{};
        pair[a] = first;
        pair[b] = second;
        all.push_back(pair);
      }
  all.push_back({2, 2, 2, 0});
  if (!quick) all.push_back({0, 2, 2, 2});
  return all;
}

const std::vector<Parts> copying_mixes = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0},
                                          {2, 2, 0, 0}, {2, 0, 2, 0}, {2, 2, 2, 0}};

const std::vector<Parts> phase_mixes = {{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {2, 0, 2, 0},
                                        {2, 2, 0, 0}, {0, 2, 2, 0}, {2, 2, 2, 0}};
const std::vector<Parts> copying_phase_mixes = {{2, 0, 0, 0}, {2, 2, 0, 0}, {2, 0, 2, 0}, {2, 2, 2, 0}};
const std::vector<int> block_counts = {1, 2, 3, 4, 6, 8}, few_block_counts = {1, 3, 8};

/// Pilots, of which the others' counts follow.
constexpr Mix reading_only{.loads = 2}, copying_only{.loads = 2, .stores = 2}, shared_only{.shared = 64},
    alu_only{.alu = 128}, fma_only{.fma = 256};

std::vector<CudaSource> kernels(const Bench& bench, const std::vector<Mix>& mixes) {
  std::vector<std::string> expressions;
  for (const Mix& mix : mixes) expressions.push_back(expression(mix));
  return sources(with_launch_bounds(mix_text, bench.gpu.threads_per_multiprocessor), expressions);
}

class Overlap {
 public:
  explicit Overlap(Bench& bench) : bench_(bench), full_(bench.warps().back()) {}

  /// Two parts of everything take as long as these loads and stores.
  Unit balanced(const Mix& transfers) {
    const double seconds = seconds_of(transfers);
    const auto count = [&](const Mix& reference, int of_reference) {
      const double wanted = of_reference * seconds / seconds_of(reference);
      return std::clamp(int(std::lround(wanted / granule)) * granule, granule, most_instructions);
    };
    return {transfers.loads, transfers.stores, count(shared_only, shared_only.shared),
            count(alu_only, alu_only.alu), count(fma_only, fma_only.fma)};
  }

  Series measure(const Mix& mix, int warps) {
    return measure(benchmarks::overlap, mix, residency(bench_.gpu, warps));
  }
  /// Blocks with barriers between their phases, which come and go.
  Series measure_phases(Mix mix, int blocks) {
    mix.barriers = true;
    mix.waves = waves;
    return measure(benchmarks::phases, mix, residency_of_blocks(bench_.gpu, blocks, threads_with_barriers));
  }

 private:
  Series measure(const Benchmark& benchmark, const Mix& mix, const Residency& resident) {
    const Launch run = bench_.mix(resident, mix, bench_.from.bytes());
    const unsigned steps = bench_.steps_of_launch(run);
    return bench_.timed(benchmark,
                        {{along::loads, double(mix.loads)},
                         {along::stores, double(mix.stores)},
                         {along::shared, double(mix.shared)},
                         {along::alu, double(mix.alu)},
                         {along::fma, double(mix.fma)},
                         {along::warps, double(resident.warps)},
                         {along::blocks, double(resident.blocks)},
                         {along::iterations, double(steps) * mix.waves}},
                        [&] { run(steps); });
  }
  double seconds_of(const Mix& mix) {
    const Series series = measure(mix, full_);
    return quartiles(series.samples).median / series.coordinates.at(along::iterations);
  }

  Bench& bench_;
  int full_;
};

}  // namespace

std::vector<CudaSource> kernels_of_overlap(const Bench& bench) {
  std::vector<Mix> pilots = {shared_only, alu_only, fma_only};  // those of reading are among the streams
  if (!bench.quick) pilots.push_back(copying_only);
  return kernels(bench, pilots);
}

std::vector<Series> measure_overlap(Bench& bench) {
  Overlap overlap(bench);
  std::vector<Mix> mixes;
  bench.progress("overlap", 0, 1);
  const Unit reading = overlap.balanced(reading_only);
  for (const Parts& parts : reading_mixes(bench.quick)) mixes.push_back(mix_of(reading, parts));
  std::vector<Mix> phases;  // those that also run with barriers
  for (const Parts& parts : phase_mixes) phases.push_back(mix_of(reading, parts));
  if (!bench.quick) {
    const Unit copying = overlap.balanced(copying_only);
    for (const Parts& parts : copying_mixes) mixes.push_back(mix_of(copying, parts));
    for (const Parts& parts : copying_phase_mixes) phases.push_back(mix_of(copying, parts));
  }
  std::vector<Mix> compiled = mixes;
  for (Mix mix : phases) {
    mix.barriers = true;
    compiled.push_back(mix);
  }
  bench.executor.compile_ahead(kernels(bench, compiled));

  const int full = bench.warps().back();
  const std::vector<int> warp_counts = bench.quick ? std::vector{full} : std::vector{full, full / 4};
  std::vector<Series> series;
  const std::vector<int>& resident = bench.quick ? few_block_counts : block_counts;
  const std::size_t points = warp_counts.size() * mixes.size() + resident.size() * phases.size();
  for (const int warps : warp_counts)
    for (const Mix& mix : mixes) {
      bench.progress("overlap", series.size(), points);
      series.push_back(overlap.measure(mix, warps));
    }
  for (const int blocks : resident)
    for (const Mix& mix : phases) {
      bench.progress("overlap", series.size(), points);
      series.push_back(overlap.measure_phases(mix, blocks));
    }
  bench.progress("overlap", points, points);
  return series;
}

}  // namespace fathom::microbench
