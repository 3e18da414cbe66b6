// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/sort/segments/make_segmented_sort.h>
#include <fathom/algorithms/sort/segments/sort_segments.h>

namespace fathom {
namespace {

template <class Element>
using Sort = SortSegments<Element, Less>;

}  // namespace

Algorithm sort_segments() {
  return make_segmented_sort<Sort>(
      {.slug = "sort-segments",
       .group = "sort/segments",
       .source = "Fathom: several lists in a block, after sort-pairwise",
       .parameters = {{"E", "elements per thread", {5, 7, 9, 11, 13, 15, 17, 19, 23}, 17},
                      {"t", "threads per block of longer lists", {128, 256, 512}, 256},
                      mean_length()},
       .fits_by = {"E", "t"}},
      "t", "E");
}

}  // namespace fathom
