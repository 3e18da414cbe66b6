// Every comparison sort on the CPU against the standard library, with all that they have in common: sizes
// around the edges of tiles, shapes, inputs, keys, comparators, values.
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/distribution/splitter/sort_splitter.h>
#include <fathom/algorithms/sort/merge/bitonic/sort_bitonic.h>
#include <fathom/algorithms/sort/merge/kway/sort_kway.h>
#include <fathom/algorithms/sort/merge/pairwise/sort_pairwise.h>
#include <fathom/algorithms/sort/merge/sort_by_heaps.h>
#include <fathom/algorithms/sort/merge/warp/sort_warp.h>

#include <set>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// A user-defined comparator: even numbers before odd ones, each in ascending order.
struct EvenFirst {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a % 2 != b % 2 ? a % 2 < b % 2 : a < b;
  }
};

// Each sort below has the parameters of its constructor as `Shape`: small() gives tiles so small that few
// keys make many of them, others() shapes to test with one size each. Edges lie around multiples of edges().

struct Pairwise {
  template <class Element, class LessThan, class Stability = Unstable>
  using Solver = SortPairwise<Element, LessThan, Stability>;
  using Shape = std::array<int, 2>;  // threads, elements per thread
  static constexpr bool has_values = true, can_be_stable = true;
  static std::vector<Shape> small() { return {{64, 5}}; }
  static std::vector<Shape> others() { return every<2>({{64, 128}, {3, 4, 8, 15, 16, 17, 32, 47}}); }
  static std::vector<int> edges(const Shape& shape) { return {shape[0] * shape[1]}; }
};
struct ConflictFree : Pairwise {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortConflictFree<Element, LessThan>;
  static constexpr bool has_values = false, can_be_stable = false;
  static std::vector<Shape> small() { return {{64, 8}}; }
  static std::vector<Shape> others() { return every<2>({{64, 128}, {16, 32}}); }
};
struct Kway {
  template <class Element, class LessThan, class Stability = Unstable>
  using Solver = SortKway<Element, LessThan, Stability>;
  using Shape = std::array<int, 3>;  // ways, threads, elements
  static constexpr bool has_values = true, can_be_stable = true;
  static std::vector<Shape> small() { return every<3>({{2, 4, 8, 16}, {64}, {8}}); }
  static std::vector<Shape> others() { return every<3>({{4}, {128, 256}, {8, 16, 32}}); }
  static std::vector<int> edges(const Shape& shape) {
    return {shape[1] * shape[2], shape[0] * shape[1] * shape[2]};
  }
};
struct Bitonic {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortBitonic<Element, LessThan>;
  using Shape = std::array<int, 3>;  // threads, elements, steps per pass
  static constexpr bool has_values = false, can_be_stable = false;
  static std::vector<Shape> small() { return every<3>({{64}, {8}, {1, 2, 3, 4, 5}}); }
  static std::vector<Shape> others() { return every<3>({{64, 128, 256}, {8, 16, 32}, {2}}); }
  static std::vector<int> edges(const Shape& shape) { return {shape[0] * shape[1]}; }
};
struct Warp {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortWarp<Element, LessThan>;
  using Shape = std::array<int, 3>;  // threads, elements, blocks
  static constexpr bool has_values = false, can_be_stable = false;
  static std::vector<Shape> small() { return every<3>({{128}, {8}, {2, 4, 8}}); }
  static std::vector<Shape> others() { return every<3>({{128, 256}, {8, 16, 32}, {2, 4, 8}}); }
  static std::vector<int> edges(const Shape& shape) { return {32 * shape[1], shape[0] * shape[1]}; }
};
struct Mms {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortMms<Element, LessThan>;
  using Shape = std::array<int, 5>;  // as HeapMergeShape
  static constexpr bool has_values = true, can_be_stable = false;
  /// The published shape; small tiles; tiles that a bitonic network sorts.
  static std::vector<Shape> small() { return {{8, 32, 4, 64, 0}, {8, 16, 1, 64, 3}, {4, 8, 1, 64, 32}}; }
  static std::vector<Shape> others() {
    return every<5>({{2, 4, 8, 16, 32}, {8, 16, 32}, {1, 2, 4}, {64}, {3}});
  }
  static std::vector<int> edges(const Shape& shape) {
    const int tile = shape[4] == 0 ? shape[1] * shape[1] : shape[3] * shape[4];
    return {tile, shape[0] * tile};
  }
};
struct Multiway : Mms {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortMultiway<Element, LessThan>;
};
struct Splitter {
  template <class Element, class LessThan, class = Unstable>
  using Solver = SortSplitter<Element, LessThan>;
  using Shape = std::array<int, 4>;  // ways, samples, threads, elements
  static constexpr bool has_values = true, can_be_stable = false;
  /// Buckets of about 300 keys, so that few keys need several levels.
  static std::vector<Shape> small() { return {{16, 32, 64, 7}}; }
  static std::vector<Shape> others() { return {{256, 16, 128, 9}, {64, 64, 192, 8}, {4, 16, 64, 3}}; }
  /// A tile, a level of 16 buckets, a tile of a level, and as many keys as two levels of most ways divide.
  static std::vector<int> edges(const Shape&) { return {64 * 7, 16 * 298, 512 * 16, 62000}; }
};

