// SPDX-License-Identifier: Apache-2.0
// What processes with a GPU each do together before NCCL exchanges their data.
#pragma once

#include <fathom/device/cuda/nccl.h>
#include <fathom/device/group/processes.h>

namespace fathom {

/// Throws DeviceUnavailable on every process unless all bring the same kind of GPU.
void check_one_kind(Processes& processes, const std::string& kind, std::chrono::nanoseconds limit);

/// NCCL's communicator for this process's rank with its GPU. Every process calls it, and throws
/// ExchangeFailure, which names `step`, if one fails or the ranks do not join in time.
nccl::Communicator joined(Processes& processes, int gpu, std::chrono::nanoseconds limit,
                          const std::string& step);

}  // namespace fathom
