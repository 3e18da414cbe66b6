// SPDX-License-Identifier: Apache-2.0
// The radix sorts on the CPU: what all have in common, then what each has of its own.
#include "sort_on_cpu.h"

#include <fathom/algorithms/registry.h>
#include <fathom/algorithms/sort/radix/lsd/radix_lsd.h>
#include <fathom/algorithms/sort/radix/msd/radix_msd.h>
#include <fathom/algorithms/sort/radix/onesweep/radix_onesweep.h>
#include <fathom/algorithms/sort/radix/single/radix_single.h>
#include <fathom/algorithms/sort/radix/tiled/radix_tiled.h>
#include <fathom/model/architectures.h>

#include <functional>
#include <limits>
#include <set>

using namespace fathom;
using namespace fathom::tests;

namespace {

// Each sort below has the parameters of its constructor as `Shape`: small() gives tiles so small that few
// keys make many of them, others() the widths of digits and further shapes.

template <template <class> class RadixSort, class Key, int elements_of_tile>
struct Tested {
  template <class Element>
  using Solver = RadixSort<Element>;
  using Shape = std::array<int, 3>;
  using SizedKey = Key;
  static int tile() { return elements_of_tile; }
};
using Shapes = std::vector<std::array<int, 3>>;

struct Onesweep : Tested<RadixOnesweep, u32, 256 * 4> {  // bits of a digit, threads, elements
  static Shape small() { return {8, 256, 4}; }
  static Shapes others() {
    return {{4, 256, 7}, {5, 256, 7}, {6, 256, 7}, {7, 256, 7}, {8, 256, 7}, {8, 384, 4}, {8, 512, 2}};
  }
};
struct Single : Tested<RadixSingle, u32, 256 * 4> {
  static Shape small() { return {8, 256, 4}; }
  static Shapes others() { return {{6, 256, 4}, {5, 256, 4}, {8, 512, 4}, {8, 256, 3}}; }
};
struct Msd : Tested<RadixMsd, u64, 256 * 4> {  // threads, elements, S
  static Shape small() { return {256, 4, 4}; }
  static Shapes others() { return {{256, 5, 6}, {256, 4, 5}}; }
};
template <template <class> class RadixSort>
struct ByDigits : Tested<RadixSort, u32, 64 * 7> {
  static std::array<int, 3> small() { return {4, 64, 7}; }
  static Shapes others() {
    return {{1, 64, 7}, {2, 64, 7}, {3, 64, 7}, {5, 64, 7},   {6, 64, 7},
            {7, 64, 7}, {8, 64, 7}, {5, 64, 4}, {5, 128, 15}, {5, 256, 15}};
  }
};
using Lsd = ByDigits<RadixLsd>;
using Tiled = ByDigits<RadixTiled>;

template <class Sort, class Element>
auto solver_of(const typename Sort::Shape& shape, BitRange bits = BitRange::all<KeyOf<Element>>()) {
  return [shape, bits](Executor& executor, Index n) {
    return typename Sort::template Solver<Element>(executor, n, shape[0], shape[1], shape[2], bits);
  };
}

/// Keys that differ in their bits differ in a radix sort's order: it has one result, bit by bit.
template <class Sort, class Key>
void check(const std::vector<Key>& keys, const typename Sort::Shape& shape = Sort::small(),
           const CountingDevice& device = {}) {
  INFO("n = " << keys.size() << ", shape " << Catch::Detail::stringify(shape));
  std::vector<Key> expected = keys;
  std::ranges::sort(expected, std::less{}, ordered_bits<Key>);
  const std::vector<Key> sorted = sort_on_cpu(keys, solver_of<Sort, Key>(shape), device);
  CHECK(std::is_sorted(sorted.begin(), sorted.end()));
  CHECK(std::memcmp(sorted.data(), expected.data(), keys.size() * sizeof(Key)) == 0);
}

/// Keys with values, by the bits of a range, against std::stable_sort.
template <class Sort, class Value, class Key>
void check_stable(const std::vector<Key>& keys, BitRange bits = BitRange::all<Key>(),
                  const typename Sort::Shape& shape = Sort::small(), const CountingDevice& device = {}) {
  INFO("bits " << bits.begin << " to " << bits.end << ", shape " << Catch::Detail::stringify(shape));
  const auto part = [&](const Key& key) {
    const u64 mask = bits.end - bits.begin == 64 ? ~u64(0) : (u64(1) << (bits.end - bits.begin)) - 1;
    return u64(ordered_bits(key)) >> bits.begin & mask;
  };
  check_stable_sort<Value>(
      keys, [&](const Key& a, const Key& b) { return part(a) < part(b); },
      solver_of<Sort, Record<Key, Value>>(shape, bits), device);
}

/// Lanes of a warp count their digits in the order that ranks hope not to meet.
const CountingDevice backwards{.lane_order = LaneOrder::backwards};

/// The ranks of a warp's digits, one per lane, among equal ones.
struct RankOfLanes {
  static constexpr int bins = 8;
  Span<const u32> digits;
  Span<u32> ranks;

