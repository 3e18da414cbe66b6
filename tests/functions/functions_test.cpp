// SPDX-License-Identifier: Apache-2.0
// The functions on the counting executor, beside the standard library.
#include "../support/sanitized.h"
#include "filled_arrays.h"

#include <fathom/algorithms/block/digits.h>
#include <fathom/algorithms/case.h>
#include <fathom/counting/work.h>
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

constexpr std::size_t sizes[] = {1, 33, 1000, sanitized ? 5003 : 20011};

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
  if constexpr (!sanitized) {  // other types of the same sizes
    sorts<unsigned>();
    sorts<int>();
    sorts<unsigned long>();
    sorts<long long>();
  }
  sorts<float>();
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

namespace {

/// Places of keys in the order of these bits, stably.
template <class Key>
std::vector<u32> places_in_order(const std::vector<Key>& keys, Order order, KeyBits bits) {
  const BitRange range = bits.are_all() ? BitRange::all<Key>() : BitRange{bits.begin, bits.end};
  std::vector<u32> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::ranges::stable_sort(places, [&](u32 a, u32 b) {
    if (order == Order::descending) std::swap(a, b);
    return range.of(keys[a]) < range.of(keys[b]);
  });
  return places;
}
template <class Key>
std::vector<Key> at_places(const std::vector<Key>& keys, const std::vector<u32>& places) {
  std::vector<Key> moved(places.size());
  std::ranges::transform(places, moved.begin(), [&](u32 place) { return keys[place]; });
  return moved;
}

template <class Key>
void sorts_by(Order order, KeyBits bits) {
  OnCpu on;
  for (const std::size_t n : {std::size_t(33), std::size_t(sanitized ? 1003 : 5003)}) {
    INFO(n << " " << name(order) << " " << bits.begin << ", " << bits.end);
    const std::vector<Key> keys = random_bits<Key>(n, unsigned(n));
    const std::vector<Key> expected = at_places(keys, places_in_order(keys, order, bits));
    const DeviceArray<Key> input = on_device(on.executor, keys), output(on.executor, n);
    const CallOptions options{.order = order, .bits = bits};
    on.functions.sort(input.data(), output.data(), n, options);
    CHECK(same_bits(output.download(), expected));
    on.functions.sort(input.data(), n, options);
    CHECK(same_bits(input.download(), expected));
  }
}

template <class Key, class Value>
void calls_sort_by(const Algorithm& sort, const std::vector<Key>& keys, Order order, KeyBits bits) {
  const std::size_t n = keys.size();
  INFO(sort.slug << " " << n << " " << name(order) << " " << bits.begin << ", " << bits.end);
  std::vector<Value> numbers(n);
  std::iota(numbers.begin(), numbers.end(), Value(0));
  const std::vector<u32> places = places_in_order(keys, order, bits);
  CountingExecutor executor{{.multiprocessors = 2, .workers = 1}};
  Problem problem = sort.problem(double(n), {{element_type_of<Key>, element_type_of<Value>}, true});
  problem.order = order;
  problem.key_bits = bits;
  sort.check(problem);
  const DeviceArray<Key> input = on_device(executor, keys), output(executor, n);
  const DeviceArray<Value> values = on_device(executor, numbers), moved(executor, n);
  sort.make_call(executor, problem)->run({input.data(), values.data()}, {output.data(), moved.data()});
  CHECK(same_bits(output.download(), at_places(keys, places)));
  CHECK(moved.download() == at_places(numbers, places));
}

}  // namespace

TEST_CASE("sorts in descending order, and by some bits of the keys, are those of the standard library") {
  if constexpr (!sanitized) {  // other types of the same sizes
    sorts_by<unsigned>(Order::descending, {});
    sorts_by<int>(Order::descending, {});
    sorts_by<unsigned long>(Order::descending, {});
    sorts_by<long long>(Order::descending, {});
  }
  sorts_by<float>(Order::descending, {});
  sorts_by<double>(Order::descending, {});
  sorts_by<unsigned>(Order::ascending, {0, 12});
  sorts_by<int>(Order::descending, {20, 32});
  sorts_by<u64>(Order::ascending, {3, 40});
  sorts_by<float>(Order::descending, {31, 32});
}

