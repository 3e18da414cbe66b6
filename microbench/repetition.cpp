// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/repetition.h>

#include <algorithm>

namespace fathom::microbench {

Series Repetition::operator()(const Measure& measure) {
  // Most disturbances are another process's burst of work, or a clock that settles after it.
  constexpr double first_pause = 0.25, growth = 4;  // 0.25, 1 and 4 s
  Series series = measure();
  double pause = first_pause;
  for (int round = 1; round <= rounds && is_disturbed(series) && seconds_left_ > 0; ++round) {
    const double begin = now_();
    pause_(series, std::min(pause, seconds_left_), round);
    series = measure();
    seconds_left_ -= now_() - begin;
    pause *= growth;
  }
  return series;
}

}  // namespace fathom::microbench
