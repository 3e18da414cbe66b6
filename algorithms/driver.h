// The host side of an algorithm: work space, kernels made ready, launches queued, output checked.
#pragma once

#include <fathom/device/executor.h>
#include <fathom/device/measurement.h>
#include <fathom/model/formula.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom {

/// Conflict-heavy is what makes a pairwise mergesort's merges read shared memory through few banks.
enum class Input { random, sorted, reverse, nearly_sorted, few_unique, equal, conflict_heavy, zipf };
inline constexpr std::array all_inputs{Input::random,         Input::sorted,     Input::reverse,
                                       Input::nearly_sorted,  Input::few_unique, Input::equal,
                                       Input::conflict_heavy, Input::zipf};
std::string_view name(Input input);        ///< "nearly-sorted"
Input parse_input(std::string_view text);  ///< throws std::invalid_argument naming the choices
std::string input_names();                 ///< "random, sorted, …": all of them

/// One problem instance on one executor: owns its input, output and work space there.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual void
  run() = 0;  ///< queues the algorithm, from input to output; what is timed. The input stays as it was
  /// Waits, and compares the output with what it must be (order and multiset for sorts, the defining
  /// recurrence for scans). Throws KernelFailure saying what is wrong and where.
  virtual void check() = 0;
  virtual std::vector<KernelResources> kernels() const = 0;
};

/// The driver's parameters are complete and checked. Throws std::invalid_argument for a type without kernel,
/// OutOfDeviceMemory, KernelFailure.
using MakeDriver = std::unique_ptr<Driver> (*)(Executor&, const Problem&, Input);

/// Device memory of a driver: input, output and work space.
using DeviceBytes = std::size_t (*)(const Problem&);

/// The kernels that depend on the parameters, to be compiled ahead of a sweep.
using KernelList = std::vector<std::pair<KernelSource, BlockShape>> (*)(const Problem&);

}  // namespace fathom
