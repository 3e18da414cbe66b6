// Compares every reduction with the standard library's.
#include "operators.h"

#include <fathom/algorithms/reduce/cascading/reduce_cascading.h>
#include <fathom/algorithms/reduce/matrix/reduce_matrix.h>
#include <fathom/algorithms/reduce/pipeline/reduce_pipeline.h>
#include <fathom/algorithms/reduce/tree/reduce_tree.h>
#include <fathom/algorithms/reduce/vector/reduce_vector.h>
#include <fathom/algorithms/registry.h>
#include <fathom/device/counting/counting_executor.h>

#include <catch2/catch.hpp>

#include <functional>
#include <numeric>
#include <set>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// The result of the class `Reduction` for `values`, which start `offset` elements after a 16-byte boundary.
/// Runs it twice, since solvers are reusable.
template <class Reduction, class T, class... Parameters>
T reduce_on_cpu(Executor& executor, const std::vector<T>& values, std::size_t offset,
                Parameters... parameters) {
  std::vector<T> shifted(offset);
  shifted.insert(shifted.end(), values.begin(), values.end());
  const DeviceArray<T> input(executor, std::span<const T>(shifted)), output(executor, 1);
  Reduction reduction(executor, Index(values.size()), parameters...);
  T result{};
  for (int run = 0; run < 2; ++run) {
    executor.fill(output.data(), 0xa5, output.bytes());
    reduction.run({input.data() + offset, values.size()}, output.span());
    result = output.download().front();
  }
  REQUIRE(input.download() == shifted);
  return result;
}

template <class T, class Operator>
T expected_of(const std::vector<T>& values) {
  return std::accumulate(values.begin(), values.end(), Operator::template identity<T>(), Operator{});
}

/// Each algorithm with parameters so small that few elements make many blocks, levels and tiles.
template <template <class, class> class Reduction>
struct Shape;
template <>
struct Shape<ReduceTree> {
  static constexpr std::array parameters{std::tuple{32}, std::tuple{64}};
  static constexpr int tile = 64;
};
template <>
struct Shape<ReduceCascading> {
  static constexpr std::array parameters{std::tuple{32}, std::tuple{64}};
  static constexpr int tile = 64 * 8;
};
template <>
struct Shape<ReducePipeline> {
  static constexpr std::array parameters{std::tuple{32, 1}, std::tuple{64, 4}};
  static constexpr int tile = 4 * 32 * 4;
};
template <>
struct Shape<ReduceMatrix> {
  static constexpr std::array parameters{std::tuple{32}, std::tuple{64}};
  static constexpr int tile = 1024;
};
template <>
struct Shape<ReduceVector> {
  static constexpr std::array parameters{std::tuple{32, 2}, std::tuple{64, 4}};
  static constexpr int tile = 64 * 4 * 4;
};

template <template <class, class> class Reduction, class T, class Operator>
void check(std::size_t n, std::size_t offset = 0) {
  const auto values = random_values<T>(n);
  const T expected = expected_of<T, Operator>(values);
  for (const auto& parameters : Shape<Reduction>::parameters) {
    CountingDevice device;
    device.multiprocessors = 2;
    CountingExecutor executor(device);
    const T result = std::apply(
        [&](auto... each) {
          return reduce_on_cpu<Reduction<T, Operator>>(executor, values, offset, each...);
        },
        parameters);
    INFO("n = " << n << ", " << offset << " elements after a boundary, t = " << std::get<0>(parameters));
    CHECK((result == expected));
  }
}

template <template <class, class> class Reduction>
void check_sizes() {
  const std::size_t tile = Shape<Reduction>::tile;
  for (std::size_t n :
       {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(31), std::size_t(32), std::size_t(33),
        tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 9 * tile + 5, 40 * tile - 1})
    check<Reduction, u32, Plus>(n);
}

template <template <class, class> class Reduction>
void check_types_and_operators() {
  const std::size_t n = 7 * Shape<Reduction>::tile + 13;
  check<Reduction, u64, Plus>(n);
  check<Reduction, f32, Plus>(n);
  check<Reduction, f64, Plus>(n);
  check<Reduction, Pair, Plus>(n);
  check<Reduction, u32, Minimum>(n);
  check<Reduction, u64, Maximum>(n);
  check<Reduction, f32, Minimum>(n);
  check<Reduction, f64, Maximum>(n);
}

