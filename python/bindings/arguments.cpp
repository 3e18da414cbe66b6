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
  const auto options = options_from<calls::PredictionOptions>(asked.options);
  const Algorithm& algorithm = calls::algorithm_or_formula(asked.algorithm);
  const Law law = calls::law_of(options, algorithm);
  return {.algorithm = &algorithm,
          .problem = calls::checked_problem(algorithm, checked_count(n), asked.type, asked.stable,
                                            parameters_of(algorithm, values)),
          .law = law,
          .input = calls::input_of(options, law.law),
          .what_if = options.what_if,
          .sensitivities = options.sensitivities};
}

}  // namespace fathom::python
