// SPDX-License-Identifier: Apache-2.0
// The times of exchanges between GPUs, and with the host.
#pragma once

#include <fathom/device/group/communicator.h>
#include <fathom/device/host_streams.h>
#include <fathom/microbench/microbench.h>

#include <functional>
#include <memory>
#include <vector>

namespace fathom::microbench {

/// Makes a group of so many GPUs.
using MakeGroup = std::function<std::unique_ptr<Group>(int gpus)>;

/// A steady time in seconds, also between threads.
using Seconds = std::function<double()>;
double steady_seconds();

/// The numbers of GPUs that are measured: 2, 4, 8, … and all.
std::vector<int> numbers_of_gpus(int all);

/// The series of benchmarks::of_links between GPUs: every kind of exchange for 2, 4, 8, … and all of `gpus`
/// GPUs, and arrays from 8 bytes to 1 GiB on each, or as much as every GPU's memory can hold twice. A sample
/// is the mean of some exchanges, one right after another: from when all GPUs are ready to when the last has
/// ended.
///
/// The ranks of a group must keep their executors, with their memory, from one run to the next. Throws what
/// `make_group` and the groups throw, and OutOfDeviceMemory if a GPU cannot hold even the smallest arrays.
std::vector<Series> measure_links(const MakeGroup& make_group, int gpus, const Effort& effort,
                                  const Progress& progress, const Seconds& now = steady_seconds);

/// Those of GPUs with pinned memory of the host: of the first GPU alone, and of 2, 4, 8, … and all at once.
/// Arrays have the same sizes, or are as large as the host and each GPU can hold twice. A sample is the mean
/// of some copies of each direction, one right after another: from when none is left to when the last has
/// ended. The calling thread queues the copies of all GPUs. Throws OutOfDeviceMemory, OutOfHostMemory if
/// there is no memory for even the smallest arrays.
std::vector<Series> measure_host_links(const std::vector<HostStreams>& gpus, const Effort& effort,
                                       const Progress& progress, const Seconds& now = steady_seconds);

}  // namespace fathom::microbench
