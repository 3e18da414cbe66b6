// SPDX-License-Identifier: Apache-2.0
// Compares every scan with the standard library's.
#include "../support/sanitized.h"
#include "operators.h"

#include <fathom/algorithms/scan/interval/scan_interval.h>
#include <fathom/algorithms/scan/lookback/scan_lookback.h>
#include <fathom/algorithms/scan/matrix/scan_matrix.h>
#include <fathom/algorithms/scan/naive/scan_naive.h>
#include <fathom/algorithms/scan/sequential/scan_sequential.h>
#include <fathom/algorithms/scan/stream/scan_stream.h>
#include <fathom/device/counting/counting_executor.h>

#include <catch2/catch.hpp>

#include <numeric>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

template <class T, class Operator, class Kind>
std::vector<T> scan_of_standard_library(const std::vector<T>& values) {
  std::vector<T> result(values.size());
  if constexpr (std::is_same_v<Kind, Inclusive>)
    std::inclusive_scan(values.begin(), values.end(), result.begin(), Operator{});
  else
    std::exclusive_scan(values.begin(), values.end(), result.begin(), identity_of<Operator, T>(), Operator{});
  return result;
}

/// A scan with the parameters of its constructor: blocks are so small that small inputs have many.
template <template <class, class, class> class Solver, bool can_be_in_place, int elements_of_tile,
          int... parameters>
struct Tested {
  template <class T, class Operator, class Kind>
  using Scan = Solver<T, Operator, Kind>;
  static constexpr bool in_place = can_be_in_place;
  static constexpr int tile = elements_of_tile;
  template <class S>
  static S make(Executor& executor, Index n) {
    return S(executor, n, parameters...);
  }
};
using Lookback = Tested<ScanLookback, true, 64 * 8, 64, 8>;
using Stream = Tested<ScanStream, true, 64 * 8, 64, 8, 4>;
using LongStream = Tested<ScanStream, true, 32 * 4, 32, 4, 7>;
using Matrices = Tested<ScanMatrix, true, 32 * 3, 64, 3>;
using Naive = Tested<ScanNaive, false, 64, 64>;
using Interval = Tested<ScanInterval, true, 1024, 64>;            // a block scans 1024 elements alone
using Sequential = Tested<ScanSequential, true, 2048, 2048, 64>;  // one group

/// Runs one instance repeatedly: on two inputs, and in place.
template <class Algorithm, class T, class Operator, class Kind>
void check_scan(std::size_t n) {
  using Scan = typename Algorithm::template Scan<T, Operator, Kind>;
  CountingExecutor executor({.multiprocessors = 2});
  Scan scan = Algorithm::template make<Scan>(executor, Index(n));
  std::vector<T> values = random_values<T>(n);
  INFO("n = " << n);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const std::vector<T> expected = scan_of_standard_library<T, Operator, Kind>(values);
    const DeviceArray<T> input(executor, std::span<const T>(values)), output(executor, n);
    executor.fill(output.data(), 0xa5, output.bytes());
    scan.run({input.data(), n}, output.span());
    CHECK((output.download() == expected));
    CHECK((input.download() == values));
    if (Algorithm::in_place) {
      executor.copy(output.data(), input.data(), input.bytes());
      scan.run({output.data(), n}, output.span());
      CHECK((output.download() == expected));
    }
    std::reverse(values.begin(), values.end());
  }
}

template <class Algorithm, class T, class Operator>
void check_both_kinds(std::size_t n) {
  check_scan<Algorithm, T, Operator, Exclusive>(n);
  check_scan<Algorithm, T, Operator, Inclusive>(n);
}

/// Warp 0 combines the tiles from `first` to `end` − 1. Warp 1 publishes the last of them only after warp 0
/// has looked for it in vain.
struct CombineTiles {
  TileStates<Matrix> states;
  Span<Matrix> found;
  int first;
  int end;
  Matrix late_sum;

  void operator()(Block& block) const {
    if (block.warp() == 0) {
      const Matrix combined = states.combine_tiles<5>(block, first, end, MatrixProduct{});
      if (block.lane() == 0) found.store(0, combined);
    } else if (first < end) {
      for (int i = 0; i < 10; ++i) block.warp_barrier();
      if (block.lane() == 0) states.publish(end - 1, late_sum, false);
    }
  }
};

