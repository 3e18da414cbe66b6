#include <fathom/reports/trade_off.h>

#include <fathom/algorithms/registry.h>
#include <fathom/calibration/fit.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace fathom::reports {
namespace {

constexpr std::string_view slug = "scan-matrix";
constexpr ElementType type = ElementType::u32;
constexpr double n_without_measurements = 0x1p26;

Problem problem_of(const Formula& formula, double n, int alpha) {
  Problem problem{n, type, formula.default_parameters()};
  problem.parameters.set("alpha", alpha);
  return problem;
}

bool is_at(const Run& run, const std::string& parameter, int value) {
  const auto found = run.parameters.find(parameter);
  return found != run.parameters.end() && found->second == value;
}

/// First run of every α at the default number of threads, by n.
using RunsByRows = std::map<int, const Run*>;
std::map<double, RunsByRows> runs_by_size(const std::vector<Dataset>& datasets, int threads_per_block) {
  std::map<double, RunsByRows> found;
  for (const Dataset& dataset : datasets)
    for (const Run& run : dataset.runs)
      if (run.algorithm == slug && run.type == name(type) && run.input == "random" && !run.seconds.empty() &&
          run.parameters.contains("alpha") && is_at(run, "t", threads_per_block))
        found[run.n].try_emplace(run.parameters.at("alpha"), &run);
  return found;
}

/// At the largest n with seven of eight α or more: a curve with a hole is one still, a few points are none.
RunsByRows largest_sweep(const std::map<double, RunsByRows>& by_size, std::size_t all_rows) {
  for (auto at = by_size.rbegin(); at != by_size.rend(); ++at)
    if (8 * at->second.size() >= 7 * all_rows) return at->second;
  return {};
}

/// The phase that makes most shared accesses: its kernel works on tiles.
const Phase<double>& phase_of_tiles(const Phases<double>& phases) {
  const auto shared_accesses = [](const Phase<double>& phase) {
    double count = 0;
    for (const Access<double>& access : phase.accesses)
      if (access.level == Level::shared) count += access.count;
    return count;
  };
  return *std::max_element(phases.begin(), phases.end(), [&](const auto& a, const auto& b) {
    return shared_accesses(a) < shared_accesses(b);
  });
}

double multiplicity(const Phase<double>& phase, const Machine<double>& machine) {
  if (phase.multiplicity) return *phase.multiplicity;
  return double(resident_blocks(phase, machine.limits)) * phase.threads_per_block /
         machine.cores_per_multiprocessor;
}

TradeOff::Law predicted_over_rows(const DeviceProfile& profile, const Formula& formula, double n,
                                  LawName law) {
  TradeOff::Law predicted{law, {}};
  const ResolvedLaw resolved = resolve(profile, formula, type, Law{.law = law});
  for (int alpha : formula.find_parameter("alpha")->values) {
    const Problem problem = problem_of(formula, n, alpha);
    const Phases<double> phases = formula.phases(profile.machine, problem, resolved.constants, law);
    predicted.points.push_back({alpha, predict_with_interval(profile, formula, problem, Law{.law = law}),
                                multiplicity(phase_of_tiles(phases), profile.machine)});
  }
  return predicted;
}

/// "Measured bandwidth is highest at α = 22 (2622 GB/s), lowest at α = 1 (1953 GB/s)"
template <class Points, class SecondsOf>
std::string extremes(const std::string& of_what, double n, const Points& points, SecondsOf seconds_of) {
  const auto at = [&](const auto& point) {
    return fmt::format("α = {} ({})", point.alpha, bandwidth(scanned_bytes_per_second(n, seconds_of(point))));
  };
  const auto [fastest, slowest] =
      std::minmax_element(points.begin(), points.end(),
                          [&](const auto& a, const auto& b) { return seconds_of(a) < seconds_of(b); });
  return fmt::format("{} is highest at {}, lowest at {}", of_what, at(*fastest), at(*slowest));
}

/// "X goes from 82.7 to 2.59 threads per core by the published formula, below L·B = 7.47 from α = 12 on"
std::string multiplicity_words(const TradeOff::Law& law, const std::optional<double>& knee) {
  const bool published = law.name == LawName::published;
  std::string words =
      fmt::format("X goes from {} to {} threads per core {}", significant(law.points.front().X),
                  significant(law.points.back().X), published ? "by the published formula" : "in the kernel");
  // Only the published law has one access in flight per thread in the scan, so that X alone must reach L·B.
  const auto below = std::find_if(law.points.begin(), law.points.end(), [&](const TradeOff::Point& point) {
    return published && knee && point.X < *knee;
  });
  if (below != law.points.end())
    words += fmt::format(", below L·B = {} from α = {} on", significant(*knee), below->alpha);
  return words;
}

}  // namespace

double scanned_bytes_per_second(double n, double seconds) {
  constexpr double accesses = 2;
  return accesses * n * size_in_bytes(type) / seconds;
}

TradeOff trade_off(const DeviceProfile& profile, const std::vector<LawName>& laws,
                   const std::vector<Dataset>& datasets) {
  const Formula& formula = *find_formula(slug);
  const Machine<double>& machine = profile.machine;
  const LevelConstants<double>& global = machine.at(Level::global);
  TradeOff result;
  result.device = profile.name;
  result.threads_per_block = formula.default_parameters().at("t");
  result.most_X = double(machine.limits.threads_per_multiprocessor) / machine.cores_per_multiprocessor;
  if (global.latency && global.bandwidth) result.knee = *global.latency * *global.bandwidth;
  const auto by_size = runs_by_size(datasets, result.threads_per_block);
  const RunsByRows runs = largest_sweep(by_size, formula.find_parameter("alpha")->values.size());
  result.n = runs.empty() ? n_without_measurements : runs.begin()->second->n;
  for (const auto& [alpha, run] : runs) result.measured.push_back({alpha, quartiles(run->seconds)});
  for (LawName law : laws) try {
      result.predicted.push_back(predicted_over_rows(profile, formula, result.n, law));
    } catch (const MissingConstant&) {  // the law is not for this profile
    }
  return result;
}

std::string in_words(const TradeOff& over_rows) {
  std::vector<std::string> parts;
  if (!over_rows.measured.empty())
    parts.push_back(extremes("Measured bandwidth", over_rows.n, over_rows.measured,
                             [](const TradeOff::Measured& point) { return point.seconds.median; }));
  for (const TradeOff::Law& law : over_rows.predicted) {
    parts.push_back(extremes(fmt::format("Bandwidth by the {} law", law_name(law.name)), over_rows.n,
                             law.points,
                             [](const TradeOff::Point& point) { return point.prediction.time_s; }));
    parts.push_back(multiplicity_words(law, over_rows.knee));
  }
  return fmt::format("{}, n = {}: {}.", over_rows.device, elements(over_rows.n), fmt::join(parts, ". "));
}

}  // namespace fathom::reports
