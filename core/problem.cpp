// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/problem.h>
#include <fathom/core/text/nearest.h>

namespace fathom {
namespace {

constexpr std::array<std::string_view, all_kinds.size()> kinds{"sort", "scan", "reduce", "other"};
constexpr std::array<std::string_view, 2> orders{"ascending", "descending"};
constexpr std::array<std::string_view, all_inputs.size()> inputs{
    "random", "sorted", "reverse", "nearly-sorted", "few-unique", "equal", "conflict-heavy", "zipf"};

template <std::size_t count>
std::string joined(const std::array<std::string_view, count>& names) {
  std::string text;
  for (std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

/// The index of `text` among the names of an enumeration.
template <std::size_t count>
std::size_t parse(std::string_view what, std::string_view text,
                  const std::array<std::string_view, count>& names) {
  for (std::size_t i = 0; i < count; ++i)
    if (names[i] == text) return i;
  throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(text) + "': did you mean " +
                              nearest(text, {names.begin(), names.end()}) + "? (" + joined(names) + ")");
}

}  // namespace

std::string_view name(Kind kind) {
  return kinds.at(std::size_t(kind));
}
Kind parse_kind(std::string_view text) {
  return Kind(parse("kind of problem", text, kinds));
}
std::string_view name(Order order) {
  return orders.at(std::size_t(order));
}
Order parse_order(std::string_view text) {
  return Order(parse("order", text, orders));
}
std::string_view name(Input input) {
  return inputs.at(std::size_t(input));
}
Input parse_input(std::string_view text) {
  return Input(parse("input", text, inputs));
}
std::string input_names() {
  return joined(inputs);
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
