// radix-onesweep, radix-single and radix-msd: sorts whose passes rank tiles by half-warps.
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/radix/msd/radix_msd.h>
#include <fathom/algorithms/sort/radix/onesweep/radix_onesweep.h>
#include <fathom/algorithms/sort/radix/single/radix_single.h>

#include <limits>

using namespace fathom;
using namespace fathom::tests;

namespace {

template <template <class> class Solver, class Element, class... Arguments>
auto solver_of(Arguments... arguments) {
  return [=](Executor& executor, Index n) { return Solver<Element>(executor, n, arguments...); };
}

template <template <class> class Solver, class Key, class... Arguments>
void check(const std::vector<Key>& keys, Arguments... arguments) {
  check_sort<Less>(keys, solver_of<Solver, Key>(arguments...));
}

/// Against std::stable_sort, by the bits of a range.
template <template <class> class Solver, class Value, class Key, class... Arguments>
void check_stable(const std::vector<Key>& keys, BitRange range, Arguments... arguments) {
  INFO("n = " << keys.size());
  std::vector<std::pair<Key, Value>> expected;
  for (std::size_t i = 0; i < keys.size(); ++i) expected.emplace_back(keys[i], Value(i));
  std::ranges::stable_sort(expected, std::less{}, [=](const auto& record) { return range.of(record.first); });
  CHECK((sort_records_on_cpu<Value>(keys, solver_of<Solver, Record<Key, Value>>(arguments..., range)) ==
         expected));
}

/// Keys of every kind of bits: random, both infinities, zeros of both signs, denormals, the largest.
template <class Key>
std::vector<Key> special_keys(std::size_t n) {
  std::mt19937_64 generator(n);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = Element<Key>::random_key(generator() & ~u64(generator() % 4 == 0 ? 63 : 0));
  return keys;
}

template <template <class> class Solver, class... Arguments>
void check_all_types(std::size_t n, Arguments... arguments) {
  check<Solver>(special_keys<u32>(n), arguments...);
  check<Solver>(special_keys<i32>(n), arguments...);
  check<Solver>(special_keys<f32>(n), arguments...);
  check<Solver>(special_keys<u64>(n), arguments...);
  check<Solver>(special_keys<i64>(n), arguments...);
  check<Solver>(special_keys<f64>(n), arguments...);
}

/// The look-back of one tile alone, over as many digits as a warp has lanes.
template <class Count, int window>
struct LookBack {
  DigitStates<Count> states;
  Span<Count> found;
  Index tile;

  template <class Block>
  void operator()(Block& block) const {
    found.store(block.lane(), states.template sum_before<window>(tile, block.lane()));
  }
};

/// Tile `prefix` knows the sum up to it; those after it have counts of their own.
template <class Count, int window>
void check_look_back(int parity, Index tile, Index prefix) {
  INFO("window " << window << ", parity " << parity << ", tile " << tile << ", prefix " << prefix);
  using States = DigitStates<Count>;
  const int bins = warp_width;
  // Others are of the pass before: complete, but for the parity.
  std::vector<Count> states(std::size_t((States::rows_ahead + tile) * bins),
                            Count(2 * (1 - parity) + 1) << States::count_bits | 77);
  std::vector<Count> expected(std::size_t(bins), 0);
  for (Index i = prefix; i < tile; ++i)
    for (int bin = 0; bin < bins; ++bin) {
      const Count count = i == prefix ? States::most / 2 : Count(i * i + bin);
      expected[std::size_t(bin)] += count;
      states[std::size_t((States::rows_ahead + i) * bins + bin)] = count | Count(2 * parity + (i == prefix))
                                                                               << States::count_bits;
    }
  CountingExecutor executor;
  const DeviceArray<Count> words(executor, std::span<const Count>(states)),
      found(executor, std::size_t(bins));
  const auto kernel = executor.prepare<LookBack<Count, window>>({warp_width});
  executor.launch(*kernel, 1, LookBack<Count, window>{{words.span(), bins, parity}, found.span(), tile});
  CHECK(found.download() == expected);
}

}  // namespace

TEST_CASE("a tile adds up the digits of those before it, back to one that knows their sum") {
  for (const int parity : {0, 1})
    for (const Index tile : {1, 2, 3, 4, 5, 8, 9, 23})
      for (Index prefix = 0; prefix < tile; ++prefix) {
        check_look_back<u32, 4>(parity, tile, prefix);
        check_look_back<u32, 2>(parity, tile, prefix);
        check_look_back<u64, 4>(parity, tile, prefix);
      }
}

