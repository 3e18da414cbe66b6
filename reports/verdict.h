// SPDX-License-Identifier: Apache-2.0
// What measurements and predictions say of each algorithm, in one line.
#pragma once

#include <fathom/reports/results.h>
#include <fathom/reports/text/table.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::reports {

/// A value, or a few words why there is none.
template <class T>
struct Finding {
  std::optional<T> value{};
  std::string why_not{};  ///< empty if there is a value
};

/// Where verdicts call a problem large: errors are larger below.
inline constexpr double large_n = 1 << 20;

/// One algorithm on one type of elements. Runs count if their input is random, their output was checked and
/// the clock was steady. Of a configuration measured several times, the fastest median counts.
struct Verdict {
  struct Compared {
    double n;  ///< of the problem for which it is said: see problems_to_explain()
    Parameters parameters;
    double predicted_s, measured_s;
    double error() const { return predicted_s / measured_s - 1; }
  };
  struct Speed {
    std::string baseline;   ///< slug
    double n;               ///< the largest at which both were measured
    Parameters parameters;  ///< the fastest measured at this n
    double ratio;           ///< time of the baseline / time of the algorithm
  };
  struct Limit {
    std::string by;               ///< "DRAM"; under laws of formulas "global bandwidth"
    double n;                     ///< of the problem it is said of: see problems_to_explain()
    std::optional<double> saved;  ///< share of the time that is saved if it is 10 % faster
  };
  struct Best {
    double n;  ///< the largest at which several choices of parameters were measured
    Parameters parameters;
    double seconds;
    std::size_t choices;
  };
  std::string algorithm;  ///< slug
  std::string type;       ///< name(Instantiation)
  LawName law;            ///< of limit and errors
  std::size_t runs = 0;   ///< that count
  Finding<Compared> compared{};
  Finding<Speed> speed{};
  Finding<Limit> limit{};
  Finding<Best> best{};
  /// Mean of |predicted − measured| / measured over the runs that no fit may use; of all n, and of n ≥
  /// large_n.
  Finding<double> error{}, error_large{};
  /// Share of those runs whose measured time lies in the predicted 95 % interval.
  Finding<double> coverage{};
};

/// A verdict on every algorithm and type compared but baselines, under the law of the first comparison; in
/// the order of the registry, then u32 first. Unknown algorithms come last. `explained` are predictions of
/// problems_to_explain(): without them no limit is known under laws of counted work.
std::vector<Verdict> verdicts(const std::vector<LawComparison>& comparisons,
                              const std::vector<PredictionReport>& explained = {});

/// For each verdict the problem whose limit it gives: its largest n that has a prediction, with default
/// parameters if they were measured at this n, else the fastest measured.
struct ProblemToExplain {
  const Descriptor* algorithm;
  Problem problem;
};
std::vector<ProblemToExplain> problems_to_explain(const std::vector<LawComparison>& comparisons);

/// One for each algorithm: of the type with most runs.
std::vector<Verdict> headlines(const std::vector<Verdict>& verdicts);

/// A row for each; a missing value is replaced by its reason.
Table verdict_table(const std::vector<Verdict>& verdicts);

}  // namespace fathom::reports
