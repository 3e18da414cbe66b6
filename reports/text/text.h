// SPDX-License-Identifier: Apache-2.0
// Results as text for the terminal. Every function returns whole lines.
#pragma once

#include <fathom/algorithms/lists.h>
#include <fathom/reports/results.h>
#include <fathom/reports/text/table.h>

#include <functional>
#include <string>
#include <vector>

namespace fathom::reports {

/// How much of an answer is printed: what was asked, or also what it is made of.
enum class Verbosity { brief, full };

std::string text(const PredictionReport& report, Verbosity verbosity = Verbosity::brief);
std::string text(const PredictionSweep& sweep);
std::string text(const TuneReport& report);  ///< every candidate of the report; apply --top before
std::string text(const PredictionRanking& ranking);
std::string text(const TuneRanking& ranking);
std::string text(const CountReport& report, Verbosity verbosity = Verbosity::brief);
std::string text(const std::vector<CountReport>& reports);  ///< of several counts, the audits only
std::string text(const std::vector<DeviceEntry>& devices);
std::string text(const std::vector<AnyAlgorithm>& algorithms, Verbosity verbosity = Verbosity::brief);
/// What runs are grouped by in a comparison.
enum class Groups {
  algorithms,  ///< all types together, under the first law; the other laws in a line each
  types,
  sizes,      ///< and types
  parameters  ///< and inputs, and types
};
std::string text(const std::vector<LawComparison>& comparisons, Groups groups = Groups::algorithms);
std::string text(const DeviceProfile& profile, const std::vector<LawInfluences>& influences);
std::string text(const std::vector<Spent>& spent);
std::string text(const Dataset& dataset);
/// Describes the fits of a profile that is now in `file`.
std::string text(const std::vector<AlgorithmFit>& fits, const std::string& file);

// The tables alone: the HTML report prints them too.
/// Only of wanted groups (ErrorSummary::group), if that is given.
Table error_table(const std::vector<LawComparison>& comparisons,
                  const std::function<bool(const std::string& group)>& wanted = {});
Table regret_table(const std::vector<LawComparison>& comparisons);
/// Mean and worst over the sizes, by algorithm, type and law.
Table mean_regret_table(const std::vector<LawComparison>& comparisons);
/// A machine's constant, with its interval if it was fitted; "-" if it is unknown.
std::string constant_text(const DeviceProfile& profile, const std::string& name,
                          const std::optional<double>& value);
Table level_table(const DeviceProfile& profile);  ///< L, B, c, s with intervals, knee, fit error, per level
/// All other constants, with units, 95 % intervals, and the resource that each makes faster.
Table constants_table(const DeviceProfile& profile);
/// With the datasets that each was fitted to unless they are the same, which the caption then names.
Table fit_table(const std::vector<AlgorithmFit>& fits);
std::string fit_caption(const std::vector<AlgorithmFit>& fits);
Table dataset_table(const Dataset& dataset);
/// The run with the largest n among those at default parameters, u32, random input that have a prediction;
/// nullptr if there is none.
const ComparedRun* largest_default_run(const Comparison& comparison, const Descriptor& algorithm);
/// The algorithms of one kind, each at its largest default run. Under a law of counted work: shares of the
/// predicted time that the resources would take alone, the overlap, and the bottleneck with its saving if the
/// prediction is among `predictions`, explained. Under a law of formulas: shares of the sum of all levels.
Table limits_table(const LawComparison& compared, Kind kind,
                   const std::vector<PredictionReport>& predictions = {});
Table audit_table(const std::vector<CountReport>& reports);

}  // namespace fathom::reports
