// SPDX-License-Identifier: Apache-2.0
// The law `published`, from phases to time, and what every law predicts.
#pragma once

#include <fathom/model/estimate.h>
#include <fathom/model/laws/law.h>
#include <fathom/model/resources.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

enum class Limit { bandwidth, latency };

/// The time that all phases of one name spend at one level, for this level alone; 0 where a longer level of
/// the same phase hides it (Phase::overlap).
struct PhaseTime {
  std::string_view phase;
  double launches;
  Level level;
  double accesses;  ///< 32-bit words
  double seconds;
  Limit limited_by;
};

/// Time per level of the formulas over all phases; the papers leave launches out. Levels overlap, so these
/// need not add up to the predicted time.
struct Terms {
  double global_s = 0, shared_s = 0, register_s = 0;
};

struct Bottleneck {
  Level level;  ///< with the largest time
  Limit limit;
};

/// The seconds of each resource over all launches, under `counted` and `fitted`. With the overlap they add up
/// to the time.
struct ResourceTerms {
  std::array<double, all_resources.size()> alone_s{};  ///< if nothing else took time
  double launch_s = 0;   ///< the launches themselves, first fetches of code, and starts of DRAM
  double overlap_s = 0;  ///< the rest of the time: negative as far as resources work at the same time

  double of(Resource resource) const { return alone_s[std::size_t(resource)]; }
};

/// The resource that shortens the time most if it is 10 % faster.
struct Bound {
  std::optional<Resource> resource{};  ///< absent: the launches themselves
  double saved_s = 0;
};

/// All launches of one kernel.
struct KernelTime {
  std::string kernel;
  double launches = 0;
  double seconds = 0;
  Bound bound{};
};

/// All steps of one name that GPUs of a group take, or all exchanges between them. The seconds of all add up
/// to the predicted time: of an exchange beside launches, only what it takes longer than these counts.
struct StepTime {
  std::string step;  ///< "sort"
  double seconds = 0;
  double hidden_s = 0;  ///< of exchanges: what goes on beside launches, which `seconds` leaves out
};

struct Prediction {
  double time_s = 0;
  std::optional<Interval> interval_s;  ///< filled by a Predictor (calibration/predictor.h)

  // Under `published`.
  Terms terms;  ///< they add up to time_s only under Composition::sum
  std::optional<Bottleneck> bottleneck;
  std::vector<PhaseTime> phases;

  // Under `counted` and `fitted`.
  std::optional<ResourceTerms> resources;
  // Filled by Predictor::explained().
  std::optional<Bound> bound;
  std::vector<KernelTime> kernels;  ///< in the order of their first launch
  std::vector<StepTime> steps{};    ///< of an algorithm with steps, in the order of the first of each name
  std::optional<Interval> exchanges_s{};     ///< of all exchanges; absent if links have none
  std::optional<Assumptions> assumptions{};  ///< absent if all work was counted
};

std::string in_words(std::string_view algorithm, double n);  ///< "sort-kway at n = 2^10"

/// Thrown instead of a time or an interval that is not finite and positive; what() is one line that names
/// what was predicted and the term. Constants within [1e-12, 1e15] cannot cause it.
struct ImpossibleTime : std::runtime_error {
  ImpossibleTime(std::string_view what, std::string_view term);
};
/// Thrown if no multiprocessor holds a block; what() names the kernel and its resources.
struct BlockTooLarge : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// The law `published`; predict_counted.h has the others.

/// The phases of the problem. Unless the reading says otherwise, their X is at most the threads that are
/// resident on a core: formulas derive it from shared memory alone. Throws std::invalid_argument for an
/// algorithm without a formula, less than one element, and parameters or options out of range.
Phases phases_of(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                 const Reading& reading = {});

/// Throws like phases_of(); MissingConstant if a constant that the law needs is missing; ImpossibleTime.
Prediction predict(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                   const Law& law, std::optional<double> conflict = {});

/// Only the time, in seconds, for double or Dual. It is not checked. Throws MissingConstant.
template <class Real>
Real predicted_seconds(const Phases& phases, const Machine<Real>& machine, const Law& law);

}  // namespace fathom
