// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/problem.h>
#include <fathom/core/text/nearest.h>

#include <charconv>

namespace fathom {
namespace {

constexpr std::array<std::string_view, all_kinds.size()> kinds{"sort", "segmented-sort", "scan", "reduce",
                                                               "other"};
constexpr std::array<std::string_view, 2> orders{"ascending", "descending"};
constexpr std::array<std::string_view, all_inputs.size()> inputs{
    "random", "sorted", "reverse", "nearly-sorted", "few-unique", "equal", "conflict-heavy", "zipf"};
constexpr std::array<std::string_view, 2> inputs_with_degree{"sortedness", "entropy"};
constexpr auto first_with_degree = std::size_t(Input::sortedness);
static_assert(first_with_degree == inputs.size());

template <std::size_t count>
std::string joined(const std::array<std::string_view, count>& names) {
  std::string text;
  for (std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

/// The index of `text` among the names of an enumeration; an error lists the choices.
template <std::size_t count>
std::size_t parse(std::string_view what, std::string_view text,
                  const std::array<std::string_view, count>& names, const std::string& choices) {
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == text) return i;
  throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(text) + "'" +
                              did_you_mean(text, {names.begin(), names.end()}) + " (" + choices + ")");
}

}  // namespace

std::string_view name(Kind kind) {
  return kinds.at(std::size_t(kind));
}
bool is_sort(Kind kind) {
  return kind == Kind::sort || kind == Kind::segmented_sort;
}
Kind parse_kind(std::string_view text) {
  return Kind(parse("kind of problem", text, kinds, joined(kinds)));
}
std::string_view name(Order order) {
  return orders.at(std::size_t(order));
}
Order parse_order(std::string_view text) {
  return Order(parse("order", text, orders, joined(orders)));
}
std::string name(const Input& input) {
  if (input.pattern < first_with_degree) return std::string(inputs.at(input.pattern));
  std::array<char, 32> degree{};
  const char* end = std::to_chars(degree.data(), degree.data() + degree.size(), input.degree).ptr;
  return std::string(inputs_with_degree.at(input.pattern - first_with_degree)) + '=' +
         std::string(static_cast<const char*>(degree.data()), end);
}
Input parse_input(std::string_view text) {
  for (std::size_t i = 0; i < inputs_with_degree.size(); ++i) {
    const std::string_view pattern = inputs_with_degree[i];
    if (!text.starts_with(pattern)) continue;
    const std::string_view number = text.substr(pattern.size());
    double degree = -1;
    if (number.starts_with('=')) {
      const char* const end = number.data() + number.size();
      if (std::from_chars(number.data() + 1, end, degree).ptr != end) degree = -1;
    }
    if (!(0 <= degree && degree <= 1))
      throw std::invalid_argument("input '" + std::string(text) + "': write " + std::string(pattern) +
                                  "=X with X from 0 to 1");
    return {Input::Pattern(first_with_degree + i), degree};
  }
  return Input::Pattern(parse("input", text, inputs, input_names()));
}
std::string input_names() {
  return joined(inputs) + ", sortedness=X, entropy=X (X from 0 to 1)";
}

double Problem::bytes_per_element() const {
  return size_in_bytes(type) + (value_type ? size_in_bytes(*value_type) : 0);
}

std::string type_text(const KeyAndValue& type) {
  std::string text(name(type.key));
  if (type.value) text.append(":").append(name(*type.value));
  return text;
}
std::string type_text(const Problem& problem) {
  return type_text(KeyAndValue{problem.type, problem.value_type});
}
double words(const Problem& problem) {
  return problem.bytes_per_element() / 4;
}
std::string name(const Instantiation& of) {
  return type_text(of.type) + (of.stable ? " stable" : "");
}

KeyAndValue parse_type_text(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return {parse_element_type(text), {}};
  return {parse_element_type(text.substr(0, colon)), parse_element_type(text.substr(colon + 1))};
}

}  // namespace fathom
