// A GPU as data: what `fathom calibrate` writes and everything else reads.
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/model/machine.h>
#include <fathom/model/predict.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom {

/// A fitted number with its 95 % interval; the interval is absent for published constants, which came without
/// one.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval;
};

/// How well a level's law describes the samples it was fitted to.
struct FitQuality {
  double mean_relative_error = 0;
  double worst_relative_error = 0;
  double knee = 0;  ///< X·I where the bandwidth and latency branches meet, L·B
};

/// An algorithm's own constants, fitted from runs for one type.
struct AlgorithmFit {
  std::string algorithm;
  std::string type;  ///< as type_text() writes it: "u32", "u32:u64"
  /// By ConstantInfo::name. A list, not a map: its order is that of the covariance's rows.
  std::vector<std::pair<std::string, Estimate>> constants;
  double q = 1;  ///< composition exponent
  /// Covariance of the constants, row by row; empty when unknown. Runs mostly determine products and sums of
  /// constants, which are far better known than each constant alone.
  std::vector<double> covariance;
  double residual =
      0;  ///< root mean square of log(measured/predicted) on runs left out of the fit (cross-validation)
  std::size_t runs = 0;  ///< configurations that were fitted
  std::string dataset;   ///< where they came from, one line

  const Estimate* find(std::string_view constant) const;  ///< nullptr where it was not fitted
};

struct DeviceProfile {
  static constexpr int version = 1;

  std::string name;    ///< "h200"
  std::string origin;  ///< "measured" or "published"
  Provenance provenance;
  Machine<double> machine;  ///< the fitted values
  std::map<std::string, Estimate>
      estimates;  ///< the same by constant name (for_each_constant), with intervals
  std::map<std::string, FitQuality> quality;  ///< by level name
  std::vector<std::string> warnings;          ///< disagreements between instruments, clocks that moved
  std::vector<Series> series;                 ///< raw samples
  std::vector<AlgorithmFit> algorithms;

  /// The fit for the problem's type, else for one with keys and values of the same sizes, which moves the
  /// same words; nullptr without either.
  const AlgorithmFit* find_fit(std::string_view algorithm, const Problem& problem) const;
};

/// Bad profile or dataset text. what() is one line: where (line and column, or field) and what is wrong.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string to_json(const DeviceProfile& profile);
/// `where` names the text in errors. Throws FormatError: not JSON (line and column), a field missing or wrong
/// (which), a newer version.
DeviceProfile parse_profile(const std::string& text, const std::string& where);
DeviceProfile read_profile(const std::filesystem::path& file);  ///< also throws std::system_error
/// Whole or not at all: written beside the target and moved over it.
void write_profile(const DeviceProfile& profile, const std::filesystem::path& file);

/// The profiles compiled into the library: h200, m4000, gtx770, k40m.
std::vector<std::string> built_in_profiles();
/// Throws std::invalid_argument naming the nearest when there is none of this name.
DeviceProfile built_in_profile(const std::string& name);

}  // namespace fathom
