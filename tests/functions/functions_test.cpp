// SPDX-License-Identifier: Apache-2.0
// The functions on the counting executor, beside the standard library.
#include "filled_arrays.h"

#include <fathom/device/arena_executor.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/store/profile.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

/// An h200's choices, run on the CPU as if it had few multiprocessors.
struct OnCpu {
  CountingExecutor executor{{.multiprocessors = 2, .workers = 1}};
  Functions functions{executor, built_in_profile("h200")};
};

constexpr std::size_t sizes[] = {1, 33, 1000, 20011};

template <class Key>
void sorts() {
  OnCpu on;
  for (const std::size_t n : sizes) {
    INFO(n);
    const std::vector<Key> keys = random_bits<Key>(n, unsigned(n));
    std::vector<Key> expected = keys;
    std::sort(expected.begin(), expected.end(), in_total_order<Key>);
    const DeviceArray<Key> input = on_device(on.executor, keys), output(on.executor, n);
    on.functions.sort(input.data(), output.data(), n);
    CHECK(same_bits(output.download(), expected));
    CHECK(same_bits(input.download(), keys));
    on.functions.sort(input.data(), n);
    CHECK(same_bits(input.download(), expected));
  }
}

}  // namespace

TEST_CASE("sorts of every type of key are those of the standard library, in place and not") {
  sorts<unsigned>();
  sorts<int>();
  sorts<float>();
  sorts<unsigned long>();
  sorts<long long>();
  sorts<double>();
}

