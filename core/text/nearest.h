// SPDX-License-Identifier: Apache-2.0
// Finds the nearest known name, for "did you mean …".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fathom {

/// The fewest insertions, deletions and substitutions of one character that turn `a` into `b` (Levenshtein
/// distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// ": did you mean 'sort-pairwise'?": the candidate at the smallest edit distance, the first of equals, with
/// capital letters taken as small ones. Empty when none is near: when more than a third of the letters differ
/// from each, and none contains the word.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace fathom
