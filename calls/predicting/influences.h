// SPDX-License-Identifier: Apache-2.0
// How much each constant of a profile moves a typical prediction.
#pragma once

#include <fathom/reports/results.h>
#include <fathom/store/profile.h>

#include <vector>

namespace fathom::calls {

/// Under `counted` and `published`, as far as the profile has their constants. The typical predictions are
/// those of every algorithm that the law predicts, with its default parameters, for u32 and u64 and n = 2^16,
/// 2^20, 2^24 and 2^28, random input. Left out is what does not fit in the GPU's memory, and algorithms whose
/// work would have to be counted first, which takes seconds.
std::vector<reports::LawInfluences> typical_influences(const DeviceProfile& profile);

}  // namespace fathom::calls
