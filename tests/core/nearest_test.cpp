// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/text/nearest.h>

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("edit distance counts insertions, deletions and substitutions") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("alpha", "alhpa") == 2);
}

TEST_CASE("the nearest candidate is found, the first one in a tie") {
  const std::vector<std::string> slugs{"sort-pairwise", "sort-multiway", "scan-matrix"};
  CHECK(nearest("sort-pairwize", slugs) == "sort-pairwise");
  CHECK(nearest("scan", slugs) == "scan-matrix");
  CHECK(nearest("x", {"a", "b"}) == "a");
  CHECK(nearest("x", {}).empty());
}