TEST_CASE("every sort that says that it sorts by bits does, with values, stably") {
  std::size_t sorts = 0;
  for (const Algorithm& each : algorithms()) {
    if (!each.by_bits) continue;
    ++sorts;
    for (const std::size_t n : {std::size_t(1), std::size_t(sanitized ? 1003 : 5003)})
      for (const Order order : {Order::ascending, Order::descending})
        for (const KeyBits bits :
             two_if_sanitized(std::vector<KeyBits>{{}, {0, 1}, {0, 8}, {8, 12}, {31, 32}, {5, 17}})) {
          calls_sort_by<u32, u32>(each, few_keys<u32>(n, 1), order, bits);
          calls_sort_by<u32, u32>(each, random_bits<u32>(n, 1), order, bits);
          calls_sort_by<u64, u32>(each, random_bits<u64>(n, 1), order, bits);
        }
  }
  CHECK(sorts == 3);
}

TEST_CASE("bits that keys do not have, and an order of what has none, are refused") {
  OnCpu on;
  const DeviceArray<u32> array(on.executor, 1000);
  u32* const data = array.data();
  CHECK_THROWS_WITH(on.functions.sort(data, 10, {.bits = {8, 33}}), Contains("bits 0 to 32"));
  CHECK_THROWS_WITH(on.functions.sort(data, 10, {.bits = {8, 8}}), Contains("bits 8 to 8"));
  CHECK_THROWS_WITH(on.functions.sort(data, 10, {.bits = {-1, 8}}), Contains("bits 0 to 32"));
  CHECK_THROWS_WITH(on.functions.scan(data, data, 10, {.order = Order::descending}),
                    Contains("a scan") && Contains("omit"));
  CHECK_THROWS_WITH(on.functions.reduce(data, data + 100, 10, {.bits = {0, 8}}), Contains("a reduce"));
  Problem problem = algorithm("radix-onesweep").problem(100);
  problem.key_bits = {0, 40};
  CHECK_THROWS_WITH(algorithm("radix-onesweep").check(problem), Contains("u32 has bits 0 to 32"));
  CHECK_THROWS_WITH(algorithm("sort-kway").check([&] {
    Problem kway = algorithm("sort-kway").problem(100);
    kway.key_bits = {0, 8};
    return kway;
  }()),
                    Contains("omit the bits"));
}

TEST_CASE("a sort by few bits takes fewer passes, which the choice knows", "[counts]") {
  const DeviceProfile profile = built_in_profile("h200");
  const auto seconds = [&](KeyBits bits) {
    Problem problem{.kind = Kind::sort, .n = 1e8, .type = ElementType::u64, .key_bits = bits};
    const Choice choice = choose(problem, false, profile);
    problem.parameters = choice.parameters;
    const auto work = known_work({choice.algorithm, problem}, 90);
    return CountedRun(*choice.algorithm, profile.machine, problem, *work).seconds(profile.machine);
  };
  CHECK(seconds({0, 8}) < 0.5 * seconds({}));
  CHECK(seconds({0, 16}) < seconds({0, 32}));
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
  constexpr std::size_t n = 50000;  // of few no sort needs work space
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
  const std::size_t needed =
      functions.work_space_bytes({Kind::sort, {ElementType::u32, {}}, 10, false, true});
  const DeviceArray<unsigned char> both(on.executor, needed + 256);
  unsigned char* const space = both.data();
  CHECK_THROWS_WITH(functions.sort(reinterpret_cast<u32*>(space + needed - 16), 10,
                                   {.work_space = space, .work_space_bytes = needed}),
                    Contains("the work space overlaps the input") && Contains("memory of its own"));
  CHECK_THROWS_WITH(functions.sort(data, reinterpret_cast<u32*>(space), 10,
                                   {.work_space = space, .work_space_bytes = needed}),
                    Contains("the work space overlaps the output"));
  CHECK_THROWS_WITH(functions.run({Kind::sort, {ElementType::u32, ElementType::u64}, 10}, {data, data + 100},
                                  {data + 200, data + 300}),
                    Contains("u32:u64"));
  CHECK_THROWS_WITH(functions.run({Kind::other, {ElementType::u32, {}}, 10}, {data}, {data + 100}),
                    Contains("sorts, scans or reduces"));
  CHECK_THROWS_WITH(functions.work_space_bytes({Kind::other, {ElementType::u32, {}}, 10}),
                    Contains("sorts, scans or reduces"));
  CHECK_THROWS_WITH(functions.work_space_bytes(
                        {Kind::scan, {ElementType::u32, {}}, 10, false, false, 0, Order::descending}),
                    Contains("omit order and bits"));
  CHECK_THROWS_WITH(functions.work_space_bytes({Kind::segmented_sort, {ElementType::u32, {}}, 10}),
                    Contains("without a list"));
  CHECK_THROWS_WITH(functions.sort_segments(data, data + 100, 10, nullptr, 3),
                    Contains("the pointer is null"));
  CHECK_THROWS_WITH(functions.sort_segments(data, data + 100, 10, nullptr, 0), Contains("without a list"));
}

