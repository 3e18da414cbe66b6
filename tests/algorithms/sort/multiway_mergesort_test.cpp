#include "sort_on_cpu.h"

#include <fathom/counting/count.h>
#include <fathom/algorithms/sort/merge/sort_by_heaps.h>

#include <array>

using namespace fathom;
using namespace fathom::tests;

namespace {

std::string described(const HeapMergeShape& shape) {
  std::string text;
  for (const auto& [name, value] :
       {std::pair("K", shape.ways), std::pair("node", shape.node), std::pair("lanes", shape.lanes),
        std::pair("t", shape.threads), std::pair("E", shape.elements)})
    text += std::string(" ") + name + " = " + std::to_string(value);
  return text;
}

template <class Sort>
auto with_shape(const HeapMergeShape& shape) {
  return [shape](Executor& executor, Index n) {
    return Sort(executor, n, shape.ways, shape.node, shape.lanes, shape.threads, shape.elements);
  };
}

template <class Key, class LessThan>
void check_both(const std::vector<Key>& keys, const HeapMergeShape& shape) {
  INFO(described(shape));
  check_sort<LessThan>(keys, with_shape<SortMms<Key, LessThan>>(shape));
  check_sort<LessThan>(keys, with_shape<SortMultiway<Key, LessThan>>(shape));
}

template <class Key, class Value, class LessThan>
void check_records_of_both(const std::vector<Key>& keys, const HeapMergeShape& shape) {
  INFO(described(shape));
  using Element = Record<Key, Value>;
  check_sort_of_records<LessThan, Value>(keys, with_shape<SortMms<Element, LessThan>>(shape));
  check_sort_of_records<LessThan, Value>(keys, with_shape<SortMultiway<Element, LessThan>>(shape));
}

constexpr HeapMergeShape published{8, 32, 4, 64, 0}, small_tiles{8, 16, 1, 64, 3};

/// The mean conflict degree of a kernel's accesses to shared memory.
double conflicts(const char* slug, const char* kernel, Input input, ElementType type,
                 const Parameters& parameters) {
  const Algorithm& sort = algorithm(slug);
  CountCase one{&sort, sort.problem(6000, type), input};
  for (const auto& [name, value] : parameters) one.problem.parameters.set(name, value);
  const Count counted = count(one, {});
  const auto found = std::ranges::find(counted.kernels, kernel, &KernelCounts::kernel);
  REQUIRE(found != counted.kernels.end());
  return found->shared().conflict();
}

}  // namespace

TEST_CASE("a multiway partition ends every piece where a merge by key and list has it") {
  std::mt19937 generator(3);
  for (const Index run : {1, 7, 64, 300}) {
    for (const int ways : {2, 8, 32}) {
      const Index n = run * ways * 2 - run / 2 - run * (ways / 2);  // the second group lacks some runs
      std::vector<u32> keys = random_keys<u32>(std::size_t(n), run == 64 ? 5 : 1000, generator());
      for (Index at = 0; at < n; at += run)
        std::sort(keys.begin() + at, keys.begin() + std::min(at + run, n));
      const Index group = run * ways, per_group = ceil_div(group, 160);
      const MultiwayPieces pieces = MultiwayPieces::of(n, run, ways, 160);
      CountingExecutor executor;
      const DeviceArray<u32> input(executor, std::span<const u32>(keys));
      const DeviceArray<PieceEnd> ends(executor, std::size_t(pieces.count * ways));
      using Partition = PiecePartition<u32, Less>;
      const PreparedPlan plan(executor, {launch_of<Partition>(n, 3, {64}, {pieces.ways})});
      plan.launch(0, Partition{{input.data(), input.size()}, ends.span(), pieces, pieces.ways});

      const std::vector<PieceEnd> found = ends.download();
      for (Index piece = 0; piece < pieces.count; ++piece) {
        INFO("run " << run << ", K = " << ways << ", piece " << piece);
        const MultiwayPieces::Place place = pieces.place(piece);
        // The group's keys, each with its list and position, in order.
        std::vector<std::array<Index, 3>> merged;
        for (int list = 0; list < ways; ++list)
          for (Index at = pieces.list_first(place, list); at < pieces.list_first(place, list + 1); ++at)
            merged.push_back({keys[std::size_t(at)], list, at});
        std::sort(merged.begin(), merged.end());
        const Index rank = std::min((piece % per_group + 1) * 160, Index(merged.size()));
        const Index greatest = merged[std::size_t(rank - 1)][0];
        for (int list = 0; list < ways; ++list) {
          Index end = pieces.list_first(place, list), equal = end;
          for (Index i = 0; i < rank; ++i) {
            const auto& [key, its_list, at] = merged[std::size_t(i)];
            if (its_list != list) continue;
            end = at + 1;
            if (key < greatest) equal = end;
          }
          CHECK(found[std::size_t(piece * ways + list)].end == end);
          CHECK(found[std::size_t(piece * ways + list)].equal == equal);
        }
      }
    }
  }
}

