// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/nearest.h>
#include <fathom/device/cuda/compiler/compiler_log.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace fathom {
namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The place behind the parenthesis that closes the one at `open`.
std::size_t end_of_parentheses(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return text.size();
}

/// The name ahead of the next parentheses that are not those of an attribute.
std::string function_after(std::string_view text, std::size_t at) {
  for (std::size_t open; (open = text.find('(', at)) != text.npos; at = end_of_parentheses(text, open)) {
    std::size_t end = open;
    while (end > at && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
    std::size_t begin = end;
    while (begin > at && is_of_name(text[begin - 1])) --begin;
    const std::string_view name = text.substr(begin, end - begin);
    if (!name.starts_with("__")) return std::string(name);
  }
  return "";
}

/// The first line with an error; empty if there is none.
std::string_view first_error(std::string_view log) {
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    if (const std::string_view line = log.substr(0, end); line.find("error: ") != line.npos) return line;
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return log;
}

/// `complaint` is the compiler's about the expression, in a file of its own.
std::string wrong_name(const std::string& expression, std::string_view text, std::string_view complaint) {
  const auto says = [&](std::string_view part) { return complaint.find(part) != complaint.npos; };
  if (says("instance of function template"))
    return fmt::format("'{0}' is a template: name its arguments, as in {0}<float>", expression);
  if (says("instance of overloaded function"))
    return fmt::format("several kernels are named '{0}': choose one by its type, as in (void (*)(float*)){0}",
                       expression);
  if (says("non-__global__")) return fmt::format("'{}' is no kernel: it is not __global__", expression);
  const std::vector<std::string> kernels = kernels_of_source(text);
  if (!says("is undefined") || kernels.empty())
    return fmt::format("the source has no kernel '{}': {}", expression, complaint);
  return fmt::format("the source has no kernel '{}'{} (it has {})", expression,
                     did_you_mean(expression.substr(0, expression.find('<')), kernels),
                     fmt::join(kernels, ", "));
}

}  // namespace

std::vector<std::string> kernels_of_source(std::string_view text) {
  constexpr std::string_view mark = "__global__";
  std::vector<std::string> names;
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    at += mark.size();
    const std::string name = function_after(text, at);
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string why_not_compiled(const std::string& expression, std::string_view text, std::string_view log) {
  const std::string_view error = first_error(log);
  if (error.starts_with("__nv_name_map"))
    return wrong_name(expression, text, error.substr(error.find("error: ") + 7));
  return fmt::format("{} does not compile: {}", expression, error.empty() ? log : error);
}

}  // namespace fathom
