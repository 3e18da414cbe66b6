// SPDX-License-Identifier: Apache-2.0
// Trade-offs: an algorithm measured and predicted over the values of one parameter.
#pragma once

#include <fathom/core/progress.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/reports/trade_off.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::calls {

/// Which runs a trade-off shows, and what it predicts without them.
struct Preference {
  std::optional<Problem> problem{};  ///< absent: of default type and parameters, n = 2^26
  double least_share = 7 / 8.;       ///< of the parameter's values: with fewer, runs are not shown
};

/// Shows runs that cover nearly every value of the parameter: preferably of the preferred type, then with its
/// parameters, else default ones, then at its n if one is preferred, then at the largest n. Without such runs
/// nothing is measured. Laws that need work need `work`. Values whose work is unavailable are in
/// `unpredicted`. Values with which the algorithm cannot be predicted, as no multiprocessor holds a block,
/// are omitted, and so are laws for which the profile lacks a constant or a fit. Throws std::invalid_argument
/// if the algorithm has no such parameter or a law gets no `work`, ImpossibleTime, and what else `work`
/// throws.
reports::TradeOff trade_off(const DeviceProfile& profile, const Descriptor& algorithm,
                            const std::string& parameter, const std::vector<LawName>& laws,
                            const std::vector<Dataset>& datasets = {}, const WorkLookup& work = {},
                            const Preference& preferred = {});

/// Over the first parameter of every algorithm that was measured at nearly all of its values; if there is
/// none, of every algorithm with a formula. Parameters with too few values for a curve are omitted. Calls
/// `progress` for each algorithm.
std::vector<reports::TradeOff> trade_offs(const DeviceProfile& profile, const std::vector<LawName>& laws,
                                          const std::vector<Dataset>& datasets, const Progress& progress = {},
                                          const WorkLookup& work = {});

}  // namespace fathom::calls
