// SPDX-License-Identifier: Apache-2.0
// The runs and predictions of a report's input, grouped by what was run.
#pragma once

#include <fathom/reports/figures.h>

#include <array>
#include <compare>
#include <map>
#include <string>
#include <vector>

namespace fathom::reports {

using NamedValues = std::map<std::string, int>;  ///< parameters by name: files list them in any order

/// An algorithm on one type of elements.
struct Subject {
  std::string algorithm;
  std::string type;  ///< "u32", "u32:u64", with "descending" and "stable" if requested
  auto operator<=>(const Subject&) const = default;
  std::string words() const { return algorithm + ", " + type; }
  std::string id() const;  ///< usable as Figure::id
};

/// One configuration with its measurement and the prediction of each law.
struct Configuration {
  const Measurement* run;  ///< nullptr for a prediction without measurement
  double n;
  NamedValues parameters;
  std::map<LawName, const Prediction*> predicted;
  bool without_work = false;  ///< not predicted by a law that needs its work
  bool at_defaults = false;   ///< its parameters are those of its n and type by default
};

/// The laws that figures show, the most accurate first.
inline constexpr std::array drawn_laws{LawName::counted, LawName::fitted, LawName::published};
/// Measured, else predicted by the first of the drawn laws that does; infinite without either.
double seconds_of(const Configuration& configuration);

using BySubject = std::map<Subject, std::vector<Configuration>>;
/// Every configuration on random input, measured or only predicted. If a configuration was measured more than
/// once, the first run is used. The input must outlive the result.
BySubject configurations(const ReportInput& input);

/// "3 points without a prediction: …": a figure's note; empty for no points.
std::string left_out_note(std::size_t points);

/// "sort", "sort on several GPUs"; "other" for an algorithm that is not in the registry.
std::string kind_name(const std::string& slug);

/// Measures at several sizes.
inline const char* const bench_sizes_command = "fathom bench ALGORITHM --sizes 2^10..2^28 -o data.json";
/// Measures at several values of a parameter.
inline const char* const bench_grid_command =
    "fathom bench ALGORITHM --sizes 2^24 --set PARAMETER=FIRST..LAST -o data.json";

}  // namespace fathom::reports