TEST_CASE("the law chooses: another sort for few elements than for many, and by bits where keys may be NaN",
          "[counts]") {
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
    "signed numbers are sorted like unsigned ones, and floating-point ones whose exponents are alike too",
    "[counts]") {
  const DeviceProfile profile = built_in_profile("h200");
  const auto chosen = [&](ElementType type, double n) {
    return choose({.kind = Kind::sort, .n = n, .type = type}, false, profile);
  };
  for (const double n : {1e5, 1.6e7}) {
    INFO(n);
    CHECK(chosen(ElementType::i32, n) == chosen(ElementType::u32, n));
    CHECK(chosen(ElementType::i64, n) == chosen(ElementType::u64, n));
  }
  // So many f64 begin alike that radix-msd sorts them by all digits: of few, normal ones, in twice the time.
  for (const double n : {0x1p14, 0x1p16, 0x1p18, 1.6e7, 0x1p28})
    CHECK(chosen(ElementType::f64, n).algorithm->slug != "radix-msd");
  CHECK(chosen(ElementType::u64, 1.6e7).algorithm->slug == "radix-msd");
  CHECK(chosen(ElementType::f64, 1.6e7).algorithm->slug == "radix-onesweep");
}

TEST_CASE("parameters are the defaults, unless others are predicted to be clearly faster", "[counts]") {
  const DeviceProfile profile = built_in_profile("h200");
  Problem pairs{.kind = Kind::sort, .n = 0x1p28, .type = ElementType::u32, .value_type = ElementType::u32};
  const auto seconds = [&](const Choice& choice) {
    pairs.parameters = choice.parameters;
    const auto work = known_work({choice.algorithm, pairs}, 90);
    return CountedRun(*choice.algorithm, profile.machine, pairs, *work).seconds(profile.machine);
  };
  const Choice chosen = choose(pairs, false, profile);
  const Choice usual{chosen.algorithm, chosen.algorithm->default_parameters(pairs)};
  CHECK(chosen == usual);
  // There are some that are predicted to be a little faster.
  Choice other = usual;
  for (const auto& [name, value] : {std::pair("t", 512), std::pair("E", 17), std::pair("S", 14)})
    other.parameters.set(name, value);
  CHECK(chosen.algorithm->slug == "radix-msd");
  CHECK(seconds(other) < seconds(usual));
}

TEST_CASE("an architecture without work tables has the choices of one that has them", "[counts]") {
  DeviceProfile unknown = built_in_profile("h200");
  unknown.architecture.reset();
  const Problem problem{.kind = Kind::sort, .n = 1e6, .type = ElementType::u32};
  CHECK(choose(problem, false, unknown) == choose(problem, false, built_in_profile("h200")));
  CHECK_THROWS_WITH(choose({.kind = Kind::reduce, .n = 1e6, .type = ElementType::point}, false, unknown),
                    Contains("no kernel of this library can do a reduce of point"));
}