TEST_CASE("ordered bits order keys as their operator does, and can be undone") {
  const auto check_order = [](const auto& ascending) {
    using Key = std::remove_cvref_t<decltype(ascending[0])>;
    for (std::size_t i = 0; i < ascending.size(); ++i) {
      const Key back = from_ordered_bits<Key>(ordered_bits(ascending[i]));
      CHECK(std::memcmp(&back, &ascending[i], sizeof(Key)) == 0);
      if (i > 0) CHECK(ordered_bits(ascending[i - 1]) < ordered_bits(ascending[i]));
    }
  };
  check_order(std::vector<u32>{0, 1, 0x7fffffff, 0x80000000, 0xffffffff});
  check_order(
      std::vector<i32>{std::numeric_limits<i32>::min(), -2, -1, 0, 1, std::numeric_limits<i32>::max()});
  check_order(std::vector<i64>{std::numeric_limits<i64>::min(), -1, 0, 1, std::numeric_limits<i64>::max()});
  constexpr f32 infinity = std::numeric_limits<f32>::infinity(), nan = std::numeric_limits<f32>::quiet_NaN(),
                denormal = std::numeric_limits<f32>::denorm_min();
  check_order(std::vector<f32>{-nan, -infinity, -1, -denormal, -0.0f, 0.0f, denormal, 1, infinity, nan});
  check_order(std::vector<f64>{-1e300, -1, -0.0, 0.0, 5e-324, 1, 1e300});
}

TEST_CASE("a range of bits is cut into digits from its lowest bit") {
  const BitRange range{3, 14};
  CHECK(range.digits(4) == 3);
  CHECK(range.digit(2, 4).first == 11);
  CHECK(range.digit(2, 4).count == 3);
  CHECK(range.of(u32(0xffff)) == 0x7ff);
  CHECK(range.digit(0, 4).of(u32(0x0058)) == 0xb);
}

TEST_CASE("radix-onesweep sorts inputs of sizes around half-warp, tile and vector edges") {
  const int threads = 256, elements = 4, tile = threads * elements;
  for (int n : {1, 2, 15, 16, 17, 63, 64, 65, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 77})
    check<RadixOnesweep>(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)), 8, threads, elements);
  check_all_types<RadixOnesweep>(2500, 8, 256, 5);
}

TEST_CASE("radix-onesweep sorts by digits of any width, stably, and by any range of bits") {
  const auto keys = random_keys<u32>(3000, ~0u, 1);
  for (int bits : {4, 5, 6, 7, 8}) check_stable<RadixOnesweep, u32>(keys, BitRange::all<u32>(), bits, 256, 7);
  for (const BitRange range : {BitRange{0, 8}, BitRange{5, 22}, BitRange{24, 32}, BitRange{31, 32}})
    check_stable<RadixOnesweep, u32>(keys, range, 8, 256, 4);
  check_stable<RadixOnesweep, u64>(random_keys<u64>(2000, ~u64(0), 2), {20, 45}, 8, 384, 4);
  check_stable<RadixOnesweep, u32>(random_keys<u64>(2000, 5, 3), BitRange::all<u64>(), 8, 512, 2);
}

TEST_CASE("radix-onesweep leaves out digits in which all keys agree") {
  for (const std::vector<u32>& keys : special_inputs(3000)) check<RadixOnesweep>(keys, 8, 256, 4);
  for (u32 bit : {0u, 7u, 8u, 19u, 31u}) {  // one digit matters
    auto keys = random_keys<u32>(2000, 2, bit);
    for (u32& key : keys) key = key << bit | (0x5a5a5a5a & ~(1u << bit));
    check<RadixOnesweep>(keys, 8, 256, 4);
    check_stable<RadixOnesweep, u32>(keys, BitRange::all<u32>(), 8, 256, 4);
  }
}

TEST_CASE("a radix-onesweep sorts one input after another, whatever digits the last one had") {
  CountingExecutor executor;
  const Index n = 3000;
  RadixOnesweep<u32> sort(executor, n, 8, 256, 4);
  const DeviceArray<u32> output(executor, std::size_t(n));
  for (u32 range : {~0u, 1u << 8, 1u, 1u << 20, 1u << 8, ~0u}) {
    auto keys = random_keys<u32>(std::size_t(n), range, range);
    const DeviceArray<u32> input(executor, std::span<const u32>(keys));
    sort.run({input.data(), input.size()}, output.span());
    std::ranges::sort(keys);
    CHECK((output.download() == keys));
  }
}

