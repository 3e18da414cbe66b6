// SPDX-License-Identifier: Apache-2.0
// Links between GPUs as a profile's file has them.
#pragma once

#include <fathom/model/links.h>
#include <fathom/store/json_fields.h>

namespace fathom {

nlohmann::ordered_json links_to_json(const Links& links);
/// Throws FormatError for a field that is missing or out of its range, two curves of a kind and a number of
/// GPUs, and ranges that do not begin at 0, do not grow, or do not meet.
Links parse_links(const Field& field);

}  // namespace fathom