TEST_CASE("values stay with their keys, in the order of equal keys if that is asked for") {
  OnCpu on;
  for (const std::size_t n : sizes) {
    INFO(n);
    const std::vector<u64> keys = few_keys<u64>(n, unsigned(n));
    std::vector<u32> places(n);
    std::iota(places.begin(), places.end(), 0u);
    std::vector<u32> expected = places;
    std::stable_sort(expected.begin(), expected.end(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
    std::vector<u64> sorted = keys;
    std::sort(sorted.begin(), sorted.end());

    const DeviceArray<u64> key_input = on_device(on.executor, keys), key_output(on.executor, n);
    const DeviceArray<u32> value_input = on_device(on.executor, places), value_output(on.executor, n);
    const CallOptions stably{.stable = true};
    on.functions.sort_pairs(key_input.data(), value_input.data(), key_output.data(), value_output.data(), n,
                            stably);
    CHECK(key_output.download() == sorted);
    CHECK(value_output.download() == expected);
    on.functions.sort_pairs(key_input.data(), value_input.data(), n);
    CHECK(key_input.download() == sorted);
    std::vector<u32> values = value_input.download();
    CHECK(std::ranges::equal(values, sorted, {}, [&](u32 place) { return keys[place]; }));
    std::ranges::sort(values);
    CHECK(values == places);
  }
}

TEST_CASE("each of many lists is sorted by itself, empty and long ones too") {
  OnCpu on;
  const std::vector<Index> begins{0, 0, 1, 40, 40, 1000, 9000, 9007, 9100};
  const std::size_t n = std::size_t(begins.back()), lists = begins.size() - 1;
  const std::vector<u32> keys = few_keys<u32>(n, 1);
  std::vector<u32> places(n);
  std::iota(places.begin(), places.end(), 0u);
  std::vector<u32> expected = places;
  for (std::size_t i = 0; i < lists; ++i)
    std::stable_sort(expected.begin() + begins[i], expected.begin() + begins[i + 1],
                     [&](u32 a, u32 b) { return keys[a] < keys[b]; });
  std::vector<u32> sorted(n);
  std::ranges::transform(expected, sorted.begin(), [&](u32 place) { return keys[place]; });

  const DeviceArray<Index> list_begins = on_device(on.executor, begins);
  const DeviceArray<u32> input = on_device(on.executor, keys), output(on.executor, n);
  const DeviceArray<u32> values = on_device(on.executor, places), moved(on.executor, n);
  on.functions.sort_segments(input.data(), output.data(), n, list_begins.data(), lists);
  CHECK(output.download() == sorted);
  on.executor.fill(output.data(), 0xa5, output.bytes());
  on.functions.sort_segments_pairs(input.data(), values.data(), output.data(), moved.data(), n,
                                   list_begins.data(), lists);
  CHECK(output.download() == sorted);
  CHECK(moved.download() == expected);
  CHECK(on.functions.choice({Kind::segmented_sort, {ElementType::u32, {}}, 1 << 20, false, false, 1 << 10})
            .parameters.at("length") == 1000);
}

TEST_CASE("scans and reductions are sums, of signed numbers too, and a scan can run in place") {
  OnCpu on;
  for (const std::size_t n : sizes) {
    INFO(n);
    const std::vector<long> numbers = random_bits<long>(n, unsigned(n));
    std::vector<long> expected(n);
    std::uint64_t sum = 0;  // that of signed numbers may overflow
    for (std::size_t i = 0; i < n; ++i)
      expected[i] = long(std::exchange(sum, sum + std::uint64_t(numbers[i])));
    const DeviceArray<long> input = on_device(on.executor, numbers), output(on.executor, n);
    const DeviceArray<long> total(on.executor, 1);
    on.functions.scan(input.data(), output.data(), n);
    CHECK(output.download() == expected);
    on.functions.reduce(input.data(), total.data(), n);
    CHECK(total.download() == std::vector<long>{long(sum)});
    on.functions.scan(input.data(), input.data(), n);
    CHECK(input.download() == expected);
  }
}

TEST_CASE("every algorithm that can be called does on the caller's arrays what the standard library does") {
  constexpr std::size_t n = 3000;
  const std::vector<u32> numbers = random_bits<u32>(n, 1);
  std::vector<u32> sorted = numbers, sums(n);
  std::sort(sorted.begin(), sorted.end());
  std::exclusive_scan(numbers.begin(), numbers.end(), sums.begin(), 0u);
  std::size_t called = 0;
  for (const Algorithm& each : algorithms()) {
    if (!each.make_call || each.kind == Kind::segmented_sort) continue;
    INFO(each.slug);
    ++called;
    CountingExecutor executor;
    const DeviceArray<u32> input = on_device(executor, numbers), output(executor, n);
    each.make_call(executor, each.problem(n))->run({input.data()}, {output.data()});
    if (each.kind == Kind::reduce)
      CHECK(output.download().front() == sums.back() + numbers.back());
    else
      CHECK(output.download() == (each.kind == Kind::sort ? sorted : sums));
    CHECK(input.download() == numbers);
  }
  CHECK(called >= 28);
}

TEST_CASE(
    "a call that repeats the one before it allocates nothing, nor does one in the caller's work space") {
  OnCpu on;
  constexpr std::size_t n = 50000;
  const std::vector<u32> keys = random_bits<u32>(n, 1);
  std::vector<u32> expected = keys;
  std::sort(expected.begin(), expected.end());
  const DeviceArray<u32> input = on_device(on.executor, keys), output(on.executor, n);
  const Task task{Kind::sort, {ElementType::u32, {}}, n};
  const std::size_t bytes = on.functions.work_space_bytes(task);
  REQUIRE(bytes > n * sizeof(u32));
  const DeviceArray<unsigned char> work_space(on.executor, bytes);

  const std::size_t before = on.executor.allocated_bytes();
  for (int run = 0; run < 2; ++run) {
    on.executor.fill(output.data(), 0xa5, output.bytes());
    on.executor.fill(work_space.data(), 0xa5, bytes);  // of the caller's space nothing is expected
    on.functions.sort(input.data(), output.data(), n,
                      {.work_space = work_space.data(), .work_space_bytes = bytes});
    CHECK(output.download() == expected);
  }
  CHECK(on.executor.allocated_bytes() == before);

  on.functions.sort(input.data(), output.data(), n);
  CHECK(on.executor.allocated_bytes() == before + bytes);
  for (int run = 0; run < 3; ++run) {
    on.executor.fill(output.data(), 0xa5, output.bytes());
    on.functions.sort(input.data(), output.data(), n);
    CHECK(output.download() == expected);
  }
  on.functions.sort(input.data(), output.data(), n / 2);  // has room in the same space
  CHECK(on.executor.allocated_bytes() == before + bytes);
  on.functions.sort(input.data(), output.data(), n);
  CHECK(output.download() == expected);
  on.functions.release_work_spaces();
  on.functions.sort(input.data(), output.data(), n);
  CHECK(output.download() == expected);
}

TEST_CASE("an arena keeps the kernels that a call has prepared, which stay loaded when the call is gone") {
  CountingExecutor executor;
  const DeviceArray<char> memory(executor, 1 << 20);
  ArenaExecutor arena(executor, memory.data(), memory.size());
  const Algorithm& sort = algorithm("radix-onesweep");
  const Problem problem = sort.problem(1000);
  sort.make_call(arena, problem);
  for (const Launch& launch : sort.plan(problem, executor.plan_device())) {
    INFO(launch.name());
    CHECK(std::ranges::any_of(arena.kernels(),
                              [&](const auto& kernel) { return kernel->resources.name == launch.name(); }));
  }
}

TEST_CASE("no elements: nothing is read, and their sum is 0") {
  OnCpu on;
  const DeviceArray<double> total = on_device(on.executor, std::vector<double>{7});
  on.functions.reduce(static_cast<const double*>(nullptr), total.data(), 0);
  CHECK(total.download() == std::vector<double>{0});
  CHECK_NOTHROW(on.functions.sort(static_cast<int*>(nullptr), 0));
  CHECK_NOTHROW(on.functions.scan(static_cast<const int*>(nullptr), static_cast<int*>(nullptr), 0));
}

TEST_CASE("arrays that a call cannot take are refused with what to do") {
  OnCpu on;
  const DeviceArray<u32> array(on.executor, 1000);
  u32* const data = array.data();
  Functions& functions = on.functions;
  CHECK_THROWS_WITH(functions.sort(static_cast<u32*>(nullptr), 10), Contains("the pointer is null"));
  CHECK_THROWS_WITH(functions.sort(data + 1, 10), Contains("multiple of 16 bytes"));
  CHECK_THROWS_WITH(functions.sort(data, data + 4, 10), Contains("overlap") && Contains("in place"));
  CHECK_THROWS_WITH(functions.sort(data, data, 10), Contains("overlap"));
  CHECK_NOTHROW(functions.sort(data, data + 12, 12));
  CHECK_THROWS_WITH(functions.sort(data, 10, {.work_space = data + 512, .work_space_bytes = 8}),
                    Contains("has 8 bytes") && Contains("work_space_bytes()"));
  CHECK_THROWS_WITH(functions.run({Kind::sort, {ElementType::u32, ElementType::u64}, 10}, {data, data + 100},
                                  {data + 200, data + 300}),
                    Contains("u32:u64"));
  CHECK_THROWS_WITH(functions.run({Kind::other, {ElementType::u32, {}}, 10}, {data}, {data + 100}),
                    Contains("sorts, scans or reduces"));
  CHECK_THROWS_WITH(functions.sort_segments(data, data + 100, 10, nullptr, 3),
                    Contains("the pointer is null"));
  CHECK_THROWS_WITH(functions.sort_segments(data, data + 100, 10, nullptr, 0), Contains("without a list"));
}

TEST_CASE("the law chooses: another sort for few elements than for many, and by bits where keys may be NaN") {
  const DeviceProfile profile = built_in_profile("h200");
  const auto chosen = [&](Kind kind, ElementType type, double n, bool in_place = false) {
    return choose({.kind = kind, .n = n, .type = type}, in_place, profile);
  };
  CHECK_FALSE(chosen(Kind::sort, ElementType::u64, 1 << 10) == chosen(Kind::sort, ElementType::u64, 1 << 27));
  for (const ElementType floating : {ElementType::f32, ElementType::f64})
    for (const double n : {1e3, 1e6, 1e8})
      CHECK(chosen(Kind::sort, floating, n).algorithm->group == "sort/radix");
  for (const double n : {1e1, 1e3, 1e6}) {
    const Choice scan = chosen(Kind::scan, ElementType::u32, n, true);
    CHECK_FALSE(scan.algorithm->separate_arrays);
    CHECK(scan.algorithm->kind == Kind::scan);
  }
}

TEST_CASE(
    "signed numbers are sorted like unsigned ones, and floating-point ones whose exponents are alike too") {
  const DeviceProfile profile = built_in_profile("h200");
  const auto chosen = [&](ElementType type, double n) {
    return choose({.kind = Kind::sort, .n = n, .type = type}, false, profile);
  };
  for (const double n : {1e3, 1e5, 1e6, 1.6e7, 1e8}) {
    INFO(n);
    CHECK(chosen(ElementType::i32, n) == chosen(ElementType::u32, n));
    CHECK(chosen(ElementType::i64, n) == chosen(ElementType::u64, n));
  }
  // Of random f64 so many begin alike that radix-msd sorts them by all digits: see data/h200-radix-sorts.
  CHECK(chosen(ElementType::u64, 1.6e7).algorithm->slug == "radix-msd");
  CHECK(chosen(ElementType::f64, 1.6e7).algorithm->slug == "radix-onesweep");
}

TEST_CASE("an architecture without work tables has the choices of one that has them") {
  DeviceProfile unknown = built_in_profile("h200");
  unknown.architecture.reset();
  const Problem problem{.kind = Kind::sort, .n = 1e6, .type = ElementType::u32};
  CHECK(choose(problem, false, unknown) == choose(problem, false, built_in_profile("h200")));
  CHECK_THROWS_WITH(choose({.kind = Kind::reduce, .n = 1e6, .type = ElementType::point}, false, unknown),
                    Contains("no kernel of this library can do a reduce of point"));
}
