// SPDX-License-Identifier: Apache-2.0
// A formula written as text, phase by phase: store/formula_file.h reads it from a file.
#pragma once

#include <fathom/model/descriptor.h>
#include <fathom/model/expression_scope.h>

#include <string>
#include <utility>
#include <vector>

namespace fathom {

/// A formula whose numbers are expressions (model/expression_scope.h) over the names of formula_scope().
struct WrittenFormula {
  struct Access {
    Level level{};  ///< the members are those of Access in phase.h
    std::string count, conflict = "1", parallelism = "1";
    bool ceiling = false, saturated = false;
  };
  struct Phase {
    std::string name;
    std::string launches = "1", multiplicity;
    bool overlap = false;
    std::vector<Access> accesses{};
  };
  std::string origin{};  ///< named in errors: "my-sort.json"
  /// Names for what several expressions need; a definition may use those before it.
  std::vector<std::pair<std::string, std::string>> definitions{};
  std::vector<Phase> phases{};
};

/// What expressions may use, besides the definitions: n; words, of 32 bits, per element; of the machine P
/// (cores), M (words of shared memory), w (warp width), X_max (resident threads per core, at most); and the
/// problem's parameters.
ExpressionScope formula_scope(const Machine<double>& machine, const Problem& problem);

/// Its phases throw std::runtime_error, naming the origin, the phase, the expression and its value, for a
/// number that is not finite or is out of the range of phase.h, and std::invalid_argument for one that is no
/// expression. The phases' names are gone with the last copy of the formula.
Formula formula_of(WrittenFormula written);

}  // namespace fathom
