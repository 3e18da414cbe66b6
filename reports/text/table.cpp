// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/text/table.h>

#include <fathom/core/text/escape.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace fathom::reports {
namespace {

/// Whether the byte continues a character in UTF-8: every byte but its first does.
bool is_continuation(char c) {
  return (c & 0xC0) == 0x80;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

namespace {

/// Bytes of the first `columns` columns.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (!is_continuation(text[at]) && columns-- == 0) break;
  return at;
}

/// Whether a line must not end at this space: "E = 15" and "t: 64..512 (256)" stay whole.
bool is_bound(std::string_view text, std::size_t space) {
  const char before = space > 0 ? text[space - 1] : ' ',
             after = space + 1 < text.size() ? text[space + 1] : ' ';
  return before == '=' || before == ':' || after == '=' || after == '(';
}

/// Words that stay whole; the spaces between them are left out.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const bool is_end = at == text.size();
    if (!is_end && (text[at] != ' ' || is_bound(text, at))) continue;
    if (at > begin) words.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  return words;
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (const std::string_view word : words_of(text)) longest = std::max(longest, display_width(word));
  return longest;
}

/// Text in a cell is not made narrower than this.
constexpr std::size_t least_width = 12;
constexpr std::size_t gap = 2;

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
}

/// The cells of a table as they are shown: the headings, then the rows.
using Lines = std::vector<std::vector<std::string>>;

/// Takes columns from the widest that wraps until the table fits. False if it cannot.
bool narrow(std::vector<std::size_t>& widths, const std::vector<std::size_t>& least, std::size_t limit) {
  while (total(widths) > limit) {
    std::size_t widest = widths.size();
    for (std::size_t column = 0; column < widths.size(); ++column)
      if (widths[column] > least[column] && (widest == widths.size() || widths[column] > widths[widest]))
        widest = column;
    if (widest == widths.size()) return false;
    --widths[widest];
  }
  return true;
}

/// For each column its natural width, and the least to which it can be narrowed.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> widths_of(
    const Lines& lines, const std::vector<Table::Column>& columns) {
  std::vector<std::size_t> natural(columns.size()), least(columns.size());
  for (std::size_t column = 0; column < columns.size(); ++column)
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const std::string& cell = lines[line][column];
      const bool is_heading = line == 0, wraps = columns[column].align == Align::left;
      const std::size_t width = display_width(cell);
      natural[column] = std::max(natural[column], width);
      const std::size_t needed = is_heading ? longest_word(cell)
                                 : wraps    ? std::max(longest_word(cell), std::min(width, least_width))
                                            : width;
      least[column] = std::max(least[column], needed);
    }
  return {natural, least};
}

/// One line per cell, its heading before it; a blank line between rows.
std::string blocks(const Lines& lines, std::size_t limit) {
  const std::vector<std::string>& headings = lines.front();
  std::size_t label = 0;
  for (const std::string& heading : headings) label = std::max(label, display_width(heading));
  std::string out;
  for (std::size_t row = 1; row < lines.size(); ++row) {
    if (row > 1) out += '\n';
    for (std::size_t column = 0; column < headings.size(); ++column) {
      std::string before = headings[column] + std::string(label + gap - display_width(headings[column]), ' ');
      for (const std::string& part :
           wrapped(lines[row][column], std::max(limit - label - gap, least_width))) {
        out += before + part + '\n';
        before.assign(label + gap, ' ');
      }
    }
  }
  return out;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  for (std::string_view word : words_of(text)) {
    const bool fits = display_width(lines.back()) + 1 + display_width(word) <= width;
    if (fits && !lines.back().empty())
      lines.back() += ' ';
    else if (!lines.back().empty())
      lines.emplace_back();
    // Not by the width of what is left, which takes the square of the length of a long word.
    for (std::size_t part; (part = bytes_of(word, width)) < word.size(); lines.emplace_back()) {
      lines.back() = word.substr(0, part);
      word.remove_prefix(part);
    }
    lines.back() += word;
  }
  return lines;
}

void Table::add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::invalid_argument("a table row needs one cell per column");
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::size_t most_columns) const {
  Lines lines(1 + rows_.size());
  for (const Column& column : columns_) lines.front().push_back(line_for_terminal(column.heading));
  for (std::size_t row = 0; row < rows_.size(); ++row)
    for (const std::string& cell : rows_[row]) lines[1 + row].push_back(line_for_terminal(cell));

  auto [widths, least] = widths_of(lines, columns_);
  if (!narrow(widths, least, most_columns)) return blocks(lines, most_columns);

  std::string out;
  const auto add_row = [&, widths = widths](const std::vector<std::string>& cells) {
    std::vector<std::vector<std::string>> parts;
    std::size_t height = 1;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const bool is_whole = display_width(cells[column]) <= widths[column];
      parts.push_back(is_whole ? std::vector{cells[column]} : wrapped(cells[column], widths[column]));
      height = std::max(height, parts.back().size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string line;
      for (std::size_t column = 0; column < parts.size(); ++column) {
        const std::string part = k < parts[column].size() ? parts[column][k] : "";
        const std::string padding(widths[column] - display_width(part), ' ');
        if (column > 0) line += std::string(gap, ' ');
        line += columns_[column].align == Align::left ? part + padding : padding + part;
      }
      out += without_trailing_blanks(std::move(line)) + '\n';
    }
  };
  std::vector<std::string> rule;
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  lines.insert(lines.begin() + 1, rule);
  for (const auto& line : lines) add_row(line);
  return out;
}

}  // namespace fathom::reports
