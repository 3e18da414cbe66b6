#include <fathom/reports/table.h>

#include <fathom/core/escape.h>

#include <algorithm>
#include <stdexcept>

namespace fathom::reports {

std::size_t display_width(std::string_view text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void Table::add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::invalid_argument("a table row needs one cell per column");
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::vector<std::string>> lines(1 + rows_.size());
  for (const Column& column : columns_) lines.front().push_back(line_for_terminal(column.heading));
  for (std::size_t row = 0; row < rows_.size(); ++row)
    for (const std::string& cell : rows_[row]) lines[1 + row].push_back(line_for_terminal(cell));
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& line : lines)
    for (std::size_t column = 0; column < columns_.size(); ++column)
      widths[column] = std::max(widths[column], display_width(line[column]));

  std::string out;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::string& cell = cells[column];
      const std::string padding(widths[column] - display_width(cell), ' ');
      if (column > 0) line += "  ";
      line += columns_[column].align == Align::left ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  std::vector<std::string> rule;
  for (std::size_t width : widths) rule.emplace_back(width, '-');
  lines.insert(lines.begin() + 1, rule);
  for (const auto& line : lines) add_line(line);
  return out;
}

}  // namespace fathom::reports
