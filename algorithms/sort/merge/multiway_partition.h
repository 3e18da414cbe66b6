// Before a pass of a multiway mergesort: where each piece of its output ends in the lists.
#pragma once

#include <fathom/algorithms/sort/merge/multiway_pieces.h>

namespace fathom {

/// Selects exactly, by rank; equivalent keys are in the order of their lists, so that the pieces fit
/// together. One lane per list, and a warp for neighbouring pieces: each can only end within a piece's size
/// from where the one before it ended.
template <class Key, class LessThan>
struct MultiwayPartition {
  static constexpr const char* header = "fathom/algorithms/sort/merge/multiway_partition.h";

  Span<const Key> input;
  Span<PieceEnd> ends;  ///< piece by piece, `ways` for each
  MultiwayPieces pieces;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index share = ceil_div(pieces.count(), block.blocks() * block.warps());
    const Index first = (block.index() * block.warps() + block.warp()) * share;
    const Index last = min(first + share, pieces.count());
    MultiwayPieces::Place at = pieces.place(first);
    Start start{false, 0, 0};
    for (Index piece = first; piece < last; ++piece) {
      if (at.in_group == 0) start = {true, 0, 0};
      const Index end = end_piece(block, piece, at, start);
      Index taken = start.is_known ? end - start.begin : 0;
      // Lists that are alike take as many keys as each other rather than as before.
      if (pieces.ways * block.reduce_max(int(taken)) < 4 * pieces.piece_size) taken = 0;
      start = {true, end, taken};
      at = pieces.after(at);
    }
  }

 private:
  struct Start {
    bool is_known;
    Index begin;  ///< of the piece in this lane's list, or 0
    Index taken;  ///< how many of the list's keys the piece before has, or 0
  };

  template <class Block>
  FATHOM_DEVICE
  Index end_piece(Block& block, Index piece, const MultiwayPieces::Place& at, const Start& start) const {
    const bool has_list = block.lane() < pieces.ways;
    const Index first = pieces.list_first(at, min(block.lane(), pieces.ways));
    const Index count = has_list ? pieces.list_first(at, block.lane() + 1) - first : 0;
    const Span<const Key> list = input.from(first);
    const Index rank = pieces.end(at) - at.group_first;
    const Index size = start.is_known ? rank - at.in_group * pieces.piece_size : rank;
    const bool last_of_group = at.in_group + 1 == pieces.pieces_per_group;
    const Index end =
        last_of_group ? count
                      : select(block, list, start.begin, min(count, start.begin + size), rank, start.taken);

    Key key{};
    if (end > 0) key = list.load(end - 1);
    const Key greatest = greatest_of(block, key, end > 0);
    const auto is_less = [&](const Key& other) { return compare(other, greatest, LessThan{}); };
    const Index equal = search(list, Index(0), end, end - 1, key, false, is_less);
    if (has_list) ends.store(piece * pieces.ways + block.lane(), {first + equal, first + end});
    return end;
  }

  /// How many of the first `rank` keys of all lists together are in this lane's, at least `low` and at most
  /// `high`. The piece before took `taken` of them, if that is known. Narrows the lists down to the side of a
  /// pivot that has the key of that rank, until that is the pivot or one of its equivalents, or nothing is
  /// left to decide.
  template <class Block>
  FATHOM_DEVICE
  Index select(Block& block, Span<const Key> list, Index low, Index high, Index rank, Index taken) const {
    constexpr int certainty = 1024;   // of a guess that a piece takes as many keys as the one before
    constexpr int most_guesses = 16;  // lists that guesses hardly narrow are halved after so many
    bool apart = false;
    Index undecided_before = 0;
    for (int round = 0;; ++round) {
      const Index wanted = rank - sum(block, low), undecided = sum(block, high - low);
      if (wanted == 0) return low;
      if (wanted == undecided) return high;
      // The pivot is the median of the keys where the lists of which much is expected would end. If it splits
      // few lists, the first key of a list tells more, as long as that is so.
      apart &= 4 * undecided < 3 * undecided_before;
      undecided_before = undecided;
      const Index weight = low < high ? high - low + (apart ? 0 : certainty * taken) : 0;
      const Index weights = sum(block, weight);
      const double share =
          round < most_guesses ? double(weight) / double(weights) * double(wanted) : 0.5 * double(high - low);
      const Index guess = apart ? low : low + min(Index(share), max(high - low - 1, Index(0)));
      Key key{};
      if (low < high) key = list.load(guess);
      const Key pivot = median(block, key, 2 * pieces.ways * weight >= weights);

      const auto is_less = [&](const Key& key) { return compare(key, pivot, LessThan{}); };
      const Index less = search(list, low, high, guess, key, apart, is_less);
      const bool splits = low < less && less < high;
      if (!apart && undecided > 64 * pieces.ways) {
        apart = 4 * block.reduce_add(int(splits)) <= block.reduce_add(int(low < high));
        undecided_before = 2 * undecided;
      }
      const Index wanted_of_rest = wanted - sum(block, less - low);
      if (wanted_of_rest <= 0) {
        high = less;
        continue;
      }
      const auto is_not_greater = [&](const Key& key) { return !compare(pivot, key, LessThan{}); };
      if (less < high) key = list.load(less);
      const Index greater = search(list, less, high, less, key, false, is_not_greater);
      const Index equal = greater - less;
      const Index equal_before = sum_before(block, equal);
      if (wanted_of_rest <= sum(block, equal))
        return less + max(Index(0), min(wanted_of_rest - equal_before, equal));
      low = greater;
    }
  }