/// The look-back of one tile alone, by warp 0. Warp 1 publishes the sum of tile `late` only after warp 0 has
/// looked for it in vain.
struct LookBack {
  TileStates<Matrix> states;
  Span<Matrix> found;
  int tile;
  int late;
  Matrix late_sum;

  void operator()(Block& block) const {
    if (block.warp() == 0) {
      const Matrix before = states.look_back(block, tile, 0, MatrixProduct{});
      if (block.lane() == 0) found.store(0, before);
    } else {
      for (int i = 0; i < 10; ++i) block.warp_barrier();
      if (block.lane() == 0) states.publish(late, late_sum, false);
    }
  }
};

/// States such as occur on a GPU, for a kernel that reads them by two warps. Blocks that run one after
/// another always find a prefix right before them, or have the tile before as their own.
template <class Kernel>
struct StatesOnAGpu {
  int tiles;
  u32 run = 9;
  CountingExecutor executor{};
  std::vector<Matrix> sums = random_values<Matrix>(std::size_t(tiles));
  std::shared_ptr<const PreparedKernel> kernel = executor.prepare<Kernel>({64});
  DeviceArray<StateWord> words{executor, std::size_t(4 * tiles)};
  DeviceArray<Matrix> found{executor, 1};
  TileStates<Matrix> states{words.span(), tiles, run}, earlier{words.span(), tiles, run - 1};

  void publish_leftover(int tile, bool prefix) const { earlier.publish(tile, Matrix{{1, 2, 3, 4}}, prefix); }
  void publish_half(int tile) const { words.span().store(tile, StateWord{2 * run, 777}); }
  Matrix found_by(const Kernel& arguments) {
    executor.launch(*kernel, 1, arguments);
    return found.download().front();
  }
};

}  // namespace

#define EVERY_SCAN Lookback, Stream, LongStream, Matrices, Naive, Interval, Sequential

TEMPLATE_TEST_CASE("scans are exact for sizes around warp, tile and many tiles", "", EVERY_SCAN) {
  const std::size_t tile = TestType::tile;
  for (std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(31), std::size_t(32),
                        std::size_t(33), tile - 1, tile, tile + 1, 2 * tile + 5, 9 * tile - 1, 9 * tile})
    check_both_kinds<TestType, u32, Plus>(n);
}

TEMPLATE_TEST_CASE("scans are exact for every element type and for operators that do not commute", "",
                   EVERY_SCAN) {
  const std::size_t n = 3 * TestType::tile + 77;
  if constexpr (!sanitized) {  // other types of the same sizes
    check_both_kinds<TestType, u64, Plus>(n);
    check_both_kinds<TestType, f32, Plus>(n);
    check_both_kinds<TestType, Pair, Plus>(n);
    check_both_kinds<TestType, u32, Maximum>(n);
    check_both_kinds<TestType, Text, Concatenate>(n);
  }
  check_both_kinds<TestType, f64, Plus>(n);
  check_both_kinds<TestType, Matrix, MatrixProduct>(n);
  check_both_kinds<TestType, Triangle, TriangleProduct>(n);
}

TEMPLATE_TEST_CASE("scans reject arrays that overlap or have another size", "", EVERY_SCAN) {
  using Scan = typename TestType::template Scan<u32, Plus, Exclusive>;
  CountingExecutor executor;
  const Index n = 1000;
  Scan scan = TestType::template make<Scan>(executor, n);
  const DeviceArray<u32> array(executor, 2000), other(executor, std::size_t(n));
  const auto run = [&](Index first) { scan.run({array.data(), u64(n)}, {array.data() + first, u64(n)}); };
  CHECK_THROWS_AS(run(4), std::invalid_argument);
  CHECK_THROWS_WITH(run(4), Contains("overlap"));
  CHECK_THROWS_WITH(run(996), Contains("overlap"));
  CHECK_NOTHROW(run(1000));
  CHECK_THROWS_WITH(run(1001), Contains("multiple of 16 bytes"));
  if (TestType::in_place)
    CHECK_NOTHROW(run(0));
  else
    CHECK_THROWS_WITH(run(0), Contains("does not work in place"));
  CHECK_THROWS_WITH(scan.run({array.data(), 999}, other.span()),
                    Contains("made for 1000") && Contains("999"));
}

