// SPDX-License-Identifier: Apache-2.0
// An algorithm with steps, for several GPUs or data in host memory, under the law `counted`.
#pragma once

#include <fathom/model/laws/predict_group.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fathom {

/// The work of an algorithm of one GPU for the problem's type and parameters. Throws WorkUnavailable.
using LocalWork = std::function<std::shared_ptr<const AlgorithmWork>(const Descriptor&, const Problem&)>;

/// A problem of an algorithm with steps, on a machine which must outlive this.
class GroupRun final : public LawRun {
 public:
  /// Throws std::invalid_argument for a problem that the algorithm or a step does not solve, MissingConstant
  /// for a machine without links that it needs, BlockTooLarge, and what `steps` and `work` throw.
  GroupRun(const Descriptor& algorithm, const Machine<double>& machine, const Problem& problem,
           const LocalWork& work);

  Prediction predicted() const override { return explained(); }
  Prediction explained() const override;
  /// Also to latency and bandwidth of links, under the names that changes of the machine have
  /// (what_if.h).
  std::vector<Sensitivity> sensitivities() const override;
  Multiplicity multiplicity() const override;
  /// No fit is of algorithms with steps.
  double variance_of_factors(const std::array<double, 4>&, double) const override { return 0; }

 private:
  bool exchanges() const;  ///< with other GPUs, or with the host
  double seconds_with(double latency, double time_per_byte) const;

  std::string what_;
  int gpus_;
  const Machine<double>& machine_;
  std::deque<CountedRun> locals_;  ///< to which the steps point
  std::vector<GroupStep> steps_;
};

}  // namespace fathom
