// SPDX-License-Identifier: Apache-2.0
// A GPU as data: written by `fathom calibrate`, read by everything else.
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/model/constants.h>
#include <fathom/model/estimate.h>
#include <fathom/model/laws/counted.h>

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// How well a level's law describes the samples that it was fitted to.
struct FitQuality {
  double mean_relative_error = 0;
  double worst_relative_error = 0;
  double knee = 0;  ///< X·I where the bandwidth and latency branches meet, L·B
};

/// The two factors of an algorithm under the law `fitted`, from runs of all its types and parameters.
struct AlgorithmFit {
  std::string algorithm;
  Factors<Estimate> factors{};
  /// The covariance of the factors' logarithms, row by row: work, waiting. Runs determine their product
  /// better than each.
  std::array<double, 4> covariance{};
  double residual =
      0;  ///< root mean square of log(measured/predicted) on runs left out of the fit (cross-validation)
  std::size_t runs = 0;  ///< that were fitted
  std::string dataset;   ///< their origin, one line
};

struct DeviceProfile {
  std::string name;  ///< "h200"
  /// "measured", "published", "published rates", which has nothing but bandwidths of the whole GPU, or
  /// "scaled" from the published constants of another GPU.
  std::string origin;
  Provenance provenance;
  /// Compute capability: 90 for sm_90. Absent in files of older versions, and if unknown.
  std::optional<int> architecture;
  Machine<double> machine;  ///< the fitted values
  std::map<std::string, Estimate>
      estimates;  ///< the fitted values by constant name (for_each_constant), with intervals
  std::map<std::string, FitQuality> quality;  ///< by level name
  std::vector<std::string> warnings;  ///< for example instruments that disagree, or a clock that changed
  /// Why the measurements must not be believed, one line for each reason (calibration/plausible.h); empty if
  /// they may be. No command uses such a profile unless it is named.
  std::vector<std::string> implausible;
  std::vector<Series> series;  ///< raw samples
  std::vector<AlgorithmFit> algorithms;

  /// The 95 % interval of a constant; absent if it has none.
  std::optional<Interval> interval_of(std::string_view constant) const;
  const AlgorithmFit* find_fit(std::string_view algorithm) const;  ///< nullptr if there is none
};

/// Invalid profile or dataset text. what() is one line that names the location (line and column, or field)
/// and the problem.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws FormatError for a profile that parse_profile() would reject.
std::string to_json(const DeviceProfile& profile);
/// Older versions fitted constants of formulas, which no law has any longer: a profile with such fits is
/// refused, unless it is read to be fitted again.
enum class OldFits { refused, dropped };
/// `where` names the text in errors. Throws FormatError for text that is not JSON, a missing or invalid
/// field, a constant outside its physical range, or a newer version.
DeviceProfile parse_profile(const std::string& text, const std::string& where,
                            OldFits old_fits = OldFits::refused);
/// Also throws std::system_error.
DeviceProfile read_profile(const std::filesystem::path& file, OldFits old_fits = OldFits::refused);
/// Atomic: writes a file next to the target and moves it over the target.
void write_profile(const DeviceProfile& profile, const std::filesystem::path& file);

/// The names of the profiles compiled into the library, in alphabetical order.
std::vector<std::string> built_in_profiles();
/// Throws std::invalid_argument if there is no such profile, naming the measured ones, then the others.
DeviceProfile built_in_profile(const std::string& name);

}  // namespace fathom