TEST_CASE("radix-onesweep says what is wrong with a block too small for its digits") {
  CountingExecutor executor;
  CHECK_THROWS_WITH(RadixOnesweep<u32>(executor, 100, 8, 128, 4), Catch::Contains("128 threads are fewer"));
}

TEST_CASE("radix-single sorts what fits in its tile, and more") {
  for (int n : {1, 2, 16, 17, 100, 511, 1023, 1024, 1025, 2048, 3000})
    check<RadixSingle>(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)), 8, 256, 4);
  check_all_types<RadixSingle>(700, 8, 256, 3);
  for (const std::vector<u32>& keys : special_inputs(2500)) check<RadixSingle>(keys, 6, 256, 4);
  for (std::size_t n : {2000, 5000})
    check_stable<RadixSingle, u32>(random_keys<u32>(n, 50, 1), BitRange::all<u32>(), 8, 512, 4);
  check_stable<RadixSingle, u64>(random_keys<u64>(900, ~u64(0), 1), {7, 40}, 5, 256, 4);
}

TEST_CASE("radix-msd sorts with one bucket, two and many") {
  for (int n : {1, 2, 100, 1024, 1800, 1900, 2048, 5000, 20000})
    check<RadixMsd>(random_keys<u64>(std::size_t(n), ~u64(0), unsigned(n)), 256, 4, 4);
  check_all_types<RadixMsd>(9000, 256, 5, 6);
  check_stable<RadixMsd, u64>(random_keys<u64>(9000, ~u64(0), 1), BitRange::all<u64>(), 256, 4, 4);
  for (const BitRange range : {BitRange{0, 64}, BitRange{20, 45}, BitRange{10, 13}, BitRange{63, 64}})
    check_stable<RadixMsd, u32>(random_keys<u64>(9000, ~u64(0), 2), range, 256, 4, 5);
}

TEST_CASE("radix-msd refuses blocks that cannot hold a bucket, where others could") {
  CountingExecutor executor;
  const PlanDevice device = executor.plan_device();
  const Index n = 1 << 28;
  CHECK_THROWS_WITH(RadixMsd<u64>::plan(n, 256, 4, 4, device), Catch::Contains("at least 8704"));
  CHECK_NOTHROW(RadixMsd<u64>::plan(n, 512, 17, 4, device));
  CHECK_NOTHROW(RadixMsd<u64>::plan(4 * n, 512, 17, 4, device));  // sorted by all digits
  CHECK_NOTHROW(RadixMsd<u64>::plan(n / 16, 256, 4, 4, device));
}

TEST_CASE("radix-msd sorts skewed keys by all their digits") {
  for (const std::vector<u32>& keys : special_inputs(6000)) check<RadixMsd>(keys, 256, 4, 4);
  check_stable<RadixMsd, u32>(random_keys<u64>(6000, 1 << 20, 1), BitRange::all<u64>(), 256, 4, 4);
  // One bucket takes half of the keys.
  auto keys = random_keys<u64>(6000, ~u64(0), 3);
  for (std::size_t i = 0; i < keys.size(); i += 2) keys[i] &= 0xffffff;
  check_stable<RadixMsd, u32>(keys, BitRange::all<u64>(), 256, 4, 4);
}

TEST_CASE("radix-msd sorts buckets whose keys differ only in their lowest bits") {
  auto keys = random_keys<u64>(6000, 1 << 12, 4);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] |= u64(i % 64) << 58;
  check_stable<RadixMsd, u32>(keys, BitRange::all<u64>(), 256, 4, 4);
}

TEST_CASE("a radix-msd sorts skewed and even inputs one after another") {
  CountingExecutor executor;
  const Index n = 6000;
  RadixMsd<u64> sort(executor, n, 256, 4, 4);
  const DeviceArray<u64> output(executor, std::size_t(n));
  for (u64 range : {~u64(0), u64(1) << 8, ~u64(0), u64(1), u64(1) << 40, ~u64(0)}) {
    auto keys = random_keys<u64>(std::size_t(n), range, unsigned(range));
    const DeviceArray<u64> input(executor, std::span<const u64>(keys));
    sort.run({input.data(), input.size()}, output.span());
    std::ranges::sort(keys);
    CHECK((output.download() == keys));
  }
}
