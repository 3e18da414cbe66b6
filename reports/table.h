// A table of text cells, aligned for the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom::reports {

enum class Align { left, right };

class Table {
 public:
  struct Column {
    std::string heading;
    Align align = Align::right;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(
      std::vector<std::string> cells);  ///< throws std::invalid_argument unless there is one cell per column
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  /// Headings, a rule, and the rows; two spaces between columns, no trailing blanks, a newline after every
  /// line. Cells are escaped for the terminal.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Width of UTF-8 text on a terminal, in columns. Counts code points: enough for µ, ±, · and Greek letters.
std::size_t display_width(std::string_view text);

}  // namespace fathom::reports
