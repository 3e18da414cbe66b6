// Measured runs of algorithms as a file: what `fathom bench` writes, and fit, validate and the reports read.
// Version 2 holds each run's whole problem. Version 1 lacked its kind, order and stability; it is read, never
// written.
#pragma once

#include <fathom/store/profile.h>

namespace fathom {

struct Dataset {
  static constexpr int version = 2;
  Provenance provenance;
  std::vector<Measurement> runs;
};

/// Throws std::invalid_argument for runs that parse_dataset() would refuse.
std::string to_json(const Dataset& dataset);
Dataset parse_dataset(const std::string& text, const std::string& where);  ///< throws FormatError
Dataset read_dataset(const std::filesystem::path& file);                   ///< also throws std::system_error
void write_dataset(const Dataset& dataset, const std::filesystem::path& file);  ///< whole or not at all

}  // namespace fathom
