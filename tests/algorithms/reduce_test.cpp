// SPDX-License-Identifier: Apache-2.0
// Compares every reduction with the standard library's.
#include "../support/sanitized.h"
#include "operators.h"

#include <fathom/algorithms/reduce/cascading/reduce_cascading.h>
#include <fathom/algorithms/reduce/halving/reduce_halving.h>
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

/// A reduction with two sets of parameters so small that few elements make many blocks, levels and tiles.
template <template <class, class> class Solver, int tile_, auto... sets>
struct Tested {
  template <class T, class Operator>
  using Reduction = Solver<T, Operator>;
  static constexpr std::size_t tile = tile_;
  static constexpr std::tuple parameters{sets...};
};
template <int... values>
constexpr std::array<int, sizeof...(values)> set{values...};

using Halving = Tested<ReduceHalving, 64, set<32>, set<64>>;
using Tree = Tested<ReduceTree, 64, set<32>, set<64>>;
using Cascading = Tested<ReduceCascading, 64 * 8, set<32>, set<64>>;
using Pipeline = Tested<ReducePipeline, 4 * 32 * 4, set<32, 1>, set<64, 4>>;
using Matrices = Tested<ReduceMatrix, 1024, set<32>, set<64>>;
using InVectors = Tested<ReduceVector, 64 * 4 * 4, set<32, 2>, set<64, 4>>;

template <class Algorithm, class T, class Operator>
void check(std::size_t n, std::size_t offset = 0) {
  const auto values = random_values<T>(n);
  const T expected = expected_of<T, Operator>(values);
  const auto check_with = [&](const auto& parameters) {
    CountingExecutor executor({.multiprocessors = 2});
    const T result = std::apply(
        [&](auto... each) {
          return reduce_on_cpu<typename Algorithm::template Reduction<T, Operator>>(executor, values, offset,
                                                                                    each...);
        },
        parameters);
    INFO("n = " << n << ", " << offset << " elements after a boundary, t = " << parameters[0]);
    CHECK((result == expected));
  };
  std::apply([&](const auto&... each) { (check_with(each), ...); }, Algorithm::parameters);
}

}  // namespace

#define EVERY_REDUCTION Halving, Tree, Cascading, Pipeline, Matrices, InVectors

TEMPLATE_TEST_CASE("reductions are exact for sizes around warp, tile and many tiles", "", EVERY_REDUCTION) {
  const std::size_t tile = TestType::tile, zero = 0;
  for (std::size_t n : {zero, zero + 1, zero + 2, zero + 31, zero + 32, zero + 33, tile - 1, tile, tile + 1,
                        2 * tile - 1, 2 * tile, 3 * tile, 3 * tile + 1, 9 * tile + 5, 40 * tile - 1})
    check<TestType, u32, Plus>(n);
}

TEST_CASE("one block reduces up to three tiles, however few blocks are resident") {
  constexpr int threads = 64, loads = 2;
  constexpr Index tile = threads * loads * 4;  // vectors of four u32
  for (const int resident : {1, 8}) {
    const PlanDevice device{1, 228 * 1024, 1024, [&](const Launch&) { return resident; }};
    const auto blocks = [&](Index n) {
      return ReduceVector<u32, Plus>::plan(n, threads, loads, device)[0].blocks;
    };
    CHECK(blocks(1) == 1);
    CHECK(blocks(3 * tile) == 1);
    CHECK(blocks(3 * tile + 1) == std::min(4, resident));
    CHECK(blocks(100 * tile) == resident);
  }
}

TEMPLATE_TEST_CASE("reductions are exact for every element type and operator", "", EVERY_REDUCTION) {
  const std::size_t n = 7 * TestType::tile + 13;
  check<TestType, f64, Plus>(n);
  if constexpr (!sanitized) {  // other types of the same sizes
    check<TestType, u64, Plus>(n);
    check<TestType, f32, Plus>(n);
    check<TestType, Pair, Plus>(n);
    check<TestType, u32, Minimum>(n);
    check<TestType, u64, Maximum>(n);
    check<TestType, f32, Minimum>(n);
    check<TestType, f64, Maximum>(n);
  }
}

TEMPLATE_TEST_CASE("reductions are exact for operators that do not commute", "", Tree, Pipeline, Matrices) {
  for (std::size_t n : {0, 1, 2, 33, 1023, 1025, 5003}) {
    check<TestType, Matrix, MatrixProduct>(n);
    check<TestType, Text, Concatenate>(n);
    check<TestType, Triangle, TriangleProduct>(n);
  }
  check<TestType, Text, Concatenate>(3001, 1);  // including head and tail
}

TEMPLATE_TEST_CASE("reductions are exact for input at any alignment", "", EVERY_REDUCTION) {
  for (std::size_t offset : {1, 2, 3})
    for (std::size_t n : {0, 1, 2, 3, 4, 5, 127, 128, 129, 3001}) check<TestType, u32, Plus>(n, offset);
  for (std::size_t n : {0, 1, 2, 63, 64, 3001}) check<TestType, f64, Plus>(n, 1);
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
