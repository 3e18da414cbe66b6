// SPDX-License-Identifier: Apache-2.0
// Where a piece of several lists ends, and what becomes of the keys there.
#pragma once

#include <fathom/algorithms/block/records.h>
#include <fathom/algorithms/block/scan.h>

namespace fathom {

/// Where a piece ends in one of the lists. The last of its keys, in order, may be equivalent to others: all
/// that are, from `equal` to `end`, are copied behind the merged keys. So every merged key is less than the
/// piece's last one, which can stand in where a list has ended: no type needs an infinity, and no copy of a
/// key can take the place of an equivalent one.
struct PieceEnd {
  Index equal, end;
};

/// The first of a list's elements from `begin` on that is not less than the key; none before `end` is
/// greater. Steps away from the end, ever further, since few are equivalent, and then halves what is between.
template <class LessThan, class Key>
FATHOM_DEVICE
Index first_not_less(const Span<const Key>& list, Index begin, Index end, const Key& key) {
  Index low = begin, high = end;
  bool overshot = false;
  for (Index step = 1; low < high; step *= 2) {
    const Index at = overshot ? (low + high) / 2 : max(low, high - step);
    if (compare(list.load(at), key, LessThan{})) {
      low = at + 1;
      overshot = true;
    } else {
      high = at;
    }
  }
  return low;
}

/// Where key `at` of all lists together is, if `first` of them are before a lane's list, which begins at
/// `list_first` + `first`. Of lists with the same first key the last one has it.
template <class Block>
FATHOM_DEVICE
Index source_of(Block& block, Index list_first, int first, int at) {
  int list = 0;
  FATHOM_UNROLL
  for (int bit = warp_width / 2; bit > 0; bit /= 2) {
    const int first_of_list = block.shuffle(first, list + bit);
    if (first_of_list <= at) list += bit;
  }
  return block.shuffle(list_first, list) + at;
}

/// Copies the keys that are equivalent to the piece's last one, list by list, one list per lane; lane 0
/// returns one of them. Lanes take consecutive keys of all lists together, several each: the warp waits for
/// all at once.
template <class Element, class Block>
FATHOM_DEVICE
Element copy_greatest(Block& block, const ConstListOf<Element>& input, const ListOf<Element>& output,
                      const PieceEnd& end, Index to) {
  constexpr int keys_at_once = 8;
  const int count = int(end.end - end.equal);
  const int up_to_here = inclusive_scan_warp(block, count, Plus{});
  const int all = block.shuffle(up_to_here, warp_width - 1);
  const int first = up_to_here - count;  // of the list's keys among all

  Element greatest{};
  FATHOM_NO_UNROLL
  for (int begin = 0; begin < all; begin += keys_at_once * warp_width) {
    Registers<Element, Constant<keys_at_once>> keys(Constant<keys_at_once>{});
    FATHOM_UNROLL
    for (int i = 0; i < keys_at_once; ++i) {
      const int at = begin + i * warp_width + block.lane();
      if (begin + i * warp_width >= all) continue;
      const Index from = source_of(block, end.equal - first, first, at);
      if (at < all) keys[i] = input.load(from);
    }
    if (begin == 0) greatest = keys[0];
    FATHOM_UNROLL
    for (int i = 0; i < keys_at_once; ++i) {
      const int at = begin + i * warp_width + block.lane();
      if (at < all) output.store(to + at, keys[i]);
    }
  }
  return greatest;
}

}  // namespace fathom
