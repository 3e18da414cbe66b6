// The law `counted`: the time of a launch from what its blocks ask of the machine (work.h) and from what the
// machine can do (Rates in machine.h). No constant belongs to an algorithm.
//
// On one multiprocessor, in clocks. A block takes c_r of resource r: its demand over the measured rate.
// Alone, without any queue, one of its warps takes λ: its instructions, plus the latencies that it waits for.
// With R blocks resident, resources overlap, and waiting is one of them:
//
//     T(R) = (Σ_r (R·c_r)^q + λ^q)^(1/q)
//
// The measured q says how well. Between its barriers, however, a block uses one resource after another, so a
// lone block takes nearly the sum T₁ = Σ c + λ of memory, computation and waiting, and few blocks take some
// of it:
//
//     T'(R) = T(R) + share·R^(1 − decay)·(T₁ − T(R)/R)
//
// Launches consist of full waves of R blocks and a last one of fewer.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/model/descriptor.h>
#include <fathom/model/machine.h>
#include <fathom/model/predict.h>
#include <fathom/model/resource.h>
#include <fathom/model/work.h>

#include <array>
#include <string_view>
#include <vector>

namespace fathom {

/// What the law needs to know of a launch besides the work of its blocks.
struct LaunchShape {
  double blocks = 1;
  int threads_per_block = 32;
  double shared_bytes_per_block = 0;
  int resident = 1;  ///< blocks per multiprocessor
};

/// The time of one launch, in seconds.
template <class Real>
struct LaunchTime {
  /// Each resource alone. They overlap: none takes longer than `busy`. Waiting counts once per wave.
  std::array<Real, all_resources.size()> alone{};
  Real busy{0};   ///< from the first block's start to the last one's end
  Real fixed{0};  ///< the launch itself, the start of DRAM traffic, and the first fetch of the code

  Real seconds() const { return busy + fixed; }
  const Real& of(Resource resource) const { return alone[std::size_t(resource)]; }
};

/// Throws MissingConstant if a rate that the work needs was not measured.
template <class Real>
LaunchTime<Real> launch_time(const Work& work, const LaunchShape& shape, const Machine<Real>& machine);

/// A launch of a plan, or several of one shape, with the work of a block.
struct CountedLaunch {
  std::string_view kernel;
  Work work;
  LaunchShape shape;
  double repeats = 1;
};

/// The launches of a plan for n elements. `machine` counts with its limits and its name. Throws
/// std::invalid_argument for a kernel that `work` lacks, and BlockTooLarge if no multiprocessor holds a
/// block.
template <class Real>
std::vector<CountedLaunch> counted_launches(double n, const Plan& plan, const AlgorithmWork& work,
                                            const Machine<Real>& machine);

/// The launches of a plan, one after another.
template <class Real>
struct RunTime {
  std::vector<LaunchTime<Real>> launches;  ///< of each launch in the plan, one of its repeats
  Real seconds{0};                         ///< of all, with the overhead of the sequence
};

/// What the algorithm launches for the problem, if its kernels have the registers that `work` states. Throws
/// std::invalid_argument for a problem that the algorithm does not solve or a kernel that `work` lacks.
template <class Real>
Plan plan_with_work(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                    const AlgorithmWork& work);

/// Throws MissingConstant.
template <class Real>
RunTime<Real> run_time(const std::vector<CountedLaunch>& launches, const Machine<Real>& machine);
/// For n elements, with the plan of plan_with_work(). Throws also what counted_launches() throws.
template <class Real>
RunTime<Real> run_time(double n, const Plan& plan, const AlgorithmWork& work, const Machine<Real>& machine);

/// The share of the bytes that a launch reads and writes which the L2 serves, if the launch before it touched
/// the same arrays.
template <class Real>
Real l2_share(const Real& footprint_bytes, bool reads_only, const Machine<Real>& machine);

}  // namespace fathom
