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

TEST_CASE("the nearest candidate is suggested, the first one in a tie") {
  const std::vector<std::string> slugs{"sort-pairwise", "sort-multiway", "scan-matrix"};
  CHECK(did_you_mean("sort-pairwize", slugs) == ": did you mean 'sort-pairwise'?");
  CHECK(did_you_mean("sort-multiwya", slugs) == ": did you mean 'sort-multiway'?");
  CHECK(did_you_mean("bat", {"cat", "bar", "rat"}) == ": did you mean 'cat'?");
}

TEST_CASE("a name that contains the word is near") {
  CHECK(did_you_mean("matrix", {"sort-pairwise", "scan-matrix"}) == ": did you mean 'scan-matrix'?");
  CHECK(did_you_mean("scan", {"scan-matrix", "scans"}) == ": did you mean 'scans'?");
  CHECK(did_you_mean("so", {"sort-pairwise"}).empty());
}

TEST_CASE("capital letters make no name another one") {
  CHECK(did_you_mean("e", {"t", "E"}) == ": did you mean 'E'?");
  CHECK(did_you_mean("CLOCK", {"block", "clock"}) == ": did you mean 'clock'?");
}

TEST_CASE("nothing is suggested that more than a third of the letters tell apart") {
  CHECK(did_you_mean("abcdxy", {"abcdef"}) == ": did you mean 'abcdef'?");
  CHECK(did_you_mean("abcxyz", {"abcdef"}).empty());
  CHECK(did_you_mean("nope", {"sort-mms", "sort-kway"}).empty());
  CHECK(did_you_mean("commands", {"count", "completion"}).empty());
  CHECK(did_you_mean("Z", {"d", "w"}).empty());
  CHECK(did_you_mean("", {"a"}).empty());
  CHECK(did_you_mean("x", {}).empty());
}
