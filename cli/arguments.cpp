// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <fathom/core/text/nearest.h>
#include <fathom/core/text/number.h>
#include <fathom/core/text/size.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <unordered_set>

namespace fathom::cli {
namespace {

constexpr double largest_count = 9007199254740992;  // 2^53

UsageError listed_twice(std::string_view entry) {
  return UsageError(fmt::format("'{}' is listed twice: list it once", entry));
}

/// A list of entries and ranges: what ranges have in common with the rest is kept once, other repeats are
/// refused.
template <class Value>
class DistinctValues {
 public:
  void add(Value value, std::string_view text) {
    if (!single_.insert(value).second) throw listed_twice(text);
    add_from_range(value);
  }
  void add_from_range(Value value) {
    if (seen_.insert(value).second) values_.push_back(value);
  }
  std::vector<Value> values() && { return std::move(values_); }

 private:
  std::vector<Value> values_;
  std::unordered_set<Value> single_, seen_;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

struct Halves {
  std::string_view left, right;
};
std::optional<Halves> halve(std::string_view text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  if (at == text.npos) return std::nullopt;
  return Halves{text.substr(0, at), text.substr(at + separator.size())};
}

/// The number, if it is a number of elements. `written()` is its text in errors.
double checked_count(double number, auto written) {
  if (number < 1) throw UsageError(fmt::format("n = {}: give at least one element", written()));
  if (number != std::floor(number))
    throw UsageError(fmt::format("n = {}: give a whole number of elements", written()));
  if (number > largest_count) throw UsageError(fmt::format("n = {}: give at most 2^53 elements", written()));
  return number;
}

/// "2^16..2^28:4"
std::vector<double> parse_range(std::string_view text) {
  const auto ends = halve(text, "..");
  const auto upper_and_stride = halve(ends->right, ":");
  const auto low = power_in(ends->left);
  const auto high = power_in(upper_and_stride ? upper_and_stride->left : ends->right);
  const auto stride = upper_and_stride ? decimal_in<int>(upper_and_stride->right) : 1;
  if (!low || !high || low->base != high->base || low->exponent > high->exponent || !stride || *stride < 1)
    throw UsageError(fmt::format(
        "'{}' is not a range of sizes: give it as 2^16..2^28 (every power) or 2^16..2^28:4 (every fourth)",
        text));
  std::vector<double> sizes;
  for (long exponent = low->exponent; exponent <= high->exponent; exponent += *stride)
    sizes.push_back(checked_count(std::pow(low->base, exponent),
                                  [&] { return fmt::format("{}^{}", low->base, exponent); }));
  return sizes;
}

/// One assignment as text, not yet checked against the algorithm.
struct Assignment {
  std::string parameter;
  std::string_view values;
};
Assignment parse_assignment(std::string_view text) {
  const auto halves = halve(text, "=");
  if (!halves || halves->left.empty() || halves->right.empty())
    throw UsageError(
        fmt::format("--set '{}' is not an assignment: give a parameter and its value, as in E=15", text));
  return {std::string(halves->left), halves->right};
}

/// The allowed values: all of them, or first and last of a long list and those around `value`, which is not
/// in it.
std::string allowed(const ParameterInfo& info, std::optional<int> value) {
  const std::vector<int>& values = info.values;
  if (values.size() <= 12) return fmt::format("{}", fmt::join(values, ", "));
  const auto range = fmt::format("{} to {}", values.front(), values.back());
  if (!value || *value < values.front() || *value > values.back()) return range;
  const auto above = std::ranges::lower_bound(values, *value);
  return fmt::format("{} (not all of them: nearest to {} are {} and {})", range, *value, *(above - 1),
                     *above);
}

int parse_value(std::string_view text, const ParameterInfo& info, std::string_view algorithm) {
  const auto value = decimal_in<int>(text);
  if (!value || !std::ranges::binary_search(info.values, *value))
    throw UsageError(fmt::format("{} of {} cannot be '{}': {} ({}) takes {}", info.name, algorithm, text,
                                 info.name, info.meaning, allowed(info, value)));
  return *value;
}

std::vector<int> parse_values(std::string_view text, const ParameterInfo& info, std::string_view algorithm) {
  DistinctValues<int> values;
  for (std::string_view part : split(text, ',')) {
    const auto ends = halve(part, "..");
    if (!ends) {
      values.add(parse_value(part, info, algorithm), part);
      continue;
    }
    const int low = parse_value(ends->left, info, algorithm),
              high = parse_value(ends->right, info, algorithm);
    for (int value : info.values)
      if (low <= value && value <= high) values.add_from_range(value);
    if (low > high)
      throw UsageError(fmt::format("{}={}: give the smaller end of the range first", info.name, part));
  }
  return std::move(values).values();
}

}  // namespace

double parse_whole(std::string_view option, std::string_view text, const WholeRange& range) {
  const bool has_digits_only =
      std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  const auto number = range.is_size || has_digits_only ? size_in(text) : std::nullopt;
  if (!number || *number != std::floor(*number) || *number < range.low || *number > range.high)
    throw UsageError(fmt::format("{} '{}': give a whole number from {:.0f} to {:.0f}{}", option, text,
                                 range.low, range.high, range.is_size ? ", as 1024, 1e6 or 2^14" : ""));
  return *number;
}

std::vector<std::string> parse_list(std::string_view option, const std::vector<std::string>& texts) {
  std::vector<std::string> list;
  for (const std::string& text : texts)
    for (std::string_view entry : split(text, ',')) {
      if (entry.empty()) throw UsageError(fmt::format("{} '{}' has an empty entry: omit it", option, text));
      list.emplace_back(entry);
    }
  check_distinct(list);
  return list;
}

void check_distinct(const std::vector<std::string>& list) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& entry : list)
    if (!seen.insert(entry).second) throw listed_twice(entry);
}

