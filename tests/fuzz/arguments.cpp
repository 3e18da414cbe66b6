// SPDX-License-Identifier: Apache-2.0
// Arguments of the command line. The first letter of an input chooses what reads the rest, see `readers`;
// lists of assignments have one per line.
#include <fathom/algorithms/registry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "arguments.h"
#include "fuzz.h"

namespace fathom {
namespace {

using namespace cli;

void expect_count(double n) {
  fuzz::expect(n >= 1 && n <= 0x1p53 && n == std::floor(n), "a size is a whole number from 1 to 2^53");
}

void read_count(std::string_view text) {
  const double n = parse_count(text);
  expect_count(n);
  fuzz::expect(parse_count(fmt::format("{:.0f}", n)) == n, "a size that was printed reads back the same");
}

void read_sizes(std::string_view text) {
  const std::vector<double> sizes = parse_sizes(text);
  fuzz::expect(!sizes.empty(), "there is at least one size");
  std::ranges::for_each(sizes, expect_count);
  fuzz::expect(std::set<double>(sizes.begin(), sizes.end()).size() == sizes.size(), "no size is repeated");
}

const Algorithm& most_parameters() {
  static const Algorithm& found =
      *std::ranges::max_element(algorithms(), {}, [](const Algorithm& one) { return one.parameters.size(); });
  return found;
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    all.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

void read_grid(std::string_view text) {
  const Algorithm& algorithm = most_parameters();
  std::size_t most = 1;
  for (const ParameterInfo& info : algorithm.parameters) most *= info.values.size();
  const auto grid = parse_grid(algorithm.slug, algorithm.parameters, lines(text));
  fuzz::expect(!grid.empty() && grid.size() <= most, "a grid holds each choice once");
  for (const Parameters& parameters : grid) algorithm.check(parameters);
}

void read_parameters(std::string_view text) {
  const Algorithm& algorithm = most_parameters();
  algorithm.check(parse_grid(algorithm.slug, algorithm.parameters, lines(text)).front());
}

void read_type(std::string_view text) {
  const KeyAndValue type = parse_type_text(text);
  fuzz::expect(type_text({.type = type.key, .value_type = type.value}) == text, "a type reads back the same");
}

void read_names(std::string_view text) {
  const auto read = [&](auto parse) {
    try {
      fuzz::expect(name(parse(text)) == text, "a name reads back the same");
    } catch (const std::invalid_argument&) {
    }
  };
  read(parse_input);
  read(parse_kind);
  read(parse_order);
  read(parse_element_type);
}

void read_law(std::string_view text) {
  const auto read = [&](auto parse) {
    try {
      parse(text);
    } catch (const UsageError&) {
    }
  };
  read(parse_ceiling);
  fuzz::expect(parse_composition(text).q >= 1, "an exponent is at least 1");
}

void read_algorithm(std::string_view text) {
  fuzz::expect(algorithm(text).slug == text, "an algorithm has the slug that it was asked for by");
}

void read_whole_number(std::string_view text) {
  for (const bool is_size : {false, true}) {
    const double number = parse_whole("--option", text, {.low = 0, .high = 1e6, .is_size = is_size});
    fuzz::expect(number >= 0 && number <= 1e6 && number == std::floor(number),
                 "a whole number lies in its range");
  }
}

void read_list(std::string_view text) {
  const std::vector<std::string> list = parse_list("--option", lines(text));
  fuzz::expect(std::ranges::count(list, "") == 0, "no entry is empty");
  fuzz::expect(std::set(list.begin(), list.end()).size() == list.size(), "no entry is repeated");
}

constexpr void (*readers[])(std::string_view) = {read_count,        read_sizes, read_grid, read_parameters,
                                                 read_type,         read_names, read_law,  read_algorithm,
                                                 read_whole_number, read_list};  // a, b, …

}  // namespace
}  // namespace fathom

using namespace fathom;

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  const std::vector<std::string> texts{
      repeated("9", bytes),
      "0." + repeated("9", bytes - 3),
      "1e" + repeated("9", bytes - 3),
      listed([](std::size_t i) { return std::to_string(i + 1); }, bytes),
      repeated("2^0..2^53,", bytes - 11) + "2^1",
      listed([](std::size_t i) { return fmt::format("{}^0..{}^53", i + 2, i + 2); }, bytes),
      repeated(",", bytes),
      repeated("^", bytes),
      repeated(".", bytes),
      repeated("=", bytes),
      repeated("x", bytes),
      repeated("u32:", bytes),
      "E=" + repeated("15,", bytes - 10) + "15",
      "E=" + repeated("15,", bytes / 2) + "15\nt=" + repeated("128,", bytes / 2 - 20) + "128",
      "E=" + repeated("3..47,", bytes - 10) + "15",
      repeated("E=15\n", bytes),
      listed([](std::size_t i) { return fmt::format("p{}=1\n", i); }, bytes)};
  std::vector<std::string> inputs;
  for (std::size_t reader = 0; reader < std::size(readers); ++reader)
    for (const std::string& text : texts) inputs.push_back(char('a' + reader) + text);
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) try {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data, size);
  readers[std::uint8_t(text[0] - 'a') % std::size(readers)](text.substr(1));
  return 0;
} catch (const cli::UsageError&) {
  return 0;
} catch (const std::invalid_argument&) {
  return 0;
}
