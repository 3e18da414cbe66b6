// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/crossover.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace fathom::reports {
namespace {

using Contender = Crossover::Contender;

struct Fastest {
  const Contender* who;
  double seconds;
};

/// By n. Of equal times that of the first contender counts.
std::map<double, Fastest> fastest(const Crossover& of, TimesOf times) {
  std::map<double, Fastest> found;
  for (const Contender& one : of.contenders)
    for (const auto& [n, seconds] : one.*times) {
      const auto [at, is_new] = found.try_emplace(n, Fastest{&one, seconds});
      if (!is_new && seconds < at->second.seconds) at->second = {&one, seconds};
    }
  return found;
}

std::optional<double> seconds_at(double n, const std::vector<Crossover::Time>& times) {
  const auto found = std::ranges::find(times, n, &Crossover::Time::n);
  return found == times.end() ? std::nullopt : std::optional(found->seconds);
}

/// Where `before`, the fastest at n = low, gives way to `after`, the fastest at n = high: in the middle if
/// one of them has no time at the other's n.
double border(const Contender& before, const Contender& after, double low, double high, TimesOf times) {
  const auto lead_at = [&](double n) -> std::optional<double> {
    const auto own = seconds_at(n, before.*times), other = seconds_at(n, after.*times);
    return own && other ? std::optional(std::log(*other / *own)) : std::nullopt;
  };
  const auto lead = lead_at(low), end = lead_at(high);
  return low * std::pow(high / low, lead && end && *lead > *end ? *lead / (*lead - *end) : 0.5);
}

}  // namespace

std::vector<Crossover::Time> fastest_times(const Crossover& of, TimesOf times) {
  std::vector<Crossover::Time> all;
  for (const auto& [n, first] : fastest(of, times)) all.push_back({n, first.seconds});
  return all;
}

std::vector<Reign> reigns(const Crossover& of, TimesOf times) {
  std::vector<Reign> all;
  const Contender* reigning = nullptr;
  for (const auto& [n, first] : fastest(of, times)) {
    if (reigning && reigning != first.who) {
      const double at = border(*reigning, *first.who, all.back().to, n, times);
      all.back().to = at;
      all.push_back({first.who->algorithm, at, n});
    } else if (!reigning) {
      all.push_back({first.who->algorithm, n, n});
    }
    all.back().to = n;
    reigning = first.who;
  }
  return all;
}

}  // namespace fathom::reports
