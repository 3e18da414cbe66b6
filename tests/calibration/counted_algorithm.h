// SPDX-License-Identifier: Apache-2.0
// A synthetic algorithm of one kernel, a GPU for it, and its times computed by hand: nothing overlaps, so
// that a wave takes the sum of its blocks' work and of one block's waiting.
#pragma once

#include <fathom/calibration/compare.h>
#include <fathom/model/constants.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace fathom::synthetic {

inline const KernelInfo computing{"Compute", nullptr, nullptr, {}};

/// t threads of a block take E elements each.
inline const Descriptor& computation() {
  static const Descriptor algorithm{
      .slug = "computation",
      .kind = Kind::sort,
      .group = "test",
      .source = "this test",
      .parameters = {{"E", "elements per thread", consecutive(1, 32), 4},
                     {"t", "threads per block", {64, 128, 256, 512}, 256}},
      .plan = [](const Problem& problem, const PlanDevice&) {
        const int t = problem.parameters.at("t"), E = problem.parameters.at("E");
        return Plan{{.kernel = &computing, .blocks = Index(std::ceil(problem.n / E / t)), .shape = {t, 0}}};
      }};
  return algorithm;
}

inline const Descriptor* find_computation(std::string_view slug) {
  return slug == "computation" ? &computation() : nullptr;
}

inline Problem problem_of(double n, int E, int t, ElementType type = ElementType::u32) {
  Problem problem = computation().problem(n, type);
  problem.parameters = {{"E", E}, {"t", t}};
  return problem;
}

constexpr int multiprocessors = 100;
constexpr double clock_hz = 1e9, launch_overhead = 3e-6, kernel_gap = 1e-6, latency = 500;

/// A profile at 1 GHz of whose constants each is 1.
inline DeviceProfile profile_of_ones(const std::string& name, int multiprocessors) {
  DeviceProfile profile;
  profile.name = profile.machine.name = name;
  profile.origin = "measured";
  profile.machine.multiprocessors = multiprocessors;
  profile.machine.cores_per_multiprocessor = 128;
  profile.machine.clock = Hertz{clock_hz};
  for_each_constant(profile.machine, [](std::string_view, std::optional<double>& value) { value = 1; });
  return profile;
}

inline DeviceProfile counted_profile() {
  DeviceProfile profile = profile_of_ones("synthetic", multiprocessors);
  Machine<double>& machine = profile.machine;
  machine.launch_overhead = launch_overhead;
  machine.kernel_gap = kernel_gap;
  machine.dram_start.reset();
  machine.block_start.reset();
  machine.l2_steepness.reset();
  machine.rates.dram_latency = latency;
  machine.rates.fetch = machine.rates.phase_share = machine.rates.turnover = 0;
  return profile;
}

/// Clocks of the ALU pipe for a block, and of its slowest warp alone.
inline double block_clocks(int E, int t, ElementType type) {
  return E * t * words(type) / 32.0 * 20;
}
inline double waiting_clocks(int E) {
  return 200 + E * latency;
}

/// The work of random input; other input takes twice as much.
inline std::shared_ptr<const AlgorithmWork> work_of(const Descriptor&, const Instantiation& type,
                                                    const Parameters& parameters, Input input) {
  const int E = parameters.at("E"), t = parameters.at("t");
  AlgorithmWork work;
  work.kernels = {{.kernel = "Compute",
                   .registers = 32,
                   .constant = {.alu = block_clocks(E, t, type.type.key) * (input == Input::random ? 1 : 2),
                                .issue_clocks = 200,
                                .global_waits = double(E)}}};
  return std::make_shared<const AlgorithmWork>(work);
}

inline double seconds_of(const Problem& problem, const Factors<double>& factors = {}) {
  const int E = problem.parameters.at("E"), t = problem.parameters.at("t");
  const double blocks = std::ceil(problem.n / E / t);
  const double resident = std::min(2048 / t, 32);
  const double full_waves = std::floor(blocks / multiprocessors / resident);
  const double rest = std::ceil(blocks / multiprocessors - full_waves * resident);
  const double waves = full_waves + (rest > 0 ? 1 : 0);
  // Four schedulers, the fullest of which decides; full waves fill all.
  const double warps = t / 32., as_if_balanced = std::ceil(rest * warps / 4) * 4 / warps;
  const double clocks =
      factors.work * (full_waves * resident + as_if_balanced) * block_clocks(E, t, problem.type) +
      factors.waiting * waves * waiting_clocks(E);
  return clocks / clock_hz + launch_overhead + kernel_gap;
}

inline Measurement run_of(const Problem& problem, double seconds) {
  Measurement run;
  run.algorithm = computation().slug;
  run.problem = problem;
  run.seconds = {seconds};
  run.checked = true;
  return run;
}

/// Sizes from 2^14 to 2^26 with 16 parameter sets, of u32 and u64: what the factors make of them, with noise.
inline std::vector<Measurement> synthetic_runs(const Factors<double>& factors, double noise,
                                               std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> log_error(0, noise);
  std::vector<Measurement> runs;
  for (int k = 14; k <= 26; ++k)
    for (int E : {1, 2, 4, 6, 8, 12, 16, 24})
      for (int t : {64, 256})
        for (ElementType type : {ElementType::u32, ElementType::u64}) {
          const Problem problem = problem_of(std::ldexp(1, k), E, t, type);
          // One factor for all repeats: the error of a law does not average out.
          runs.push_back(run_of(problem, seconds_of(problem, factors) * std::exp(log_error(random))));
        }
  return runs;
}

}  // namespace fathom::synthetic
