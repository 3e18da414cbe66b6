// SPDX-License-Identifier: Apache-2.0
// Results about launches of other people's kernels: what a profiler's report has, and predictions from it.
#pragma once

#include <fathom/model/laws/reported_launches.h>
#include <fathom/reports/text/text.h>
#include <fathom/store/launches/profiler_metrics.h>

#include <optional>
#include <string>
#include <vector>

namespace fathom::reports {

/// Answer of `fathom import`.
struct ImportReport {
  std::string report;  ///< the profiler's file
  std::string file;    ///< with the launches
  LaunchReport launches;
};

/// Launches of a kernel that have no prediction, for one reason.
struct NotPredicted {
  std::string kernel;
  std::size_t launches = 0;
  std::string why;  ///< a clause: "it uses the tensor cores, …"
};

/// How the prediction compares with the report on the report's own GPU.
struct OnReportsGpu {
  std::string profile;  ///< of that GPU
  double measured_s = 0;
  double predicted_s = 0;  ///< at the clock of the report, unless that is unknown
};

/// Answer of `fathom predict` to a file with launches.
struct LaunchesPrediction {
  std::string file;
  std::string gpu;  ///< of the report; empty if it does not tell
  std::string device;
  Caches caches = Caches::cold;
  std::size_t launches = 0;  ///< of the report
  /// Of the launches that can be predicted: never of none. Where `own` is known, each launch is scaled by its
  /// measured time over the prediction for the GPU of the report.
  Prediction prediction{};
  std::optional<OnReportsGpu> own{};
  /// Measured on the report's GPU, of each of the prediction's kernels.
  std::vector<std::optional<double>> measured_s{};
  std::vector<NotPredicted> not_predicted{};
  std::vector<std::string> assumptions{};  ///< one line each: "its clusters … are priced as single blocks"
  std::vector<Lacking> lacking{};
  std::vector<std::string> what_if{};
  std::optional<std::vector<Sensitivity>> sensitivities{};
};

/// Counts one more launch of a kernel without a prediction.
void add(std::vector<NotPredicted>& all, const std::string& kernel, const std::string& why);

std::string text(const ImportReport& report);
std::string text(const LaunchesPrediction& prediction, Verbosity verbosity = Verbosity::brief);
std::string json(const ImportReport& report);            ///< schema "fathom.import"
std::string json(const LaunchesPrediction& prediction);  ///< schema "fathom.predict-launches"

/// The launches, by kernel, that cannot be predicted on any GPU.
std::vector<NotPredicted> not_predicted(const LaunchReport& report);

}  // namespace fathom::reports
