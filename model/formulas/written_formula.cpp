// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/formulas/written_formula.h>

#include <cmath>
#include <memory>
#include <stdexcept>

namespace fathom {
namespace {

enum class Sign { positive, not_negative };

class Evaluation {
 public:
  Evaluation(const WrittenFormula& written, const Machine<double>& machine, const Problem& problem)
      : scope_(formula_scope(machine, problem)), problem_(problem), origin_(written.origin) {
    for (const auto& [name, expression] : written.definitions)
      scope_.define(name, scope_.value_of(expression));
  }

  Phase phase(const WrittenFormula::Phase& written) {
    where_ = origin_ + ": phase '" + written.name + "': ";
    Phase phase{.name = written.name,
                .launches = number("launches", written.launches, Sign::not_negative),
                .multiplicity = number("X", written.multiplicity, Sign::positive),
                .overlap = written.overlap};
    for (const WrittenFormula::Access& access : written.accesses)
      phase.accesses.push_back({.level = access.level,
                                .count = number("words", access.count, Sign::not_negative),
                                .conflict = number("beta", access.conflict, Sign::positive),
                                .parallelism = number("I", access.parallelism, Sign::positive),
                                .ceiling = access.ceiling,
                                .saturated = access.saturated});
    return phase;
  }

 private:
  double number(const char* what, const std::string& expression, Sign sign) {
    const double value = scope_.value_of(expression);
    const bool allowed = sign == Sign::positive ? value > 0 : value >= 0;
    if (allowed && std::isfinite(value)) return value + 0.0;  // -0 becomes 0
    std::string problem = " for n = " + std::to_string(u64(problem_.n));
    for (const auto& [name, chosen] : problem_.parameters)
      problem += ", " + name + " = " + std::to_string(chosen);
    throw std::runtime_error(where_ + what + " = '" + expression + "' is " + std::to_string(value) + problem +
                             ": it must be " + (sign == Sign::positive ? "positive" : "at least 0"));
  }

  ExpressionScope scope_;
  const Problem& problem_;
  const std::string& origin_;
  std::string where_;
};

}  // namespace

ExpressionScope formula_scope(const Machine<double>& machine, const Problem& problem) {
  ExpressionScope scope;
  scope.define("n", problem.n);
  scope.define("words", words(problem));
  scope.define("P", machine.P());
  scope.define("M", machine.M());
  scope.define("w", machine.warp_width);
  scope.define("X_max", double(machine.limits.threads_per_multiprocessor) / machine.cores_per_multiprocessor);
  for (const auto& [name, value] : problem.parameters) scope.define(name, value);
  return scope;
}

Formula formula_of(WrittenFormula written) {
  // Shared by the copies of the function, since the phases refer to its names.
  return {[kept = std::make_shared<const WrittenFormula>(std::move(written))](
              const Machine<double>& machine, const Problem& problem, const Reading&) {
    Evaluation evaluation(*kept, machine, problem);
    Phases phases;
    for (const WrittenFormula::Phase& phase : kept->phases) phases.push_back(evaluation.phase(phase));
    return phases;
  }};
}

}  // namespace fathom
