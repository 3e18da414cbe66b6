// SPDX-License-Identifier: Apache-2.0
// The host side of an algorithm: owns its arrays, queues its launches and checks its output.
#pragma once

#include <fathom/core/problem.h>
#include <fathom/device/executor.h>

#include <functional>
#include <memory>
#include <vector>

namespace fathom {

/// One problem instance on one executor: owns its input, output and work space there.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Queues the algorithm, from input to output: this is what is timed. Does not modify the input.
  virtual void run() = 0;
  /// Waits for the run and checks its output (order and multiset for sorts, the defining recurrence for
  /// scans). Throws KernelFailure, saying what is wrong.
  virtual void check() = 0;
  /// False if nothing is known of the output: check() then only tells whether the kernels ran to their end.
  virtual bool has_check() const { return true; }
  virtual std::vector<KernelResources> kernels() const = 0;
};

/// For a problem that Descriptor::check() accepts, with complete parameters. Throws OutOfDeviceMemory,
/// KernelFailure.
using MakeWorkload = std::function<std::unique_ptr<Workload>(Executor&, const Problem&, Input)>;

}  // namespace fathom
