// SPDX-License-Identifier: Apache-2.0
// What all comparison sorts have in common, on the CPU against the standard library: sizes around the edges
// of tiles, shapes, inputs, keys, comparators, values. A file that includes this lists its sorts in
// COMPARISON_SORTS, and those of them that take values in COMPARISON_SORTS_OF_RECORDS. There is a file and a
// program for each family of sorts, so that a change of its kernels compiles no other.
//
// Each sort has the parameters of its constructor as `Shape`: small() gives tiles so small that few keys make
// many of them, others() shapes to test with one size each. Edges lie around multiples of edges().
#include "sort_on_cpu.h"

#include <set>

namespace {

using namespace fathom;
using namespace fathom::tests;

/// A user-defined comparator: even numbers before odd ones, each in ascending order.
struct EvenFirst {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a % 2 != b % 2 ? a % 2 < b % 2 : a < b;
  }
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
std::vector<int> sizes(const typename Sort::Shape& shape) {
  std::set<int> all{1, 2, 31, 32, 33, 63, 64, 65};
  for (const int edge : Sort::edges(shape))
    for (const int n : {edge - 1, edge, edge + 1, 2 * edge - 1, 2 * edge, 2 * edge + 1, 3 * edge,
                        4 * edge + 7, 7 * edge, 8 * edge, 9 * edge - 13})
      if (n < 16400 || n == edge || n == edge + 1) all.insert(n);
  return some_if_sanitized(std::vector<int>(all.begin(), all.end()));
}

}  // namespace

TEMPLATE_TEST_CASE("sorts of sizes around warp, tile, run and level edges", "", COMPARISON_SORTS) {
  for (const auto& shape : TestType::small())
    for (const int n : sizes<TestType>(shape))
      check<TestType>(random_keys<u32>(std::size_t(n), n % 5 ? ~0u : 50, unsigned(n)), shape);
}

TEMPLATE_TEST_CASE("sorts with tiles of any shape", "", COMPARISON_SORTS) {
  for (const auto& shape : some_if_sanitized(TestType::others())) {
    const auto n = std::size_t(std::clamp(TestType::edges(shape).back() * 5 / 2 + 11, 2500, 50000));
    check<TestType>(random_keys<u32>(n, n % 2 ? ~0u : 1000, unsigned(n)), shape);
  }
}

TEMPLATE_TEST_CASE("sorts of inputs that are sorted, reversed, equal, of two values or of few", "",
                   COMPARISON_SORTS) {
  for (const auto& shape : TestType::small()) {
    for (const std::vector<u32>& keys : two_if_sanitized(special_inputs(9000))) check<TestType>(keys, shape);
    check<TestType>(random_keys<u32>(9000, 30, 4), shape);
  }
}

TEMPLATE_TEST_CASE("sorts of any key by any comparator, also of keys that compare equal but differ", "",
                   COMPARISON_SORTS) {
  for (const auto& shape : TestType::small()) {
    check<TestType>(random_keys<u64>(5500, ~u64(0), 3), shape);
    if constexpr (!sanitized) {  // the same accesses in another order
      check<TestType, Greater>(random_keys<u32>(5500, 5000, 4), shape);
      check<TestType, EvenFirst>(random_keys<u32>(5500, 5000, 5), shape);
    }
    for (const int range : {3, 100}) check<TestType>(random_points(3000, range, 5), shape);
  }
}

#ifdef COMPARISON_SORTS_OF_RECORDS
TEMPLATE_TEST_CASE("values stay with their keys, and equal keys in order where a sort can be stable", "",
                   COMPARISON_SORTS_OF_RECORDS) {
  for (const auto& shape : TestType::small()) {
    const int tile = TestType::edges(shape).front();
    for (const u32 range : two_if_sanitized(std::vector<u32>{2, 100, ~0u}))
      for (const int n : some_if_sanitized(std::vector<int>{tile + 1, 33, tile, 4 * tile + 7, 1, tile - 1}))
        check_values<TestType, u32>(random_keys<u32>(std::size_t(n), range, unsigned(n)), shape);
    check_values<TestType, u32>(random_keys<u64>(4000, 7, 3), shape);
    if constexpr (!sanitized) {
      check_values<TestType, u64>(random_keys<u64>(4000, ~u64(0), 4), shape);
      check_values<TestType, u64, Greater>(random_keys<u64>(1500, 40, 4), shape);
      check_values<TestType, u32>(random_keys<i32>(1500, 50, 6), shape);
      check_values<TestType, u64, EvenFirst>(random_keys<u32>(1500, 50, 5), shape);
      check_values<TestType, f64>(random_keys<u32>(1500, 50, 7), shape);
    }
  }
}
#endif
