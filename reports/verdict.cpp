// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/verdict.h>

#include <fathom/algorithms/baseline_of.h>
#include <fathom/algorithms/lists.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/reports/quantities.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace fathom::reports {
namespace {

/// An algorithm on a type, in the order in which they are listed.
struct AlgorithmOfType {
  std::size_t place;  ///< in the registry; its size for an unknown algorithm
  std::string algorithm;
  Instantiation type;
  auto operator<=>(const AlgorithmOfType&) const = default;
};
using Runs = std::vector<const ComparedRun*>;
using ByAlgorithm = std::map<AlgorithmOfType, Runs>;

std::size_t place_of(const std::string& slug) {
  const auto& all = algorithms();
  return std::size_t(std::ranges::find(all, slug, &Algorithm::slug) - all.begin());
}

/// Of the problem that its algorithm's parameters describe by default.
bool is_usual(const Measurement& run) {
  const Descriptor* algorithm = find_listed(run.algorithm);
  return !algorithm || std::ranges::all_of(algorithm->parameters, [&](const ParameterInfo& info) {
    return !info.of_problem || !run.problem.parameters.contains(info.name) ||
           run.problem.parameters.at(info.name) == info.default_value;
  });
}

bool counts(const ComparedRun& compared) {
  const Measurement& run = *compared.run;
  return run.checked && !run.clock_moved && run.input == Input::random &&
         run.problem.order == Order::ascending && is_usual(run);
}

/// Every algorithm and type that was measured, some without runs that count.
ByAlgorithm by_algorithm(const Comparison& comparison) {
  ByAlgorithm subjects;
  for (const ComparedRun& compared : comparison.runs) {
    const Measurement& run = *compared.run;
    if (find_group_algorithm(run.algorithm)) continue;  // reports have a section of them (scaling.h)
    Runs& runs = subjects[{place_of(run.algorithm), run.algorithm, Instantiation(run.problem)}];
    if (counts(compared)) runs.push_back(&compared);
  }
  return subjects;
}

bool is_faster(const ComparedRun* a, const ComparedRun* b) {
  return a->measured_s < b->measured_s;
}

/// nullptr if there is none.
const ComparedRun* fastest_at(const Runs& runs, double n) {
  const ComparedRun* fastest = nullptr;
  for (const ComparedRun* run : runs)
    if (run->run->problem.n == n && (!fastest || is_faster(run, fastest))) fastest = run;
  return fastest;
}

const Runs* runs_of(const ByAlgorithm& all, std::string_view algorithm, const Instantiation& type) {
  const auto found = std::ranges::find_if(all, [&](const auto& entry) {
    return entry.first.algorithm == algorithm && entry.first.type == type && !entry.second.empty();
  });
  return found == all.end() ? nullptr : &found->second;
}

Finding<Verdict::Speed> speed(const Descriptor& algorithm, const Instantiation& type, const Runs& runs,
                              const ByAlgorithm& all) {
  const std::string baseline(baseline_of(algorithm));
  const Runs* others = runs_of(all, baseline, type);
  if (!others) return {{}, "no run of " + baseline};
  double largest = 0;
  for (const ComparedRun* run : runs)
    if (fastest_at(*others, run->run->problem.n)) largest = std::max(largest, run->run->problem.n);
  if (largest == 0) return {{}, fmt::format("no n shared with {}", baseline)};
  const ComparedRun &own = *fastest_at(runs, largest), &other = *fastest_at(*others, largest);
  return {Verdict::Speed{baseline, largest, problem_of(algorithm, *own.run).parameters,
                         other.measured_s / own.measured_s},
          {}};
}

Finding<Verdict::Best> best(const Descriptor& algorithm, const Runs& runs) {
  if (algorithm.parameters.empty()) return {{}, "no parameters"};
  std::map<double, std::set<std::map<std::string, int>>> choices;
  for (const ComparedRun* run : runs)
    choices[run->run->problem.n].insert(by_name(run->run->problem.parameters));
  std::erase_if(choices, [](const auto& entry) { return entry.second.size() < 2; });
  if (choices.empty()) return {{}, "one choice measured"};
  const auto& [n, at_n] = *choices.rbegin();
  const ComparedRun& fastest = *fastest_at(runs, n);
  return {Verdict::Best{n, problem_of(algorithm, *fastest.run).parameters, fastest.measured_s, at_n.size()},
          {}};
}

/// The run whose limit is given; nullptr if none has a prediction.
const ComparedRun* run_to_explain(const Descriptor& algorithm, const Runs& runs) {
  double largest = 0;
  for (const ComparedRun* run : runs)
    if (run->predicted) largest = std::max(largest, run->run->problem.n);
  const ComparedRun* found = nullptr;
  const auto is_default = [&](const ComparedRun* run) { return has_defaults(algorithm, *run->run); };
  for (const ComparedRun* run : runs) {
    if (!run->predicted || run->run->problem.n != largest) continue;
    if (!found ||
        std::pair(!is_default(run), run->measured_s) < std::pair(!is_default(found), found->measured_s))
      found = run;
  }
  return found;
}

Finding<Verdict::Compared> compared(const Descriptor& algorithm, const Runs& runs) {
  const ComparedRun* run = run_to_explain(algorithm, runs);
  if (!run) return {{}, "no prediction"};
  return {Verdict::Compared{run->run->problem.n, problem_of(algorithm, *run->run).parameters,
                            run->predicted->time_s, run->measured_s},
          {}};
}

Finding<Verdict::Limit> limit(const Descriptor& algorithm, const Runs& runs, LawName law,
                              const std::vector<PredictionReport>& explained) {
  const ComparedRun* run = run_to_explain(algorithm, runs);
  if (!run) return {{}, "no prediction"};
  const double n = run->run->problem.n;
  if (definition(law).explains != Explains::resources)
    return {Verdict::Limit{limit_in_words(*run->predicted), n, {}}, {}};
  const Problem problem = problem_of(algorithm, *run->run);
  for (const PredictionReport& one : explained)
    if (one.law == law && one.algorithm == algorithm.slug && one.problem == problem && one.prediction.bound)
      return {Verdict::Limit{in_words(*one.prediction.bound), n,
                             one.prediction.bound->saved_s / one.prediction.time_s},
              {}};
  return {{}, "not explained"};
}

/// The mean over the runs that no fit may use and for which `value_of` gives one.
template <class ValueOf>
Finding<double> mean(const Runs& runs, double smallest_n, const std::string& why_not, ValueOf value_of) {
  double sum = 0;
  std::size_t count = 0;
  for (const ComparedRun* run : runs) {
    if (run->fitted || !run->predicted || run->run->problem.n < smallest_n) continue;
    if (const std::optional<double> value = value_of(*run)) {
      sum += *value;
      ++count;
    }
  }
  if (count == 0) return {{}, why_not};
  return {sum / double(count), {}};
}

void add_errors(Verdict& verdict, const Runs& runs) {
  const bool any_predicted =
      std::ranges::any_of(runs, [](const auto* run) { return run->predicted.has_value(); });
  const std::string why_not = any_predicted ? "all runs may be fitted" : "no prediction";
  const auto error = [](const ComparedRun& run) { return std::optional(std::abs(*run.relative_error)); };
  const auto covered = [](const ComparedRun& run) -> std::optional<double> {
    const auto& interval = run.predicted->interval_s;
    if (!interval) return std::nullopt;
    return interval->low <= run.measured_s && run.measured_s <= interval->high ? 1 : 0;
  };
  verdict.error = mean(runs, 0, why_not, error);
  verdict.error_large = mean(runs, large_n, verdict.error.value ? "no such run" : why_not, error);
  verdict.coverage = mean(runs, 0, verdict.error.value ? "law without intervals" : why_not, covered);
}

Verdict verdict(const AlgorithmOfType& subject, const Runs& runs, const ByAlgorithm& all, LawName law,
                const std::vector<PredictionReport>& explained) {
  Verdict result{.algorithm = subject.algorithm, .type = name(subject.type), .law = law, .runs = runs.size()};
  const Descriptor* algorithm = find_listed(subject.algorithm);
  if (!algorithm || runs.empty()) {
    const std::string why = algorithm ? "no run that counts" : "unknown algorithm";
    result.compared.why_not = result.speed.why_not = result.limit.why_not = result.best.why_not =
        result.error.why_not = result.error_large.why_not = result.coverage.why_not = why;
    return result;
  }
  result.compared = compared(*algorithm, runs);
  result.speed = speed(*algorithm, subject.type, runs, all);
  result.limit = limit(*algorithm, runs, law, explained);
  result.best = best(*algorithm, runs);
  add_errors(result, runs);
  return result;
}

bool is_baseline(const AlgorithmOfType& subject) {
  const Descriptor* algorithm = find_listed(subject.algorithm);
  return algorithm && algorithm->baseline;
}

template <class T, class Format>
std::string cell(const Finding<T>& finding, Format format) {
  return finding.value ? format(*finding.value) : finding.why_not;
}

}  // namespace

