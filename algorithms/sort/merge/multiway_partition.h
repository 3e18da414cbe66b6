// Before a pass of a multiway mergesort: where each piece of its output ends in the lists.
#pragma once

#include <fathom/algorithms/sort/merge/multiway_pieces.h>

namespace fathom {

/// Selects exactly, by rank; equivalent keys are in the order of their lists, so that the pieces fit
/// together. One warp per piece, one lane per list.
template <class Key, class LessThan>
struct MultiwayPartition {
  static constexpr const char* header = "fathom/algorithms/sort/merge/multiway_partition.h";

  Span<const Key> input;
  Span<PieceEnd> ends;  ///< piece by piece, `ways` for each
  MultiwayPieces pieces;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    for (Index piece = block.index() * block.warps() + block.warp(); piece < pieces.count();
         piece += block.blocks() * block.warps())
      end_piece(block, piece);
  }

 private:
  template <class Block>
  FATHOM_DEVICE
  void end_piece(Block& block, Index piece) const {
    const bool has_list = block.lane() < pieces.ways;
    const Index first = pieces.list_first(piece, min(block.lane(), pieces.ways));
    const Index last = has_list ? pieces.list_first(piece, block.lane() + 1) : first;
    const Span<const Key> list = input.from(first);
    const Index rank = pieces.first(piece + 1) - pieces.group_first(piece);
    const bool last_of_group = (piece + 1) % pieces.pieces_per_group == 0;
    const Index end = last_of_group ? last - first : select(block, list, last - first, rank);

    const Key greatest = greatest_of_last(block, list, end);
    const auto is_less = [&](const Key& key) { return compare(key, greatest, LessThan{}); };
    const Index equal = search(list, Index(0), end, end, is_less);
    if (has_list) ends.store(piece * pieces.ways + block.lane(), {first + equal, first + end});
  }

  /// How many of the first `rank` keys of all lists together are in this lane's. Narrows the lists down to
  /// the side of a pivot that has the key of that rank, until nothing is left to decide.
  template <class Block>
  FATHOM_DEVICE
  Index select(Block& block, Span<const Key> list, Index count, Index rank) const {
    constexpr int most_guesses = 16;  // a list that a guess hardly narrows is halved after so many
    Index low = 0, high = count;
    for (int round = 0;; ++round) {
      const Index wanted = rank - sum(block, low), undecided = sum(block, high - low);
      if (wanted == 0) return low;
      if (wanted == undecided) return high;
      const double share = round < most_guesses ? double(wanted) / double(undecided) : 0.5;
      const Index guess = low + min(Index(double(high - low) * share), max(high - low - 1, Index(0)));
      const int owner = longest(block, high - low);
      Key pivot{};
      if (block.lane() == owner) pivot = list.load(guess);
      pivot = block.shuffle(pivot, owner);
      const auto is_before = [&](const Key& key) {
        return block.lane() < owner ? !compare(pivot, key, LessThan{}) : compare(key, pivot, LessThan{});
      };
      const Index before = block.lane() == owner ? guess : search(list, low, high, guess, is_before);
      if (sum(block, before - low) < wanted)
        low = before + (block.lane() == owner);
      else
        high = before;
    }
  }

  /// How many keys from `low` to `high` fulfil a condition that holds up to some key, plus `low`: steps away
  /// from the guess, doubling, then halves what is between.
  template <class Condition>
  FATHOM_DEVICE
  static Index search(Span<const Key> list, Index low, Index high, Index guess, Condition holds) {
    bool stepped_up = false, stepped_down = false;
    Index step = 1;
    while (low < high) {
      const Index at = stepped_up && stepped_down ? (low + high) / 2 : max(low, min(guess, high - 1));
      if (holds(list.load(at))) {
        low = at + 1;
        guess = at + step;
        stepped_up = true;
      } else {
        high = at;
        guess = at - step;
        stepped_down = true;
      }
      step *= 2;
    }
    return low;
  }

  /// The greatest key before the lanes' ends; of a type's equivalent keys, any.
  template <class Block>
  FATHOM_DEVICE
  Key greatest_of_last(Block& block, Span<const Key> list, Index end) const {
    Key key{};
    if (end > 0) key = list.load(end - 1);
    int has_key = end > 0;
    for (int mask = warp_width / 2; mask > 0; mask /= 2) {
      const Key other = block.shuffle_xor(key, mask);
      const int other_has_key = block.shuffle_xor(has_key, mask);
      if (other_has_key && (!has_key || compare(key, other, LessThan{}))) key = other;
      has_key |= other_has_key;
    }
    return key;
  }

  template <class Block>
  FATHOM_DEVICE
  static Index sum(Block& block, Index value) {
    for (int mask = warp_width / 2; mask > 0; mask /= 2) value += block.shuffle_xor(value, mask);
    return value;
  }

  /// The lane with the largest value, if all are less than 2^58.
  template <class Block>
  FATHOM_DEVICE
  static int longest(Block& block, Index value) {
    Index packed = value * warp_width + block.lane();
    for (int mask = warp_width / 2; mask > 0; mask /= 2)
      packed = max(packed, block.shuffle_xor(packed, mask));
    return int(packed % warp_width);
  }
};

}  // namespace fathom
