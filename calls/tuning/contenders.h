// SPDX-License-Identifier: Apache-2.0
// Which algorithms a question is about: those named, or all of a kind that can solve the problem.
#pragma once

#include <fathom/algorithms/registry.h>
#include <fathom/calls/options.h>
#include <fathom/calls/tuning/tuning.h>
#include <fathom/reports/results.h>

#include <functional>
#include <string>
#include <vector>

namespace fathom::calls {

/// The kinds whose names stand for all their algorithms: all but `other`.
std::vector<std::string> kinds_of_algorithms();
/// True for a list of several names, and for the name of a kind: the answer is then a comparison.
bool are_compared(const std::vector<std::string>& names);

struct Contenders {
  std::vector<const Algorithm*> algorithms;    ///< each once; never empty
  std::vector<const Algorithm*> named;         ///< those of them that are named themselves, not by their kind
  std::vector<reports::NotCompared> left_out;  ///< those of the kinds named that are not compared
};

/// `names` are of algorithms, files of formulas, and kinds. Of a kind, algorithms are left out that cannot
/// solve the problem, that the law cannot predict, and baselines. Throws std::invalid_argument for names of
/// different kinds, and if none of a kind is left, and what algorithm_or_formula() and parse_law() throw;
/// whether those named can solve the problem is not checked.
Contenders contenders(const std::vector<std::string>& names, const std::string& type, bool stable,
                      const PredictionOptions& options);

/// Returns what `entrant` makes of each of the contenders. Those for which it throws are moved to those left
/// out, with the reason, such as a parameter that they do not have. Throws what `entrant` throws for one that
/// is named itself, and for the first if none is left.
std::vector<Entrant> entrants(Contenders& of, const std::function<Entrant(const Algorithm&)>& entrant);

}  // namespace fathom::calls
