// SPDX-License-Identifier: Apache-2.0
// Runs and checks algorithms on several GPUs.
#pragma once

#include <fathom/algorithms/gpus/registry.h>
#include <fathom/core/measurement.h>

#include <functional>

namespace fathom {

/// A case to time on the GPUs of a group.
struct GroupCase {
  const GroupAlgorithm* algorithm;
  /// One that Descriptor::check() accepts, with complete parameters. n counts the elements of all GPUs,
  /// which have equal parts of them.
  Problem problem;
  Input input = Input::random;
};

/// The case's problem as measurements have it: the number of GPUs is its parameter `gpus`.
Problem with_gpus(const GroupCase& one, int gpus);

/// The clock in Hz of the GPU on whose rank's thread it is called.
using RankClock = std::function<double(int rank)>;

/// Checks the output once, then times `repeats` runs, calling `progress` before each.
///
/// A run begins when all GPUs are idle and all ranks have met, and ends when the slowest rank's stream has
/// ended: a program that goes on with the result waits so long. The time is the host's, from the first rank
/// that began. No event of one GPU sees the others, and a rank waits on the host for what others send, which
/// is a part of the run. Where a GPU is done in microseconds, launches count, too, which bench() of one GPU
/// leaves out. Ranks on several hosts, whose clocks differ, each take their own time, and the longest counts.
///
/// If ranks are in several processes, each process calls this, and the first has the measurement.
///
/// Throws OutOfDeviceMemory, KernelFailure, ExchangeFailure, std::invalid_argument for a problem that the
/// algorithm cannot solve with these parameters, and what `progress` throws.
Measurement bench(Group& group, const GroupCase& one, int repeats, const RankClock& clock,
                  const Progress& progress = {});

}  // namespace fathom
