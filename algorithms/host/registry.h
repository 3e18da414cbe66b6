// SPDX-License-Identifier: Apache-2.0
// The only list of algorithms for data in host memory: a list of its own, as that for several GPUs is
// (algorithms/gpus/registry.h).
#pragma once

#include <fathom/algorithms/call.h>
#include <fathom/device/host_streams.h>
#include <fathom/model/descriptor.h>

#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace fathom {

/// Makes a call for a problem that Descriptor::check() accepts, with complete parameters, and as many GPUs as
/// its parameter `gpus` says, all of one kind. The calling thread's current GPU may then be the first of
/// them, and so it may after each run. The call takes arrays in host memory, uses so many bytes of the memory
/// of each GPU at most, and returns when it is done. Throws OutOfDeviceMemory, OutOfHostMemory,
/// KernelFailure, std::invalid_argument for another number of GPUs.
using MakeHostCall = std::function<std::unique_ptr<Call>(const std::vector<HostStreams>&, const Problem&,
                                                         std::size_t memory_bytes)>;

struct HostAlgorithm : Descriptor {
  MakeHostCall make_call{};
};

const std::deque<HostAlgorithm>& host_algorithms();
/// nullptr if there is no such algorithm.
const HostAlgorithm* find_host_algorithm(std::string_view slug);

}  // namespace fathom
