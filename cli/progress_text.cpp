// SPDX-License-Identifier: Apache-2.0
#include "progress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::cli {

std::string clock_text(double seconds) {
  const long whole = std::lround(std::floor(seconds));
  const long hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string about(double seconds) {
  const auto in = [&](double unit) { return std::lround(std::max(1., std::ceil(seconds / unit))); };
  if (seconds <= 10) return fmt::format("about {} s", in(1));
  if (seconds <= 90) return fmt::format("about {} s", 10 * in(10));
  if (seconds <= 90 * 60) return fmt::format("about {} min", in(60));
  return fmt::format("about {} h", in(3600));
}

std::string ProgressText::line(std::string_view what, std::size_t done, std::size_t total, double seconds) {
  if (total != total_ || done < done_) {
    total_ = total;
    first_done_ = done;
    begin_ = seconds;
  }
  done_ = done;
  now_ = seconds;
  std::string text = fmt::format("{}/{} · {}", done, total, what);
  constexpr double soon = 2;  // seconds: what ends by then needs no times
  if (elapsed() < soon) return text;
  text += " · " + clock_text(elapsed());
  const double steps = double(done - first_done_), share = steps / double(total);
  constexpr double few_steps = 3, small_share = 0.05;
  if (done < total && (steps >= few_steps || share >= small_share))
    text += fmt::format(", {} left", about(elapsed() / steps * double(total - done)));
  return text;
}

bool Pace::is_due(double seconds) {
  if (seconds < next_at_) return false;
  next_at_ = seconds + between_;
  return true;
}

std::string cut(std::string_view line, std::size_t columns) {
  if (columns == 0) return {};
  std::size_t characters = 0, last = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool continues = (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80;
    if (continues) continue;
    if (++characters == columns) last = at;
    if (characters > columns) return std::string(line.substr(0, last)) + "…";
  }
  return std::string(line);
}

}  // namespace fathom::cli
