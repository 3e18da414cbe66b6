// sort-bitonic and sort-warp, and their networks.
#include <fathom/algorithms/sort/merge/bitonic/sort_bitonic.h>
#include <fathom/algorithms/sort/merge/warp/sort_warp.h>
#include <fathom/device/counting/counting_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace fathom;

namespace {

template <class Solver, class Key, class... Parameters>
std::vector<Key> sort_on_cpu(const std::vector<Key>& keys, Parameters... parameters) {
  CountingExecutor executor;
  const DeviceArray<Key> input(executor, std::span<const Key>(keys)), output(executor, keys.size());
  executor.fill(output.data(), 0xa5, output.bytes());
  Solver(executor, Index(keys.size()), parameters...).run({input.data(), input.size()}, output.span());
  REQUIRE(input.download() == keys);  // the input is unchanged
  return output.download();
}

template <class Key>
std::vector<Key> random_keys(std::size_t n, Key range, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = Key(generator()) % range;
  return keys;
}

template <template <class, class> class Solver, class LessThan = Less, class Key, class... Parameters>
void check_against_standard_library(const std::vector<Key>& keys, Parameters... parameters) {
  std::vector<Key> expected = keys;
  std::sort(expected.begin(), expected.end(), LessThan{});
  INFO("n = " << keys.size());
  CHECK((sort_on_cpu<Solver<Key, LessThan>>(keys, parameters...) == expected));
}

/// Keys of which many compare equal but differ: a sort that pads with copies must not mix these up with them.
template <class Solver, class... Parameters>
void check_points(std::size_t n, Parameters... parameters) {
  std::mt19937 generator(5);
  std::vector<Point> points(n);
  for (Point& point : points) point = {int(generator() % 7) - 3, int(generator() % 7) - 3};
  const auto sorted = sort_on_cpu<Solver>(points, parameters...);
  CHECK(std::is_sorted(sorted.begin(), sorted.end()));
  CHECK(std::is_permutation(sorted.begin(), sorted.end(), points.begin()));
}

std::vector<u32> ascending(std::size_t n) {
  std::vector<u32> keys(n);
  std::iota(keys.begin(), keys.end(), 0u);
  return keys;
}

}  // namespace

TEST_CASE("the bitonic network sorts every 0-1 sequence, hence every sequence (the 0-1 principle)") {
  for (int count : {1, 2, 4, 8, 16}) {
    for (u32 bits = 0; bits < (1u << count); ++bits) {
      Registers<u32, int> keys(count);
      for (int i = 0; i < count; ++i) keys[i] = bits >> i & 1;
      bitonic_sort(keys, count, Less{});
      for (int i = 1; i < count; ++i) REQUIRE(keys[i - 1] <= keys[i]);
    }
  }
}

TEST_CASE("the bitonic network sorts the larger numbers of elements that a thread may have") {
  for (int count : {32, 64})
    for (unsigned seed = 0; seed < 50; ++seed) {
      auto expected = random_keys<u32>(std::size_t(count), seed % 2 ? 8 : 1000, seed);
      Registers<u32, int> keys(count);
      for (int i = 0; i < count; ++i) keys[i] = expected[std::size_t(i)];
      bitonic_sort(keys, count, Less{});
      std::sort(expected.begin(), expected.end());
      for (int i = 0; i < count; ++i) REQUIRE(keys[i] == expected[std::size_t(i)]);
    }
}

TEST_CASE("bitonic sort sorts inputs of sizes around warp, block and tile edges") {
  const int threads = 64, elements = 8, tile = threads * elements;
  for (int n : {1, 2, 31, 32, 33, 63, 64, 65, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1,
                3 * tile, 4 * tile + 7, 7 * tile, 8 * tile, 9 * tile - 13})
    for (int steps : {1, 2, 5})
      check_against_standard_library<SortBitonic>(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)), threads,
                                                  elements, steps);
}

TEST_CASE("bitonic sort sorts with any tile shape and any number of steps per pass") {
  for (int threads : {64, 128, 256})
    for (int elements : {8, 16, 32})
      check_against_standard_library<SortBitonic>(
          random_keys<u32>(std::size_t(threads * elements * 5 / 2 + 11), 1000, unsigned(elements)), threads,
          elements, 2);
  for (int steps : {1, 2, 3, 4, 5})
    check_against_standard_library<SortBitonic>(random_keys<u32>(10000, ~0u, 1), 64, 8, steps);
}

