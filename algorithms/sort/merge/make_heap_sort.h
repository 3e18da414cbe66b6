// SPDX-License-Identifier: Apache-2.0
// Makes the registry entries of the multiway mergesorts, which differ in their heaps and base cases.
#pragma once

#include <fathom/algorithms/make_algorithm.h>
#include <fathom/algorithms/sort/merge/sort_by_heaps.h>

namespace fathom {

namespace detail {
/// Pieces of the least size: inputs on the memory machines are small.
template <class Heap>
asymptotic::MultiwayShape heap_sort_shape(const asymptotic::Instance& of) {
  const int key_words = int(words(of.problem));
  const int ways = int(of.parameter("K")), node = row_keys(int(of.parameter("node")), key_words);
  const HeapLayout heaps{ways, node, int(of.parameter("lanes")), key_words, Heap::rows};
  const double elements = of.parameter("E");
  const double tile = elements > 0 ? of.parameter("t") * elements : warp_width * Heap::base_keys_per_lane;
  const double piece = 16 * node;
  return {.K = double(ways),
          .tile = tile,
          .piece = piece,
          .heap = double(Heap::rows * ways * node),
          .node = double(node),
          .keys = piece * heaps.heaps() / warp_width};
}

template <class Heap>
struct WithHeap {
  template <class Element, class LessThan, class>
  using Solver = SortByHeaps<Element, LessThan, Heap>;
};
}  // namespace detail

/// A sort of keys, and of records, but not stably, by SortByHeaps with `Heap`. The descriptor lacks what all
/// of these have in common.
template <class Heap>
Algorithm make_heap_sort(Descriptor descriptor) {
  static constexpr bool stable = false;
  const std::string base = Heap::base_keys_per_lane == 1 ? "w" : "w²";
  descriptor.group = "sort/merge";
  descriptor.parameters = {
      {"K", "lists merged at a time", {2, 4, 8, 16, 32}, 16},
      {"node", "32-bit words per row of a heap's node, of at least 8 keys", {8, 16, 32}, 16},
      {"lanes", "lanes that merge two rows", {1, 2, 4}, 1},
      {"t", "threads per block that sorts a tile", {64, 128, 256, 512}, 256},
      {"E",
       "keys per thread of a tile; 0: a warp sorts " + base +
           " keys; 32: by a network without bank conflicts",
       {0, 8, 11, 15, 16, 17, 19, 23, 31, 32},
       23}};
  descriptor.fits_by = {"E", "K"};
  descriptor.asymptotic_costs = {
      .umm =
          [](const asymptotic::Instance& of) {
            return sort_multiway_global(of.size, detail::heap_sort_shape<Heap>(of));
          },
      .dmm =
          [](const asymptotic::Instance& of) {
            return sort_multiway_shared(of.size, detail::heap_sort_shape<Heap>(of));
          },
      .agpu =
          [](const asymptotic::AgpuSize& size, const Problem& problem) {
            return asymptotic::sort_multiway(size, detail::heap_sort_shape<Heap>({{}, problem, 1}));
          },
      .compares = true};
  return make_sort_with_values<detail::WithHeap<Heap>::template Solver, stable>(
      std::move(descriptor), KeyElements{}, RecordTypes{}, "K", "node", "lanes", "t", "E");
}

}  // namespace fathom
