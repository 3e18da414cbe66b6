// SPDX-License-Identifier: Apache-2.0
// Arithmetic expressions, as formulas in files have them, over named numbers.
#pragma once

#include <memory>
#include <string>

namespace fathom {

/// Names with values, and the functions that every expression may use:
///     log2(x), log(x, base), ceil(x), floor(x), sqrt(x), abs(x), min(x, y, …), max(x, y, …)
/// Expressions have + - * / ^, comparisons, && || and c ? x : y.
class ExpressionScope {
 public:
  ExpressionScope();
  ExpressionScope(ExpressionScope&&) noexcept;
  ~ExpressionScope();

  /// Throws std::invalid_argument for text that is not a name (a letter, then letters, digits and '_'), and
  /// for a name that is defined already.
  void define(const std::string& name, double value);

  /// It may be infinite, or NaN. Throws std::invalid_argument for text that is no expression, of more than
  /// 1000 characters, or with a name that is not defined, quoting it and suggesting the nearest.
  double value_of(const std::string& expression);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace fathom
