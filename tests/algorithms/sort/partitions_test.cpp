// SPDX-License-Identifier: Apache-2.0
// How merges are divided among threads, blocks and passes: merge path, partitions of K runs, passes.
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/merge/kway/sort_kway.h>
#include <fathom/algorithms/sort/merge/multiway/sort_multiway_separators.h>
#include <fathom/algorithms/sort/merge/sort_by_heaps.h>

#include <cmath>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// Keys of `n` in sorted runs of `run`, the last of which may be shorter.
std::vector<u32> sorted_runs(Index n, Index run, u32 range, unsigned seed) {
  auto keys = random_keys<u32>(std::size_t(n), range, seed);
  for (Index first = 0; first < n; first += run)
    std::sort(keys.begin() + first, keys.begin() + std::min(first + run, n));
  return keys;
}

/// A key, its run, its position: their order is that of a stable merge.
using Merged = std::array<Index, 3>;

}  // namespace

TEST_CASE("merge path agrees with a stable merge, ties from the first list") {
  std::mt19937 generator(7);
  for (int trial = 0; trial < 200; ++trial) {
    auto a = random_keys<u32>(generator() % 40, 20, generator());
    auto b = random_keys<u32>(generator() % 40, 20, generator());
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<std::pair<u32, int>> merged;  // with the list that each comes from
    for (u32 key : a) merged.emplace_back(key, 0);
    for (u32 key : b) merged.emplace_back(key, 1);
    std::sort(merged.begin(), merged.end());
    int from_a = 0;
    for (int diagonal = 0; diagonal <= int(merged.size()); ++diagonal) {
      REQUIRE(merge_path(Span<const u32>{a.data(), a.size()}, int(a.size()),
                         Span<const u32>{b.data(), b.size()}, int(b.size()), diagonal, Less{}) == from_a);
      if (diagonal < int(merged.size())) from_a += merged[std::size_t(diagonal)].second == 0;
    }
  }
}

TEST_CASE("multiway partition splits K sorted runs where the merge of all of them is cut") {
  std::mt19937 generator(11);
  for (int trial = 0; trial < 60; ++trial) {
    const int ways = 1 << (1 + generator() % 4);
    const Index run = 1 + Index(generator() % 60);
    const int tile = 1 + int(generator() % 40);
    const Index n = 1 + Index(generator() % u32(2 * run * ways));
    const auto keys = sorted_runs(n, run, std::array{4u, 50u, ~0u}[trial % 3], generator());
    CountingExecutor executor;
    const Index tiles = tiles_of_pass(n, run, ways, tile);
    const DeviceArray<u32> input(executor, std::span<const u32>(keys));
    const DeviceArray<Index> splits(executor, std::size_t(tiles * ways));
    using Partition = MultiwayPartition<u32, Less>;
    executor.launch(*executor.prepare<Partition>({64}), (tiles * ways + 63) / 64,
                    Partition{{input.data(), input.size()}, splits.span(), n, run, tile, ways});
    const std::vector<Index> found = splits.download();
    Index at = 0;  // tile
    for (Index group = 0; group < n; group += run * ways) {
      std::vector<Merged> merged;
      for (Index i = group; i < std::min(group + run * ways, n); ++i)
        merged.push_back({keys[std::size_t(i)], (i - group) / run, i});
      std::sort(merged.begin(), merged.end());
      for (Index begin = 0; begin < Index(merged.size()); begin += tile, ++at) {
        std::vector<Index> expected(std::size_t(ways), 0);
        for (Index i = 0; i < begin; ++i) ++expected[std::size_t(merged[std::size_t(i)][1])];
        INFO("K = " << ways << ", run " << run << ", tile " << tile << ", n = " << n << ", tile " << at);
        REQUIRE(std::vector<Index>(found.begin() + at * ways, found.begin() + (at + 1) * ways) == expected);
      }
    }
    REQUIRE(at == tiles);
  }
}

