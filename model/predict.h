// The cost law: phases in, time out.
#pragma once

#include <fathom/model/descriptor.h>

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace fathom {

/// How level times are put together: (T_g^q + T_s^q + T_r^q)^(1/q). q = 1 is the sum (no overlap), infinity
/// the max.
struct Composition {
  double q = 1;
  static constexpr Composition sum() { return {1}; }
  static constexpr Composition max() { return {std::numeric_limits<double>::infinity()}; }
};

enum class Ceiling { as_printed, always, never };

/// `published`: models.md §1 to the letter. `calibrated`: the law of models.md §9.
struct Law {
  LawName law = LawName::calibrated;
  Ceiling ceiling = Ceiling::as_printed;  ///< of ⌈L/(X·I)⌉; only `published` has one
  std::optional<Composition>
      composition{};  ///< absent: the algorithm's fit's (calibration/fit.h), else the sum

  double q() const { return composition.value_or(Composition::sum()).q; }
};

enum class Limit { bandwidth, latency };

struct Interval {
  double low, high;  ///< 95 %
};

/// The time that the phases of one name spend at one level, by itself.
struct PhaseTime {
  std::string_view phase;
  double launches;
  Level level;
  double accesses;  ///< 32-bit words
  double seconds;
  Limit limited_by;
};

/// Of all phases, each level by itself: they overlap, and so need not add up to the time.
struct Terms {
  double global_s = 0, l2_s = 0, shared_s = 0, register_s = 0;
  double launch_s = 0;  ///< launches, the starts of their blocks, and of reading from DRAM
};

struct Bottleneck {
  Level level;  ///< where most of the time goes
  Limit limit;
};

struct Prediction {
  double time_s = 0;
  std::optional<Interval> interval_s;  ///< filled by predict_with_interval() (calibration/fit.h)
  Terms terms;  ///< each level alone; they add up to time_s only under Composition::sum
  std::optional<Bottleneck> bottleneck;  ///< absent when nothing but launches costs time
  std::vector<PhaseTime> phases;
};

/// Throws MissingConstant when the machine lacks one that the law needs; std::invalid_argument when the
/// problem does not fit (parameters out of range, a block that no multiprocessor holds).
Prediction predict(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
                   const Law& law, const ConstantValues<double>& constants);

/// The time alone, in seconds, for double or Dual: what fits and intervals evaluate many times.
template <class Real>
Real predicted_seconds(const Descriptor& algorithm, const Machine<Real>& machine, const Problem& problem,
                       const Law& law, const ConstantValues<Real>& constants);

}  // namespace fathom
