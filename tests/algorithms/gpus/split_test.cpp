// SPDX-License-Identifier: Apache-2.0
// The split of a rank's elements by cuts, against what each cut says of each element.
#include <fathom/algorithms/gpus/split/split_by_cuts.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/device/counting/counting_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <set>

using namespace fathom;

namespace {

/// Ascending, of rank 1 beside others: before all, within equal keys, behind all.
template <class Key>
std::vector<Cut> all_cuts() {
  const u64 most = u64(~Key(0));
  return {{0, place_of(1, 0)},    {0, place_of(1, 900)}, {5, place_of(0, 7)},    {5, place_of(1, 0)},
          {5, place_of(1, 1000)}, {5, place_of(2, 3)},   {most, place_of(1, 5)}, behind_all};
}

template <class Key>
void splits(const std::vector<Key>& keys, int rank, const std::vector<Cut>& cuts) {
  INFO(8 * sizeof(Key) << " bits, " << keys.size() << " keys, rank " << rank << ", " << cuts.size() + 1
                       << " parts");
  using Element = Record<Key, u32>;
  CountingExecutor executor(CountingDevice{.multiprocessors = 2});
  const DeviceList<Element> input(executor, keys.size()), output(executor, keys.size());
  std::vector<u32> positions(keys.size());
  std::iota(positions.begin(), positions.end(), 0u);
  executor.upload(input.list().keys.data, keys.data(), keys.size() * sizeof(Key));
  executor.upload(input.list().values.data, positions.data(), positions.size() * sizeof(u32));
  const DeviceArray<Cut> on_device(executor, std::span<const Cut>(cuts));
  const DeviceArray<Index> begins_on_device(executor, cuts.size() + 2);
  SplitByCuts<Element> split(executor, Index(keys.size()), int(cuts.size()) + 1);
  split.run(read_only(input.list()), {on_device.data(), cuts.size()}, rank, output.list(),
            begins_on_device.span());

  std::vector<std::set<u32>> expected(cuts.size() + 1);
  for (const u32 at : positions) {
    std::size_t part = 0;
    while (part < cuts.size() && !cuts[part].comes_after(u64(keys[at]), place_of(u64(rank), at))) ++part;
    expected[part].insert(at);
  }
  const std::vector<Index> begins = begins_on_device.download();
  const std::vector<Key> keys_out = download(executor, read_only(output.list().keys));
  const std::vector<u32> positions_out = download(executor, read_only(output.list().values));
  bool together = true;
  for (std::size_t i = 0; i < keys_out.size(); ++i)
    together = together && keys_out[i] == keys[positions_out[i]];
  CHECK(together);
  for (std::size_t part = 0; part < expected.size(); ++part) {
    const std::set<u32> found(positions_out.begin() + begins[part], positions_out.begin() + begins[part + 1]);
    CHECK(found == expected[part]);
  }
}

template <class Key>
void splits_all() {
  constexpr std::size_t tile = 512 * 64 / sizeof(Key);
  const std::vector<Cut> all = all_cuts<Key>();
  for (const std::size_t n : {std::size_t(1), tile - 1, tile, tile + 1})
    for (const int rank : {0, 1, 2})
      for (const std::size_t few : {0, 1, 3, 4, 7}) {
        const std::vector<Cut> first(all.begin(), all.begin() + std::ptrdiff_t(few)),
            last(all.end() - std::ptrdiff_t(few), all.end());
        std::vector<Key> keys(n);
        for (std::size_t i = 0; i < n; ++i)
          keys[i] = i % 5 == 0 ? 0 : i % 5 == 1 ? Key(~Key(0)) : Key(i % 5 + 3);
        splits(keys, rank, first);
        splits(keys, rank, last);
        splits(std::vector<Key>(n, Key(5)), rank, last);
      }
}

}  // namespace

TEST_CASE("a rank's elements are split where the cuts say, into few parts and more, also among equal keys") {
  splits_all<u32>();
  splits_all<u64>();
  std::vector<Cut> many;
  for (u64 i = 0; i < 39; ++i) many.push_back({i / 3, place_of(i % 3, Index(10 * i))});
  std::vector<u32> keys(9000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = u32(i % 17);
  for (const std::size_t parts : {8, 9, 40})
    splits(keys, 1, std::vector<Cut>(many.begin(), many.begin() + std::ptrdiff_t(parts) - 1));
}
