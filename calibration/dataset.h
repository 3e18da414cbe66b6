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

/// Fits and validation never share a point: the split is a fixed function of size and parameters, the same on
/// every machine and in every command, whatever the algorithm and the type. About half of all sizes and half
/// of all parameter sets are for fitting. A run takes part in fits when both its size and its parameters are;
/// every other run has a size or a parameter set that no fit has seen, and is for validation.
bool size_is_for_fitting(double n);
bool parameters_are_for_fitting(const std::map<std::string, int>& parameters);
bool is_for_fitting(const Run& run);
/// Neither the size nor the parameters of this run took part in any fit: the hardest part of validation.
bool is_unseen(const Run& run);

}  // namespace fathom
