// SPDX-License-Identifier: Apache-2.0
// sort-segments: lists of all lengths, keys and records of all types, against std::stable_sort of each list.
#include "sort_on_cpu.h"

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/sort/segments/sort_segments.h>

using namespace fathom;
using namespace fathom::tests;

namespace {

struct Shape {
  int threads, elements;
};
constexpr Shape small{64, 5};  // a warp's lists have up to 160 elements, a block's up to 320

std::vector<Index> begins_of(const std::vector<Index>& lengths) {
  std::vector<Index> begins{0};
  for (const Index length : lengths) begins.push_back(begins.back() + length);
  return begins;
}

/// Bit by bit.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Each list in the order of its keys' bits: −0 equals +0, and differs from it.
template <class Key>
std::vector<Key> by_bits(std::vector<Key> keys, const std::vector<Index>& begins) {
  for (std::size_t i = 0; i + 1 < begins.size(); ++i)
    std::sort(keys.begin() + begins[i], keys.begin() + begins[i + 1],
              [](const Key& a, const Key& b) { return ordered_bits(a) < ordered_bits(b); });
  return keys;
}

template <class Element, class LessThan = Less>
SortSegments<Element, LessThan> solver(Executor& executor, Index n, const std::vector<Index>& lengths,
                                       const Shape& shape) {
  return {executor, n, Index(lengths.size()), shape.threads, shape.elements};
}

/// Each list is in order and has its own keys, after a first run and after a second.
template <class Key, class LessThan = Less>
void check_keys(const std::vector<Key>& keys, const std::vector<Index>& lengths, const Shape& shape = small) {
  INFO("n = " << keys.size() << ", lengths " << Catch::Detail::stringify(lengths));
  const std::vector<Index> begins = begins_of(lengths);
  REQUIRE(std::size_t(begins.back()) == keys.size());
  CountingExecutor executor;
  const DeviceArray<Key> input(executor, std::span<const Key>(keys)), output(executor, keys.size());
  const DeviceArray<Index> on_device(executor, std::span<const Index>(begins));
  auto sort = solver<Key, LessThan>(executor, Index(keys.size()), lengths, shape);
  for (int run = 0; run < 2; ++run) {
    executor.fill(output.data(), 0xa5, output.bytes());
    sort.run(read_only(input.span()), read_only(on_device.span()), output.span());
    const std::vector<Key> sorted = output.download();
    bool in_order = true;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      in_order =
          in_order && std::is_sorted(sorted.begin() + begins[i], sorted.begin() + begins[i + 1], LessThan{});
    CHECK(in_order);
    CHECK(same(by_bits(sorted, begins), by_bits(keys, begins)));
  }
  CHECK(same(input.download(), keys));
}

template <class Key, class Value, class LessThan = Less>
void check_records(const std::vector<Key>& keys, const std::vector<Index>& lengths,
                   const Shape& shape = small) {
  INFO("n = " << keys.size() << ", lengths " << Catch::Detail::stringify(lengths));
  const std::vector<Index> begins = begins_of(lengths);
  std::vector<Value> values(keys.size());
  std::iota(values.begin(), values.end(), Value(0));
  CountingExecutor executor;
  using Element = Record<Key, Value>;
  const DeviceArray<Key> keys_in(executor, std::span<const Key>(keys)), keys_out(executor, keys.size());
  const DeviceArray<Value> values_in(executor, std::span<const Value>(values)),
      values_out(executor, keys.size());
  const DeviceArray<Index> on_device(executor, std::span<const Index>(begins));
  solver<Element, LessThan>(executor, Index(keys.size()), lengths, shape)
      .run(read_only(SplitSpan<Key, Value>{keys_in.span(), values_in.span()}), read_only(on_device.span()),
           {keys_out.span(), values_out.span()});
  for (std::size_t i = 0; i < lengths.size(); ++i)
    std::stable_sort(values.begin() + begins[i], values.begin() + begins[i + 1],
                     [&](Value a, Value b) { return LessThan{}(keys[a], keys[b]); });
  std::vector<Key> expected;
  for (const Value value : values) expected.push_back(keys[value]);
  CHECK(same(keys_out.download(), expected));
  CHECK(same(values_out.download(), values));
}

std::vector<u32> keys_of(Index n) {
  return random_keys<u32>(std::size_t(n), ~0u, unsigned(n));
}
void check_lengths(const std::vector<Index>& lengths, const Shape& shape = small) {
  check_keys(keys_of(begins_of(lengths).back()), lengths, shape);
}

/// `count` lengths from 0 to `longest`.
std::vector<Index> random_lengths(std::size_t count, Index longest, unsigned seed) {
  std::vector<Index> lengths;
  for (const u32 number : random_keys<u32>(count, u32(longest + 1), seed)) lengths.push_back(number);
  return lengths;
}

}  // namespace

TEST_CASE("segmented sorts of one list around the edges of share, warp, tile and round") {
  for (const Index n : some_if_sanitized(std::vector<Index>{1, 2, 4, 5, 6, 10, 11, 159, 160, 161, 319, 320,
                                                            321, 639, 640, 641, 1279, 1281, 3001}))
    check_lengths({n});
}