TEST_CASE("scans are exact for every shape of a tile, and refuse those that they cannot have") {
  CountingExecutor executor({.multiprocessors = 1});
  const auto check = [&]<class Scan>(std::type_identity<Scan>, Index n, int threads, int elements) {
    const auto values = random_values<u32>(std::size_t(n));
    const DeviceArray<u32> input(executor, std::span<const u32>(values)), output(executor, values.size());
    Scan(executor, n, threads, elements).run({input.data(), input.size()}, output.span());
    INFO("t = " << threads << ", alpha or E = " << elements);
    CHECK(output.download() == scan_of_standard_library<u32, Plus, Exclusive>(values));
  };
  constexpr std::type_identity<ScanMatrix<u32, Plus>> matrix;
  constexpr std::type_identity<ScanLookback<u32, Plus>> lookback;
  for (int rows = 1; rows <= 32; ++rows) check(matrix, 6001, 64, rows);
  for (int threads : {32, 128, 256}) {
    check(matrix, 9999, threads, 8);
    for (int elements : {4, 16, 28}) check(lookback, 20011, threads, elements);
  }
  CHECK_THROWS_WITH((ScanSequential<u32, Plus>(executor, 100, 6, 64)), Contains("multiple of 4"));
  CHECK_THROWS_AS((ScanSequential<u32, Plus>(executor, 100, 0, 64)), std::invalid_argument);
  CHECK_THROWS_WITH((ScanLookback<u32, Plus>(executor, 100, 64, 6)),
                    Contains("6") && Contains("multiple of 4"));
}

TEST_CASE("blocks with several tiles under way take many times as many") {
  for (const std::size_t n : {LongStream::tile * 30, LongStream::tile * 41 + 5}) {
    check_both_kinds<LongStream, u32, Plus>(n);
    check_both_kinds<LongStream, Matrix, MatrixProduct>(n);
  }
}

TEST_CASE("blocks with several tiles under way have fewer and smaller ones where there is less room") {
  using Stream = ScanStream<u64, Plus>;
  const auto of = [](double bytes) {
    const Launch launch = Stream::plan(1 << 24, 256, 18, 6, any_device(bytes)).front();
    CHECK(launch.shape.shared_bytes <= bytes);
    return std::array{launch.constants[1], launch.constants[2]};
  };
  CHECK(of(227 * 1024) == std::array{18, 6});
  CHECK(of(164 * 1024) == std::array{18, 4});
  CHECK(of(99 * 1024) == std::array{12, 4});
  CHECK(Stream::plan(1 << 24, 256, 18, 6, any_device(99 * 1024)).front().tile == 256 * 12);
  CountingExecutor executor;
  CHECK(Stream::plan(1 << 24, 256, 19, 6, any_device()).front().tile == 256 * 18);
  CHECK_THROWS_WITH((Stream(executor, 100, 64, 1, 4)), Contains("at least 2 elements") && Contains("not 1"));
  CHECK_THROWS_WITH((Stream(executor, 100, 64, 4, 3)), Contains("4 to 32 tiles") && Contains("not 3"));
  CHECK_THROWS_WITH((Stream(executor, 100, 64, 4, 33)), Contains("not 33"));
}

TEST_CASE("nothing overlaps the traffic of a block's first tile of several under way") {
  const auto launch = [](Index n) {
    return ScanStream<u32, Plus>::plan(n, 256, 16, 4, any_device(227 * 1024)).front();
  };
  const Launch many = launch(1 << 28);
  const auto wave = Index(double(many.blocks) * many.tile);
  for (const Index tiles : {1, 2, 7})
    CHECK(launch(tiles * wave).exposed_traffic == Approx(1.0 / double(tiles)));
  for (const Index n : {Index(0), Index(1), wave / 2, wave - 1}) CHECK(launch(n).exposed_traffic == 1);
}

