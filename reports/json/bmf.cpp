// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/json/bmf.h>

#include "json_parts.h"

#include <fmt/format.h>

#include <stdexcept>

namespace fathom::reports {
namespace {

using json_parts::Json;

/// What a prediction is of, besides its problem and device.
template <class Report>
std::string benchmark_name(const Report& of, const Problem& problem, const std::string& device) {
  std::string text = fmt::format("{} {} n={:.0f}", of.algorithm, name(Instantiation(problem)), problem.n);
  for (const auto& [parameter, value] : problem.parameters) text += fmt::format(" {}={}", parameter, value);
  if (of.input != Input::random) text += fmt::format(" input={}", name(of.input));
  text += fmt::format(" on {}, {}", device, name(of.law));
  if (const std::string reading = reading_in_words(of.reading); !reading.empty()) text += ", " + reading;
  for (const std::string& change : of.what_if) text += fmt::format(", {}", change);
  return text;
}

Json latency(const Prediction& prediction) {
  constexpr double nanoseconds = 1e9;
  Json metric = {{"value", prediction.time_s * nanoseconds}};
  if (prediction.interval_s) {
    metric["lower_value"] = prediction.interval_s->low * nanoseconds;
    metric["upper_value"] = prediction.interval_s->high * nanoseconds;
  }
  return {{"latency", metric}};
}

}  // namespace

std::string bmf(const PredictionReport& report) {
  Json benchmarks = Json::object();
  benchmarks[benchmark_name(report, report.problem, report.device)] = latency(report.prediction);
  return json_parts::printed(benchmarks);
}

std::string bmf(const PredictionSweep& sweep) {
  Json benchmarks = Json::object();
  for (const SweepPoint& point : sweep.points)
    if (point.prediction)
      benchmarks[benchmark_name(sweep, point.problem, point.device)] = latency(*point.prediction);
  if (benchmarks.empty()) throw std::runtime_error("no point has a prediction: " + sweep.points.front().why);
  return json_parts::printed(benchmarks);
}

}  // namespace fathom::reports
