// SPDX-License-Identifier: Apache-2.0
// Compares predicted with measured times.
#pragma once

#include <fathom/calibration/predictor.h>
#include <fathom/core/progress.h>
#include <fathom/store/dataset.h>

#include <span>

namespace fathom {

struct ComparedRun {
  const Measurement* run;  ///< in a dataset given to compare(), which must outlive this
  double measured_s = 0;   ///< median
  /// Without its phases. Absent if the law does not apply.
  std::optional<Prediction> predicted;
  std::optional<double> relative_error;  ///< (predicted − measured) / measured
  /// A fit in the profile may have used the run: excluded from validation errors. Never where the profile has
  /// no fit of the algorithm.
  bool fitted = false;
  bool held_out = false;  ///< summaries of random input include it
};

/// Numbers of runs that summaries and regrets do not include. A run counts once, under the first of these
/// that applies.
struct LeftOut {
  std::size_t unknown_algorithm = 0;  ///< not in the registry
  std::size_t baselines = 0;          ///< other projects' kernels, which are only measured
  std::size_t without_formula = 0;    ///< or, under laws of counted work, kernels
  std::size_t unchecked = 0;          ///< the output was never compared with a reference
  std::size_t clock_moved = 0;
  std::map<std::string, std::size_t> not_predicted;  ///< by reason
  std::size_t fitted = 0;  ///< a fit may have used them: they count for regrets only
};

/// Errors of a group of runs that no fit uses.
struct ErrorSummary {
  std::string algorithm, type, law;  ///< `type`: name(Instantiation)
  std::string group;                 ///< "all", "size and parameters unseen", "n = 2^20", "E = 15"
  std::size_t runs = 0;
  std::optional<double> mean_absolute_relative_error;  ///< absent if runs == 0
  std::optional<double> worst;
  std::optional<double>
      within_interval;  ///< share of runs whose measured time is in the predicted 95 % interval
};

/// Slowdown of the parameters that the prediction picks against the fastest measured, at one n with at least
/// 8 measured parameter sets. Fitted runs count here, too: this is what a user of `tune` loses, not the error
/// of its prediction.
struct Regret {
  std::string algorithm, type;
  double n = 0;
  Parameters picked, best;
  double picked_s = 0, best_s = 0;  ///< measured
  double regret = 0;                ///< picked_s / best_s − 1
};

struct Comparison {
  std::string device;       ///< name of the profile
  std::string measured_on;  ///< the GPU of the datasets, as the driver names it; empty if unknown
  bool other_gpu = false;   ///< the profile describes another GPU than `measured_on`
  std::vector<ComparedRun> runs;
  std::vector<ErrorSummary> summaries;
  std::vector<Regret> regrets;
  LeftOut left_out;
};

/// The mean errors of a comparison, as validation and reports call them.
struct MeanErrors {
  /// Of each algorithm, the mean of |relative error| over its runs of all types that are held out.
  std::map<std::string, double> over_runs;
  /// The mean of these: algorithms count alike, however many runs they have. Absent if there are none.
  std::optional<double> over_algorithms;
};
MeanErrors mean_errors(const Comparison& comparison, double smallest_n = 0);

/// Finds an algorithm by its slug, or returns nullptr: find_descriptor() of the registry.
using DescriptorLookup = std::function<const Descriptor*(std::string_view slug)>;
/// Summaries and regrets include only checked runs of random input at n >= smallest_n whose clock was steady;
/// a law that knows inputs has a summary of each other one. The datasets must be of one GPU, and outlive the
/// result. Laws that need work need `work`. Runs for which the Predictor throws
/// MissingConstant, WorkUnavailable, BlockTooLarge, ImpossibleTime, std::invalid_argument or
/// std::out_of_range have no prediction, and `left_out` has the reason; what else it or `work` throws, this
/// throws.
Comparison compare(const DeviceProfile& profile, std::span<const Dataset> datasets,
                   const DescriptorLookup& find, const Law& law, double smallest_n = 0,
                   const Progress& progress = {}, const WorkLookup& work = {});

}  // namespace fathom
