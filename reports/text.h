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
std::string text(const std::vector<Algorithm>& algorithms);
std::string text(const std::vector<LawComparison>& comparisons);  ///< the laws side by side
std::string text(const DeviceProfile& profile);
std::string text(const Dataset& dataset);
std::string text(const std::vector<AlgorithmFit>& fits);

// The tables by themselves, which the HTML report prints too.
Table error_table(const std::vector<LawComparison>& comparisons);
Table regret_table(const std::vector<LawComparison>& comparisons);
Table level_table(const DeviceProfile& profile);  ///< L, B, c, s with intervals, knee, fit error, per level
/// Those of launches, of blocks' starts and of the L2's reach.
Table other_constants_table(const DeviceProfile& profile);
Table fit_table(const std::vector<AlgorithmFit>& fits);
Table dataset_table(const Dataset& dataset);
/// One family's algorithms, each at the largest n at which it was measured with default parameters, u32:
/// predicted by the calibrated law, and the share of every level. Empty where nothing is.
Table limits_table(const std::vector<LawComparison>& comparisons, const std::string& family);
Table audit_table(const std::vector<CountReport>& reports);

}  // namespace fathom::reports
