// SPDX-License-Identifier: Apache-2.0
// Where the ranks' elements go, and where they arrive.
#pragma once

#include <fathom/algorithms/gpus/merge_received.h>
#include <fathom/algorithms/gpus/spread.h>

#include <utility>
#include <vector>

namespace fathom {

/// Where the parts of all ranks' slices begin. A part is a piece of a rank's output; those of a rank follow
/// one another. Known slice by slice. All numbers, also those of a Part, count elements.
class Placed {
 public:
  Placed(std::size_t ranks, std::size_t pieces) : ranks_(ranks), pieces_(pieces) {}

  /// The begins of the next slice's parts on all ranks: of each rank one more than there are parts.
  void add_slice(std::vector<Index> begins) { begins_of_slice_.push_back(std::move(begins)); }

  /// The elements that go from a slice of a rank into a piece of another's output, counted from the slice's
  /// begin.
  Part part(std::size_t from, std::size_t slice, std::size_t to, std::size_t piece) const {
    return between(from, slice, to * pieces_ + piece, to * pieces_ + piece + 1);
  }
  /// Those that go into all of its pieces.
  Part all_pieces(std::size_t from, std::size_t slice, std::size_t to) const {
    return between(from, slice, to * pieces_, (to + 1) * pieces_);
  }
  /// The elements of a rank's output, of the slices that are known.
  Index count(std::size_t to) const {
    Index sum = 0;
    for (std::size_t from = 0; from < ranks_; ++from)
      for (std::size_t slice = 0; slice < begins_of_slice_.size(); ++slice)
        sum += Index(all_pieces(from, slice, to).bytes);
    return sum;
  }
  /// How the outputs of all ranks are spread, of the slices that are known.
  Spread spread() const {
    Spread begins{0};
    for (std::size_t rank = 0; rank < ranks_; ++rank) begins.push_back(begins.back() + count(rank));
    return begins;
  }

 private:
  Part between(std::size_t rank, std::size_t slice, std::size_t first, std::size_t last) const {
    const Index* begins = begins_of_slice_[slice].data() + rank * (ranks_ * pieces_ + 1);
    return {std::size_t(begins[first]), std::size_t(begins[last] - begins[first])};
  }

  std::size_t ranks_, pieces_;
  std::vector<std::vector<Index>> begins_of_slice_;
};

/// The places, in a list, of what a rank has received until now. All pieces of a slice but the last lie
/// together, those of the last slice one after the other; each by ranks.
class Arrived {
 public:
  explicit Arrived(std::size_t rank) : rank_(rank) {}

  Index elements() const { return elements_; }  ///< in all

  /// All pieces of a slice that is not the last: the places of what comes from each rank.
  std::vector<Part> add_slice(const Placed& placed, std::size_t slice, std::size_t ranks) {
    std::vector<Index>& begins = begins_of_slice_.emplace_back();
    return add(ranks, [&](std::size_t from) {
      begins.push_back(elements_);
      return placed.all_pieces(from, slice, rank_).bytes;
    });
  }
  /// The next piece of the last slice, after all slices before it.
  std::vector<Part> add_piece(const Placed& placed, std::size_t piece, std::size_t ranks) {
    return add(ranks, [&](std::size_t from) {
      return placed.part(from, begins_of_slice_.size(), rank_, piece).bytes;
    });
  }
  /// The runs of the piece whose `places` add_piece() has returned: by ranks, and by slices of a rank, so
  /// that equal elements keep their order.
  RunsOfList runs(const Placed& placed, std::size_t piece, const std::vector<Part>& places) const {
    RunsOfList runs;
    const auto add = [&](std::size_t begin, std::size_t count) {
      runs.emplace_back(Index(begin), Index(begin + count));
    };
    for (std::size_t from = 0; from < places.size(); ++from) {
      for (std::size_t slice = 0; slice < begins_of_slice_.size(); ++slice) {
        const Part part = placed.part(from, slice, rank_, piece);
        const std::size_t before = part.begin - placed.all_pieces(from, slice, rank_).begin;
        add(std::size_t(begins_of_slice_[slice][from]) + before, part.bytes);
      }
      add(places[from].begin, places[from].bytes);
    }
    return runs;
  }

 private:
  template <class CountOf>
  std::vector<Part> add(std::size_t ranks, CountOf count_of) {
    std::vector<Part> places;
    for (std::size_t from = 0; from < ranks; ++from) {
      places.push_back({std::size_t(elements_), count_of(from)});
      elements_ += Index(places.back().bytes);
    }
    return places;
  }

  std::size_t rank_;
  Index elements_ = 0;
  std::vector<std::vector<Index>> begins_of_slice_;  ///< of what came from each rank
};

}  // namespace fathom
