// SPDX-License-Identifier: Apache-2.0
// Results as JSON, as printed by --json. Every text is one object with its `schema` and `version`. Times are
// in seconds, rates in elements or bytes per second. Unknown values are null, never 0.
#pragma once

#include <fathom/algorithms/lists.h>
#include <fathom/calibration/fit.h>
#include <fathom/reports/results.h>

#include <string>
#include <vector>

namespace fathom::reports {

inline constexpr int json_version = 1;

std::string json(const PredictionReport& report);           ///< schema "fathom.predict"
std::string json(const PredictionSweep& sweep);             ///< schema "fathom.predictions"
std::string json(const TuneReport& report);                 ///< schema "fathom.tune"
std::string json(const PredictionRanking& ranking);         ///< schema "fathom.predict-ranking"
std::string json(const TuneRanking& ranking);               ///< schema "fathom.tune-ranking"
std::string json(const CountReport& report);                ///< schema "fathom.count"
std::string json(const std::vector<CountReport>& reports);  ///< schema "fathom.audit"
std::string json(const std::vector<DeviceEntry>& devices);  ///< schema "fathom.devices"
/// Schema "fathom.device".
std::string json(const DeviceProfile& profile, const std::vector<LawInfluences>& influences);
std::string json(const std::vector<AnyAlgorithm>& algorithms);    ///< schema "fathom.algorithms"
std::string json(const std::vector<LawComparison>& comparisons);  ///< schema "fathom.validate"
/// Schema "fathom.fit".
std::string json(const std::vector<AlgorithmFit>& fits, const NotFitted& not_fitted);

}  // namespace fathom::reports
