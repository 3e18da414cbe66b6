#include <fathom/reports/text_parts.h>

#include <fathom/core/escape.h>
#include <fmt/format.h>

#include <algorithm>

namespace fathom::reports {

std::string fields(const std::vector<std::pair<std::string, std::string>>& named) {
  std::size_t width = 0;
  for (const auto& [name, value] : named) width = std::max(width, display_width(name));
  std::string out;
  for (const auto& [name, value] : named)
    if (!value.empty()) out += line(name + std::string(width - display_width(name) + 2, ' ') + value);
  return out;
}

std::string line(const std::string& text) {
  return line_for_terminal(text) + '\n';
}

std::string heading(const std::string& text) {
  return line(text) + '\n';
}

std::string section(const std::string& title, const Table& table) {
  return table.empty() ? "" : fmt::format("\n{}\n\n{}", title, table.text());
}

}  // namespace fathom::reports
