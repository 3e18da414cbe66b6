// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/text/text_parts.h>

#include <fathom/core/text/escape.h>
#include <fmt/format.h>

#include <algorithm>

namespace fathom::reports {
namespace {

/// The text after `head`, its further lines below its first.
std::string hanging(const std::string& head, const std::string& text) {
  const std::string first = line_for_terminal(head);
  const std::size_t indent = display_width(first);
  std::string out, before = first;
  for (const std::string& part : wrapped(line_for_terminal(text), line_width - indent)) {
    out += before + part + '\n';
    before.assign(indent, ' ');
  }
  return out;
}

}  // namespace

std::string fields(const std::vector<std::pair<std::string, std::string>>& named) {
  std::size_t width = 0;
  for (const auto& [name, value] : named) width = std::max(width, display_width(name));
  std::string out;
  for (const auto& [name, value] : named)
    if (!value.empty()) out += hanging(name + std::string(width - display_width(name) + 2, ' '), value);
  return out;
}

std::string line(const std::string& text) {
  const std::string whole = line_for_terminal(text);
  if (display_width(whole) <= line_width) return whole + '\n';
  std::string out;
  for (const std::string& part : wrapped(whole, line_width - 2)) {
    if (!out.empty()) out += "  ";
    out += part + '\n';
  }
  return out;
}

std::string heading(const std::string& text) {
  return line(text) + '\n';
}

std::string section(const std::string& title, const Table& table) {
  return table.empty() ? "" : fmt::format("\n{}\n{}", line(title), table.text());
}

}  // namespace fathom::reports
