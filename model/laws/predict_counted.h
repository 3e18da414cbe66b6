// SPDX-License-Identifier: Apache-2.0
// Predictions under the laws `counted` and `fitted` (counted.h).
#pragma once

#include <fathom/model/laws/assumed_run.h>
#include <fathom/model/laws/counted.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fathom {

/// Thrown if the work of a kernel is not in the tables and cannot be counted here: what() says what to
/// install.
struct WorkUnavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where predictions get counted work. It may keep what it returns, hence the shared ownership. Throws
/// WorkUnavailable.
using WorkLookup = std::function<std::shared_ptr<const AlgorithmWork>(const Descriptor&, const Instantiation&,
                                                                      const Parameters&, Input)>;

/// A run whose work is known, planned once and timed on as many machines as wanted: those with the counts and
/// limits that it was planned for.
class CountedRun {
 public:
  /// `work` must be that of the algorithm for the problem's instantiation and parameters. Throws like
  /// plan_with_work() and AssumedRuns::at() and, if no multiprocessor holds a block, BlockTooLarge.
  CountedRun(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
             const AlgorithmWork& work);
  /// Of these launches, whose kernels' names must outlive this; `what` names them in messages.
  CountedRun(std::string what, std::vector<CountedLaunch> launches)
      : what_(std::move(what)), launches_(std::move(launches)) {}

  /// Of these launches alone, in this order: positions among all of the run. Throws std::out_of_range.
  CountedRun with_launches(const std::vector<std::size_t>& positions) const;

  /// Throws MissingConstant. Not checked: the time need not be finite on a machine of impossible rates.
  template <class Real>
  Real seconds(const Machine<Real>& machine, const Factors<Real>& factors = {}) const;

  /// Time and resources. Throws MissingConstant and ImpossibleTime.
  Prediction predicted(const Machine<double>& machine, const Factors<double>& factors = {}) const;
  /// Also the bound and the kernels. Takes about ten times as long.
  Prediction explained(const Machine<double>& machine, const Factors<double>& factors = {}) const;

  const std::vector<CountedLaunch>& launches() const { return launches_; }

 private:
  Prediction predicted(const RunTime<double>& time, const Machine<double>& machine) const;
  std::string what() const { return n_ ? in_words(what_, *n_) : what_; }

  std::string what_;
  std::optional<double> n_{};                         ///< of a problem: a number as text takes long
  std::shared_ptr<const AssumedRun> assumed_{};       ///< the launches' kernels have its names; or nullptr
  std::shared_ptr<const Assumptions> assumptions_{};  ///< nullptr if all work was counted
  std::vector<CountedLaunch> launches_;
};

/// The machine with the rate, or the latency, of one resource 10 % better; absent: the launches'.
Machine<double> with_faster(std::optional<Resource> resource, Machine<double> machine);

}  // namespace fathom
