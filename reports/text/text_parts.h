// SPDX-License-Identifier: Apache-2.0
// Parts that the texts of all results share. Each escapes its text for the terminal, and wraps lines wider
// than line_width (table.h).
#pragma once

#include <fathom/reports/text/table.h>

#include <string>
#include <utility>
#include <vector>

namespace fathom::reports {

/// "name  value\n" for every value that is not empty, the values aligned.
std::string fields(const std::vector<std::pair<std::string, std::string>>& named);
std::string line(const std::string& text);  ///< and its newline; lines that it wraps to are indented
std::string heading(const std::string& text);
std::string section(const std::string& title, const Table& table);  ///< empty for an empty table

}  // namespace fathom::reports