template <class Sort, class Element, class LessThan, class Stability = Unstable>
auto solver_of(const typename Sort::Shape& shape) {
  return [shape](Executor& executor, Index n) {
    return std::apply(
        [&](auto... each) {
          return typename Sort::template Solver<Element, LessThan, Stability>(executor, n, each...);
        },
        shape);
  };
}

template <class Sort, class LessThan = Less, class Key>
void check(const std::vector<Key>& keys, const typename Sort::Shape& shape) {
  INFO("shape " << Catch::Detail::stringify(shape));
  check_sort<LessThan>(keys, solver_of<Sort, Key, LessThan>(shape));
}

template <class Sort, class Value, class LessThan = Less, class Key>
void check_values(const std::vector<Key>& keys, const typename Sort::Shape& shape) {
  INFO("shape " << Catch::Detail::stringify(shape));
  using Element = Record<Key, Value>;
  check_sort_of_records<LessThan, Value>(keys, solver_of<Sort, Element, LessThan>(shape));
  if constexpr (Sort::can_be_stable)
    check_stable_sort<Value>(keys, LessThan{}, solver_of<Sort, Element, LessThan, Stable>(shape));
}

template <class Sort>
std::set<int> sizes(const typename Sort::Shape& shape) {
  std::set<int> all{1, 2, 31, 32, 33, 63, 64, 65};
  for (const int edge : Sort::edges(shape))
    for (const int n : {edge - 1, edge, edge + 1, 2 * edge - 1, 2 * edge, 2 * edge + 1, 3 * edge,
                        4 * edge + 7, 7 * edge, 8 * edge, 9 * edge - 13})
      if (n < 16400 || n == edge || n == edge + 1) all.insert(n);
  return all;
}

}  // namespace

#define EVERY_SORT Pairwise, ConflictFree, Kway, Bitonic, Warp, Mms, Multiway, Splitter

TEMPLATE_TEST_CASE("sorts of sizes around warp, tile, run and level edges", "", EVERY_SORT) {
  for (const auto& shape : TestType::small())
    for (const int n : sizes<TestType>(shape))
      check<TestType>(random_keys<u32>(std::size_t(n), n % 5 ? ~0u : 50, unsigned(n)), shape);
}

TEMPLATE_TEST_CASE("sorts with tiles of any shape", "", EVERY_SORT) {
  for (const auto& shape : TestType::others()) {
    const auto n = std::size_t(std::clamp(TestType::edges(shape).back() * 5 / 2 + 11, 2500, 50000));
    check<TestType>(random_keys<u32>(n, n % 2 ? ~0u : 1000, unsigned(n)), shape);
  }
}

TEMPLATE_TEST_CASE("sorts of inputs that are sorted, reversed, equal, of two values or of few", "",
                   EVERY_SORT) {
  for (const auto& shape : TestType::small()) {
    for (const std::vector<u32>& keys : special_inputs(9000)) check<TestType>(keys, shape);
    check<TestType>(random_keys<u32>(9000, 30, 4), shape);
  }
}

TEMPLATE_TEST_CASE("sorts of any key by any comparator, also of keys that compare equal but differ", "",
                   EVERY_SORT) {
  for (const auto& shape : TestType::small()) {
    check<TestType>(random_keys<u64>(5500, ~u64(0), 3), shape);
    check<TestType, Greater>(random_keys<u32>(5500, 5000, 4), shape);
    check<TestType, EvenFirst>(random_keys<u32>(5500, 5000, 5), shape);
    for (const int range : {3, 100}) check<TestType>(random_points(3000, range, 5), shape);
  }
}

TEMPLATE_TEST_CASE("values stay with their keys, and equal keys in order where a sort can be stable", "",
                   Pairwise, Kway, Mms, Multiway, Splitter) {
  for (const auto& shape : TestType::small()) {
    const int tile = TestType::edges(shape).front();
    for (const u32 range : {2u, 100u, ~0u})
      for (const int n : {1, 33, tile - 1, tile, tile + 1, 4 * tile + 7})
        check_values<TestType, u32>(random_keys<u32>(std::size_t(n), range, unsigned(n)), shape);
    check_values<TestType, u32>(random_keys<u64>(4000, 7, 3), shape);
    check_values<TestType, u64>(random_keys<u64>(4000, ~u64(0), 4), shape);
    check_values<TestType, u64, Greater>(random_keys<u64>(1500, 40, 4), shape);
    check_values<TestType, u32>(random_keys<i32>(1500, 50, 6), shape);
    check_values<TestType, u64, EvenFirst>(random_keys<u32>(1500, 50, 5), shape);
    check_values<TestType, f64>(random_keys<u32>(1500, 50, 7), shape);
  }
}
