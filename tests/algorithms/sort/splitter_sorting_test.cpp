// SPDX-License-Identifier: Apache-2.0
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/distribution/deterministic/sort_splitter_deterministic.h>
#include <fathom/algorithms/sort/distribution/splitter/sort_splitter.h>

namespace {

using namespace fathom;
using namespace fathom::tests;

struct Splitter {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortSplitter<Element, LessThan>;
  using Shape = std::array<int, 4>;  // ways, samples, threads, elements
  static constexpr bool can_be_stable = false;
  /// Buckets of about 300 keys, so that few keys need several levels.
  static std::vector<Shape> small() { return {{16, 32, 64, 7}}; }
  static std::vector<Shape> others() { return {{256, 16, 128, 9}, {64, 64, 192, 8}, {4, 16, 64, 3}}; }
  /// A tile, a level of 16 buckets, a tile of a level, and as many keys as two levels of most ways divide.
  static std::vector<int> edges(const Shape&) { return {64 * 7, 16 * 298, 512 * 16, 62000}; }
};

struct Deterministic {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortSplitterDeterministic<Element, LessThan>;
  using Shape = std::array<int, 3>;  // ways, threads, elements
  static constexpr bool can_be_stable = false;
  static std::vector<Shape> small() { return {{8, 64, 7}}; }
  static std::vector<Shape> others() { return {{16, 128, 9}, {32, 192, 8}, {4, 64, 3}}; }
  /// A tile, the most that a level of 8 buckets divides, a tile of a level, and the most of two levels.
  static std::vector<int> edges(const Shape&) { return {64 * 7, 2873, 512 * 16, 18389}; }
};

}  // namespace

#define COMPARISON_SORTS Splitter, Deterministic
#define COMPARISON_SORTS_OF_RECORDS Splitter, Deterministic
#include "comparison_sort_cases.h"
