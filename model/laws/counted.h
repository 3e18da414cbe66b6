// SPDX-License-Identifier: Apache-2.0
// The law `counted`: the time of a launch from what its blocks ask of the machine (work.h) and from what the
// machine can do (Rates in machine.h). No constant belongs to an algorithm.
//
// On one multiprocessor, in clocks. A block takes c_r of resource r: its demand over the measured rate.
// Alone, without any queue, its slowest warp takes λ: its instructions, plus the latencies that it waits for.
// With R blocks resident, the pipes of the multiprocessor overlap each other, and then memory, as their norm
// with the measured q says; waiting overlaps all of that with an exponent s of its own:
//
//     P(R) = ‖R·c_shared, R·c_alu, R·c_fma, R·c_issue, R·c_barriers‖_q
//     W(R) = ‖R·(c_dram + c_l2), P(R), R·c_in flight‖_q
//     T(R) = ‖W(R), λ‖_s
//
// Between its barriers, however, a block uses one resource after another, so a lone block takes nearly the
// sum T₁ = α·c_memory + P(1) + λ, and few blocks take some of it. DRAM serves other multiprocessors
// meanwhile, so c_memory is all its traffic at the rates of the L2; α is 1 but for blocks that read ahead.
// Warps that no barrier holds together are as independent as blocks. Of the waits of a warp, κ are ended by a
// barrier; with A(κ) = κ·R^−decay + (1−κ)·(R·warps)^−decay:
//
//     T'(R) = T(R) + share·A(κ)·(R·T₁ − T(R))
//
// Launches consist of full waves of R blocks and a last one of fewer. Those of the first wave start one after
// another, (R−1)·c_starts for the last one; the others when one before them has ended, a turnover later, and
// a wave takes no less than R·c_starts. In the first wave all blocks read before any has what it works on, so
// that it takes no less than reading and then ‖‖P(R), λ‖_s, writing‖_q. Blocks of a fixed grid, which work on
// more the more there is, read again and again; they spend the constant part of λ before and after that: it
// is added once.
#pragma once

#include <fathom/core/plan.h>
#include <fathom/model/descriptor.h>
#include <fathom/model/laws/predict.h>
#include <fathom/model/machine.h>
#include <fathom/model/resources.h>
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
  int resident = 1;            ///< blocks per multiprocessor
  double carveout = 0;         ///< bytes for shared memory that the launch asks for
  double sleep_s = 0;          ///< that a block asks to sleep
  bool in_place = false;       ///< it writes what it has read
  bool fixed_grid = false;     ///< its blocks have more to do with larger n
  bool in_turn = false;        ///< the blocks of a fixed grid are near each other in the data
  double exposed_traffic = 1;  ///< the share that nothing overlaps (Launch::exposed_traffic)
  /// Distinct bytes touched since its data were touched before, if more than it touches itself.
  double reach_bytes = 0;
};

/// Distinct bytes that the launch reads or writes.
double bytes_touched(const Work& work, const LaunchShape& shape);

/// The time of one launch, in seconds.
template <class Real>
struct LaunchTime {
  /// Each resource alone. They overlap: none takes longer than `busy`. Waiting counts once per wave.
  std::array<Real, all_resources.size()> alone{};
  Real busy{0};   ///< from the first block's start to the last one's end
  Real fixed{0};  ///< the launch itself, the start of DRAM traffic, and the first fetch of the code

  Real seconds() const { return busy + fixed; }
  LaunchTime& operator*=(double factor);
  const Real& of(Resource resource) const { return alone[std::size_t(resource)]; }
};

/// `once`: the part of the work, if any, that a block of a fixed grid does however little there is to do; of
/// it, only what λ needs. Throws MissingConstant if a rate that the work needs was not measured.
template <class Real>
LaunchTime<Real> launch_time(const Work& work, const LaunchShape& shape, const Machine<Real>& machine,
                             const Work& once = {}, const Factors<Real>& factors = {});

/// A launch of a plan, or several of one shape, with the work of a block.
struct CountedLaunch {
  std::string_view kernel;
  Work work, once;  ///< of launch_time()
  LaunchShape shape;
  double repeats = 1;
  double scale = 1;  ///< of its time: how far the law is known to be off
};

/// The launches of a plan for n elements, of runs that follow one another on the same data. `machine` counts
/// with its limits and its name. Throws std::invalid_argument for a kernel that `work` lacks, and
/// BlockTooLarge if no multiprocessor holds a block.
template <class Real>
std::vector<CountedLaunch> counted_launches(double n, const Plan& plan, const AlgorithmWork& work,
                                            const Machine<Real>& machine);

/// Of the kernel with the most wavefronts of shared memory in all its launches. There must be a launch.
Multiplicity multiplicity_of(const std::vector<CountedLaunch>& launches, const Machine<double>& machine);

/// The launches of a plan, one after another.
template <class Real>
struct RunTime {
  std::vector<LaunchTime<Real>> launches;  ///< of each launch in the plan, one of its repeats
  Real seconds{0};                         ///< of all, with the overhead of the sequence
};

/// What the algorithm launches for the problem and the input of `work`, on the path that it is likely to
/// take, if its kernels have the registers that `work` states. Throws std::invalid_argument for a problem
/// that the algorithm does not solve or a kernel that `work` lacks.
template <class Real>
Plan plan_with_work(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                    const AlgorithmWork& work);

/// Throws MissingConstant.
template <class Real>
RunTime<Real> run_time(const std::vector<CountedLaunch>& launches, const Machine<Real>& machine,
                       const Factors<Real>& factors = {});
/// For n elements, with the plan of plan_with_work(). Throws also what counted_launches() throws.
template <class Real>
RunTime<Real> run_time(double n, const Plan& plan, const AlgorithmWork& work, const Machine<Real>& machine);

/// The share of the bytes that a launch reads and writes which the L2 serves, if so many distinct bytes were
/// touched since.
template <class Real>
Real l2_share(const Real& footprint_bytes, bool reads_only, const Machine<Real>& machine);

}  // namespace fathom
