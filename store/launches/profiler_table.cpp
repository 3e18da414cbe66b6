// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/number.h>
#include <fathom/store/launches/profiler_table.h>
#include <fathom/store/profile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fathom {
namespace {

// Some thousand launches with two thousand metrics are the largest reports.
constexpr std::size_t most_columns = 20'000, most_instances = 10'000;

/// The rows of a table in CSV, one at a time. Fields are quoted, with quotes in them doubled.
class Rows {
 public:
  Rows(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  /// Moves to the line that begins so; false if there is none.
  bool find_line(std::string_view beginning) {
    for (; at_ < text_.size(); skip_line())
      if (text_.substr(at_).starts_with(beginning)) return true;
    return false;
  }

  /// The fields of the next row; empty at the end of the table, which a line ends that is no row.
  std::vector<std::string> next() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) skip_line();
    std::vector<std::string> fields;
    if (at_ >= text_.size() || (rows_ > 0 && text_[at_] != '"')) return fields;
    ++rows_;
    row_line_ = line_;
    while (true) {
      if (fields.size() == most_columns) fail(fmt::format("a row has more than {} fields", most_columns));
      fields.push_back(field());
      if (at_ >= text_.size() || text_[at_] != ',') break;
      ++at_;
    }
    skip_line();
    return fields;
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw FormatError(fmt::format("{}: line {}: {}", where_, row_line_, problem));
  }

 private:
  std::string field() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string plain(text_.substr(at_, end - at_));
    at_ = end;
    return plain;
  }
  std::string quoted() {
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') {
          ++at_;
          return value;
        }
        ++at_;
      }
      if (text_[at_] == '\n') ++line_;
      value += text_[at_];
    }
    fail("a quotation mark is not closed: the file is cut off");
  }
  void skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    ++line_;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0, line_ = 1, row_line_ = 1, rows_ = 0;
};

