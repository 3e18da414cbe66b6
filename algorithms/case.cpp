// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/case.h>
#include <fathom/core/text/size.h>
#include <fmt/format.h>

namespace fathom {
namespace {

std::string in_words(const std::string& slug, const Problem& problem) {
  std::string text = fmt::format("{} n = {}", slug, elements(problem.n));
  for (const auto& [parameter, value] : problem.parameters)
    text += fmt::format(", {} = {}", parameter, value);
  return fmt::format("{}, {}", text, name(Instantiation(problem)));
}

}  // namespace

std::string in_words(const Case& one) {
  return in_words(one.algorithm->slug, one.problem);
}
std::string in_words(const Measurement& run) {
  return in_words(run.algorithm, run.problem);
}

WorkKey work_key(const Case& one, int architecture) {
  const Kind kind = one.algorithm->kind;
  const bool sums = kind == Kind::scan || kind == Kind::reduce;
  return {one.algorithm->slug, Instantiation(one.problem), one.problem.parameters,
          sums ? Input::random : one.input, architecture};
}

}  // namespace fathom
