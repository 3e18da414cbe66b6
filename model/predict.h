// The cost law: from phases to time.
#pragma once

#include <fathom/model/descriptor.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace fathom {

/// How level times are combined: (T_g^q + T_s^q + T_r^q)^(1/q). q = 1 is the sum (no overlap), infinity the
/// maximum.
struct Composition {
  double q = 1;
  static constexpr Composition sum() { return {1}; }
  static constexpr Composition max() { return {std::numeric_limits<double>::infinity()}; }
};

enum class Ceiling { as_printed, always, never };

/// `published`: models.md §1 to the letter. `calibrated`: the law of models.md §9.
struct Law {
  LawName law = LawName::calibrated;
  Ceiling ceiling = Ceiling::as_printed;  ///< of ⌈L/(X·I)⌉, in `published` only
  /// Default: that of the algorithm's fit (calibration/fit.h), else the sum.
  std::optional<Composition> composition{};

  double q() const { return composition.value_or(Composition::sum()).q; }
};

enum class Limit { bandwidth, latency };

struct Interval {
  double low, high;  ///< 95 %
};

/// The time that all phases of one name spend at one level, for this level alone.
struct PhaseTime {
  std::string_view phase;
  double launches;
  Level level;
  double accesses;  ///< 32-bit words
  double seconds;
  Limit limited_by;
};

/// Time per level over all phases. Levels overlap, so these need not add up to the predicted time.
struct Terms {
  double global_s = 0, l2_s = 0, shared_s = 0, register_s = 0;
  double launch_s = 0;  ///< launches, block starts and DRAM starts
};

struct Bottleneck {
  Level level;  ///< with the largest time
  Limit limit;
};

struct Prediction {
  double time_s = 0;
  std::optional<Interval> interval_s;    ///< filled by predict_with_interval() (calibration/fit.h)
  Terms terms;                           ///< they add up to time_s only under Composition::sum
  std::optional<Bottleneck> bottleneck;  ///< empty if only launches take time
  std::vector<PhaseTime> phases;
};

/// Thrown instead of a time or an interval that is not finite and positive; what() is one line that names the
/// algorithm, n and the term. Constants within [1e-12, 1e15] cannot cause it.
struct ImpossibleTime : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Thrown if no multiprocessor holds a block; what() names the phase and its resources.
struct BlockTooLarge : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Checks the problem, and plans its launches: none under `published` and for algorithms without kernels. The
/// plan depends on the machine's counts and limits but not on measured constants, so fits and intervals plan
/// once and evaluate many times. Throws std::invalid_argument for an algorithm without a formula and if
/// parameters are out of range.
template <class Real>
Plan checked_plan(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                  LawName law);

/// Throws MissingConstant if a constant that the law needs is missing; std::invalid_argument like
/// checked_plan(), and BlockTooLarge; ImpossibleTime.
Prediction predict(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                   const Law& law, const ConstantValues<double>& constants);
/// With the plan that checked_plan() returned for the same arguments.
Prediction predict(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                   const Plan& plan, const Law& law, const ConstantValues<double>& constants);

/// Only the time, in seconds, for double or Dual. It is not checked: a fit may try constants for which it is
/// not finite.
template <class Real>
Real predicted_seconds(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                       const Law& law, const ConstantValues<Real>& constants);
template <class Real>
Real predicted_seconds(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                       const Plan& plan, const Law& law, const ConstantValues<Real>& constants);

}  // namespace fathom
