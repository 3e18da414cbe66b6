// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/core/text/nearest.h>
#include <fathom/model/expression_scope.h>
#include <muParser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace fathom {
namespace {

constexpr std::array<std::string_view, 8> functions{"log2", "log", "ceil", "floor",
                                                    "sqrt", "abs", "min",  "max"};
constexpr std::size_t longest = 1000, longest_name = 100;  // muParser's own limit of names is the latter

bool is_name(std::string_view text) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto may_follow = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, may_follow);
}

double least(const double* values, int count) {
  return *std::min_element(values, values + count);
}
double greatest(const double* values, int count) {
  return *std::max_element(values, values + count);
}
/// Exact where x is a power of the base: ⌈log(125, 5)⌉ is 3, which the quotient exceeds by rounding.
double logarithm(double x, double base) {
  const double quotient = std::log(x) / std::log(base), nearest = std::round(quotient);
  return std::pow(base, nearest) == x ? nearest : quotient;
}

/// muParser's own functions have names that mislead (log is base e), and none rounds up.
void define_functions(mu::Parser& parser) {
  parser.ClearFun();
  parser.ClearConst();
  parser.DefineFun("log2", static_cast<double (*)(double)>(std::log2));
  parser.DefineFun("log", logarithm);
  parser.DefineFun("ceil", static_cast<double (*)(double)>(std::ceil));
  parser.DefineFun("floor", static_cast<double (*)(double)>(std::floor));
  parser.DefineFun("sqrt", static_cast<double (*)(double)>(std::sqrt));
  parser.DefineFun("abs", static_cast<double (*)(double)>(std::fabs));
  parser.DefineFun("min", least);
  parser.DefineFun("max", greatest);
  // It rearranges: the value should be that of the same expression in C++.
  parser.EnableOptimizer(false);
}

/// The error in the words of ours.
std::string in_words(const mu::ParserError& error, const std::vector<std::string>& known) {
  const std::string& token = error.GetToken();
  if (error.GetCode() != mu::ecUNASSIGNABLE_TOKEN || !is_name(token))
    return "cannot be evaluated: " + error.GetMsg();
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  return "unknown name '" + token + "'" + did_you_mean(token, known) + " (" + all + ")";
}

}  // namespace

struct ExpressionScope::Parser : mu::Parser {};

ExpressionScope::ExpressionScope() : parser_(std::make_unique<Parser>()) {
  define_functions(*parser_);
}
ExpressionScope::ExpressionScope(ExpressionScope&&) noexcept = default;
ExpressionScope::~ExpressionScope() = default;

void ExpressionScope::define(const std::string& name, double value) {
  if (!is_name(name))
    throw std::invalid_argument("'" + name + "' is no name: use a letter, then letters, digits and '_'");
  if (name.size() > longest_name)
    throw std::invalid_argument("a name of " + std::to_string(name.size()) +
                                " characters is too long: use at most " + std::to_string(longest_name));
  if (parser_->GetConst().contains(name) || std::ranges::count(functions, name) > 0)
    throw std::invalid_argument("the name '" + name + "' has a meaning already: choose another");
  parser_->DefineConst(name, value);
}

double ExpressionScope::value_of(const std::string& expression) {
  check_interruption();
  if (expression.size() > longest)
    throw std::invalid_argument("an expression of " + std::to_string(expression.size()) +
                                " characters is too long: cut it into definitions of at most " +
                                std::to_string(longest));
  // The parser would stop there, and the value be that of the beginning.
  if (expression.find('\0') != expression.npos)
    throw std::invalid_argument("an expression has a NUL character: remove it");
  try {
    parser_->SetExpr(expression);
    int results = 0;
    const double* const values = parser_->Eval(results);
    if (results == 1) return values[0];
  } catch (const mu::ParserError& error) {
    std::vector<std::string> known(functions.begin(), functions.end());
    for (const auto& [name, value] : parser_->GetConst()) known.push_back(name);
    throw std::invalid_argument("'" + expression + "': " + in_words(error, known));
  }
  throw std::invalid_argument("'" + expression + "': cannot be evaluated: it is more than one expression");
}

}  // namespace fathom
