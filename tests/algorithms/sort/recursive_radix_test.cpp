// SPDX-License-Identifier: Apache-2.0
// radix-msd-recursive: keys of all types and distributions, and which buckets it splits.
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/radix/recursive/radix_msd_recursive.h>

#include <limits>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// Bits of a digit, threads, elements: tiles of 256 keys.
using Shape = std::array<int, 3>;
constexpr Shape small{4, 64, 4};

/// Keys that differ in their bits differ in the order: there is one result, bit by bit.
template <class Key>
void check(const std::vector<Key>& keys, const Shape& shape = small) {
  INFO("n = " << keys.size() << ", shape " << Catch::Detail::stringify(shape));
  std::vector<Key> expected = keys;
  std::ranges::sort(expected, std::less{}, ordered_bits<Key>);
  const std::vector<Key> sorted = sort_on_cpu(keys, [&](Executor& executor, Index n) {
    return RadixMsdRecursive<Key>(executor, n, shape[0], shape[1], shape[2]);
  });
  CHECK(std::memcmp(sorted.data(), expected.data(), keys.size() * sizeof(Key)) == 0);
}

template <class Key>
std::vector<Key> keys_of_all_kinds(std::size_t n) {
  std::vector<Key> keys;
  for (const auto bits : random_keys<BitsOf<Key>>(n, ~BitsOf<Key>(0), 7)) {
    const Key key = __builtin_bit_cast(Key, bits);
    keys.push_back(key == key ? key : Key(1));
  }
  using Limits = std::numeric_limits<Key>;
  for (const Key extreme : {Limits::lowest(), Limits::max(), Limits::min(), Limits::infinity(),
                            Key(-Limits::infinity()), Limits::denorm_min(), Key(0.0), Key(-0.0), Key(-1)})
    for (int copies = 0; copies < 3; ++copies) keys.push_back(extreme);
  return keys;
}

/// How many buckets each level splits.
std::vector<u32> splits_of_levels(const std::vector<u32>& keys, const Shape& shape) {
  CountingExecutor executor;
  const DeviceArray<u32> input(executor, std::span<const u32>(keys)), output(executor, keys.size());
  RadixMsdRecursive<u32> solver(executor, Index(keys.size()), shape[0], shape[1], shape[2]);
  solver.run({input.data(), input.size()}, output.span());
  return solver.parents_of_levels();
}

}  // namespace

TEST_CASE("recursive radix sorts of sizes around warp, tile and level edges") {
  for (int n : some_if_sanitized(
           std::vector<int>{1, 2, 31, 32, 33, 255, 256, 257, 511, 513, 4095, 4096, 4097, 8191, 8193, 20011}))
    check(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)));
}

TEST_CASE("recursive radix sorts by digits of any width, in tiles of any shape") {
  for (const Shape& shape : some_if_sanitized(std::vector<Shape>{
           {1, 64, 4}, {3, 64, 4}, {5, 64, 3}, {6, 128, 2}, {7, 128, 4}, {8, 256, 1}, {8, 256, 4}})) {
    check(random_keys<u32>(9000, ~0u, 3), shape);
    check(random_keys<u32>(9000, 1000, 3), shape);
  }
}

TEST_CASE("recursive radix sorts of keys of all types, of both signs, zeros, denormals and infinities") {
  if constexpr (!sanitized) {  // other types of the same sizes
    check(keys_of_all_kinds<u32>(5000));
    check(keys_of_all_kinds<f32>(5000));
    check(keys_of_all_kinds<u64>(5000));
  }
  check(keys_of_all_kinds<i32>(5000));
  check(keys_of_all_kinds<f64>(5000));
}

TEST_CASE("recursive radix sorts of skewed keys, and of keys of which all digits agree but one") {
  for (const std::vector<u32>& keys : two_if_sanitized(special_inputs(6000))) check(keys);
  for (u32 bit : two_if_sanitized(std::vector<u32>{0, 7, 19, 31})) {
    auto keys = random_keys<u32>(3000, 2, bit);
    for (u32& key : keys) key = key << bit | (0x5a5a5a5a & ~(1u << bit));
    check(keys);
  }
  auto half_in_one_bucket = random_keys<u64>(6000, ~u64(0), 3);
  for (std::size_t i = 0; i < 6000; i += 2) half_in_one_bucket[i] &= 0xffffff;
  check(half_in_one_bucket);
}

TEST_CASE("a recursive radix sort splits the buckets that do not fit in a tile, and no others") {
  using Counts = std::vector<u32>;
  std::vector<u32> even(1 << 13);  // 512 keys of each of 16 digits, 32 of each of 256
  for (std::size_t i = 0; i < even.size(); ++i) even[i] = u32(i) << 19;
  CHECK(splits_of_levels(even, small) == Counts{1, 16, 0, 0, 0, 0, 0, 0});
  CHECK(splits_of_levels(std::vector<u32>(1 << 10, 5), small) == Counts(8, 1));
  CHECK(splits_of_levels(std::vector<u32>(256, 5), small) == Counts{1});  // no level
  // Keys that differ in their last digit alone: 812 of the digit 1, 212 left of the digit 0.
  std::vector<u32> skewed = even;
  for (std::size_t i = 0; i < 300; ++i) skewed[i] = 0x10000000 + u32(i % 16);
  CHECK(splits_of_levels(skewed, small) == Counts{1, 15, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("a recursive radix sort sorts one input after another, whatever the last one was") {
  CountingExecutor executor;
  const Index n = 3000;
  RadixMsdRecursive<u32> sort(executor, n, 4, 64, 4);
  const DeviceArray<u32> output(executor, std::size_t(n));
  for (u32 range : {~0u, 1u << 8, 1u, ~0u}) {
    auto keys = random_keys<u32>(std::size_t(n), range, range);
    const DeviceArray<u32> input(executor, std::span<const u32>(keys));
    sort.run({input.data(), input.size()}, output.span());
    std::ranges::sort(keys);
    CHECK(output.download() == keys);
  }
}

TEST_CASE("a recursive radix sort refuses digits without a thread for each value") {
  CountingExecutor executor;
  CHECK_THROWS_AS(RadixMsdRecursive<u32>(executor, 1000, 8, 128, 4), std::invalid_argument);
  CHECK_THROWS_AS(RadixMsdRecursive<u32>(executor, 1000, 9, 512, 4), std::invalid_argument);
}
