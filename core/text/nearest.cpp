// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/nearest.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace fathom {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // row[j] is the distance between the part of `a` processed so far and the first j characters of `b`.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

namespace {

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return small;
}

/// Returns whether one may have been typed for the other. Both are in small letters.
bool is_near(std::string_view word, std::string_view candidate) {
  constexpr std::size_t telling = 3;  // letters: fewer are in many names
  if (word.size() >= telling && candidate.find(word) != candidate.npos) return true;
  return 3 * edit_distance(word, candidate) <= std::max(word.size(), candidate.size());
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t enough = 100;  // what is longer is near to no name, and the distance costs time
  const std::string typed = in_small_letters(word.substr(0, enough));
  const std::string* nearest = nullptr;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    const std::string name = in_small_letters(candidate);
    if (!is_near(typed, name)) continue;
    const std::size_t distance = edit_distance(typed, name);
    if (nearest && distance >= least) continue;
    nearest = &candidate;
    least = distance;
  }
  return nearest ? ": did you mean '" + *nearest + "'?" : "";
}

}  // namespace fathom
