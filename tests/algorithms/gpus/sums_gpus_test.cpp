// SPDX-License-Identifier: Apache-2.0
// Reductions and scans over simulated GPUs, beside sums in a loop.
#include "../../support/sanitized.h"
#include "../filled.h"
#include "spread_arrays.h"

#include <fathom/device/group/simulated_group.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;

namespace {

const std::vector<Shares> spreads{{1000},          {1500, 1501},          {700, 0, 3100}, {0, 0, 0},
                                  {0, 1, 0, 0, 1}, {10, 0, 2000, 300, 5}, {5000, 1, 0}};

template <class T>
void adds_up(const Shares& shares) {
  INFO(name(element_type_of<T>) << ", " << shares.size() << " ranks");
  const std::size_t n = std::accumulate(shares.begin(), shares.end(), std::size_t(0));
  const std::vector<T> elements = summands_of<T>(Input::random, n);  // exact in any order
  std::vector<T> before;
  T sum{};
  for (const T& element : elements) {
    before.push_back(sum);
    sum = Plus{}(sum, element);
  }
  SimulatedGroup group(int(shares.size()));
  const auto run = [&](const char* slug) {
    const GroupAlgorithm& algorithm = group_algorithm(slug);
    return result_of<T>(group, algorithm, algorithm.problem(1, element_type_of<T>), shares, elements);
  };
  CHECK(run("reduce-gpus").keys == std::vector<T>(shares.size(), sum));
  const auto scan = run("scan-gpus");
  CHECK(scan.keys == before);
  CHECK(scan.shares == shares);
}

}  // namespace

TEST_CASE("sums and scans of every type are those of a loop, however the elements are spread") {
  for (const Shares& shares : some_if_sanitized(spreads)) {
    if constexpr (!sanitized) {  // other types of the same sizes
      adds_up<u64>(shares);
      adds_up<f32>(shares);
      adds_up<Pair>(shares);
    }
    adds_up<u32>(shares);
    adds_up<f64>(shares);
  }
}

TEST_CASE("all ranks have the same sum of numbers that round") {
  std::vector<f32> numbers;
  for (int i = 0; i < 999; ++i) numbers.push_back(1.0f / float(i + 1));
  SimulatedGroup group(3);
  const GroupAlgorithm& reduction = group_algorithm("reduce-gpus");
  const auto sums =
      result_of<f32>(group, reduction, reduction.problem(1, ElementType::f32), {100, 300, 599}, numbers).keys;
  CHECK(sums[0] == Approx(7.484).epsilon(1e-3));  // the harmonic number
  CHECK(sums == std::vector<f32>(3, sums[0]));
}

TEST_CASE("a scan reads each element twice and writes it once, and links carry one sum per rank",
          "[counts]") {
  constexpr std::size_t of_rank = 40000;
  SimulatedGroup group(2);
  const std::vector<u32> elements = summands_of<u32>(Input::random, 2 * of_rank);
  const GroupAlgorithm& scan = group_algorithm("scan-gpus");
  result_of<u32>(group, scan, scan.problem(1), {of_rank, of_rank}, elements);
  double read = 0, written = 0;
  for (const KernelCounts& each : group.executor(1).counts()) {
    read += each.global(MemoryOperation::load).moved_bytes();
    written += each.global(MemoryOperation::store).moved_bytes();
  }
  const double once = 2.0 * double(of_rank) * sizeof(u32);  // in two runs
  CHECK(read == Approx(2 * once).epsilon(0.03));
  CHECK(written == Approx(once).epsilon(0.03));
  for (const CountedExchange& each : group.exchanges()) CHECK(each.priced().bytes == sizeof(u32));
}
