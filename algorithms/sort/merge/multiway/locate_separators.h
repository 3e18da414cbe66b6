// SPDX-License-Identifier: Apache-2.0
// Before the rows of a pass are merged: which samples are separators, and where they are in each list.
#pragma once

#include <fathom/algorithms/block/first_without.h>
#include <fathom/algorithms/sort/merge/multiway/separated_rows.h>

namespace fathom {

/// `ways` neighbouring lanes per sample, one per list. They count the samples before it, each of its list:
/// the sum tells whether the sample is a separator. Only then they go on and search among the keys between
/// two samples.
template <class Key, class LessThan, class Ways = Number>
struct LocateSeparators {
  static constexpr const char* header = "fathom/algorithms/sort/merge/multiway/locate_separators.h";

  Span<const Key> input;
  Span<Index> ends;  ///< row by row, `ways` for each: behind its last key in the list
  SeparatedRows rows;
  Ways ways;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index samples_of_warp = warp_width / ways, all_warps = block.blocks() * block.warps();
    const Index samples = rows.count() * ways;
    for (Index first = (block.index() * block.warps() + block.warp()) * samples_of_warp; first < samples;
         first += all_warps * samples_of_warp)
      locate(block, first + block.lane() / ways, block.lane() % ways);
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  void locate(Block& block, Index sample, int list) const {
    const Index samples_of_group = rows.rows_per_group * ways;
    const Index group = sample / samples_of_group, of_group = sample - group * samples_of_group;
    const int list_of_sample = int(of_group / rows.rows_per_group);
    const Index of_list = of_group - list_of_sample * rows.rows_per_group;
    const Index place = (of_list + 1) * rows.interval - 1;
    const bool exists = group < rows.groups() && place < rows.list_size(group, list_of_sample);

    Key key{};
    Index before = 0;
    const Index size = exists ? rows.list_size(group, list) : 0;
    const Span<const Key> keys = input.from(exists ? rows.list_first(group, list) : 0);
    // A list ahead of the sample's has its equivalent keys before it, one behind has them after it.
    const auto precedes = [&](Index at) {
      const Key other = keys.load(at);
      return list < list_of_sample ? !compare(key, other, LessThan{}) : compare(other, key, LessThan{});
    };
    if (exists) {
      key = input.load(rows.list_first(group, list_of_sample) + place);
      before =
          list == list_of_sample ? of_list : first_without(Index(0), size / rows.interval, [&](Index at) {
            return precedes((at + 1) * rows.interval - 1);
          });
    }
    Index rank = before;
    FATHOM_UNROLL
    for (int distance = 1; distance < ways; distance *= 2) rank += block.shuffle_xor(rank, distance);

    const Index row = rank / ways;
    if (!exists || rank % ways != ways - 1 || row >= rows.separators(group)) return;
    const Index end =
        list == list_of_sample
            ? place + 1
            : first_without(before * rows.interval, min((before + 1) * rows.interval, size), precedes);
    ends.store((group * rows.rows_per_group + row) * ways + list, rows.list_first(group, list) + end);
  }
};

}  // namespace fathom