  /// Of the keys of the lanes that take part, equivalent ones in the order of the lists.
  template <class Block>
  FATHOM_DEVICE
  Key median(Block& block, const Key& key, bool takes_part) const {
    const u32 lists = block.ballot(takes_part);
    int before = 0;
    FATHOM_NO_UNROLL
    for (int list = 0; list < pieces.ways; ++list) {
      const Key other = block.shuffle(key, list);
      const bool is_before = list < block.lane() ? !compare(key, other, LessThan{})
                                                 : list > block.lane() && compare(other, key, LessThan{});
      before += int(lists >> list & 1) & int(is_before);
    }
    const int count = block.reduce_add(int(takes_part));
    const bool is_median = takes_part && before == count / 2;
    return block.shuffle(key, block.reduce_max(is_median ? block.lane() : 0));
  }

  /// How many keys from `low` to `high` fulfil a condition that holds up to some key, plus `low`: steps away
  /// from the guess, whose key is given, ever further, then halves what is between. If it has not turned
  /// soon, it tries the end: a list that overlaps no others is decided as a whole.
  template <class Condition>
  FATHOM_DEVICE
  static Index search(Span<const Key> list, Index low, Index high, Index guess, Key key, bool end_first,
                      Condition holds) {
    const int probe_of_end = end_first ? 1 : 5;
    bool up = false, turned = false;
    Index step = 1;
    for (int probe = 0; low < high; ++probe) {
      Index at = guess;
      if (turned) {
        at = (low + high) / 2;
      } else if (probe == probe_of_end) {
        at = up ? high - 1 : low;
      } else if (probe > 0) {
        at = up ? min(low + step, high) - 1 : max(high - step, low);
        step *= 4;
      }
      if (probe > 0) key = list.load(at);
      const bool holds_there = holds(key);
      if (probe == 0) up = holds_there;
      if (probe != probe_of_end) turned |= holds_there != up;
      if (holds_there)
        low = at + 1;
      else
        high = at;
    }
    return low;
  }

  /// Of the lanes that have a key; of a type's equivalent keys, any.
  template <class Block>
  FATHOM_DEVICE
  Key greatest_of(Block& block, Key key, int has_key) const {
    for (int mask = warp_width / 2; mask > 0; mask /= 2) {
      const Key other = block.shuffle_xor(key, mask);
      const int other_has_key = block.shuffle_xor(has_key, mask);
      if (other_has_key && (!has_key || compare(key, other, LessThan{}))) key = other;
      has_key |= other_has_key;
    }
    return key;
  }

  /// In two halves, since a reduction is of 32 bits; values are less than 2^53.
  template <class Block>
  FATHOM_DEVICE
  static Index sum(Block& block, Index value) {
    constexpr int bits = 26;
    const Index upper = block.reduce_add(u32(value >> bits));
    return (upper << bits) + block.reduce_add(u32(value) & ((1u << bits) - 1));
  }
  /// Of the lanes before this one.
  template <class Block>
  FATHOM_DEVICE
  static Index sum_before(Block& block, Index value) {
    Index all = value;
    for (int distance = 1; distance < warp_width; distance *= 2) {
      const Index other = block.shuffle_up(all, distance);
      if (block.lane() >= distance) all += other;
    }
    return all - value;
  }
};

}  // namespace fathom
