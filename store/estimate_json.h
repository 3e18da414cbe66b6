// SPDX-License-Identifier: Apache-2.0
// Fitted numbers in files: {"value_s": 2e-06, "interval_s": [1e-06, 3e-06]}.
#pragma once

#include <fathom/model/estimate.h>
#include <fathom/store/json_fields.h>

namespace fathom {

/// `unit` is the suffix of the fields' names (suffix() in constants.h).
nlohmann::ordered_json estimate_to_json(const Estimate& estimate, std::string_view unit);
/// Value and interval must lie in the range. Throws FormatError.
Estimate parse_estimate(const Field& field, std::string_view unit, Range range);

}  // namespace fathom
