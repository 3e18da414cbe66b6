// The host side of an algorithm: input, output and work space, launches queued, output checked.
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
  /// Queues the algorithm, from input to output: what is timed. The input stays as it was.
  virtual void run() = 0;
  /// Waits, and compares the output with what it must be (order and multiset for sorts, the defining
  /// recurrence for scans). Throws KernelFailure saying what is wrong and where.
  virtual void check() = 0;
  virtual std::vector<KernelResources> kernels() const = 0;
};

/// For a problem that Descriptor::check() accepts, its parameters complete. Throws OutOfDeviceMemory,
/// KernelFailure.
using MakeWorkload = std::function<std::unique_ptr<Workload>(Executor&, const Problem&, Input)>;

}  // namespace fathom