TEST_CASE("the heaps of a pass have equal shares of the keys, also of a last group that is nearly empty") {
  // So many keys that what begins a piece does not count.
  constexpr Index run = 1'000'000, heaps = 400;
  constexpr int ways = 16, node = 16;
  for (const double groups : {1.01, 1.5, 2.0, 2.01, 2.99, 133.2, 267.0, 399.9, 401.0, 799.9}) {
    const Index n = Index(groups * ways * run);
    const std::vector<MultiwayPieces> passes = multiway_passes(n, run, ways, heaps, node);
    REQUIRE(passes.size() >= 2);
    for (const MultiwayPieces& pass : passes) {
      INFO("n = " << n << ", runs of " << pass.run);
      const Index rounds = ceil_div(pass.count, heaps);
      CHECK(double(rounds * pass.piece_size) <= 1.34 * double(n) / heaps);
      CHECK(pass.first(pass.place(pass.count - 1)) < n);
      CHECK(pass.end(pass.place(pass.count - 1)) == n);
    }
  }
}

TEST_CASE("multiway mergesorts sort inputs of sizes around warp, tile and pass edges") {
  for (std::size_t n : {1, 2, 31, 32, 33, 1023, 1024, 1025, 3072, 8192, 8193})
    check_both<u32, Less>(random_keys<u32>(n, ~0u, unsigned(n)), published);
  for (std::size_t n : {191, 192, 193, 1536, 1537, 12288, 13000})
    check_both<u32, Less>(random_keys<u32>(n, ~0u, unsigned(n)), small_tiles);
}

TEST_CASE("multiway mergesorts sort with any heap") {
  for (int ways : {2, 4, 8, 16, 32})
    for (int node : {8, 16, 32})
      for (int lanes : {1, 2, 4})
        check_both<u32, Less>(random_keys<u32>(2500, 700, unsigned(ways)), {ways, node, lanes, 64, 3});
}

TEST_CASE("multiway mergesorts sort tiles by a bitonic network") {
  const HeapMergeShape network{4, 8, 1, 64, 32};
  for (std::size_t n : {1, 2047, 2048, 2049, 9000})
    check_both<u32, Less>(random_keys<u32>(n, 5000, unsigned(n)), network);
  check_both<Point, Less>(random_points(5000, 3, 6), network);
  check_records_of_both<u64, u32, Less>(random_keys<u64>(5000, 700, 3), network);
}

TEST_CASE("multiway mergesorts sort inputs that are sorted, reversed, equal or nearly all equal") {
  for (const std::vector<u32>& keys : special_inputs(5000)) check_both<u32, Less>(keys, small_tiles);
}

TEST_CASE("multiway mergesorts keep values with their keys") {
  for (const u32 range : {2u, 100u, ~0u})
    for (const std::size_t n : {1, 191, 192, 193, 5000})
      check_records_of_both<u32, u32, Less>(random_keys<u32>(n, range, unsigned(n)), small_tiles);
  check_records_of_both<u64, u32, Greater>(random_keys<u64>(4000, 700, 3), small_tiles);
  check_records_of_both<u64, u64, Less>(random_keys<u64>(4000, ~u64(0), 4), published);
}

TEST_CASE("multiway mergesorts sort any key by any comparator, and keys that compare equal but differ") {
  check_both<u64, Less>(random_keys<u64>(4000, ~u64(0), 3), published);
  check_both<u32, Greater>(random_keys<u32>(4000, 5000, 4), small_tiles);
  check_both<Point, Less>(random_points(4000, 100, 5), published);
  check_both<Point, Less>(random_points(4000, 3, 6), small_tiles);
}

TEST_CASE("multiway mergesorts merge without bank conflicts, whatever the input", "[counts]") {
  for (const char* slug : {"sort-mms", "sort-multiway"}) {
    for (const Input input : {Input::random, Input::conflict_heavy, Input::few_unique})
      for (const ElementType type : {ElementType::u32, ElementType::u64}) {
        INFO(slug << " " << name(input) << " " << name(type));
        CHECK(conflicts(slug, "MergeByHeaps", input, type, {{"t", 64}, {"E", 8}}) == 1);
      }
    const Parameters warps{{"E", 0}, {"K", 8}, {"node", 32}, {"lanes", 4}};
    CHECK(conflicts(slug, "MergeByHeaps", Input::conflict_heavy, ElementType::u32, warps) == 1);
    CHECK(conflicts(slug, "SortInWarp", Input::random, ElementType::u64, warps) == 1);
    const Parameters network{{"E", 32}, {"t", 64}};
    CHECK(conflicts(slug, "BitonicSortTiles", Input::conflict_heavy, ElementType::u32, network) == 1);
  }
}
