// A synthetic algorithm of one phase, a GPU for it, and its times computed by hand: from the definition of
// the calibrated law, without the code that predicts and fits.
#pragma once

#include <fathom/calibration/compare.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "synthetic.h"

namespace fathom::synthetic {

/// Reads and writes n words and performs `work` register operations on each, with conflicts of degree `beta`.
inline const Descriptor& copy_algorithm() {
  static const Descriptor algorithm{
      .slug = "copy",
      .kind = Kind::sort,
      .group = "test",
      .source = "this test",
      .parameters = {{"E", "elements per thread", consecutive(1, 32), 4},
                     {"t", "threads per block", {64, 128, 256, 512}, 256}},
      .formula =
          make_formula({{"work", "operations per word", 10, 1, 200}, {"beta", "conflict degree", 2, 1, 32}},
                       []<class Real>(const Machine<Real>&, const Problem& problem, const Plan&,
                                      const ConstantValues<Real>& c, LawName) {
                         const int E = problem.parameters.at("E");
                         Phase<Real> phase;
                         phase.name = "copy";
                         phase.threads_per_block = problem.parameters.at("t");
                         phase.blocks = std::ceil(problem.n / E / phase.threads_per_block);
                         phase.footprint_bytes = 8 * problem.n;
                         phase.accesses = {{Level::global, Real(2 * problem.n), Real(1), Real(E)},
                                           {Level::shared, Real(2 * problem.n), c[1], Real(E)},
                                           {Level::registers, Real(problem.n * c[0]), Real(1), Real(1)}};
                         return Phases<Real>{phase};
                       })};
  return algorithm;
}

inline const Descriptor* find_copy(std::string_view slug) {
  return slug == "copy" ? &copy_algorithm() : nullptr;
}

constexpr int multiprocessors = 100, cores = 128, warp = 32, threads_held = 2048, blocks_held = 32;
constexpr Truth global_level{400, 0.03, 12, 3}, shared_level{20, 0.25, 2, 10},
    register_level{5, 0.5, 0.5, 10};
constexpr double launch_overhead = 3e-6, kernel_gap = 1e-6;

inline DeviceProfile machine_profile() {
  DeviceProfile profile;
  profile.name = "synthetic";
  profile.origin = "measured";
  Machine<double>& machine = profile.machine;
  machine.name = "synthetic";
  machine.multiprocessors = multiprocessors;
  machine.cores_per_multiprocessor = cores;
  machine.warp_width = warp;
  machine.clock = Hertz{clock_hz};
  machine.limits.threads_per_multiprocessor = threads_held;
  machine.limits.blocks_per_multiprocessor = blocks_held;
  const auto constants = [](const Truth& truth) {
    return LevelConstants<double>{truth.latency, truth.bandwidth, truth.issue, truth.sharpness};
  };
  machine.at(Level::global) = constants(global_level);
  machine.at(Level::shared) = constants(shared_level);
  machine.at(Level::registers) = constants(register_level);
  machine.launch_overhead = launch_overhead;
  machine.kernel_gap = kernel_gap;
  for_each_constant(machine, [&](std::string_view name, const std::optional<double>& value) {
    if (value) profile.estimates[std::string(name)] = {*value, Interval{*value * 0.99, *value * 1.01}};
  });
  return profile;
}

constexpr double true_beta = 5, true_work = 25, true_q = 2;

/// Clocks of one wave of copy: `blocks` blocks of t threads with E elements each on every multiprocessor.
inline double wave_clocks(int E, int t, double blocks, double beta, double work, double q) {
  const double X = blocks * t / cores;
  // Per thread: clocks of each level's pipeline, and the thread's waits for its accesses one after another.
  // Data of an access with a conflict of degree β arrive late by β − 1 passes of a warp over the banks.
  const double in_global = 2 * E / global_level.bandwidth;
  const double in_shared = 2 * E * beta / shared_level.bandwidth;
  const double in_registers = E * work / register_level.bandwidth;
  const double late = (beta - 1) * warp / (shared_level.bandwidth * cores);
  const double chain = 2 * E * (global_level.latency / E + global_level.issue) +
                       2 * E * (shared_level.latency / E + shared_level.issue + late) +
                       E * work * (register_level.latency + register_level.issue);
  const auto level = [&](double pipeline, double s) {
    return std::pow(std::pow(X * pipeline, s) + std::pow(chain, s), 1 / s);
  };
  const double times[] = {level(in_global, global_level.sharpness), level(in_shared, shared_level.sharpness),
                          level(in_registers, register_level.sharpness)};
  // The chain is part of every level's time but counts only once.
  double sum = -2 * chain, powers = -2 * std::pow(chain, q);
  for (double time : times) {
    sum += time;
    powers += std::pow(time, q);
  }
  const double overlapped = std::pow(powers, 1 / q);
  return overlapped + (sum - overlapped) / blocks;  // a single block overlaps with nothing
}

/// Seconds of copy: full waves, a last wave of the rest, and one launch.
inline double copy_seconds(double n, int E, int t, double beta = true_beta, double work = true_work,
                           double q = true_q) {
  const double blocks = std::ceil(n / E / t);
  const double held = std::min(threads_held / t, blocks_held);
  const double full = std::floor(blocks / (held * multiprocessors));
  const double left = std::ceil((blocks - full * held * multiprocessors) / multiprocessors);
  // n words spread over all threads: those of the last block may have less to do.
  const double share = n / (blocks * t * E);
  double clocks = 0;
  if (full > 0) clocks += full * wave_clocks(E, t, held, beta, work, q);
  if (left > 0) clocks += wave_clocks(E, t, left, beta, work, q);
  return share * clocks / clock_hz + launch_overhead + kernel_gap;
}

inline Measurement copy_run(double n, int E, int t, double seconds) {
  Measurement run;
  run.algorithm = "copy";
  run.problem = copy_algorithm().problem(n);
  run.problem.parameters = {{"E", E}, {"t", t}};
  run.seconds = {seconds};
  run.checked = true;
  return run;
}

/// Sizes from 2^14 to 2^28 with 22 parameter sets.
inline std::vector<Measurement> synthetic_runs(double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> log_error(0, noise);
  std::vector<Measurement> runs;
  for (int k = 14; k <= 28; ++k)
    for (int E : {1, 2, 3, 4, 6, 8, 12, 16, 17, 24, 32})
      for (int t : {64, 256}) {
        const double n = std::ldexp(1, k);
        // One factor for all repeats: the error of a law does not average out.
        runs.push_back(copy_run(n, E, t, copy_seconds(n, E, t) * std::exp(log_error(random))));
      }
  return runs;
}

}  // namespace fathom::synthetic
