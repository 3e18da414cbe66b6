// SPDX-License-Identifier: Apache-2.0
// Algorithms for several GPUs over the number of GPUs.
#pragma once

#include <fathom/algorithms/gpus/registry.h>
#include <fathom/core/progress.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/reports/scaling.h>
#include <fathom/store/dataset.h>

#include <string>
#include <string_view>
#include <vector>

namespace fathom::calls {

/// Throws std::invalid_argument for an algorithm that does not run on several GPUs, naming those that do.
const GroupAlgorithm& algorithm_of_several_gpus(std::string_view slug);
/// Tells whether any of these runs was of an algorithm for several GPUs.
bool has_several_gpus(const std::vector<Dataset>& datasets);

/// All that is referred to must outlive the call.
struct ScalingQuestion {
  const DeviceProfile& profile;
  LawName law;
  const WorkLookup& work;  ///< what it has not is left out of the predictions
  const Progress& progress;
  double smallest_n = 1;  ///< of elements in all
};

struct ScalingAnswer {
  std::vector<reports::Scaling> scalings{};
  std::vector<reports::Unpredicted> unpredicted{};
};

/// Each algorithm on each type that was measured with default parameters, several GPUs and random input, the
/// output checked and the clock steady: predicted for these runs and for 1, 2, 4 and 8 GPUs with some of
/// their numbers of elements, in all and on each GPU, as far as they have room. One GPU is the fastest of the
/// measured algorithms of the same kind and type; where none was measured, predicted by the algorithm itself.
/// Without datasets: u32 and u64, with 2^24 to 2^30 elements in all and 2^20 to 2^28 on each GPU. Throws
/// MissingConstant for a profile without links or rates, std::invalid_argument for a law that does not
/// predict several GPUs, and what else `work` throws.
ScalingAnswer scalings(const ScalingQuestion& question, const std::vector<const GroupAlgorithm*>& algorithms,
                       const std::vector<Dataset>& datasets);

}  // namespace fathom::calls
