// SPDX-License-Identifier: Apache-2.0
// A problem for several GPUs with its input, and the check of its output.
#pragma once

#include <fathom/algorithms/gpus/registry.h>
#include <fathom/algorithms/gpus/spread.h>

#include <memory>

namespace fathom {

/// One rank's side of a problem instance.
class GroupWorkload {
 public:
  virtual ~GroupWorkload() = default;
  /// The algorithm, from input to output: this is what is timed. Does not modify the input.
  virtual void run() = 0;
  /// Runs it and checks the output: on rank 0, whose memory has to hold input and output of all ranks. There
  /// it throws KernelFailure, saying what is wrong.
  virtual void check() = 0;
  /// How the output of the last run is spread; all ranks return the same.
  virtual Spread output_spread() = 0;
};

/// Every rank makes its side. The input is as one GPU's for the n elements in all: rank 0 makes it and sends
/// each rank its part of `spread`, the last of which is n. The problem is one that Descriptor::check()
/// accepts, with complete parameters. Throws std::invalid_argument for another spread, and what MakeGroupCall
/// does.
std::unique_ptr<GroupWorkload> make_group_workload(const GroupAlgorithm& algorithm, Communicator& own,
                                                   const Problem& problem, const Input& input,
                                                   const Spread& spread);

}  // namespace fathom
