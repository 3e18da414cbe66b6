#include "arguments.h"

#include <fathom/calls/predicting/problem.h>
#include <fathom/model/tune.h>
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace fathom::python {

double checked_count(double n) {
  const auto fail = [&](std::string_view why) {
    throw std::invalid_argument(fmt::format("n = {}: give {}", n, why));
  };
  if (!(n >= 1)) fail("at least one element");
  if (n != std::floor(n)) fail("a whole number of elements");
  if (n > 0x1p53) fail("at most 2^53 elements");
  return n;
}

LawName parse_law(const std::string& text) {
  for (const LawName law : all_laws)
    if (text == name(law)) return law;
  throw std::invalid_argument(fmt::format("unknown law '{}': choose counted, fitted or published", text));
}

namespace {

Ceiling parse_ceiling(const std::string& text) {
  if (text == "as-printed") return Ceiling::as_printed;
  if (text == "always") return Ceiling::always;
  if (text == "never") return Ceiling::never;
  throw std::invalid_argument(fmt::format("ceiling '{}': choose as-printed, always or never", text));
}

}  // namespace

Law law_of(const std::string& law, const std::string& ceiling, double composition) {
  const Law chosen{.law = parse_law(law), .ceiling = parse_ceiling(ceiling), .composition = {composition}};
  if (!definition(chosen.law).has_readings && (composition != 1 || chosen.ceiling != Ceiling::as_printed))
    throw std::invalid_argument(
        fmt::format("the law {} has no ceiling and no compose: choose law published", law));
  return chosen;
}

Input input_of(const std::string& input, LawName law) {
  const Input chosen = parse_input(input);
  if (chosen != Input::random && !definition(law).knows_inputs)
    throw std::invalid_argument(
        fmt::format("input {}: the law {} knows random input only: choose law counted", input, name(law)));
  return chosen;
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

calls::Question question(const Asked& asked, double n, const Values& values) {
  const Law law = law_of(asked.law, asked.ceiling, asked.composition);
  const Algorithm& algorithm = calls::algorithm_or_formula(asked.algorithm);
  calls::check_law(algorithm, law.law);
  return {.algorithm = &algorithm,
          .problem = calls::checked_problem(algorithm, checked_count(n), asked.type, asked.stable,
                                            parameters_of(algorithm, values)),
          .law = law,
          .input = input_of(asked.input, law.law),
          .what_if = asked.what_if,
          .sensitivities = asked.sensitivities};
}

}  // namespace fathom::python