double parse_count(std::string_view text) {
  const auto number = size_in(text);
  if (!number)
    throw UsageError(
        fmt::format("n = '{}' is not a number of elements: give it as 1000000, 1e6, 1M or 2^20", text));
  return checked_count(*number, [&] { return text; });
}

std::vector<double> parse_sizes(std::string_view text) {
  DistinctValues<double> sizes;
  for (std::string_view part : split(text, ',')) {
    if (part.find("..") == part.npos)
      sizes.add(parse_count(part), part);
    else
      for (double n : parse_range(part)) sizes.add_from_range(n);
  }
  return std::move(sizes).values();
}

UsageError unknown_parameter(std::string_view algorithm, const std::vector<ParameterInfo>& infos,
                             std::string_view parameter) {
  if (infos.empty()) return UsageError(fmt::format("{} has no parameters: omit --set", algorithm));
  std::vector<std::string> names;
  for (const ParameterInfo& info : infos) names.push_back(info.name);
  return UsageError(fmt::format("{} has no parameter '{}'{} (it has {})", algorithm, parameter,
                                did_you_mean(parameter, names), fmt::join(names, ", ")));
}

Assignments parse_assignments(std::string_view algorithm, const std::vector<ParameterInfo>& infos,
                              const std::vector<std::string>& assignments) {
  Assignments given;
  for (const std::string& text : assignments) {
    const auto [parameter, values] = parse_assignment(text);
    const auto info = std::ranges::find(infos, parameter, &ParameterInfo::name);
    if (info == infos.end()) throw unknown_parameter(algorithm, infos, parameter);
    if (std::ranges::find(given, parameter, &Assignments::value_type::first) != given.end())
      throw UsageError(
          fmt::format("--set {} is given twice: put its values in one list, as in E=11,15", parameter));
    given.emplace_back(parameter, parse_values(values, *info, algorithm));
  }
  return given;
}

std::vector<Parameters> parse_grid(std::string_view algorithm, const std::vector<ParameterInfo>& infos,
                                   const std::vector<std::string>& assignments) {
  Assignments given = parse_assignments(algorithm, infos, assignments);
  std::ranges::sort(given, {}, [&](const auto& one) {
    return std::ranges::find(infos, one.first, &ParameterInfo::name) - infos.begin();
  });
  return combinations(given);
}

void set_gpus(const Descriptor& algorithm, const std::string& gpus, std::vector<std::string>& assignments) {
  if (gpus.empty()) return;
  if (!algorithm.for_several_gpus())
    throw UsageError(
        "--gpus: " + algorithm.slug +
        " runs on one GPU: omit it, or choose an algorithm for several (fathom algorithms lists them)");
  assignments.push_back("gpus=" + gpus);
}

std::string assigned_parameter(std::string_view assignment) {
  return parse_assignment(assignment).parameter;
}

}  // namespace fathom::cli
