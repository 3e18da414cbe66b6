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

/// The candidate at the smallest edit distance, the first of equals; empty when there are no candidates.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace fathom
