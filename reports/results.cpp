// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/results.h>

#include <fathom/model/formulas/phase.h>
#include <fathom/model/tune.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace fathom::reports {
namespace {

constexpr double bytes_per_word = 4;

std::optional<double> unless_zero(double seconds) {
  return seconds == 0 ? std::nullopt : std::optional(seconds);
}

}  // namespace

std::string in_words(const std::optional<Bottleneck>& bottleneck) {
  if (!bottleneck) return "launches";
  return std::string(name(bottleneck->level)) +
         (bottleneck->limit == Limit::bandwidth ? " bandwidth" : " latency");
}

std::string in_words(const Bound& bound) {
  return bound.resource ? std::string(in_words(*bound.resource)) : "launches";
}

std::string limit_in_words(const Prediction& prediction) {
  if (prediction.bound) return in_words(*prediction.bound);
  return in_words(prediction.bottleneck);
}

const TuneCandidate* TuneReport::fastest_measured() const {
  const TuneCandidate* fastest = nullptr;
  for (const TuneCandidate& one : candidates)
    if (one.measured_s && (!fastest || *one.measured_s < *fastest->measured_s)) fastest = &one;
  return fastest;
}

std::string reading_in_words(const std::optional<Law>& law) {
  if (!law) return "";
  std::vector<std::string> readings;
  if (law->ceiling != Ceiling::as_printed) readings.push_back(fmt::format("ceiling {}", name(law->ceiling)));
  if (law->composition.q != 1) readings.push_back("composition " + text_of(law->composition));
  for (const auto& [option, value] : law->options) readings.push_back(fmt::format("{} = {}", option, value));
  return fmt::format("{}", fmt::join(readings, ", "));
}

namespace {

/// `time_of` gives a report's predicted seconds.
template <class Reports, class TimeOf>
std::optional<std::size_t> tied(const Reports& reports, TimeOf time_of) {
  std::vector<double> seconds;
  for (const auto& report : reports) {
    if (!definition(report.law).has_intervals()) return std::nullopt;
    seconds.push_back(time_of(report));
  }
  return tied_times(seconds);
}

}  // namespace

std::optional<std::size_t> tied(const PredictionRanking& ranking) {
  return tied(ranking.predictions, [](const PredictionReport& report) { return report.prediction.time_s; });
}

std::optional<std::size_t> tied(const TuneRanking& ranking) {
  return tied(ranking.tunings,
              [](const TuneReport& report) { return report.candidates.front().prediction.time_s; });
}

std::string left_out_in_words(const std::vector<Unpredicted>& unpredicted) {
  if (unpredicted.empty()) return "";
  const bool one = unpredicted.size() == 1;
  return fmt::format("{} no prediction and {} left out: {}",
                     one ? "1 point has" : fmt::format("{} points have", unpredicted.size()),
                     one ? "is" : "are", unpredicted.front().why);
}

double input_and_output_bytes(const Problem& problem) {
  const double outputs = problem.kind == Kind::reduce ? 1 : problem.n;
  return (problem.n + outputs) * problem.bytes_per_element();
}

std::optional<double> bytes_per_second(const Machine<double>& machine, Level level) {
  const std::optional<double>& B = machine.at(level).bandwidth;
  if (!B || machine.clock.value == 0) return std::nullopt;
  return *B * machine.P() * machine.clock.value * bytes_per_word;
}

DeviceEntry device_entry(const DeviceProfile& profile, const std::string& where) {
  const Machine<double>& machine = profile.machine;
  return {.name = profile.name,
          .where = where,
          .origin = profile.origin,
          .implausible = !profile.implausible.empty(),
          .gpu = profile.provenance.gpu.empty() ? machine.name : profile.provenance.gpu,
          .multiprocessors = machine.multiprocessors,
          .cores_per_multiprocessor = machine.cores_per_multiprocessor,
          .clock_hz = unless_zero(machine.clock.value),
          .global_memory_bytes = unless_zero(machine.global_memory.value),
          .global_bytes_per_second = bytes_per_second(machine, Level::global)};
}

TimeShares time_shares(const Prediction& prediction) {
  TimeShares shares;
  std::vector<std::pair<double, double*>> parts;  // its time alone, and where its share goes
  double left_s = prediction.time_s;
  if (const auto& resources = prediction.resources) {
    shares.launch_s = std::min(resources->launch_s, left_s);
    left_s -= shares.launch_s;
    for (const Resource resource : all_resources)
      parts.emplace_back(resources->of(resource), &shares.resource_s[std::size_t(resource)]);
  } else {
    for (const Level level : formula_levels)
      parts.emplace_back(term_seconds(prediction, level).value_or(0), &shares.level_s[std::size_t(level)]);
  }
  std::ranges::stable_sort(parts, std::greater(), [](const auto& part) { return part.first; });
  for (const auto& [alone_s, share] : parts) {
    *share = std::min(alone_s, left_s);
    left_s -= *share;
  }
  if (left_s > 1e-9 * prediction.time_s) shares.in_turn_s = left_s;  // not what rounding leaves
  return shares;
}

std::optional<double> term_seconds(const Prediction& prediction, Level level) {
  switch (level) {
    case Level::global:
      return unless_zero(prediction.terms.global_s);
    case Level::l2:
      break;  // no formula counts its accesses
    case Level::shared:
      return unless_zero(prediction.terms.shared_s);
    case Level::registers:
      return unless_zero(prediction.terms.register_s);
  }
  return std::nullopt;
}

double sum_of_terms(const Prediction& prediction) {
  const Terms& terms = prediction.terms;
  return terms.global_s + terms.shared_s + terms.register_s;
}

}  // namespace fathom::reports
