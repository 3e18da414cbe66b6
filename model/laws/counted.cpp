// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/laws/counted.h>

#include <fathom/model/laws/dual.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace fathom {

using real::exp;
using real::log;

template <class Real>
Plan plan_with_work(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                    const AlgorithmWork& work) {
  algorithm.check(problem);
  const PlanDevice device =
      plan_device(machine.multiprocessors, machine.limits,
                  [&](const Launch& launch) -> double { return work.of(launch.name()).registers; });
  return algorithm.plan(algorithm.with_path(problem, work.input, device), device);
}

namespace {

/// What a launch touches was touched before by the launch ahead of it, if at all: the first by the last of
/// the run before. Launches that repeat in turn follow the last of their group; if each repeat has a part of
/// the elements, the first of the group finds its own untouched.
void set_reach(double n, const Plan& plan, std::vector<CountedLaunch>& launches) {
  const auto touched = [&](std::size_t i) {
    const CountedLaunch& one = launches[i];
    return bytes_touched(one.work, one.shape);
  };
  for (std::size_t first = 0, end = 0; first < launches.size(); first = end) {
    const double repeats = launches[first].repeats;
    for (end = first + 1; end < launches.size() && repeats > 1 && launches[end].repeats == repeats;) ++end;
    for (std::size_t i = first; i < end; ++i)
      launches[i].shape.reach_bytes = touched(i > first     ? i - 1
                                              : repeats > 1 ? end - 1
                                              : first > 0   ? first - 1
                                                            : launches.size() - 1);
    const double elements = plan[first].elements;
    if (repeats > 1 && elements > 0 && elements < 0.75 * n)
      launches[first].shape.reach_bytes = repeats * touched(first);
  }
}

}  // namespace

template <class Real>
std::vector<CountedLaunch> counted_launches(double n, const Plan& plan, const AlgorithmWork& work,
                                            const Machine<Real>& machine) {
  const std::vector<WorkSize> sizes = work_sizes(n, plan);
  std::vector<CountedLaunch> launches;
  launches.reserve(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const BlockShape& shape = plan[i].shape;
    const KernelWork& kernel = work.of(plan[i].name());
    const int resident = resident_blocks(machine.limits, shape, kernel.registers);
    if (resident == 0)
      throw BlockTooLarge("no multiprocessor of '" + machine.name + "' holds a block of " +
                          std::string(plan[i].name()) + ": " + std::to_string(shape.threads) +
                          " threads with " + std::to_string(shape.shared_bytes) + " bytes of shared memory");
    const bool grows = kernel.per_element.instructions > 0;  // blocks of a fixed grid have more with larger n
    launches.push_back({.kernel = plan[i].name(),
                        .work = kernel.at(sizes[i]),
                        .once = grows ? kernel.at({}) : Work{},
                        .shape = {.blocks = double(plan[i].blocks),
                                  .threads_per_block = shape.threads,
                                  .shared_bytes_per_block = double(shape.shared_bytes),
                                  .resident = resident,
                                  .carveout = machine.limits.shared_bytes_per_multiprocessor *
                                              std::max(0, shape.carveout) / 100,
                                  .sleep_s = 1e-9 * plan[i].sleep_ns,
                                  .in_place = plan[i].in_place,
                                  .fixed_grid = grows,
                                  .in_turn = plan[i].in_turn,
                                  .exposed_traffic = plan[i].exposed_traffic},
                        .repeats = plan[i].repeats});
  }
  set_reach(n, plan, launches);
  return launches;
}

Multiplicity multiplicity_of(const std::vector<CountedLaunch>& launches, const Machine<double>& machine) {
  const auto wavefronts = [](const CountedLaunch& launch) {
    return launch.work.shared_wavefronts * launch.shape.blocks * launch.repeats;
  };
  const LaunchShape& busiest = std::ranges::max_element(launches, {}, wavefronts)->shape;
  return {double(busiest.resident) * busiest.threads_per_block / machine.cores_per_multiprocessor};
}

template <class Real>
RunTime<Real> run_time(const std::vector<CountedLaunch>& launches, const Machine<Real>& machine,
                       const Factors<Real>& factors) {
  RunTime<Real> time;
  time.launches.reserve(launches.size());
  time.seconds = required(machine.launch_overhead, "launch_overhead", machine.name);
  for (const CountedLaunch& launch : launches) {
    time.launches.push_back(launch_time(launch.work, launch.shape, machine, launch.once, factors));
    time.launches.back() *= launch.scale;
    time.seconds += launch.repeats * time.launches.back().seconds();
  }
  return time;
}

template <class Real>
RunTime<Real> run_time(double n, const Plan& plan, const AlgorithmWork& work, const Machine<Real>& machine) {
  return run_time(counted_launches(n, plan, work, machine), machine);
}

template <class Real>
LaunchTime<Real>& LaunchTime<Real>::operator*=(double factor) {
  for (Real& each : alone) each *= factor;
  busy *= factor;
  fixed *= factor;
  return *this;
}
template struct LaunchTime<double>;
template struct LaunchTime<Dual>;

template Plan plan_with_work(const Descriptor&, const Machine<double>&, const Problem&, const AlgorithmWork&);
template Plan plan_with_work(const Descriptor&, const Machine<Dual>&, const Problem&, const AlgorithmWork&);
template std::vector<CountedLaunch> counted_launches(double, const Plan&, const AlgorithmWork&,
                                                     const Machine<double>&);
template std::vector<CountedLaunch> counted_launches(double, const Plan&, const AlgorithmWork&,
                                                     const Machine<Dual>&);
template RunTime<double> run_time(const std::vector<CountedLaunch>&, const Machine<double>&,
                                  const Factors<double>&);
template RunTime<Dual> run_time(const std::vector<CountedLaunch>&, const Machine<Dual>&,
                                const Factors<Dual>&);
template RunTime<double> run_time(double, const Plan&, const AlgorithmWork&, const Machine<double>&);
template RunTime<Dual> run_time(double, const Plan&, const AlgorithmWork&, const Machine<Dual>&);

// 1/(1 + (footprint/half)^l2_steepness), rounded to 0 or 1 within a millionth.
template <class Real>
Real l2_share(const Real& footprint_bytes, bool reads_only, const Machine<Real>& machine) {
  const std::optional<Real>& half =
      reads_only && machine.l2_half_reading ? machine.l2_half_reading : machine.l2_half;
  if (!half || !machine.l2_steepness || !(footprint_bytes > 0)) return Real(0);
  const Real logit = *machine.l2_steepness * log(Real(footprint_bytes / *half));
  constexpr double millionth = 13.8;
  if (logit > millionth) return Real(0);
  if (logit < -millionth) return Real(1);
  return 1 / (1 + exp(logit));
}

template double l2_share(const double&, bool, const Machine<double>&);
template Dual l2_share(const Dual&, bool, const Machine<Dual>&);

}  // namespace fathom