template <template <class, class> class Reduction>
void check_order_is_kept() {
  for (std::size_t n : {0, 1, 2, 33, 1023, 1025, 5003}) {
    check<Reduction, Matrix, MatrixProduct>(n);
    check<Reduction, Text, Concatenate>(n);
    check<Reduction, Triangle, TriangleProduct>(n);
  }
}

template <template <class, class> class Reduction>
void check_any_alignment() {
  for (std::size_t offset : {1, 2, 3})
    for (std::size_t n : {0, 1, 2, 3, 4, 5, 127, 128, 129, 3001}) check<Reduction, u32, Plus>(n, offset);
  for (std::size_t n : {0, 1, 2, 63, 64, 3001}) check<Reduction, f64, Plus>(n, 1);
}

}  // namespace

TEST_CASE("tree reduction: sizes, types, order, alignment") {
  check_sizes<ReduceTree>();
  check_types_and_operators<ReduceTree>();
  check_order_is_kept<ReduceTree>();
  check_any_alignment<ReduceTree>();
}
TEST_CASE("cascading reduction: sizes, types, alignment") {
  check_sizes<ReduceCascading>();
  check_types_and_operators<ReduceCascading>();
  check_any_alignment<ReduceCascading>();
}
TEST_CASE("pipeline reduction: sizes, types, order, alignment") {
  check_sizes<ReducePipeline>();
  check_types_and_operators<ReducePipeline>();
  check_order_is_kept<ReducePipeline>();
  check_any_alignment<ReducePipeline>();
  check<ReducePipeline, Text, Concatenate>(3001, 1);  // including head and tail
}
TEST_CASE("matrix reduction: sizes, types, order, alignment") {
  check_sizes<ReduceMatrix>();
  check_types_and_operators<ReduceMatrix>();
  check_order_is_kept<ReduceMatrix>();
  check_any_alignment<ReduceMatrix>();
}
TEST_CASE("vector reduction: sizes, types, alignment") {
  check_sizes<ReduceVector>();
  check_types_and_operators<ReduceVector>();
  check_any_alignment<ReduceVector>();
}

TEST_CASE("operators that do not commute distinguish orders") {
  // The tests of order rely on this: the same elements in another order give another result.
  auto matrices = random_values<Matrix>(100);
  auto texts = random_values<Text>(100);
  const Matrix product = expected_of<Matrix, MatrixProduct>(matrices);
  const Text text = expected_of<Text, Concatenate>(texts);
  std::swap(matrices[40], matrices[41]);
  std::swap(texts[40], texts[41]);
  CHECK_FALSE((expected_of<Matrix, MatrixProduct>(matrices) == product));
  CHECK_FALSE((expected_of<Text, Concatenate>(texts) == text));
}

TEST_CASE("floating-point reductions of any input are within the error bound of their depth") {
  for (const Algorithm& each : algorithms()) {
    if (each.kind != Kind::reduce || each.baseline) continue;
    for (ElementType type : {ElementType::f32, ElementType::f64})
      for (Input input : {Input::random, Input::sorted, Input::few_unique, Input::zipf}) {
        CountingExecutor executor;
        INFO(each.slug << " " << name(type) << " " << name(input));
        CHECK_NOTHROW(each.make_workload(executor, each.problem(20011, type), input)->check());
      }
  }
}

TEMPLATE_TEST_CASE("two rows spread a warp's nodes over all banks", "", u32, u64) {
  constexpr int words = sizeof(TestType) / 4, part = 32 / words;  // lanes served together
  for (int length : {32, 128}) {
    std::vector<TestType> memory(2 * length, ~TestType(0));
    const TwoRows<TestType> rows{{memory.data(), 2 * length}, length};
    for (int node = 0; node < 2 * length; ++node) rows.store(node, TestType(node));
    const auto bank = [&](int node) {
      return int(std::find(memory.begin(), memory.end(), TestType(node)) - memory.begin()) * words % 32;
    };
    for (int k = 0; k < length; ++k) {
      CHECK(rows.even(k) == TestType(2 * k));
      CHECK(rows.odd(k) == TestType(2 * k + 1));
    }
    for (int first = 0; first < length; first += part) {
      std::set<int> evens, odds, low_nodes, high_nodes;
      for (int k = first; k < first + part; ++k) {
        evens.insert(bank(2 * k));
        odds.insert(bank(2 * k + 1));
        low_nodes.insert(bank(k));
        high_nodes.insert(bank(length + k));
      }
      for (const auto& banks : {evens, odds, low_nodes, high_nodes}) CHECK(int(banks.size()) == part);
    }
  }
}