std::vector<Verdict> verdicts(const std::vector<LawComparison>& comparisons,
                              const std::vector<PredictionReport>& explained) {
  std::vector<Verdict> all;
  if (comparisons.empty()) return all;
  const auto& [law, comparison] = comparisons.front();
  const ByAlgorithm subjects = by_algorithm(comparison);
  for (const auto& [subject, runs] : subjects)
    if (!is_baseline(subject)) all.push_back(verdict(subject, runs, subjects, law, explained));
  return all;
}

std::vector<ProblemToExplain> problems_to_explain(const std::vector<LawComparison>& comparisons) {
  std::vector<ProblemToExplain> problems;
  if (comparisons.empty() || definition(comparisons.front().law).explains != Explains::resources)
    return problems;
  for (const auto& [subject, runs] : by_algorithm(comparisons.front().comparison)) {
    const Descriptor* algorithm = find_listed(subject.algorithm);
    if (!algorithm || algorithm->baseline) continue;
    if (const ComparedRun* run = run_to_explain(*algorithm, runs))
      problems.push_back({algorithm, problem_of(*algorithm, *run->run)});
  }
  return problems;
}

std::vector<Verdict> headlines(const std::vector<Verdict>& verdicts) {
  std::vector<Verdict> chosen;
  for (const Verdict& one : verdicts) {
    if (chosen.empty() || chosen.back().algorithm != one.algorithm)
      chosen.push_back(one);
    else if (one.runs > chosen.back().runs)
      chosen.back() = one;
  }
  return chosen;
}