  static int shared_memory() { return DigitRows::shared_memory(warp_width, bins); }
  void operator()(Block& block) const {
    const auto rows = DigitRows::make(block, bins);
    Registers<u32, Number> found(1);
    rows.rank_digits(
        block, [&](int) { return int(digits.load(block.lane())); }, Number(1), 1, found);
    ranks.store(block.lane(), found[0] & 0xffff);
  }
};

/// Returns true if a kernel that has run has called the function: a site of an access to memory says so.
bool has_called(const CountingExecutor& executor, std::string_view function) {
  for (const KernelCounts& kernel : executor.counts())
    for (const AccessSite& site : kernel.sites)
      if (site.function == function) return true;
  return false;
}
/// Returns true if a sort of so many random keys calls the function.
template <class Sort, class Element>
bool calls(std::string_view function, Index n, const CountingDevice& device) {
  CountingExecutor executor(device);
  const auto keys = random_keys<KeyOf<Element>>(std::size_t(n), ~KeyOf<Element>(0), 3);
  const DeviceArray<KeyOf<Element>> input(executor, std::span<const KeyOf<Element>>(keys));
  const DeviceList<Element> output(executor, std::size_t(n));
  auto solver = solver_of<Sort, Element>(Sort::small())(executor, n);
  if constexpr (has_values<Element>) {
    const DeviceArray<ValueOf<Element>> values(executor, std::size_t(n));
    executor.fill(values.data(), 0, values.bytes());
    solver.run(read_only(SplitSpan<KeyOf<Element>, ValueOf<Element>>{input.span(), values.span()}),
               output.list());
  } else {
    solver.run({input.data(), input.size()}, output.list());
  }
  return has_called(executor, function);
}

/// Keys of random bits, and the extreme ones.
template <class Key>
std::vector<Key> keys_of_all_kinds(std::size_t n) {
  std::vector<Key> keys;
  for (const auto bits : random_keys<BitsOf<Key>>(n, ~BitsOf<Key>(0), 7)) {
    const Key key = __builtin_bit_cast(Key, bits);
    keys.push_back(key == key ? key : Key(1));
  }
  using Limits = std::numeric_limits<Key>;
  for (const Key extreme :
       {Limits::lowest(), Limits::max(), Limits::min(), Limits::infinity(), Key(-Limits::infinity()),
        Limits::denorm_min(), Key(-Limits::denorm_min()), Key(0.0), Key(-0.0), Key(1), Key(-1)})
    for (int copies = 0; copies < 3; ++copies) keys.push_back(extreme);
  return keys;
}

/// The look-back of one tile alone, over as many digits as a warp has lanes.
template <class Count, int window>
struct LookBack {
  DigitStates<Count> states;
  Span<Count> found;
  Index tile;

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
  // The other states were left by the pass before: they are complete, but for the parity.
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

/// Words of global memory that a sort of random elements accesses.
template <class Solver, class Element>
u64 global_words(Index n, int digit_bits, int threads, int elements) {
  CountingExecutor executor;
  const DeviceList<Element> input(executor, std::size_t(n)), output(executor, std::size_t(n));
  const auto keys = random_keys<u32>(std::size_t(n), ~0u, 9);
  executor.upload(keys_of(input.list()).data, keys.data(), keys.size() * sizeof(u32));
  Solver(executor, n, digit_bits, threads, elements).run(read_only(input.list()), output.list());
  u64 words = 0;
  for (const KernelCounts& kernel : executor.counts()) words += kernel.global().words;
  return words;
}

}  // namespace

#define EVERY_RADIX_SORT Onesweep, Single, Msd, Lsd, Tiled

TEMPLATE_TEST_CASE("radix sorts do not rely on the order in which lanes of a warp take their turns", "",
                   EVERY_RADIX_SORT) {
  const std::size_t tile = std::size_t(TestType::tile());
  for (const std::size_t n : two_if_sanitized(std::vector{tile, 5 * tile, 5 * tile + 77})) {
    check<TestType>(random_keys<u32>(n, ~0u, 1), TestType::small(), backwards);
    check<TestType>(keys_of_all_kinds<f64>(n), TestType::small(), backwards);
    // The padding of the last tile has all bits, as some of these keys have, or all of those that a pass has
    // sorted by.
    std::vector<u32> like_padding = random_keys<u32>(n, ~0u, 2);
    for (std::size_t i = 0; i < n; ++i)
      if (i % 4 != 0) like_padding[i] |= ~u32(0) >> like_padding[i] % 25;
    check<TestType>(like_padding, TestType::small(), backwards);
    for (const u32 range : {2u, 300u, ~0u})
      check_stable<TestType, u32>(random_keys<u32>(n, range, 4), BitRange::all<u32>(), TestType::small(),
                                  backwards);
  }
  for (const auto& shape : two_if_sanitized(TestType::others()))
    check<TestType>(random_keys<u32>(3 * tile + 5, ~0u, 5), shape, backwards);
  for (const auto& keys : two_if_sanitized(special_inputs(3 * tile))) {
    check<TestType>(keys, TestType::small(), backwards);
    check_stable<TestType, u32>(keys, BitRange::all<u32>(), TestType::small(), backwards);
  }
}

TEST_CASE("ranks keep the order of lanes in whatever order these add, and leave their places") {
  std::vector<std::vector<u32>> cases{std::vector<u32>(32, 5), {}, {}, random_keys<u32>(32, 8, 1)};
  for (u32 lane = 0; lane < 32; ++lane) {
    cases[1].push_back(lane % 3);
    cases[2].push_back(lane / 4);
  }
  for (const auto& digits : cases) {
    std::vector<u32> expected;
    for (std::size_t lane = 0; lane < 32; ++lane)
      expected.push_back(
          u32(std::count(digits.begin(), digits.begin() + std::ptrdiff_t(lane), digits[lane])));
    for (const auto order : {LaneOrder::forwards, LaneOrder::backwards, LaneOrder::forwards_and_back,
                             LaneOrder::backwards_and_forth}) {
      INFO("order " << int(order) << ", digits " << Catch::Detail::stringify(digits));
      CountingExecutor executor({.lane_order = order});
      const DeviceArray<u32> input(executor, std::span<const u32>(digits)), output(executor, 32);
      const auto kernel = executor.prepare<RankOfLanes>({warp_width, RankOfLanes::shared_memory()});
      executor.launch(*kernel, 1, RankOfLanes{{input.data(), input.size()}, output.span()});
      CHECK(output.download() == expected);
      // The first lane counts all that are equal to its digit.
      const bool mends = order != LaneOrder::forwards && digits != cases[0];
      CHECK(has_called(executor, "count_lane_after_lane") == mends);
    }
  }
}

TEMPLATE_TEST_CASE("radix sorts mend the order of lanes that do not take their turns in order, and only then",
                   "", Onesweep, Msd) {
  const Index n = 20 * TestType::tile() + 7;  // padding alone is no reason
  CHECK(calls<TestType, u32>("sort_bins", n, backwards));
  CHECK_FALSE(calls<TestType, u32>("sort_bins", n, {}));
  CHECK(calls<TestType, u64>("sort_bins", n, backwards));
  CHECK_FALSE(calls<TestType, u64>("sort_bins", n, {}));
  using Pair = Record<u32, u32>;
  CHECK(calls<TestType, Pair>("count_lane_after_lane", n, backwards));
  CHECK_FALSE(calls<TestType, Pair>("count_lane_after_lane", n, {}));
}

TEMPLATE_TEST_CASE("radix sorts of sizes around half a warp, warp, tile and bucket edges", "",
                   EVERY_RADIX_SORT) {
  using Key = typename TestType::SizedKey;
  const int tile = TestType::tile();
  std::vector<int> sizes{1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1800, 1900};
  for (int n : {tile / 2 - 1, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 77, 8 * tile, 8 * tile + 1,
                19 * tile - 13})
    sizes.push_back(n);
  for (int n : some_if_sanitized(sizes))
    check<TestType>(random_keys<Key>(std::size_t(n), ~Key(0), unsigned(n)));
}

TEMPLATE_TEST_CASE("radix sorts by digits of any width, in tiles of any shape", "", EVERY_RADIX_SORT) {
  for (const auto& shape : some_if_sanitized(TestType::others())) {
    check<TestType>(random_keys<u32>(6000, ~0u, 3), shape);
    check_stable<TestType, u32>(random_keys<u32>(1000, 1000, 1), BitRange::all<u32>(), shape);
  }
}

TEMPLATE_TEST_CASE("radix sorts of keys of all types, of both signs, zeros, denormals and infinities", "",
                   EVERY_RADIX_SORT) {
  for (const std::size_t n : {700, sanitized ? 3000 : 9000}) {
    const auto check_type = [&]<class... Key>(Types<Key...>) {
      (check<TestType>(keys_of_all_kinds<Key>(n)), ...);
    };
    using Sanitized = Types<i32, f64>;  // a word and two; the others differ in the order of their bits
    check_type(std::conditional_t<sanitized, Sanitized, Types<u32, i32, f32, u64, i64, f64>>{});
  }
}

TEMPLATE_TEST_CASE("radix sorts of skewed keys, and of keys of which all digits agree but one", "",
                   EVERY_RADIX_SORT) {
  for (const std::vector<u32>& keys : two_if_sanitized(special_inputs(6000))) check<TestType>(keys);
  for (u32 bit : two_if_sanitized(std::vector<u32>{0, 7, 8, 19, 31})) {
    auto keys = random_keys<u32>(2000, 2, bit);
    for (u32& key : keys) key = key << bit | (0x5a5a5a5a & ~(1u << bit));
    check<TestType>(keys);
    check_stable<TestType, u32>(keys);
  }
  auto half_in_one_bucket = random_keys<u64>(6000, ~u64(0), 3);
  for (std::size_t i = 0; i < 6000; i += 2) half_in_one_bucket[i] &= 0xffffff;
  auto buckets_of_low_bits = random_keys<u64>(6000, 1 << 12, 4);
  for (std::size_t i = 0; i < 6000; ++i) buckets_of_low_bits[i] |= u64(i % 64) << 58;
  for (const auto& keys : two_if_sanitized(std::vector<std::vector<u64>>{
           half_in_one_bucket, buckets_of_low_bits, random_keys<u64>(6000, 1 << 20, 1)}))
    check_stable<TestType, u32>(keys);
}

TEMPLATE_TEST_CASE("radix sorts keep equal keys with values in order", "", EVERY_RADIX_SORT) {
  for (std::size_t n : some_if_sanitized(std::vector<std::size_t>{257, 1, 255, 3000, 256})) {
    check_stable<TestType, u32>(random_keys<u32>(n, 30, 5));
    check_stable<TestType, u32>(random_keys<u64>(n, 30, 6));
    check_stable<TestType, u64>(random_keys<u64>(n, ~u64(0), 7));
  }
}

TEMPLATE_TEST_CASE("radix sorts by some of the bits leave the others as they are", "", EVERY_RADIX_SORT) {
  const auto narrow = random_keys<u32>(1500, ~0u, 8);
  for (const BitRange bits :
       some_if_sanitized(std::vector<BitRange>{{0, 1}, {3, 15}, {0, 8}, {5, 22}, {24, 32}, {31, 32}}))
    check_stable<TestType, u32>(narrow, bits);
  const auto wide = random_keys<u64>(sanitized ? 3000 : 9000, ~u64(0), 2);
  for (const BitRange bits : two_if_sanitized(std::vector<BitRange>{{20, 45}, {29, 41}, {10, 13}, {63, 64}}))
    check_stable<TestType, u64>(wide, bits);
}

TEMPLATE_TEST_CASE("radix sorts by some of the bits keep the order of keys alone that agree in these", "",
                   EVERY_RADIX_SORT) {
  const auto check_bits = [](const auto& keys, const BitRange bits) {
    INFO("bits " << bits.begin << " to " << bits.end);
    using Key = std::remove_cvref_t<decltype(keys[0])>;
    auto expected = keys;
    std::ranges::stable_sort(expected, {}, [&](const Key& key) { return bits.of(key); });
    for (const CountingDevice& device : {CountingDevice{}, backwards})
      CHECK((sort_on_cpu(keys, solver_of<TestType, Key>(TestType::small(), bits), device) == expected));
  };
  const auto narrow = random_keys<u32>(3000, ~0u, 9);
  for (const BitRange bits : two_if_sanitized(std::vector<BitRange>{{1, 32}, {0, 31}, {20, 32}, {0, 12}}))
    check_bits(narrow, bits);
  check_bits(random_keys<u64>(3000, ~u64(0), 10), BitRange{40, 64});
}

TEMPLATE_TEST_CASE("a radix sort sorts one input after another, whatever the last one was", "",
                   EVERY_RADIX_SORT) {
  CountingExecutor executor;
  const Index n = 3000;
  auto sort = solver_of<TestType, u64>(TestType::small())(executor, n);
  const DeviceArray<u64> output(executor, std::size_t(n));
  for (u64 range : {~u64(0), u64(1) << 8, u64(1), u64(1) << 40, u64(1) << 8, ~u64(0)}) {
    auto keys = random_keys<u64>(std::size_t(n), range, unsigned(range));
    const DeviceArray<u64> input(executor, std::span<const u64>(keys));
    sort.run({input.data(), input.size()}, output.span());
    std::ranges::sort(keys);
    CHECK((output.download() == keys));
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

TEST_CASE("a tile adds up the digits of those before it, back to one that knows their sum") {
  for (const int parity : {0, 1})
    for (const Index tile : {1, 2, 3, 4, 5, 8, 9, 23})
      for (Index prefix = 0; prefix < tile; ++prefix) {
        check_look_back<u32, 4>(parity, tile, prefix);
        check_look_back<u32, 2>(parity, tile, prefix);
        check_look_back<u64, 4>(parity, tile, prefix);
      }
}

TEST_CASE("radix-onesweep says what is wrong with a block too small for its digits") {
  CountingExecutor executor;
  CHECK_THROWS_WITH(RadixOnesweep<u32>(executor, 100, 8, 128, 4), Catch::Contains("128 threads are fewer"));
}

TEST_CASE("radix-msd refuses blocks that cannot hold a bucket, where others could") {
  CountingExecutor executor;
  const PlanDevice device = executor.plan_device();
  const Index n = 1 << 28;
  CHECK_THROWS_WITH(RadixMsd<u64>::plan(n, 256, 4, 4, 0, 0, 0, BitRange::all<u64>(), device),
                    Catch::Contains("at least 8704"));
  CHECK_NOTHROW(RadixMsd<u64>::plan(n, 512, 17, 4, 0, 0, 0, BitRange::all<u64>(), device));
  CHECK_NOTHROW(RadixMsd<u64>::plan(4 * n, 512, 17, 4, 0, 0, 0, BitRange::all<u64>(),
                                    device));  // sorted by all digits
  CHECK_NOTHROW(RadixMsd<u64>::plan(n / 16, 256, 4, 4, 0, 0, 0, BitRange::all<u64>(), device));
}

TEST_CASE("radix-msd sorts buckets by counting where keys are spread evenly, by digits otherwise",
          "[counts]") {
  constexpr std::size_t n = 6000;
  std::vector<u64> few_values(n), alike(n);
  for (std::size_t i = 0; i < n; ++i) {
    few_values[i] = u64(i * 7 % 997) * 0x0041'bb2e'0000'0001;
    alike[i] = u64(i % 64) << 58 | i * 7 % 100;  // 94 of each 64th, too many for a thread
  }
  struct Case {
    std::vector<u64> keys;
    bool by_counting;
  };
  for (const auto& [keys, by_counting] :
       {Case{random_keys<u64>(n, ~u64(0), 1), true}, Case{few_values, true}, Case{alike, false}}) {
    check_stable<Msd, u32>(keys);
    CountingExecutor executor;
    const DeviceArray<u64> keys_in(executor, std::span<const u64>(keys)), keys_out(executor, n);
    const std::vector<u32> values(n);
    const DeviceArray<u32> values_in(executor, std::span<const u32>(values)), values_out(executor, n);
    RadixMsd<Record<u64, u32>> sort(executor, n, 256, 4, 4);
    executor.reset();
    sort.run(read_only(SplitSpan<u64, u32>{keys_in.span(), values_in.span()}),
             {keys_out.span(), values_out.span()});
    double gathered = 0, ranked = 0;
    for (const KernelCounts& counts : executor.counts())
      if (counts.kernel.starts_with("SortBuckets"))
        for (const AccessSite& site : counts.sites) {
          if (site.file == "record_sort.h") gathered += double(site.shared.words);
          if (site.file == "rank.h") ranked += double(site.shared.words);
        }
    CHECK((gathered > 2 * double(n)) == by_counting);  // values alone are there before it is known
    CHECK((ranked > double(n)) == !by_counting);
  }
}

TEST_CASE("records have prefixes that leave room for a place beside the key, if keys have so many bits") {
  CountingExecutor executor;
  const auto prefix_of = [&](auto plan, BitRange range) {
    return plan(1000, 512, 17, 4, 0, 0, 0, range, executor.plan_device()).front().constants[1];
  };
  const auto all = BitRange::all<u32>();
  CHECK(prefix_of(RadixMsd<Record<u32, u32>>::plan, all) == 5);  // 14 bits of places, 2^9 threads have values
  CHECK(prefix_of(RadixMsd<Record<u32, u32>>::plan, BitRange{0, 3}) == 3);
  CHECK(prefix_of(RadixMsd<u32>::plan, all) == 1);
}

TEST_CASE("radix-msd counts the prefixes that a block has counters for") {
  // 64 KiB hold 2^15 counters.
  const auto bits = [](Index n, double shared_bytes, int threads = 256, int elements = 1) {
    return RadixMsd<u32>::plan(n, threads, elements, 1, 0, 0, 0, BitRange::all<u32>(),
                               any_device(shared_bytes))
        .front()
        .constants[1];
  };
  CHECK(bits(100'000, 64 * 1024) == 10);
  CHECK(bits(100'000, 227 * 1024) == 10);
  CHECK(bits(12'000'000, 64 * 1024) == 15);
  CHECK(bits(Index(1) << 29, 227 * 1024, 512, 17) == 16);

  const CountingDevice device{
      .multiprocessors = 2,
      .limits = {.shared_bytes_per_multiprocessor = 64 * 1024, .shared_bytes_per_block = 64 * 1024}};
  std::vector<u32> keys = random_keys<u32>(100'000, ~0u, 5);
  const auto sorted = sort_on_cpu(
      keys, [](Executor& on, Index count) { return RadixMsd<u32>(on, count, 256, 1, 1); }, device);
  std::ranges::sort(keys);
  CHECK((sorted == keys));
}

namespace {

/// A solver of RadixMsd that sorts one input after another, in tiles of 1,024, and says what it did last. One
/// block runs at a time, so that few keys are many waves of tiles. 40,000 keys have 64 buckets.
template <class Key, Index size = 40'000>
struct GatheringMsd {
  static constexpr Index n = size;
  static constexpr int prefix_bits = 6;

  CountingExecutor executor{CountingDevice{.multiprocessors = 1,
                                           .limits = {.blocks_per_multiprocessor = 1,
                                                      .shared_bytes_per_multiprocessor = 228 * 1024,
                                                      .shared_bytes_per_block = 227 * 1024}}};
  BitRange bits;
  RadixMsd<Record<Key, u32>> sort;

  /// `frequent`: it looks for frequent keys.
  explicit GatheringMsd(BitRange by, bool frequent = false)
      : bits(by), sort(executor, n, 256, 4, 4, 0, frequent ? n : 0, 0, by) {}

  /// Random keys. Those of which `is_alike` is true have this prefix of bits, and others that are random
  /// where `varying` has a 1, and no other key has that prefix.
  template <class IsAlike>
  std::vector<Key> keys(IsAlike is_alike, Key prefix, Key varying, unsigned seed) const {
    std::vector<Key> keys = random_keys<Key>(std::size_t(n), ~Key(0), seed);
    const int first = bits.end - prefix_bits;
    const Key mask = Key(63) << first;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (is_alike(i))
        keys[i] = prefix << first | (keys[i] & varying & ~mask);
      else if ((keys[i] & mask) == prefix << first)
        keys[i] ^= Key(1) << (first + int(i % prefix_bits));
    return keys;
  }

  void check_sorts(const std::vector<Key>& keys) {
    auto expected = with_positions<u32>(keys);
    const auto part = [&](Key key) { return u64(key) << (64 - bits.end) >> (64 - bits.end + bits.begin); };
    std::ranges::stable_sort(expected, {}, [&](const auto& record) { return part(record.first); });
    std::vector<Key> expected_keys;
    std::vector<u32> values, expected_values;
    for (const auto& [key, value] : expected) {
      expected_keys.push_back(key);
      expected_values.push_back(value);
      values.push_back(u32(values.size()));
    }
    executor.reset();
    const DeviceArray<Key> keys_in(executor, std::span<const Key>(keys)), keys_out(executor, keys.size());
    const DeviceArray<u32> values_in(executor, std::span<const u32>(values)),
        values_out(executor, keys.size());
    sort.run(read_only(SplitSpan<Key, u32>{keys_in.span(), values_in.span()}),
             {keys_out.span(), values_out.span()});
    CHECK((keys_out.download() == expected_keys));
    CHECK((values_out.download() == expected_values));
  }

  /// Elements that the kernel stored in global memory from this file.
  double stored(std::string_view kernel, std::string_view file) const {
    double words = 0;
    for (const KernelCounts& counts : executor.counts())
      if (counts.kernel.starts_with(kernel))
        for (const AccessSite& site : counts.sites)
          if (site.operation == MemoryOperation::store && site.file == file)
            words += double(site.global.words);
    return 4 * words / (sizeof(Key) + sizeof(u32));
  }
  double gathered() const { return stored("GatherSkewed", "gather_skewed.h"); }
  double moved_by_passes() const { return stored("SplitIfSkewed", "split_by_digit.h"); }
  double moved_by_class() const { return stored("SplitByClass", "split_by_digit.h"); }
};

}  // namespace

TEST_CASE(
    "radix-msd sorts the keys of large buckets by as many digits as they need, one input after another") {
  GatheringMsd<u64> msd({0, 64});
  const double n = double(msd.n);
  const auto one_in = [](std::size_t k) {
    return [k](std::size_t i) { return i * 2654435761u % 1000 < 1000 / k; };
  };
  const u64 all = ~u64(0);
  // Every number of digits in which the keys of a bucket differ; an odd one takes a pass more. In between are
  // more elements than before, none, and all with an odd number of passes, which leave states of both
  // parities behind (DigitStates).
  struct Input {
    std::size_t one_in;
    u64 prefix, varying;
    double gathered, passes;  // of n, and over those that are sorted by all digits
  };
  unsigned seed = 1;
  for (const Input& input : some_if_sanitized(std::vector<Input>{{20, 0, 0, 0.05, 0},
                                                                 {20, 5, 0xff, 0.05, 2},
                                                                 {4, 63, 0xff00ff, 0.25, 2},
                                                                 {1, 9, 0xffffff, 0, 3},
                                                                 {10, 9, 0xffffff, 0.1, 4},
                                                                 {1'001, 3, all, 0, 0},
                                                                 {5, 32, all >> 8, 0.2, 8},
                                                                 {1, 1, 0xff00, 0, 1},
                                                                 {4, 1, 0xff00ff0000, 0.25, 2},
                                                                 {20, 0, all, 0.05, 8},
                                                                 {1, 0, 0, 0, 1},
                                                                 {4, 31, all >> 32, 0.25, 4},
                                                                 {2, 0, all >> 30, 0, 8}})) {
    INFO("one in " << input.one_in << ", varying " << input.varying);
    msd.check_sorts(msd.keys(one_in(input.one_in), input.prefix, input.varying, ++seed));
    CHECK(msd.gathered() == input.gathered * n);
    CHECK(msd.moved_by_passes() == input.passes * (input.gathered > 0 ? input.gathered : 1) * n);
  }
}

TEMPLATE_TEST_CASE("radix-msd gathers keys of large buckets by any even number of digits", "", u32, u64) {
  for (const BitRange bits : some_if_sanitized(
           std::vector<BitRange>{{8, 32}, {0, 32}, {3, 31}, {0, 64}, {8, 64}, {16, 63}, {20, 52}})) {
    if (bits.end > key_bits<TestType>) continue;
    const int digits = bits.digits(8);
    INFO("bits " << bits.begin << " to " << bits.end);
    GatheringMsd<TestType> msd(bits);
    const auto keys = msd.keys([](std::size_t i) { return i % 33 == 0; }, 7, ~TestType(0), 5);
    msd.check_sorts(keys);
    CHECK(msd.gathered() == (digits % 2 == 0 ? std::ceil(double(msd.n) / 33) : 0));
    CHECK(msd.moved_by_passes() == digits * (digits % 2 == 0 ? msd.gathered() : double(msd.n)));
  }
}

TEST_CASE("radix-msd gathers as many keys as is faster than to sort all by all digits") {
  const auto most = [](Index n, BitRange bits) {
    const Plan plan =
        RadixMsd<u64>::plan(n, 512, 17, 18, 0, 0, 0, bits, plan_device(132, find_architecture(90)->limits()));
    return double(RadixMsd<u64>::most_gathered(plan, n, bits)) / double(n);
  };
  CHECK(most(1 << 20, {0, 64}) == 0);  // less than a wave
  CHECK(most(1 << 28, {0, 64}) > 0.4);
  CHECK(most(1 << 28, {0, 64}) <= 0.5);
  CHECK(most(1 << 24, {0, 64}) < most(1 << 26, {0, 64}));
  CHECK(most(1 << 24, {0, 32}) == 0);
  CHECK(most(1 << 28, {0, 32}) > 0.016);  // as many as random floats have zeros, infinities and denormals
  CHECK(most(1 << 28, {0, 32}) < 0.1);
  CHECK(most(1 << 28, {8, 64}) == 0);
}

TEMPLATE_TEST_CASE("radix-msd puts frequent keys at their places, one input after another", "", u32, u64) {
  using Key = TestType;
  const Key greatest = ~Key(0);
  GatheringMsd<Key, 10'000> msd(BitRange::all<Key>(), true);
  const std::vector<Key> random = random_keys<Key>(std::size_t(msd.n), greatest, 3);
  const double n = double(msd.n);
  // One in `one_in` is rare, with random low bits; the others are one of so many keys at this distance.
  struct Input {
    std::size_t one_in, keys;
    Key first, distance, rare_bits;
    bool has_classes;
  };
  const Key half = Key(0xffff);  // random keys below it begin alike
  for (const Input& input :
       {Input{10, 1, 42, 0, half, true}, Input{20, 12, 100, 1, half, true}, Input{7, 31, 9, 1000, half, true},
        Input{1'000'000, 1, greatest, 0, 0, true}, Input{1, 1, 0, 0, half, false},
        Input{16, 1, greatest, 0, half, true}, Input{16, 2, 0, greatest, half, true},
        Input{1, 1, 0, 0, greatest, false}, Input{1'000'000, 16, 0, 1, 0, true},
        Input{3, 3, 1, 7, half, true}, Input{1'000'000, 1000, 0, 1, 0, false}, Input{3, 2, 50, 5, half, true},
        Input{1, 1, 0, 0, greatest, false}}) {
    INFO("one in " << input.one_in << " beside " << input.keys << " keys from " << input.first);
    std::vector<Key> keys(random);
    double rare = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool is_rare = random[i] / 3 % input.one_in == 0;
      keys[i] = is_rare ? Key((keys[i] >> 5) & input.rare_bits)
                        : Key(input.first + Key(random[i] / 7 % input.keys) * input.distance);
      rare += is_rare;
    }
    msd.check_sorts(keys);
    CHECK(msd.moved_by_class() == (input.has_classes ? n : 0));
    // By chance a rare key is a frequent one, or the sample has two of them.
    if (input.has_classes) CHECK(msd.gathered() == Approx(rare).epsilon(0.05).margin(50));
  }
}

TEST_CASE(
    "radix-msd takes fewer keys as frequent where its sample has several of more than it has room for") {
  // Half the keys are 4, each of which the sample has 64 times, and a third are 60, each about three times.
  GatheringMsd<u32, 10'000> msd({0, 32}, true);
  const std::vector<u32> random = random_keys<u32>(std::size_t(msd.n), ~0u, 13);
  std::vector<u32> keys;
  double rare = 0;
  for (const u32 key : random) {
    const u32 kind = key % 6;
    keys.push_back(kind < 3 ? key / 6 % 4 * 10'000 : kind < 5 ? 1 + key / 6 % 60 * 100 : key / 6 & 0xffff);
    rare += kind >= 3;
  }
  msd.check_sorts(keys);
  CHECK(msd.moved_by_class() == double(msd.n));
  CHECK(msd.gathered() < rare);
  CHECK(msd.gathered() > rare / 3);
}

TEST_CASE("radix-msd gathers large buckets after frequent keys, and the other way round") {
  GatheringMsd<u64> msd({0, 64}, true);
  const auto alike = msd.keys([](std::size_t i) { return i % 20 == 0; }, 5, ~u64(0), 3);
  std::vector<u64> zipf = random_keys<u64>(std::size_t(msd.n), ~u64(0), 4);
  for (u64& key : zipf) key = u64(min(0x1p64 / (double(key) + 1), 0x1p40));
  for (const bool by_class : {true, false, true, true, false, false, true}) {
    msd.check_sorts(by_class ? zipf : alike);
    CHECK(msd.moved_by_class() == (by_class ? double(msd.n) : 0));
    CHECK(msd.gathered() > 0);
    CHECK(msd.gathered() < 0.1 * double(msd.n));
  }
}

TEST_CASE("radix-msd puts frequent keys of all types at their places") {
  const Algorithm& sort = algorithm("radix-msd");
  for (const Instantiation& of : some_if_sanitized(sort.instantiations()))
    for (const Input input : {Input::zipf, Input::few_unique, Input::equal}) {
      INFO(name(of) << " " << name(input));
      Problem problem = sort.problem(6'000, of);
      problem.parameters = {{"t", 256}, {"E", 4}, {"S", 4}};
      problem.frequent = problem.n;
      CountingExecutor executor;
      sort.make_workload(executor, problem, input)->check();
      const auto split = std::ranges::find_if(
          executor.counts(), [](const KernelCounts& one) { return one.kernel.starts_with("SplitByClass"); });
      REQUIRE(split != executor.counts().end());
      CHECK(double(split->written_bytes) >= problem.n * problem.bytes_per_element());
    }
}

TEST_CASE("radix-msd puts frequent keys in descending order at their places") {
  const Algorithm& sort = algorithm("radix-msd");
  Problem problem = sort.problem(6'000, ElementType::i64);
  problem.parameters = {{"t", 256}, {"E", 4}, {"S", 4}};
  problem.order = Order::descending;
  problem.frequent = problem.n;
  std::vector<i64> keys = random_keys<i64>(std::size_t(problem.n), 1 << 20, 5);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i % 10 > 0) keys[i] = i64(i % 3) - 1;
  CountingExecutor executor;
  const DeviceArray<i64> input(executor, std::span<const i64>(keys)), output(executor, keys.size());
  sort.make_call(executor, problem)->run({input.data()}, {output.data()});
  std::ranges::sort(keys, std::greater{});
  CHECK((output.download() == keys));
}

TEST_CASE("it pays to put frequent keys at their places if few elements have others") {
  constexpr ClassCosts costs{.of_digit = 950, .of_classes = 1600, .most = 500};  // of 1,000 elements
  constexpr int besides = ClassCosts::passes_besides;
  for (const int digits : {2, 4, 8}) {
    const Index most = min(Index((digits * 950 - 1600) / (digits + besides)), Index(500));
    CHECK(costs.pays(0, digits));
    CHECK(costs.pays(most, digits));
    CHECK_FALSE(costs.pays(most + 1, digits));
  }
  CHECK_FALSE(costs.pays(0, 1));
  CHECK_FALSE(costs.pays(0, 0));
  CHECK_FALSE(ClassCosts{}.pays(0, 8));
}

TEST_CASE("radix-msd finds keys frequent by the bits by which they are sorted") {
  for (const BitRange bits : {BitRange{8, 40}, BitRange{16, 64}, BitRange{3, 19}, BitRange{8, 32}}) {
    INFO("bits " << bits.begin << " to " << bits.end);
    GatheringMsd<u64, 10'000> msd(bits, true);
    std::vector<u64> keys = random_keys<u64>(std::size_t(msd.n), ~u64(0), 7);
    const u64 mask = ((~u64(0) >> (64 - bits.end)) >> bits.begin) << bits.begin;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (i * 2654435761u % 8 > 0) keys[i] = (keys[i] & ~mask) | (u64(i % 3) << bits.begin);
    msd.check_sorts(keys);
    CHECK((msd.moved_by_class() > 0) == (bits.digits(8) % 2 == 0));
  }
}

TEST_CASE("radix-msd takes its sample from all over the keys") {
  using Classes = CountClasses<u32>;
  for (const Index n : {Index(1), Index(7), Index(511), Index(512), Index(12'345), Index(0xffffffff)}) {
    std::set<Index> places;
    for (int i = 0; i < Classes::samples; ++i) places.insert(Classes::place_of_sample(i, n));
    INFO(n);
    CHECK(*places.begin() <= n / 16);
    CHECK(*places.rbegin() < n);
    CHECK(*places.rbegin() >= n - 1 - n / 16);
    CHECK(places.size() == std::size_t(min(n, Index(Classes::samples))));
  }
}

TEST_CASE("radix-msd sorts all keys by all digits if the sample misleads") {
  // Every key of the sample is 0, and the others are random, but begin alike.
  GatheringMsd<u32, 10'000> msd({0, 32}, true);
  std::vector<u32> keys = random_keys<u32>(std::size_t(msd.n), 0xffff, 11);
  for (int i = 0; i < CountClasses<u32>::samples; ++i)
    keys[std::size_t(CountClasses<u32>::place_of_sample(i, msd.n))] = 0;
  msd.check_sorts(keys);
  CHECK(msd.moved_by_class() == 0);
  CHECK(msd.moved_by_passes() == 2 * double(msd.n));
  msd.check_sorts(std::vector<u32>(keys.size(), 5));  // and its counts are gone
  CHECK(msd.moved_by_class() == double(msd.n));
}

TEST_CASE("radix-msd sorts keys of which a block has more than it can count") {
  // One block counts 2 · 2^16 keys of an even prefix, whose counter of 16 bits ends at 0 after two carries
  // into its neighbour, and 3 · 2^16 of an odd one, whose carries are lost.
  CountingExecutor executor({.multiprocessors = 1,
                             .limits = {.blocks_per_multiprocessor = 1,
                                        .shared_bytes_per_multiprocessor = 228 * 1024,
                                        .shared_bytes_per_block = 227 * 1024}});
  const std::size_t of_one = std::size_t(1) << 17, of_both = of_one / 2 * 5;
  std::vector<u32> keys(of_both, u32(6) << 28);
  std::fill(keys.begin() + Index(of_one), keys.end(), (u32(1) << 30) - 1);
  const DeviceArray<u32> input(executor, std::span<const u32>(keys)), output(executor, keys.size());
  RadixMsd<u32>(executor, Index(of_both), 256, 4, 4).run({input.data(), input.size()}, output.span());
  std::ranges::sort(keys);
  CHECK((output.download() == keys));
}

TEST_CASE("radix-lsd adds up its counters before they overflow") {
  // One block, whose threads count the same digit in 38 tiles of 7: 266 times.
  const std::vector<u32> keys(std::size_t(38) * 32 * 7, 3);
  CountingExecutor executor({.multiprocessors = 1,
                             .limits = {.blocks_per_multiprocessor = 1,
                                        .shared_bytes_per_multiprocessor = 228 * 1024,
                                        .shared_bytes_per_block = 227 * 1024}});
  const DeviceArray<u32> input(executor, std::span<const u32>(keys)), output(executor, keys.size());
  RadixLsd<u32>(executor, Index(keys.size()), 8, 32, 7).run({input.data(), input.size()}, output.span());
  CHECK(output.download() == keys);
}

TEST_CASE("radix sorts access as many words as published, and their counts of digits", "[counts]") {
  // 8 blocks have counts of 16 digits of two words each, which are written, read and rewritten by the scan,
  // and read. Totals of the digits are written once, and read by every block.
  const Index n = 1 << 14;
  const u64 passes = 8, counts = 8 * 16 * 2 * 4, totals = 16 * 2 * (1 + 8);
  using Pair = Record<u32, u32>;
  CHECK(global_words<RadixLsd<u32>, u32>(n, 4, 32, 32) == passes * (3 * n + counts + totals));
  CHECK(global_words<RadixLsd<Pair>, Pair>(n, 4, 32, 32) == passes * (5 * n + counts + totals));
  // 16 tiles have such counts, too, but their scan reads twice. Next to its counts, a tile has a word for
  // where each digit begins, written and read. Of keys alone the source counts 7n. The scan has a few sums of
  // its own.
  const double tables = double(16 * 16 * 2 * 5 + 16 * 16 * 2);
  CHECK(double(global_words<RadixTiled<u32>, u32>(n, 4, 256, 4)) ==
        Approx(passes * (5 * n + tables)).epsilon(2e-3));
  CHECK(double(global_words<RadixTiled<Pair>, Pair>(n, 4, 256, 4)) ==
        Approx(passes * (9 * n + tables)).epsilon(2e-3));
}

TEST_CASE("each registered radix sort runs its own kernels") {
  // The compiler once merged the two descriptors' functions (radix_lsd.cpp).
  const auto kernels = [](const char* slug) {
    const PlanDevice device{4, 228 * 1024, 1024, [](const Launch&) { return 2; }};
    std::vector<std::string_view> names;
    for (const Launch& launch : algorithm(slug).plan(algorithm(slug).problem(5000), device))
      names.push_back(launch.name());
    return names;
  };
  using Names = std::vector<std::string_view>;
  CHECK(kernels("radix-lsd") == Names{"CountDigits", "ScanCounts", "RankAndScatter"});
  CHECK(kernels("radix-tiled") ==
        Names{"SplitTiles", "HistogramTiles", "ReduceChunks", "SpineScan", "ScanChunks", "ScatterTiles"});
}
