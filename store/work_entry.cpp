// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/digest.h>
#include <fathom/store/work_entry.h>
#include <fmt/format.h>

namespace fathom {

std::string encode_work_entry(const std::string& table) {
  return fmt::format("fathom work {:016x}\n{}", digest(table), table);
}

std::optional<WorkTable> decode_work_entry(const std::string& entry) {
  const std::size_t end = entry.find('\n');
  if (end == entry.npos) return std::nullopt;
  const std::string table = entry.substr(end + 1);
  if (entry != encode_work_entry(table)) return std::nullopt;
  return parse_work_table(table, "cached work");
}

}  // namespace fathom
