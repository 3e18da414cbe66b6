#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/sort_by_heaps.h>
#include <fathom/model/formulas.h>

namespace fathom {
namespace {

using namespace asymptotic;

/// Pieces of the least size: inputs on the memory machines are small.
MultiwayShape shape(const Instance& of) {
  const HeapLayout heaps{int(of.parameter("K")), int(of.parameter("node")), int(of.parameter("lanes")), 1, 1};
  const double tile = of.parameter("E") > 0 ? of.parameter("t") * of.parameter("E") : warp_width;
  const double piece = 16 * of.parameter("node");
  return {of.parameter("K"), tile, piece, 2 * of.parameter("K") * of.parameter("node"),
          piece * heaps.heaps() / warp_width};
}

}  // namespace

Algorithm sort_multiway() {
  return make_sort<SortMultiway>(
      {.slug = "sort-multiway",
       .group = "sort/merge",
       .source = "agpu2015 §7.3, karsin2018 §4.2",
       .parameters = {{"K", "lists merged at a time", {2, 4, 8, 16, 32}, 16},
                      {"node", "keys per row of a heap's node", {8, 16, 32}, 16},
                      {"lanes", "lanes that merge two rows", {1, 2, 4}, 1},
                      {"t", "threads per block that sorts a tile", {64, 128, 256, 512}, 256},
                      {"E",
                       "keys per thread of a tile; 0: a warp sorts w keys",
                       {0, 8, 11, 15, 16, 17, 19, 23, 31},
                       31}},
       .formula = formulas::sort_multiway(),
       .asymptotic_costs = {
           .umm = [](const Instance& of) { return sort_multiway_global(of.size, shape(of)); },
           .dmm = [](const Instance& of) { return sort_multiway_shared(of.size, shape(of)); }}},
      KeyElements{}, "K", "node", "lanes", "t", "E");
}

}  // namespace fathom
