// Results as text for the terminal. Every function returns whole lines.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/reports/results.h>
#include <fathom/reports/table.h>

#include <string>
#include <vector>

namespace fathom::reports {

std::string text(const PredictionReport& report);
std::string text(const TuneReport& report);  ///< every candidate of the report: cut them to --top before
std::string text(const CountReport& report);
std::string text(const std::vector<CountReport>& reports);  ///< of several, the audits only
std::string text(const std::vector<DeviceEntry>& devices);
std::string text(const std::deque<Algorithm>& algorithms);
std::string text(const std::vector<LawComparison>& comparisons);  ///< the laws side by side
std::string text(const DeviceProfile& profile);
std::string text(const Dataset& dataset);
std::string text(const std::vector<AlgorithmFit>& fits);

// The tables alone: the HTML report prints them too.
Table error_table(const std::vector<LawComparison>& comparisons);
Table regret_table(const std::vector<LawComparison>& comparisons);
Table level_table(const DeviceProfile& profile);  ///< L, B, c, s with intervals, knee, fit error, per level
/// The constants that belong to no level: launches, block starts, what the L2 serves.
Table other_constants_table(const DeviceProfile& profile);
Table fit_table(const std::vector<AlgorithmFit>& fits);
Table dataset_table(const Dataset& dataset);
/// Every algorithm of one kind at the largest n at which it was measured with default parameters, u32: its
/// time predicted by the calibrated law, and the share of every level.
Table limits_table(const std::vector<LawComparison>& comparisons, Kind kind);
Table audit_table(const std::vector<CountReport>& reports);

}  // namespace fathom::reports
