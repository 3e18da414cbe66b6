// SPDX-License-Identifier: Apache-2.0
// Predictions from machine code alone, and what they assume.
#pragma once

#include <fathom/counting/assumed_work.h>
#include <fathom/model/laws/reported_launches.h>
#include <fathom/reports/text/text.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::reports {

/// Answer of `fathom predict` to a cubin.
struct MachineCodePrediction {
  std::string file;
  std::string kernel;    ///< as in the source
  int architecture = 0;  ///< that it was compiled for: 90 for sm_90
  std::string device;
  LaunchGrid launch{};
  Caches caches = Caches::cold;
  KernelCode code{};
  int resident = 0;  ///< blocks on a multiprocessor
  bool has_lines = false;
  AssumedWork work{};
  Work demands{};  ///< of a block, as the law takes them
  Prediction prediction{};
  std::vector<std::string> what_if{};
  std::optional<std::vector<Sensitivity>> sensitivities{};
};

/// One sentence each.
std::vector<std::string> assumptions(const MachineCodePrediction& predicted);

std::string text(const MachineCodePrediction& predicted, Verbosity verbosity = Verbosity::brief);
std::string json(const MachineCodePrediction& predicted);  ///< schema "fathom.predict-machine-code"

}  // namespace fathom::reports
