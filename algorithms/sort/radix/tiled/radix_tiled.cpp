#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/radix/tiled/radix_tiled.h>

namespace fathom {
namespace {

/// Keys are compared by their digits, and the sort is stable whether asked for or not.
template <class Element, class LessThan, class Stability>
using Solver = RadixTiled<Element>;

}  // namespace

Algorithm radix_tiled() {
  return make_sort_with_values<Solver>({.slug = "radix-tiled",
                                        .group = "sort/radix",
                                        .source = "merrill2010, after Satish et al. 2009",
                                        .parameters = {{"d", "bits of a digit", consecutive(1, 8), 4},
                                                       {"t", "threads per block", {128, 256, 512}, 256},
                                                       {"E", "elements per thread", {2, 4, 8}, 4}}},
                                       RadixKeys{}, RecordTypes{}, "d", "t", "E");
}

}  // namespace fathom
