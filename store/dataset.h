// SPDX-License-Identifier: Apache-2.0
// Files of measured runs of algorithms: written by `fathom bench`, read by fit, validate and the reports.
// Version 2 holds each run's whole problem. Version 1, without its kind, order and stability, is read but
// never written.
#pragma once

#include <fathom/store/profile.h>

namespace fathom {

/// The times that a run on a GPU can take: from less than a clock to eleven days.
inline constexpr Range seconds_of_a_run{1e-10, 1e6};

struct Dataset {
  static constexpr int version = 2;
  Provenance provenance;
  std::vector<Measurement> runs;
};

/// Throws std::invalid_argument for runs that parse_dataset() would reject.
std::string to_json(const Dataset& dataset);
/// Throws FormatError, also for sizes and times that cannot be. Needs little more memory than the result if
/// the runs come last, as to_json() writes them.
Dataset parse_dataset(const std::string& text, const std::string& where);
Dataset read_dataset(const std::filesystem::path& file);  ///< also throws std::system_error

}  // namespace fathom
