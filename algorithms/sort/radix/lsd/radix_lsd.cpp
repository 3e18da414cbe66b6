#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/lsd/radix_lsd.h>

namespace fathom {
namespace {

/// Keys are compared by their digits, and the sort is stable whether asked for or not.
template <class Element, class LessThan, class Stability>
using Solver = RadixLsd<Element>;

}  // namespace

Algorithm radix_lsd() {
  return make_sort_with_values<Solver>(
      {.slug = "radix-lsd",
       .group = "sort/radix",
       .source = "merrill2010",
       .parameters = {{"d", "bits of a digit", consecutive(1, 8), 5},
                      {"t", "threads per block", {64, 128, 256}, 256},
                      {"E", "elements per thread", {7, 9, 11, 13, 15, 17, 19, 21, 23}, 15}}},
      RadixKeys{}, RecordTypes{}, "d", "t", "E");
}

}  // namespace fathom
