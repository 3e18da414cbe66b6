// SPDX-License-Identifier: Apache-2.0
// What is said about long work while it goes on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fathom::cli {

/// Tells how long work has taken and when it will end, from how much of it is done when.
class ProgressText {
 public:
  /// "12/88 · radix-onesweep u64 · 1:10, about 7 min left". The times are there from two seconds on, the last
  /// one once a few steps, or a twentieth, are done. `seconds` are of a clock that does not go back. Another
  /// total, or less done than before, is other work, which begins then.
  std::string line(std::string_view what, std::size_t done, std::size_t total, double seconds);
  /// Of the work of the last line.
  double elapsed() const { return now_ - begin_; }

 private:
  std::size_t total_ = 0, first_done_ = 0, done_ = 0;
  double begin_ = 0, now_ = 0;
};

/// Decides when lines are shown. Seconds are as above.
class Pace {
 public:
  Pace(double first_at, double between) : next_at_(first_at), between_(between) {}
  /// Returns whether a line is due. It counts as shown then, and the next one is due later.
  bool is_due(double seconds);

 private:
  double next_at_, between_;
};

/// Returns the first `columns` characters of a line of valid UTF-8; the last is "…" if some are cut off.
std::string cut(std::string_view line, std::size_t columns);

/// "1:10", "1:02:03".
std::string clock_text(double seconds);
/// "about 40 s", "about 7 min", "about 2 h": rounded up, so coarsely as a guess deserves.
std::string about(double seconds);

}  // namespace fathom::cli
