// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/repetition.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace fathom::microbench {

bool has_settled(const Series& series) {
  constexpr double widest = 0.01;
  const auto [least, most] = std::ranges::minmax(series.samples);
  return most - least <= widest * quartiles(series.samples).median;
}

void sleep_watchfully(double seconds, const std::function<void()>& look) {
  constexpr double slice = 0.2;
  for (double left = seconds; left > 0; left -= slice) {
    look();
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, slice)));
  }
}

Series Repetition::operator()(const Measure& measure) {
  // Most disturbances are another process's burst of work, or a clock that settles after it.
  constexpr std::array<double, rounds> pauses{0, 0.25, 1, 4};  // s
  Series series = measure();
  for (int round = 1; round <= rounds && is_disturbed(series) && seconds_left_ > 0; ++round) {
    const double begin = now_();
    if (const double pause = pauses[std::size_t(round - 1)]; pause > 0)
      pause_(series, std::min(pause, seconds_left_), round);
    series = measure();
    seconds_left_ -= now_() - begin;
  }
  return series;
}

}  // namespace fathom::microbench
