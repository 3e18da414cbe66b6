// SPDX-License-Identifier: Apache-2.0
// A table of text cells, aligned for the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom::reports {

/// The width, in columns, of the terminal for which text is laid out.
constexpr std::size_t line_width = 120;

enum class Align { left, right };
inline constexpr Align left = Align::left;

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
  /// line. No line is wider than `most_columns`: headings and left-aligned cells wrap, and where that is not
  /// enough each row becomes a block with a line per cell. Cells are escaped for the terminal.
  std::string text(std::size_t most_columns = line_width) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Width of UTF-8 text on a terminal, in columns. Counts code points: enough for µ, ±, · and Greek letters.
std::size_t display_width(std::string_view text);

/// The text in lines of at most `width` columns, broken at spaces, but not where the parts belong together:
/// "E = 15", "t: 64..512 (256)". A longer word is broken where the line ends. At least one line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace fathom::reports
