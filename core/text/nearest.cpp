// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/nearest.h>

#include <algorithm>
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

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t enough = 100;  // what is longer is near to no name, and the distance costs time
  word = word.substr(0, enough);
  const auto closer = [word](const std::string& a, const std::string& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  };
  const auto found = std::min_element(candidates.begin(), candidates.end(), closer);
  return found == candidates.end() ? std::string{} : *found;
}

}  // namespace fathom
