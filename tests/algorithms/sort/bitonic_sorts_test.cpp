// sort-bitonic and sort-warp, and their networks.
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/merge/bitonic/sort_bitonic.h>
#include <fathom/algorithms/sort/merge/warp/sort_warp.h>

using namespace fathom;
using namespace fathom::tests;

namespace {

template <template <class, class> class Solver, class LessThan = Less, class Key, class... Parameters>
void check(const std::vector<Key>& keys, Parameters... parameters) {
  check_sort<LessThan>(
      keys, [=](Executor& executor, Index n) { return Solver<Key, LessThan>(executor, n, parameters...); });
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
      check<SortBitonic>(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)), threads, elements, steps);
}

TEST_CASE("bitonic sort sorts with any tile shape and any number of steps per pass") {
  for (int threads : {64, 128, 256})
    for (int elements : {8, 16, 32})
      check<SortBitonic>(
          random_keys<u32>(std::size_t(threads * elements * 5 / 2 + 11), 1000, unsigned(elements)), threads,
          elements, 2);
  for (int steps : {1, 2, 3, 4, 5}) check<SortBitonic>(random_keys<u32>(10000, ~0u, 1), 64, 8, steps);
}

TEST_CASE("bitonic sort sorts inputs that are sorted, reversed, equal or nearly all equal") {
  for (const std::vector<u32>& keys : special_inputs(2000)) check<SortBitonic>(keys, 64, 8, 3);
}

TEST_CASE("bitonic sort sorts any key by any comparator, also keys that compare equal but differ") {
  check<SortBitonic>(random_keys<u64>(1500, ~u64(0), 3), 64, 8, 2);
  check<SortBitonic, Greater>(random_keys<u32>(1500, 5000, 4), 64, 8, 2);
  for (std::size_t n : {500, 1100, 3000}) check<SortBitonic>(random_points(n, 3, 5), 64, 8, 4);
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
      check<SortWarp>(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)), threads, elements, blocks);
}

TEST_CASE("warp sort sorts with any shape") {
  for (int threads : {128, 256})
    for (int elements : {8, 16, 32})
      for (int blocks : {2, 4, 8})
        check<SortWarp>(
            random_keys<u32>(std::size_t(threads * elements * 5 / 2 + 11), 1000, unsigned(elements)), threads,
            elements, blocks);
}

TEST_CASE("warp sort sorts inputs that are sorted, reversed, equal or nearly all equal") {
  for (const std::vector<u32>& keys : special_inputs(5000)) check<SortWarp>(keys, 128, 8, 4);
}

TEST_CASE("warp sort sorts any key by any comparator, also keys that compare equal but differ") {
  check<SortWarp>(random_keys<u64>(5000, ~u64(0), 3), 128, 8, 2);
  check<SortWarp, Greater>(random_keys<u32>(5000, 5000, 4), 128, 8, 2);
  for (std::size_t n : {500, 1100, 6000}) check<SortWarp>(random_points(n, 3, 5), 128, 8, 4);
}

TEST_CASE("with 32 elements per thread shared memory is free of bank conflicts, whatever the input") {
  const auto check_conflicts = []<class Key, template <class, class> class Solver>(
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
  check_conflicts(std::type_identity<SortBitonic<u32, Less>>{}, 5);
  check_conflicts(std::type_identity<SortBitonic<u64, Less>>{}, 5);
  check_conflicts(std::type_identity<SortWarp<u32, Less>>{}, 4);
  check_conflicts(std::type_identity<SortWarp<u64, Less>>{}, 4);
}
