// SPDX-License-Identifier: Apache-2.0
// How the cache stores counted work.
#pragma once

#include <fathom/store/work_table.h>

#include <optional>
#include <string>

namespace fathom {

/// The text of a cache entry: one line with the digest of what follows, which is the work table, to_json().
std::string encode_work_entry(const std::string& table);

/// Absent unless the digest is that of the table. Throws FormatError for a table of another format.
std::optional<WorkTable> decode_work_entry(const std::string& entry);

}  // namespace fathom