TEST_CASE("a partition into pieces ends every piece where a merge by key and list has it") {
  std::mt19937 generator(3);
  for (const Index run : {1, 7, 64, 300})
    for (const int ways : {2, 8, 32}) {
      const Index n = run * ways * 2 - run / 2 - run * (ways / 2);  // the second group lacks some runs
      const auto keys = sorted_runs(n, run, run == 64 ? 5 : 1000, generator());
      const Index per_group = ceil_div(run * ways, 160);
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
        std::vector<Merged> merged;
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

TEST_CASE("multiway mergesorts merge K or K/2 runs per pass, in as few passes as that allows") {
  const PlanDevice device{132, 228 * 1024, 1024, [](const Launch&) { return 1; }};
  for (int ways : {2, 4, 8, 16})
    for (int levels = 1; levels <= 20; ++levels) {
      const Index n = Index(64 * 8) << levels;
      for (const auto& [kernel, plan] :
           {std::pair{"MergeRuns", SortKway<u32, Less>::plan(n, ways, 64, 8, device)},
            {"MergeByHeaps", SortMms<u32, Less>::plan(n, ways, 16, 1, 64, 8, device)}}) {
        int passes = 0;
        Index merged = 1;  // runs
        for (const Launch& launch : plan) {
          if (launch.kernel->name.find(kernel) == std::string::npos) continue;
          CHECK((launch.constants[0] == ways || launch.constants[0] == ways / 2));
          for (int i = 0; i < int(launch.repeats); ++i) merged *= launch.constants[0];
          passes += int(launch.repeats);
        }
        INFO(kernel << ", K = " << ways << ", levels " << levels);
        CHECK(merged >= Index(1) << levels);
        // None wider than needed, unless all are narrow.
        if (levels >= passes * (std::log2(ways) - 1)) CHECK(merged == Index(1) << levels);
        CHECK(passes == int(std::ceil(levels / std::log2(ways))));
      }
    }
}

TEST_CASE("separators cut the merge of K lists into rows of less than 2Ks keys, whatever the keys") {
  std::mt19937 generator(17);
  for (int trial = 0; trial < 90; ++trial) {
    const int ways = 2 << generator() % 5;
    const Index run = 1 + Index(generator() % 200), n = 1 + Index(generator() % u32(2 * run * ways));
    const auto rows = SeparatedRows::of(n, run, ways, 1 + Index(generator() % u32(run)));
    const auto keys = sorted_runs(n, run, std::array{1u, 30u, ~0u}[trial % 3], generator());
    CountingExecutor executor;
    const DeviceArray<u32> input(executor, std::span<const u32>(keys));
    const std::vector<Index> nothing(std::size_t(rows.count() * ways), -1);
    const DeviceArray<Index> ends(executor, std::span<const Index>(nothing));
    using Separators = LocateSeparators<u32, Less>;
    const auto kernel = executor.prepare<Separators>({64});
    executor.launch(*kernel, 2, Separators{{input.data(), input.size()}, ends.span(), rows, ways});
    const std::vector<Index> found = ends.download();

    INFO("n = " << n << ", run = " << run << ", K = " << ways << ", s = " << rows.interval);
    for (Index group = 0; group < rows.groups(); ++group) {
      std::vector<Merged> merged;
      for (int list = 0; list < ways; ++list)
        for (Index i = rows.list_first(group, list); i < rows.list_first(group, list + 1); ++i)
          merged.push_back({keys[std::size_t(i)], list, i});
      std::sort(merged.begin(), merged.end());

      const auto at = [&](Index row, int list) {
        return found[std::size_t((group * rows.rows_per_group + row) * ways + list)];
      };
      Index before = 0;
      for (Index row = 0; row < rows.separators(group); ++row) {
        Index behind = 0;
        for (int list = 0; list < ways; ++list) behind += at(row, list) - rows.list_first(group, list);
        CHECK(behind > before);
        CHECK(behind - before < 2 * ways * rows.interval);
        before = behind;
        // All that precedes in the merge's order is in the row or in those before, and nothing else.
        std::vector<Index> of_lists(std::size_t(ways), 0);
        for (Index i = 0; i < behind; ++i) ++of_lists[std::size_t(merged[std::size_t(i)][1])];
        for (int list = 0; list < ways; ++list)
          CHECK(at(row, list) == rows.list_first(group, list) + of_lists[std::size_t(list)]);
      }
      CHECK(Index(merged.size()) - before < 2 * ways * rows.interval);
      for (Index row = rows.separators(group); row < rows.rows_per_group; ++row)
        for (int list = 0; list < ways; ++list) CHECK(at(row, list) == -1);
    }
  }
}

TEST_CASE("passes are column-wise as long as each heap has a group or lists are short, then row-wise") {
  for (const int ways : {2, 16, 32})
    for (const double n : {33.0, 5e3, 1e5, 0x1p24, 0x1p40}) {
      constexpr Index heaps = 4000;
      const auto passes = SeparatorPasses::of(Index(n), ways, heaps);
      INFO("n = " << n << ", K = " << ways);
      CHECK(double(passes.count()) == std::ceil(std::log2(n / 32) / std::log2(ways)));
      Index last = 32;
      while (double(last * ways) < n) last *= ways;
      CHECK(passes.rows.empty() == (last < 16 * ways));  // the last pass has a single group
      for (const SeparatedRows& pass : passes.columns) {
        CHECK(pass.rows_per_group == 1);
        CHECK((pass.groups() >= heaps || pass.run < 16 * ways));
      }
      for (const SeparatedRows& pass : passes.rows) {
        CHECK(pass.interval <= pass.run);
        CHECK(2 * ways * pass.interval < Index(1) << 31);
        CHECK(pass.rows_per_group > 1);
        CHECK(pass.interval >= 8 * ways);
      }
    }
}