TEST_CASE("a tile waits only for the tiles before it and ignores words that do not belong together") {
  // Leftovers of another run or of half a store: none may be taken for a state of this run.
  CountingExecutor executor({.multiprocessors = 1});
  const Index n = 64 * 8 * 5;
  const auto values = random_values<u64>(std::size_t(n));
  using Scan = ScanTiles<u64, Plus, Exclusive>;
  const auto kernel = executor.prepare(launch_of<Scan>(0, 5, {64, Scan::shared_memory(64, 8)}, {64, 8}));
  const DeviceArray<u64> input(executor, std::span<const u64>(values)), output(executor, values.size());
  const std::vector<StateWord> left(10, StateWord{2 * 6 + 1, 12345});  // a prefix of run 6
  const DeviceArray<StateWord> states(executor, std::span<const StateWord>(left));
  executor.launch(*kernel, 5,
                  Scan{{input.data(), u64(n)}, output.span(), {states.span(), 5, 7}, 0, n, 64, 8});
  CHECK(output.download() == scan_of_standard_library<u64, Plus, Exclusive>(values));
  for (const StateWord& word : states.download()) CHECK(word.label == 2 * 7 + 1);
}

TEST_CASE("the interval scan's work space is smaller than its input, and one that is too small is rejected") {
  for (Index n = 1; n < 3000000; n = n * 5 / 4 + 1) CHECK(ScanInterval<u32, Plus>::work_elements(n) < n);
  CountingExecutor executor;
  const Index n = 5000, needed = ScanInterval<u32, Plus>::work_elements(n);
  CHECK(needed == 2500 + 1252 + 628);  // halves, in whole vectors of 4
  const DeviceArray<u32> work(executor, std::size_t(needed));
  CHECK_NOTHROW((ScanInterval<u32, Plus>(executor, n, 64, work.span())));
  CHECK_THROWS_AS((ScanInterval<u32, Plus>(executor, n, 64, Span<u32>{work.data(), u64(needed - 1)})),
                  std::invalid_argument);
  CHECK_THROWS_WITH((ScanInterval<u32, Plus>(executor, n, 64, Span<u32>{work.data(), u64(needed - 1)})),
                    Contains("4379") && Contains("4380 are needed for 5000"));
}

TEST_CASE(
    "the look-back combines tiles in order, from the nearest prefix on, and waits for no tile before it") {
  const int tile = 200;
  StatesOnAGpu<LookBack> on_a_gpu{tile};
  for (int prefix : {199, 198, 168, 167, 136, 135, 100, 72, 71, 3, 0, -1}) {
    for (int late : {199, 180, 150, 110}) {
      if (late <= prefix) continue;
      Matrix before = identity_of<MatrixProduct, Matrix>();
      for (int i = 0; i < tile; ++i) {
        const Matrix& sum = on_a_gpu.sums[std::size_t(i)];
        before = MatrixProduct{}(before, sum);
        if (i < prefix || i == late)
          on_a_gpu.publish_leftover(i, i < prefix);
        else
          on_a_gpu.states.publish(i, i == prefix ? before : sum, i == prefix);
      }
      on_a_gpu.publish_half(late);
      INFO("prefix " << prefix << ", late " << late);
      CHECK((on_a_gpu.found_by({on_a_gpu.states, on_a_gpu.found.span(), tile, late,
                                on_a_gpu.sums[std::size_t(late)]}) == before));
    }
  }
}

TEST_CASE("tiles are combined in order, however many, and those that are late are waited for") {
  StatesOnAGpu<CombineTiles> on_a_gpu{500};
  for (const int first : {0, 1, 77})
    for (const int count : {0, 1, 2, 31, 32, 33, 159, 160, 161, 320, 400}) {
      const int end = first + count, last = end - 1;
      Matrix expected = identity_of<MatrixProduct, Matrix>();
      for (int i = 0; i < on_a_gpu.tiles; ++i) {
        const Matrix& sum = on_a_gpu.sums[std::size_t(i)];
        if (first <= i && i < last)
          on_a_gpu.states.publish(i, sum, false);
        else
          on_a_gpu.publish_leftover(i, false);
        if (first <= i && i < end) expected = MatrixProduct{}(expected, sum);
      }
      if (count > 0) on_a_gpu.publish_half(last);
      INFO("first " << first << ", count " << count);
      CHECK((on_a_gpu.found_by({on_a_gpu.states, on_a_gpu.found.span(), first, end,
                                on_a_gpu.sums[std::size_t(max(last, 0))]}) == expected));
    }
}
