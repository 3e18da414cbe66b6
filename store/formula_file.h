// SPDX-License-Identifier: Apache-2.0
// Formulas in files: algorithms on paper, predicted without compiling.
#pragma once

#include <fathom/model/formulas/written_formula.h>

#include <filesystem>
#include <string>

namespace fathom {

/// An algorithm without kernels, from JSON. `where` names the text in errors. Throws FormatError, naming the
/// field, and for expressions also the expression and an unknown name, with a suggestion.
Descriptor parse_formula(const std::string& json, const std::string& where);
/// Throws also what read_whole() throws.
Descriptor read_formula(const std::filesystem::path& file);

}  // namespace fathom
