// SPDX-License-Identifier: Apache-2.0
// sort-splitter-deterministic: the bound of its buckets. What it has in common with other sorts is in
// splitter_sorting_test.cpp.
#include "sort_on_cpu.h"

#include <fathom/algorithms/sort/distribution/deterministic/sort_splitter_deterministic.h>

using namespace fathom;
using namespace fathom::tests;

namespace {

/// Small chunks, so that few keys need several levels.
struct RegularShape {
  int ways = 8, threads = 64, elements = 7;

  Index tile() const { return Index(threads) * elements; }
};

/// Sizes of the buckets of each level.
std::vector<std::vector<Index>> bucket_sizes_of_levels(const std::vector<u32>& keys,
                                                       const RegularShape& shape) {
  CountingExecutor executor;
  const DeviceArray<u32> input(executor, std::span<const u32>(keys)), output(executor, keys.size());
  const Index n = Index(keys.size());
  SortSplitterDeterministic<u32, Less> solver(executor, n, shape.ways, shape.threads, shape.elements);
  solver.run({input.data(), input.size()}, output.span());
  std::vector<std::vector<Index>> sizes;
  const auto split = RegularSplitters<u32, Less>::levels(n, shape.ways, shape.tile());
  for (std::size_t i = 0; i < split.levels.size(); ++i) sizes.push_back(solver.bucket_sizes(i));
  return sizes;
}

/// 0, 1, … so that every s-th key of each chunk is the next to the last of other chunks: chunk c of C has the
/// keys c, c + C, …
std::vector<u32> interleaved(std::size_t n, std::size_t chunk) {
  const std::size_t chunks = (n + chunk - 1) / chunk;
  std::vector<u32> keys(n);
  std::vector<std::size_t> filled(chunks, 0);
  std::size_t c = 0;
  for (u32 rank = 0; rank < n; ++rank) {
    while (c * chunk + filled[c] >= std::min(n, (c + 1) * chunk)) c = (c + 1) % chunks;
    keys[c * chunk + filled[c]++] = rank;
    c = (c + 1) % chunks;
  }
  return keys;
}

/// Each chunk has s − 1 keys between the same two of its samples where the others have as many: the most
/// keys that a chunk can put into a bucket without a sample of its own.
std::vector<u32> clustered(std::size_t n, std::size_t chunk, std::size_t stride) {
  std::vector<u32> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const u32 c = u32(i / chunk), within = u32(i % chunk);
    // The first s − 1 keys of all chunks are together, ahead of all others.
    keys[i] = within + 1 < stride ? c * u32(stride) + within : 1u << 24 | within << 10 | c;
  }
  return keys;
}

}  // namespace

TEST_CASE("deterministic splitters bound every bucket of distinct keys by 5/4 of its share", "[counts]") {
  const RegularShape shape;
  using Splitters = RegularSplitters<u32, Less>;
  for (const std::size_t n : {449u, 1000u, 4000u, 13579u, 30000u}) {
    const Index stride = Splitters::stride(Index(n), shape.ways, shape.tile());
    std::vector<std::vector<u32>> inputs = special_inputs(n);
    inputs.resize(2);  // those of distinct keys
    std::vector<u32> shuffled = inputs[0];
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
    inputs.push_back(shuffled);
    // Distances between keys of Zipf's law: many small ones, few large.
    std::vector<u32> zipf(n);
    for (std::size_t i = 0; i < n; ++i) zipf[shuffled[i]] = u32(4e9 / double(i + 1)) + u32(n - i);
    inputs.push_back(zipf);
    inputs.push_back(interleaved(n, std::size_t(shape.tile())));
    inputs.push_back(clustered(n, std::size_t(shape.tile()), std::size_t(stride)));
    for (std::size_t which = 0; which < inputs.size(); ++which) {
      std::vector<u32> keys = inputs[which];
      std::sort(keys.begin(), keys.end());
      REQUIRE(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
      const auto levels = Splitters::levels(Index(n), shape.ways, shape.tile()).levels;
      const auto sizes = bucket_sizes_of_levels(inputs[which], shape);
      double bound = double(n);
      for (std::size_t i = 0; i < levels.size(); ++i) {
        INFO("n = " << n << ", input " << which << ", level " << i);
        bound *= 5. / (4 * levels[i].ways);
        CHECK(double(*std::max_element(sizes[i].begin(), sizes[i].end())) <= bound);
        CHECK(std::accumulate(sizes[i].begin(), sizes[i].end(), Index(0)) == Index(n));
        CHECK(levels[i].child <= bound);
      }
      CHECK(levels.back().child <= shape.tile());  // so that no large bucket is left
    }
  }
}

TEST_CASE("deterministic splitters need the stride of their bound") {
  using Splitters = RegularSplitters<u32, Less>;
  // N/(4S) = 1024 and C = 130: s·131 ≤ 1154. In the limit m/(4S) = 16.
  CHECK(Splitters::stride(1 << 16, 16, 512) == 8);
  CHECK(Splitters::stride(Index(1) << 40, 16, 512) == 8);
  CHECK(Splitters::stride(449, 8, 448) == 4);  // 14 and C = 3: s·4 ≤ 17
  for (const Index n : {449, 1000, 20000, 1 << 20, 1 << 28})
    for (const int ways : {2, 4, 8, 16, 32}) {
      const Index s = Splitters::stride(n, ways, 448), chunks = n / 448 + 2;
      CHECK(double(s + chunks * (s - 1)) <= double(n) / (4 * ways));
      CHECK(double(s + 1 + chunks * s) > double(n) / (4 * ways));  // it is the largest
    }
}

TEST_CASE("deterministic splitters divide n by as few levels as S allows") {
  const auto levels = [](Index n) { return RegularSplitters<u32, Less>::levels(n, 16, 8000).levels; };
  CHECK(levels(8000).empty());
  REQUIRE(levels(8001).size() == 1);
  CHECK(levels(8001)[0].ways == 2);    // 5001 keys
  CHECK(levels(102406).size() == 1);   // 5/64 of it: 8000
  CHECK(levels(102413).size() == 2);   // 8001
  CHECK(levels(102413)[0].ways == 5);  // (5/20)² of it: 6400; (5/16)²: 10001
  CHECK(levels(102413)[0].child == 25603);
  CHECK(levels(102413)[1].parents == 5);
  CHECK(levels(102413)[1].buckets == 25);
}

TEST_CASE("equal keys share the buckets of a deterministic splitter sort", "[counts]") {
  const std::size_t n = 30000;
  std::vector<u32> one_frequent = random_keys<u32>(n, ~0u, 11);
  for (std::size_t i = 0; i < n; i += 3) one_frequent[i] = 12345;
  for (const std::vector<u32>& keys :
       {std::vector<u32>(n, 7), random_keys<u32>(n, 2, 1), random_keys<u32>(n, 7, 2), one_frequent}) {
    const auto sizes = bucket_sizes_of_levels(keys, {}).back();
    CHECK(*std::max_element(sizes.begin(), sizes.end()) <= 2 * RegularShape{}.tile());
  }
}

TEST_CASE("a deterministic splitter sort refuses more buckets than it can number, or has samples for") {
  CountingExecutor executor;
  for (const int ways : {1, 257, 113})
    CHECK_THROWS_AS((SortSplitterDeterministic<u32, Less>(executor, 1000, ways, 64, 7)),
                    std::invalid_argument);
  CHECK_NOTHROW(SortSplitterDeterministic<u32, Less>(executor, 1000, 112, 64, 7));
}
