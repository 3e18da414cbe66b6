// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/tuning/contenders.h>
#include <fathom/core/text/nearest.h>
#include <fathom/model/tune.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace fathom::python {
namespace {

template <class Value>
[[noreturn]] void refuse_type(const calls::Declaration& option) {
  std::string_view wanted = "a whole number";
  if (std::is_same_v<Value, bool>) wanted = "True or False";
  if (std::is_same_v<Value, std::string>) wanted = "text";
  if (std::is_same_v<Value, std::vector<std::string>>) wanted = "one text or several";
  throw std::invalid_argument(fmt::format("`{}` has a value of another type: give {}", option.name, wanted));
}

template <class Value>
void set_option(const calls::Declaration& option, Value& own, const OptionValue& given) {
  if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, double>) {
    // Python's whole numbers are doubles here if they are large.
    const int* whole = std::get_if<int>(&given);
    const double* number = std::get_if<double>(&given);
    if (!whole && !number) refuse_type<Value>(option);
    const double value = whole ? *whole : *number;
    const auto [low, high] = option.range;
    const bool fits = low <= value && value <= high && value == std::floor(value);
    if (!fits && value != own)  // the default may be outside
      throw std::invalid_argument(
          fmt::format("`{}` = {}: give a whole number from {:.0f} to {:.0f}", option.name, value, low, high));
    own = Value(value);
  } else {
    const Value* value = std::get_if<Value>(&given);
    if (!value) refuse_type<Value>(option);
    own = *value;
  }
}

/// Returns the algorithms that are named; a kind names all of its own.
std::vector<const Descriptor*> named(const std::vector<std::string>& names) {
  std::vector<const Descriptor*> all;
  for (const std::string& text : names) {
    if (!calls::are_compared({text})) {
      all.push_back(&descriptor(calls::any_algorithm(text)));
      continue;
    }
    for (const Algorithm& one : algorithms())
      if (name(one.kind) == text) all.push_back(&one);
  }
  return all;
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

void check_names(const std::string& call, const std::vector<std::string>& options,
                 const std::vector<std::string>& algorithms, const std::vector<std::string>& given) {
  const std::vector<const Descriptor*> all = named(algorithms);
  std::vector<std::string> known;
  for (const Descriptor* one : all)
    for (const ParameterInfo& parameter : one->parameters) known.push_back(parameter.name);
  const std::vector<std::string> parameters = known;
  known.insert(known.end(), options.begin(), options.end());
  for (const std::string& name : given) {
    if (std::ranges::find(parameters, name) != parameters.end()) continue;
    std::string whose = "none of the algorithms a", listed;
    if (all.size() == 1) {
      const std::string& slug = all.front()->slug;
      whose = slug + " no";
      listed = fmt::format(" ({} has {})", slug,
                           parameters.empty() ? "none" : fmt::format("{}", fmt::join(parameters, ", ")));
    }
    throw std::invalid_argument(fmt::format("{} has no argument '{}', and {} parameter of this name{}{}",
                                            call, name, whose, did_you_mean(name, known), listed));
  }
}

Parameters parameters_of(const Descriptor& algorithm, const Values& values) {
  Parameters parameters;
  for (const auto& [name, value] : values) parameters.set(name, value);
  algorithm.check(parameters);
  return parameters;
}

std::vector<Parameters> grid_of(const Descriptor& algorithm, const ValueLists& values) {
  std::vector<Parameters> grid = combinations({values.begin(), values.end()});
  for (const Parameters& one : grid) algorithm.check(one);
  return grid;
}

void set_options(const calls::Declarations& options, const OptionValues& values) {
  for (const auto& [name, given] : values) {
    const auto one = std::ranges::find(options, name, &calls::Declaration::name);
    if (one == options.end()) throw std::invalid_argument("there is no option `" + name + "`");
    std::visit([&, &value = given](auto* own) { set_option(*one, *own, value); }, one->value);
  }
}

calls::Question question(const Descriptor& algorithm, double n, const Values& values,
                         const calls::PredictOptions& options) {
  return calls::question(algorithm,
                         calls::checked_problem(algorithm, checked_count(n), options.type, options.stable,
                                                parameters_of(algorithm, values)),
                         options);
}

}  // namespace fathom::python
