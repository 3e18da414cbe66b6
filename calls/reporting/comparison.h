// SPDX-License-Identifier: Apache-2.0
// Predicted against measured.
#pragma once

#include <fathom/calls/listener.h>
#include <fathom/calls/options.h>
#include <fathom/reports/results.h>

#include <span>
#include <vector>

namespace fathom::calls {

/// Under each of the laws. The datasets must outlive the result. Without `work`, that of work_lookup().
/// Throws what compare() throws.
std::vector<reports::LawComparison> compare_laws(const DeviceProfile& profile,
                                                 std::span<const Dataset> datasets,
                                                 const std::vector<LawName>& laws, double smallest_n,
                                                 const Listener& listener, const WorkLookup& work = {});

struct Validated {
  std::vector<Dataset> datasets;
  std::vector<reports::LawComparison> comparisons;  ///< of runs in them
};
/// Throws std::invalid_argument for an unknown law, and what read_datasets(), choose_profile() and compare()
/// throw.
Validated validate(const ValidateOptions& options, const Listener& listener);

/// The problems_to_explain() of the comparisons, explained. Without `work`, that of work_lookup().
std::vector<reports::PredictionReport> explained(const DeviceProfile& profile,
                                                 const std::vector<reports::LawComparison>& comparisons,
                                                 const Listener& listener, const WorkLookup& work = {});

}  // namespace fathom::calls
