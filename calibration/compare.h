// Compares predicted with measured times.
#pragma once

#include <fathom/calibration/fit.h>
#include <fathom/store/dataset.h>

namespace fathom {

struct ComparedRun {
  Measurement run;
  double measured_s = 0;  ///< median
  std::optional<Prediction>
      predicted;  ///< absent for algorithms without a formula and if the law does not apply
  std::optional<double> relative_error;  ///< (predicted − measured) / measured
  bool fitted = false;                   ///< the run was used in the fit: excluded from validation errors
};

/// Errors of a group of runs that were not used in a fit.
struct ErrorSummary {
  std::string algorithm, type, law;  ///< `type` as type_text() writes it
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
  std::string device;
  std::vector<ComparedRun> runs;
  std::vector<ErrorSummary> summaries;
  std::vector<Regret> regrets;
};

/// Finds an algorithm by its slug, or returns nullptr: find_descriptor() of the registry.
using DescriptorLookup = std::function<const Descriptor*(std::string_view slug)>;
/// Summaries and regrets include only runs of random input at n >= smallest_n.
Comparison compare(const DeviceProfile& profile, const Dataset& dataset, const DescriptorLookup& find,
                   const Law& law, double smallest_n = 0);

}  // namespace fathom
