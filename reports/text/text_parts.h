// SPDX-License-Identifier: Apache-2.0
// Parts that the texts of all results share. Each escapes its text for the terminal, and wraps lines wider
// than line_width (table.h).
#pragma once

#include <fathom/model/laws/predict.h>
#include <fathom/model/laws/sensitivity.h>
#include <fathom/reports/text/table.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fathom::reports {

/// "name  value\n" for every value that is not empty, the values aligned.
std::string fields(const std::vector<std::pair<std::string, std::string>>& named);
std::string line(const std::string& text);  ///< and its newline; lines that it wraps to are indented
std::string heading(const std::string& text);
std::string section(const std::string& title, const Table& table);  ///< empty for an empty table

// Of predictions. Lines and sections are empty where there is nothing to say.
Table terms_or_resources_table(const Prediction& prediction);
Table kernels_table(const Prediction& prediction);
std::string limit_and_saving(const Prediction& prediction);  ///< "DRAM (10 % faster saves …)"
std::string interval(const Prediction& prediction);          ///< " (95 %: 1.20 to 1.26 ms)"
std::string assumptions_section(const Prediction& prediction);
std::string what_if_line(const std::vector<std::string>& changes);
std::string sensitivities_section(const std::optional<std::vector<Sensitivity>>& sensitivities);

}  // namespace fathom::reports
