// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fathom/device/group/communicator.h>

#include <memory>

namespace fathom {

/// The first `gpus` GPUs of this machine as a group: an NcclGroup, which says what it throws. gpus ≥ 1.
std::unique_ptr<Group> present_group(int gpus);

}  // namespace fathom
