// SPDX-License-Identifier: Apache-2.0
// Which of several algorithms is the fastest, over n.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/core/progress.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/reports/crossover.h>
#include <fathom/store/dataset.h>

#include <string>
#include <vector>

namespace fathom::calls {

/// Every algorithm is asked this. All that is referred to must outlive the call.
struct CrossoverQuestion {
  const DeviceProfile& profile;
  LawName law;
  const WorkLookup& work;  ///< for laws that need work; what it has not is left out of the predictions
  const Progress& progress;
};

struct CrossoverAnswer {
  reports::Crossover crossover;
  std::vector<reports::Unpredicted> unpredicted;
  std::string missing_constant;  ///< why contenders are left out for want of one; empty if none are
};

/// Contenders on elements of the type at default parameters: predicted at every power of two from 2^10 to
/// 2^28 that the GPU has room for; and what runs of the same parameters on random input measured, the fastest
/// median of each n if the output was checked and the clock steady. Contenders are left out that cannot solve
/// the problem, and those for which the profile lacks a constant or a fit. Throws std::invalid_argument for
/// contenders that the law cannot predict, ImpossibleTime, and what else `work` throws.
CrossoverAnswer crossover(const CrossoverQuestion& question, const std::vector<const Algorithm*>& contenders,
                          const Instantiation& type, const std::vector<Dataset>& datasets);

}  // namespace fathom::calls