/// A number as the profiler prints it, "1,234.5"; absent for other text, and for what is not finite.
std::optional<double> parse_number(std::string_view text) {
  std::string digits;
  for (const char c : text)
    if (c != ',') digits += c;
  const std::optional<double> value = number_in<double>(digits);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Of "120 (BAR: 8; LDG: 112)", the instances by name.
void add_instances(const std::string& name, std::string_view list, double factor, ProfiledLaunch& launch) {
  std::size_t added = 0;
  while (!list.empty() && added++ < most_instances) {
    const std::size_t end = std::min(list.find(';'), list.size());
    const std::string_view one = list.substr(0, end);
    const std::size_t colon = one.rfind(':');
    if (colon != one.npos)
      if (const auto value = parse_number(trimmed(one.substr(colon + 1))))
        launch.metrics[fmt::format("{}[{}]", name, trimmed(one.substr(0, colon)))] = *value * factor;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

void add_metric(const std::string& name, std::string_view unit, std::string_view value,
                ProfiledLaunch& launch) {
  const double factor = unit_factor(unit);
  std::string_view number = trimmed(value);
  const std::size_t bracket = number.find(" (");
  if (bracket != number.npos && number.ends_with(')')) {
    add_instances(name, number.substr(bracket + 2, number.size() - bracket - 3), factor, launch);
    number = trimmed(number.substr(0, bracket));
  }
  if (const auto parsed = parse_number(number); parsed && std::isfinite(*parsed * factor))
    launch.metrics[name] = *parsed * factor;
  else
    launch.texts[name] = std::string(value);
}

std::size_t column_of(const std::vector<std::string>& header, std::string_view name) {
  return std::size_t(std::ranges::find(header, name) - header.begin());
}

/// A row with as many fields as the header; empty at the end.
std::vector<std::string> next_row(Rows& rows, const std::vector<std::string>& header) {
  std::vector<std::string> row = rows.next();
  if (!row.empty() && row.size() != header.size())
    rows.fail(
        fmt::format("has {} fields, and the header {}: the table is damaged", row.size(), header.size()));
  return row;
}

std::vector<ProfiledLaunch> by_launch(Rows& rows, const std::vector<std::string>& header) {
  const std::size_t kernel = column_of(header, "Kernel Name");
  const std::vector<std::string> units = next_row(rows, header);
  if (units.empty() || !units.front().empty())
    rows.fail("the row of units is missing: print the table with ncu --csv --page raw");
  std::vector<ProfiledLaunch> launches;
  for (auto row = next_row(rows, header); !row.empty(); row = next_row(rows, header)) {
    ProfiledLaunch& launch = launches.emplace_back();
    launch.kernel = row[kernel];
    for (std::size_t i = 0; i < row.size(); ++i) add_metric(header[i], units[i], row[i], launch);
  }
  return launches;
}

std::vector<ProfiledLaunch> by_metric(Rows& rows, const std::vector<std::string>& header) {
  const std::size_t kernel = column_of(header, "Kernel Name"), name = column_of(header, "Metric Name"),
                    unit = column_of(header, "Metric Unit"), value = column_of(header, "Metric Value");
  if (unit == header.size() || value == header.size()) rows.fail("has no columns for units and values");
  std::vector<ProfiledLaunch> launches;
  std::map<std::string, std::size_t> by_id;
  for (auto row = next_row(rows, header); !row.empty(); row = next_row(rows, header)) {
    const auto [found, is_new] = by_id.emplace(row.front(), launches.size());
    if (is_new) {
      ProfiledLaunch& launch = launches.emplace_back();
      launch.kernel = row[kernel];
      for (std::size_t i = 0; i < row.size(); ++i)
        if (i != name && i != unit && i != value) launch.texts[header[i]] = row[i];
    }
    if (!row[name].empty()) add_metric(row[name], row[unit], row[value], launches[found->second]);
  }
  return launches;
}

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array units{Unit{"byte", 1}, Unit{"second", 1}, Unit{"s", 1},
                           Unit{"hz", 1},   Unit{"Hz", 1},     Unit{"cycle", 1}};
constexpr std::array prefixes{Unit{"n", 1e-9}, Unit{"u", 1e-6}, Unit{"m", 1e-3}, Unit{"k", 1e3},
                              Unit{"K", 1e3},  Unit{"M", 1e6},  Unit{"G", 1e9},  Unit{"T", 1e12}};

double factor_of_one(std::string_view unit) {
  for (const Unit& known : units)
    for (const Unit& prefix : prefixes)
      if (unit.starts_with(prefix.name) && unit.substr(prefix.name.size()) == known.name)
        return prefix.factor;
  return 1;
}

}  // namespace

double unit_factor(std::string_view unit) {
  const std::size_t slash = std::min(unit.find('/'), unit.size());
  const double above = factor_of_one(unit.substr(0, slash));
  return slash < unit.size() ? above / factor_of_one(unit.substr(slash + 1)) : above;
}

std::optional<double> ProfiledLaunch::metric(std::string_view name) const {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

std::vector<ProfiledLaunch> parse_profiler_csv(std::string_view text, const std::string& where) {
  Rows rows(text, where);
  const char* const way_out = "print it with ncu --import REPORT --csv --page raw --print-units base";
  if (!rows.find_line("\"ID\","))
    throw FormatError(fmt::format(
        "{}: there is no table of Nsight Compute, whose header begins with \"ID\": {}", where, way_out));
  const std::vector<std::string> header = rows.next();
  if (column_of(header, "Kernel Name") == header.size())
    rows.fail(fmt::format("the table has no column \"Kernel Name\": {}", way_out));
  const bool is_long = column_of(header, "Metric Name") < header.size();
  std::vector<ProfiledLaunch> launches = is_long ? by_metric(rows, header) : by_launch(rows, header);
  if (launches.empty()) rows.fail("the table has no launches: no kernel was profiled");
  return launches;
}

}  // namespace fathom