TEST_CASE("segmented sorts of lists of the same length around these edges") {
  for (const Index length :
       some_if_sanitized(std::vector<Index>{1, 2, 5, 6, 31, 32, 33, 159, 160, 161, 320, 321, 641}))
    check_lengths(std::vector<Index>(std::size_t(1 + 3000 / length), length));
}

TEST_CASE("segmented sorts of empty lists") {
  check_lengths({0});
  check_lengths(std::vector<Index>(1000, 0));
  check_lengths({0, 0, 1, 0, 0});
  std::vector<Index> all_in_one(500, 0);
  all_in_one[250] = 3000;
  check_lengths(all_in_one);
  for (const Index place : {0, 250, 499}) {
    std::vector<Index> lengths(500, 0);
    lengths[std::size_t(place)] = 7;
    check_lengths(lengths);
  }
}

TEST_CASE("segmented sorts of lists of random lengths") {
  for (const Index longest : some_if_sanitized(std::vector<Index>{1, 2, 12, 40, 100, 300, 1000, 5000}))
    check_lengths(random_lengths(std::size_t(1 + 12000 / longest), longest, unsigned(longest)));
}

TEST_CASE("segmented sorts of lists of very different lengths") {
  std::vector<Index> lengths;
  for (unsigned i = 0; i < 30; ++i)
    for (const Index longest : {8, 0, 200, 20, 400, 3, i % 10 == 0 ? 2500 : 50})
      lengths.push_back(random_lengths(1, longest, 7 * i + unsigned(longest))[0]);
  check_lengths(lengths);
  // So many short ones that warps sort them.
  const std::vector<Index> many = random_lengths(1500, 8, 1);
  lengths.insert(lengths.begin() + 100, many.begin(), many.end());
  check_lengths(lengths);
}

TEST_CASE("segmented sorts with blocks of other shapes") {
  for (const Shape shape : {Shape{64, 4}, Shape{128, 7}, Shape{256, 16}, Shape{64, 23}}) {
    check_lengths(random_lengths(300, 30, 1), shape);
    check_lengths({Index(shape.threads) * shape.elements, Index(shape.threads) * shape.elements + 1, 17},
                  shape);
  }
}

TEST_CASE("segmented sorts of large lists, of which a block merges several tiles in a step") {
  const Shape shape{256, 5};  // four tiles of 1,280 elements
  const std::vector<Index> lengths{50'000, 3, 40'000, 700, 0, 1'281, 30'000, 2'600, 160};
  check_lengths(lengths, shape);
  check_records<u32, u32>(random_keys<u32>(std::size_t(begins_of(lengths).back()), 1000, 4), lengths, shape);
  check_lengths({60'000, 45'000}, {512, 5});  // a warp apart takes the tickets
}

TEST_CASE("segmented sorts of many elements, of which a block has lists of several tiles") {
  for (const Index longest : two_if_sanitized(std::vector<Index>{12, 150, 600})) {
    const std::vector<Index> lengths = random_lengths(std::size_t(160'000 / longest), longest, 5);
    REQUIRE(begins_of(lengths).back() > 66'000);
    check_lengths(lengths);
    check_records<u32, u32>(random_keys<u32>(std::size_t(begins_of(lengths).back()), 1000, 4), lengths);
  }
}

TEST_CASE("segmented sorts of few and many elements have blocks of few and many lists") {
  constexpr Index length = 10, lists_in_tile = 160 / length;  // of a warp
  const auto blocks = [&](Index n) {
    const auto plan = SortSegments<u32>::plan(n, n / length, small.threads, small.elements,
                                              CountingExecutor().plan_device());
    return plan[0].blocks;
  };
  const Index few = 4 * (Index(1) << 14) / length * length;  // of four multiprocessors
  CHECK(blocks(few) == ceil_div(few / length, lists_in_tile / 2));
  CHECK(blocks(few + length) == ceil_div(few / length + 1, 4 * lists_in_tile));
}

TEMPLATE_TEST_CASE("segmented sorts of keys of every type", "", u32, u64, i32, i64, f32, f64) {
  std::vector<TestType> keys;
  for (const u64 bits : random_keys<u64>(6000, ~u64(0), 3))
    keys.push_back(Element<TestType>::random_key(bits));
  std::vector<Index> lengths = random_lengths(80, 60, 2);
  lengths.push_back(Index(keys.size()) - begins_of(lengths).back());
  check_keys(keys, lengths);
}

TEST_CASE("segmented sorts are stable") {
  for (const u32 range : {1u, 2u, 100u, ~0u}) {
    std::vector<Index> lengths = random_lengths(80, 60, 2);
    lengths.insert(lengths.begin() + 40, {1500, 250});
    const auto n = std::size_t(begins_of(lengths).back());
    check_records<u32, u32>(random_keys<u32>(n, range, 4), lengths);
    check_records<u64, u32>(random_keys<u64>(n, range, 4), lengths);
    check_records<u64, u64>(random_keys<u64>(n, range, 4), lengths);
  }
}

TEST_CASE("segmented sorts of special inputs") {
  const std::vector<Index> lengths{700, 0, 30, 100, 1, 321};
  for (const auto& keys : special_inputs(1152)) check_keys(keys, lengths);
}

TEST_CASE("a segmented sort by another order") {
  check_keys<u32, Greater>(keys_of(2000), {1000, 500, 20, 480});
  check_records<u32, u32, Greater>(random_keys<u32>(2000, 20, 1), {1000, 500, 20, 480});
}
