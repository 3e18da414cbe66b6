// SPDX-License-Identifier: Apache-2.0
// Algorithms over the degree of their input: measured, predicted, and their bank conflicts counted.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/core/progress.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/reports/degree_sweep.h>
#include <fathom/store/dataset.h>

#include <string>
#include <string_view>
#include <vector>

namespace fathom::calls {

/// "sortedness". Throws std::invalid_argument for another name than those of patterns that have a degree,
/// with the choices.
Input::Pattern parse_pattern_with_degree(std::string_view text);
/// In the order of Input::Pattern.
std::vector<Input::Pattern> patterns_with_degree();

/// What is asked of every algorithm. All that is referred to must outlive the calls.
struct DegreeQuestion {
  const DeviceProfile& profile;
  const std::vector<LawName>& laws;
  const WorkLookup& work;  ///< for laws that need work; what it has not is left out of the predictions
  const Progress& progress;
};

/// The conflicts alone, at degrees 0, 0.25, … 1, counted at 2^15 elements whatever the problem's n. Throws
/// what count() throws.
reports::DegreeSweep conflicts_over_degree(const DegreeQuestion& question, const Algorithm& algorithm,
                                           Problem problem, Input::Pattern pattern);

/// The runs of each type at the n with the most of them, among several the largest; of each algorithm the
/// parameters that were measured at the most degrees, and among them the fastest. Each with its predictions
/// and, if it has kernels of its own, with its conflicts. Without such runs, `unmeasured` are predicted: u32
/// at default parameters, 2^26 elements and degrees 0, 0.25, … 1. Laws that cannot price the pattern, or for
/// which the profile lacks constants, are left out. Throws ImpossibleTime, and what count() and `work` throw.
std::vector<reports::DegreeSweep> degree_sweeps(const DegreeQuestion& question, Input::Pattern pattern,
                                                const std::vector<Dataset>& datasets,
                                                const std::vector<const Algorithm*>& unmeasured);

}  // namespace fathom::calls
