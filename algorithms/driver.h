// The host side of an algorithm: work space, kernels made ready, launches queued, output checked.
#pragma once

#include <fathom/device/executor.h>
#include <fathom/device/measurement.h>
#include <fathom/model/formula.h>

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom {

enum class Input { random, sorted, reverse, nearly_sorted, few_unique, equal, conflict_heavy, zipf };
std::string_view name(Input input);        ///< "nearly-sorted"
Input parse_input(std::string_view text);  ///< throws std::invalid_argument naming the choices

/// One problem instance on one executor: owns its input, output and work space there.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual void restore() = 0;  ///< queues putting the input back; untimed
  virtual void run() = 0;      ///< queues the algorithm; what is timed
  /// Waits, and compares the output with what it must be (order and multiset for sorts, the defining recurrence for
  /// scans). Throws KernelFailure saying what is wrong and where.
  virtual void check() = 0;
  virtual std::vector<KernelResources> kernels() const = 0;
};

using MakeDriver = std::function<std::unique_ptr<Driver>(Executor&, const Problem&, Input)>;

}  // namespace fathom
