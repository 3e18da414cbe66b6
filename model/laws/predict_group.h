// SPDX-License-Identifier: Apache-2.0
// Predictions of algorithms with steps, for several GPUs or for data in host memory, under the laws `counted`
// and `fitted`: the launches of the slowest GPU, and T_l, the time of the exchanges between GPUs or with the
// host.
#pragma once

#include <fathom/core/exchange.h>
#include <fathom/model/laws/predict_counted.h>

#include <optional>
#include <span>
#include <string_view>

namespace fathom {

/// A step of the GPUs of a group: launches on each of them, and then an exchange among all, which waits for
/// the slowest.
struct GroupStep {
  const CountedRun* local = nullptr;  ///< of the GPU that takes longest; nullptr: no launches
  std::optional<Exchange> exchange = {};
  bool beside_next = false;            ///< the exchange goes on beside the next launches
  std::string_view name = "launches";  ///< what the launches do
};

/// The name of exchanges among the steps of a prediction.
inline constexpr std::string_view exchange_step = "exchange";

/// The steps one after another. Launches are queued behind exchanges, so that the overhead of a sequence
/// counts once. Exchanges beside launches follow one another; of their sum and the launches the longer one
/// counts. Throws MissingConstant, also
/// for a machine without links, and std::invalid_argument for fewer than one GPU. Not checked: the time need
/// not be finite.
template <class Real>
Real group_seconds(std::span<const GroupStep> steps, int gpus, const Machine<Real>& machine,
                   const Factors<Real>& factors = {});

/// The same with the bound, the steps, and the kernels, among which each kind of exchange has a row. The
/// assumptions name what was extrapolated. `what` is what messages call it. Throws like group_seconds(), and
/// ImpossibleTime.
Prediction predict_group(std::string_view what, std::span<const GroupStep> steps, int gpus,
                         const Machine<double>& machine, const Factors<double>& factors = {});

}  // namespace fathom