TEST_CASE("bitonic sort sorts inputs that are sorted, reversed, equal or nearly all equal") {
  std::vector<u32> keys = ascending(2000);
  check_against_standard_library<SortBitonic>(keys, 64, 8, 3);
  std::reverse(keys.begin(), keys.end());
  check_against_standard_library<SortBitonic>(keys, 64, 8, 3);
  check_against_standard_library<SortBitonic>(std::vector<u32>(2000, ~0u), 64, 8, 3);
  check_against_standard_library<SortBitonic>(random_keys<u32>(2000, 2, 1), 64, 8, 3);
}

TEST_CASE("bitonic sort sorts any key by any comparator, also keys that compare equal but differ") {
  check_against_standard_library<SortBitonic>(random_keys<u64>(1500, ~u64(0), 3), 64, 8, 2);
  check_against_standard_library<SortBitonic, Greater>(random_keys<u32>(1500, 5000, 4), 64, 8, 2);
  for (std::size_t n : {500, 1100, 3000}) check_points<SortBitonic<Point, Less>>(n, 64, 8, 4);
}

TEST_CASE("warp sort sorts inputs of sizes around warp, block, piece and run edges") {
  const int threads = 128, elements = 8, block = 32 * elements, run = threads * elements;
  for (int n : {1,           2,
                31,          32,
                33,          block - 1,
                block,       block + 1,
                run - 1,     run,
                run + 1,     run + block - 1,
                run + block, run + block + 1,
                2 * run - 1, 2 * run,
                2 * run + 1, 3 * run,
                4 * run + 7, 7 * run + 2 * block,
                8 * run,     9 * run - 13})
    for (int blocks : {2, 8})
      check_against_standard_library<SortWarp>(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)), threads,
                                               elements, blocks);
}

TEST_CASE("warp sort sorts with any shape") {
  for (int threads : {128, 256})
    for (int elements : {8, 16, 32})
      for (int blocks : {2, 4, 8})
        check_against_standard_library<SortWarp>(
            random_keys<u32>(std::size_t(threads * elements * 5 / 2 + 11), 1000, unsigned(elements)), threads,
            elements, blocks);
}

TEST_CASE("warp sort sorts inputs that are sorted, reversed, equal or nearly all equal") {
  std::vector<u32> keys = ascending(5000);
  check_against_standard_library<SortWarp>(keys, 128, 8, 4);
  std::reverse(keys.begin(), keys.end());
  check_against_standard_library<SortWarp>(keys, 128, 8, 4);
  check_against_standard_library<SortWarp>(std::vector<u32>(5000, ~0u), 128, 8, 4);
  check_against_standard_library<SortWarp>(random_keys<u32>(5000, 2, 1), 128, 8, 4);
}

TEST_CASE("warp sort sorts any key by any comparator, also keys that compare equal but differ") {
  check_against_standard_library<SortWarp>(random_keys<u64>(5000, ~u64(0), 3), 128, 8, 2);
  check_against_standard_library<SortWarp, Greater>(random_keys<u32>(5000, 5000, 4), 128, 8, 2);
  for (std::size_t n : {500, 1100, 6000}) check_points<SortWarp<Point, Less>>(n, 128, 8, 4);
}

TEST_CASE("with 32 elements per thread shared memory is free of bank conflicts, whatever the input") {
  const auto check = []<class Key, template <class, class> class Solver>(
                         std::type_identity<Solver<Key, Less>>, int last_parameter) {
    CountingExecutor executor;
    const auto keys = random_keys<Key>(1 << 14, Key(~0u), 2);
    const DeviceArray<Key> input(executor, std::span<const Key>(keys)), output(executor, keys.size());
    Solver<Key, Less>(executor, Index(keys.size()), 128, 32, last_parameter)
        .run({input.data(), input.size()}, output.span());
    for (const KernelCounts& kernel : executor.counts()) {
      INFO(kernel.kernel << ", " << sizeof(Key) << " bytes");
      CHECK(kernel.shared().wavefronts == kernel.shared().least_wavefronts);
    }
  };
  check(std::type_identity<SortBitonic<u32, Less>>{}, 5);
  check(std::type_identity<SortBitonic<u64, Less>>{}, 5);
  check(std::type_identity<SortWarp<u32, Less>>{}, 4);
  check(std::type_identity<SortWarp<u64, Less>>{}, 4);
}
