// SPDX-License-Identifier: Apache-2.0
// What kind of measurements a file holds, whatever else is true of it.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

namespace fathom {

/// "profile" or "dataset" if the file is JSON with that schema, wherever in the document it stands, and in
/// whatever state the rest is; "dataset" also of another tool's runs (store/foreign/format.h); else empty,
/// also if there is no such file. Reads the file, and of one with a schema keeps hardly any of it.
std::string measurements_in(const std::filesystem::path& file);
/// The same of a document, read from the stream's beginning.
std::string measurements_in(std::istream& document);

}  // namespace fathom