Table verdict_table(const std::vector<Verdict>& verdicts) {
  Table table({{"algorithm", left},
               {"type", left},
               {"n"},
               {"predicted"},
               {"measured"},
               {"error"},
               {"mean error over runs"},
               {"n ≥ 2^20"},
               {"within 95 %"},
               {"limited by (10 % faster saves)", left},
               {"times as fast as CUB"},
               {"best parameters measured", left}});
  using Compared = Verdict::Compared;
  for (const Verdict& one : verdicts) {
    const auto best = [](const Verdict::Best& best) {
      return fmt::format("{} (of {}, n = {})", parameters(best.parameters), best.choices, elements(best.n));
    };
    const auto limit = [](const Verdict::Limit& limit) {
      return limit.saved ? fmt::format("{} ({})", limit.by, percent(*limit.saved)) : limit.by;
    };
    const auto speed = [](const Verdict::Speed& speed) {
      return fmt::format("{} (n = {})", significant(speed.ratio), elements(speed.n));
    };
    const auto if_compared = [&](auto format) {
      return one.compared.value ? format(*one.compared.value) : std::string("-");
    };
    table.add({one.algorithm, one.type, if_compared([](const Compared& at) { return elements(at.n); }),
               cell(one.compared, [](const Compared& at) { return time(at.predicted_s); }),
               if_compared([](const Compared& at) { return time(at.measured_s); }),
               if_compared([](const Compared& at) { return signed_percent(at.error()); }),
               cell(one.error, percent), cell(one.error_large, percent), cell(one.coverage, percent),
               cell(one.limit, limit), cell(one.speed, speed), cell(one.best, best)});
  }
  return table;
}

}  // namespace fathom::reports
