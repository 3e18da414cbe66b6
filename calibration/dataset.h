// Measured runs of algorithms as a file: what `fathom bench` writes, and fit, validate and the reports read.
#pragma once

#include <fathom/calibration/profile.h>

namespace fathom {

struct Dataset {
  static constexpr int version = 1;
  Provenance provenance;
  std::vector<Run> runs;
};

std::string to_json(const Dataset& dataset);
Dataset parse_dataset(const std::string& text, const std::string& where);  ///< throws FormatError
Dataset read_dataset(const std::filesystem::path& file);                   ///< also throws std::system_error
void write_dataset(const Dataset& dataset, const std::filesystem::path& file);  ///< whole or not at all

/// Whether a run takes part in fits. Fits and validation never share a point: the split is a fixed function of the
/// configuration (algorithm, type, n, parameters), so that it is the same on every machine and in every command.
bool is_for_fitting(const Run& run);

}  // namespace fathom
