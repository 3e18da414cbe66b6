// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/case.h>
#include <fmt/format.h>

namespace fathom {

std::string in_words(const Case& one) {
  std::string text = fmt::format("{} n = {:.0f}", one.algorithm->slug, one.problem.n);
  for (const auto& [parameter, value] : one.problem.parameters)
    text += fmt::format(", {} = {}", parameter, value);
  return fmt::format("{}, {}", text, name(Instantiation(one.problem)));
}

WorkKey work_key(const Case& one, int architecture) {
  const Kind kind = one.algorithm->kind;
  const bool sums = kind == Kind::scan || kind == Kind::reduce;
  return {one.algorithm->slug, Instantiation(one.problem), one.problem.parameters,
          sums ? Input::random : one.input, architecture};
}

}  // namespace fathom
