// radix-lsd and radix-tiled.
#include "sort_on_cpu.h"

#include <fathom/algorithms/registry.h>
#include <fathom/algorithms/sort/radix/lsd/radix_lsd.h>
#include <fathom/algorithms/sort/radix/tiled/radix_tiled.h>

#include <limits>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// Of a small device, so that blocks have several tiles.
template <template <class> class Solver, class Element>
auto maker(int digit_bits, int threads, int elements, BitRange bits = BitRange::all<KeyOf<Element>>()) {
  return [=](Executor& executor, Index n) {
    return Solver<Element>(executor, n, digit_bits, threads, elements, bits);
  };
}

/// Keys with their positions in the order of a stable sort by `bits`.
template <class Value, class Key>
std::vector<std::pair<Key, Value>> stably_sorted(const std::vector<Key>& keys, BitRange bits) {
  std::vector<std::pair<Key, Value>> records;
  for (const Key& key : keys) records.emplace_back(key, Value(records.size()));
  const auto part = [&](const Key& key) {
    const u64 mask = bits.end - bits.begin == 64 ? ~u64(0) : (u64(1) << (bits.end - bits.begin)) - 1;
    return u64(ordered_bits(key)) >> bits.begin & mask;
  };
  std::stable_sort(records.begin(), records.end(),
                   [&](const auto& a, const auto& b) { return part(a.first) < part(b.first); });
  return records;
}

/// Every sort of keys that are not equal but differ has one result, bit by bit.
template <template <class> class Solver, class Key>
void check_keys(const std::vector<Key>& keys, int digit_bits, int threads = 64, int elements = 7) {
  INFO("n = " << keys.size() << ", d = " << digit_bits);
  std::vector<Key> expected = keys;
  std::sort(expected.begin(), expected.end(),
            [](const Key& a, const Key& b) { return ordered_bits(a) < ordered_bits(b); });
  const std::vector<Key> sorted = sort_on_cpu(keys, maker<Solver, Key>(digit_bits, threads, elements));
  CHECK(std::is_sorted(sorted.begin(), sorted.end()));
  CHECK(std::memcmp(sorted.data(), expected.data(), keys.size() * sizeof(Key)) == 0);
}

template <template <class> class Solver, class Value, class Key>
void check_records(const std::vector<Key>& keys, int digit_bits, BitRange bits = BitRange::all<Key>()) {
  INFO("n = " << keys.size() << ", d = " << digit_bits << ", bits " << bits.begin << " to " << bits.end);
  CHECK((sort_records_on_cpu<Value>(keys, maker<Solver, Record<Key, Value>>(digit_bits, 64, 4, bits)) ==
         stably_sorted<Value>(keys, bits)));
}

/// Random bits, and the extreme keys.
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

template <template <class> class Solver>
void check_solver() {
  const int threads = 64, elements = 7, tile = threads * elements;
  SECTION("sizes around warp, block and tile edges") {
    for (int n :
         {1, 2, 31, 32, 33, 63, 64, 65, tile - 1, tile, tile + 1, 8 * tile, 8 * tile + 1, 19 * tile - 13})
      check_keys<Solver>(random_keys<u32>(std::size_t(n), ~0u, unsigned(n)), 4, threads, elements);
  }
  SECTION("digits of every width, of which the last is shorter for most") {
    for (int digit_bits = 1; digit_bits <= 8; ++digit_bits)
      check_keys<Solver>(random_keys<u32>(1000, ~0u, 3), digit_bits);
  }
  SECTION("tiles of any shape") {
    for (int shape : {128, 256}) check_keys<Solver>(random_keys<u32>(6000, 1000, 4), 5, shape, 15);
  }
  SECTION("keys of all types, of both signs, zeros, denormals and infinities") {
    check_keys<Solver>(keys_of_all_kinds<u32>(700), 5);
    check_keys<Solver>(keys_of_all_kinds<i32>(700), 5);
    check_keys<Solver>(keys_of_all_kinds<f32>(700), 5);
    check_keys<Solver>(keys_of_all_kinds<u64>(700), 8);
    check_keys<Solver>(keys_of_all_kinds<i64>(700), 6);
    check_keys<Solver>(keys_of_all_kinds<f64>(700), 5);
  }
  SECTION("skewed keys") {
    for (const std::vector<u32>& keys : special_inputs(5000)) check_keys<Solver>(keys, 6);
  }
  SECTION("records, stably") {
    for (std::size_t n : {1, 255, 256, 257, 3000}) {
      // Digits of 8 bits once: a block for each of 256 takes the CPU long, in each pass.
      check_records<Solver, u32>(random_keys<u32>(n, 30, 5), n < 3000 ? 4 : 8);
      check_records<Solver, u32>(random_keys<u64>(n, 30, 6), 5);
      check_records<Solver, u64>(random_keys<u64>(n, ~u64(0), 7), 4);
    }
  }
  SECTION("by some of the bits, the others left as they are") {
    const auto keys = random_keys<u32>(1500, ~0u, 8);
    for (const BitRange bits : {BitRange{0, 1}, BitRange{3, 15}, BitRange{24, 32}, BitRange{31, 32}})
      check_records<Solver, u32>(keys, 5, bits);
    check_records<Solver, u64>(random_keys<u64>(1500, ~u64(0), 8), 6, {29, 41});
  }
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

TEST_CASE("radix-lsd sorts") {
  check_solver<RadixLsd>();
}

TEST_CASE("radix-tiled sorts") {
  check_solver<RadixTiled>();
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
  // Of 8 blocks with 16 digits of two words each: written, read and rewritten by the scan, and read. Totals
  // of the digits are written once, and read by every block.
  const Index n = 1 << 14;
  const u64 passes = 8, counts = 8 * 16 * 2 * 4, totals = 16 * 2 * (1 + 8);
  using Pair = Record<u32, u32>;
  CHECK(global_words<RadixLsd<u32>, u32>(n, 4, 32, 32) == passes * (3 * n + counts + totals));
  CHECK(global_words<RadixLsd<Pair>, Pair>(n, 4, 32, 32) == passes * (5 * n + counts + totals));
  // Of 16 tiles likewise, but their scan reads twice. Next to its counts, a tile has a word for where each
  // digit begins, written and read. Of keys alone the source counts 7n. The scan has a few sums of its own.
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
