// SPDX-License-Identifier: Apache-2.0
#include <fathom/store/built_in_text.h>
#include <fathom/store/work_table_rows.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace fathom {
namespace {

/// A table whose records are parsed when they are asked for. It finds them by its lines, as to_json() writes
/// them.
class LazyTable {
 public:
  explicit LazyTable(const BuiltInText& table) : where_(fmt::format("built-in work table {}", table.name)) {
    std::vector<std::string_view>* records = nullptr;
    std::vector<std::string_view> rows;
    for (std::string_view rest = table.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      constexpr std::string_view architecture = "  \"architecture\": ";
      if (line.starts_with(architecture))
        std::from_chars(line.data() + architecture.size(), line.data() + line.size(), architecture_);
      if (line == "  \"kernels\": [") records = &kernels_;
      if (line == "  \"rows\": [") records = &rows;
      constexpr std::string_view record = "    {";
      if (!records || !line.starts_with(record)) continue;
      line.remove_prefix(record.size() - 1);
      if (line.ends_with(',')) line.remove_suffix(1);
      records->push_back(line);
    }
    for (const std::string_view row : rows) rows_.emplace(row.substr(0, row.find("\"inputs\":")), row);
  }

  int architecture() const { return architecture_; }

  std::optional<AlgorithmWork> find(const WorkKey& key) const {
    const auto [begin, end] = rows_.equal_range(beginning_of_row(key));
    for (auto each = begin; each != end; ++each) {
      const auto json = parse_json(std::string(each->second), where_);
      const StoredRow row = parse_row(Field(json, where_), architecture_, kernels_.size());
      if (std::ranges::find(row.inputs, key.input) == row.inputs.end()) continue;
      AlgorithmWork work{key, {}};
      for (const std::size_t kernel : row.kernels) {
        const auto kernel_json = parse_json(std::string(kernels_[kernel]), where_);
        work.kernels.push_back(parse_kernel_work(Field(kernel_json, where_)));
      }
      return work;
    }
    return std::nullopt;
  }

 private:
  std::string where_;
  int architecture_ = 0;
  std::vector<std::string_view> kernels_;
  std::unordered_multimap<std::string_view, std::string_view> rows_;  ///< by their beginning
};

const std::vector<LazyTable>& lazy_tables() {
  static const std::vector<LazyTable> tables = [] {
    std::vector<LazyTable> made;
    for (const BuiltInText& table : built_in_work_tables()) made.emplace_back(table);
    return made;
  }();
  return tables;
}

}  // namespace

std::optional<AlgorithmWork> built_in_work(const WorkKey& key) {
  for (const LazyTable& table : lazy_tables())
    if (table.architecture() == key.architecture)
      if (auto work = table.find(key)) return work;
  return std::nullopt;
}

}  // namespace fathom
