// SPDX-License-Identifier: Apache-2.0
// How often a series is repeated, and what is measured again because something disturbed it.
#pragma once

#include <fathom/core/measurement.h>

#include <functional>

namespace fathom::microbench {

/// After these a calm series ends. The bootstrapped 95 % interval of its median then holds the truth in 90 to
/// 92 % of cases; that of eleven samples does in 92 %, and of three in less than 75 %.
inline constexpr int fewest_repeats = 6;

/// True if all samples lie within 1 % of the median of each other: more of them could move no prediction by
/// as much as the law is off.
bool has_settled(const Series& series);

/// Sleeps, and calls `look` several times a second: if it throws, the sleep ends, as after an interrupt.
void sleep_watchfully(double seconds, const std::function<void()>& look);

/// Measures series, and those that were disturbed (is_disturbed()) again: at once, since a single sample is
/// disturbed now and then, and after growing pauses. All repetitions and pauses together take at most
/// `seconds`, give or take one series: a GPU that stays busy must not keep a calibration from ending. An
/// undisturbed series is measured once and costs nothing more.
class Repetition {
 public:
  using Measure = std::function<Series()>;
  /// Waits for some seconds. `round` counts from 1 to `rounds`.
  using Pause = std::function<void(const Series& disturbed, double seconds, int round)>;

  static constexpr int rounds = 4;

  /// `now` is a steady time in seconds.
  Repetition(double seconds, Pause pause, std::function<double()> now)
      : seconds_left_(seconds), pause_(std::move(pause)), now_(std::move(now)) {}

  /// The first series that is undisturbed, or the last one measured.
  Series operator()(const Measure& measure);

 private:
  double seconds_left_;
  Pause pause_;
  std::function<double()> now_;
};

}  // namespace fathom::microbench
