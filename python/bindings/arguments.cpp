// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <fathom/calls/predicting/problem.h>
#include <fathom/model/tune.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace fathom::python {
namespace {

template <class Value>
void set_option(const calls::Declaration& option, Value& own, OptionValue given) {
  if constexpr (std::is_same_v<Value, double>)
    if (const int* whole = std::get_if<int>(&given)) given = double(*whole);
  const Value* value = std::get_if<Value>(&given);
  if (!value) throw std::invalid_argument(fmt::format("`{}` has a value of another type", option.name));
  if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, double>) {
    const auto [low, high] = option.range;
    const double number = *value;
    const bool fits = low <= number && number <= high && number == std::floor(number);
    if (!fits && number != own)  // the default may be outside
      throw std::invalid_argument(fmt::format("`{}` = {}: give a whole number from {:.0f} to {:.0f}",
                                              option.name, number, low, high));
  }
  own = *value;
}

}  // namespace

double checked_count(double n) {
  const auto fail = [&](std::string_view why) {
    throw std::invalid_argument(fmt::format("n = {}: give {}", n, why));
  };
  if (!(n >= 1)) fail("at least one element");
  if (n != std::floor(n)) fail("a whole number of elements");
  if (n > 0x1p53) fail("at most 2^53 elements");
  return n;
}

Parameters parameters_of(const Descriptor& algorithm, const Values& values) {
  Parameters parameters = algorithm.default_parameters();
  for (const auto& [name, value] : values) {
    algorithm.check(Parameters{{name, value}});
    parameters.set(name, value);
  }
  return parameters;
}

std::vector<Parameters> grid_of(const Descriptor& algorithm, const ValueLists& values) {
  std::vector<std::pair<std::string, std::vector<int>>> chosen(values.begin(), values.end());
  for (const ParameterInfo& info : algorithm.parameters)
    if (!values.contains(info.name)) chosen.push_back({info.name, {info.default_value}});
  return every_choice(algorithm, chosen);
}

void set_options(const calls::Declarations& options, const OptionValues& values) {
  for (const auto& [name, given] : values) {
    const auto one = std::ranges::find(options, name, &calls::Declaration::name);
    if (one == options.end()) throw std::invalid_argument("there is no option `" + name + "`");
    std::visit([&, &value = given](auto* own) { set_option(*one, *own, value); }, one->value);
  }
}

calls::Question question(const Algorithm& algorithm, double n, const Values& values,
                         const calls::PredictOptions& options) {
  return calls::question(algorithm,
                         calls::checked_problem(algorithm, checked_count(n), options.type, options.stable,
                                                parameters_of(algorithm, values)),
                         options);
}

}  // namespace fathom::python
