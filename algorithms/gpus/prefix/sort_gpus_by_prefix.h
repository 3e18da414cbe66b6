// SPDX-License-Identifier: Apache-2.0
// Sorts an array that is spread over GPUs: each rank puts its elements in the order of the first bits of
// their keys, and sorts by the other bits those that it receives.
#pragma once

#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/algorithms/gpus/placed.h>
#include <fathom/algorithms/gpus/prefix/order_by_prefix.h>
#include <fathom/algorithms/gpus/prefix/sort_pieces.h>
#include <fathom/algorithms/gpus/schemes.h>
#include <fathom/algorithms/gpus/sort_gpus.h>
#include <fathom/algorithms/gpus/spread.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace fathom {

/// One rank's side, for keys or records of these types, stably, in the order of the keys' bits. No rank has a
/// twentieth more or less than an equal part, or, after a second exchange, more than whole elements ask for.
/// Keys of which too many begin alike are sorted, and spread, by a SortGpus, as all ranks find out before
/// they move an element: that takes memory of its own, as for twice this rank's elements more than a SortGpus
/// alone.
template <class Element, class Stability>
class SortGpusByPrefix final : public GroupCall {
  using Key = KeyOf<Element>;

 public:
  static bool fits(const std::vector<Index>& n_of, const PlanDevice& device) {
    return PrefixDivision::of<Element>(sum(n_of), int(n_of.size()), device).fits;
  }
  /// `n_of`, the elements of each rank, are such that it fits.
  SortGpusByPrefix(Communicator& own, const Problem& problem, std::vector<Index> n_of)
      : own_(&own),
        problem_(problem),
        n_of_(std::move(n_of)),
        pieces_(pieces_of_buckets(problem, double(*std::ranges::max_element(n_of_)))),
        division_(PrefixDivision::of<Element>(sum(n_of_), own.size(), own.executor().plan_device())),
        order_(own.executor(), Index(problem.n), division_),
        sort_pieces_(own.executor(), division_, own.size()),
        ordered_(own.executor(), std::size_t(problem.n)),
        received_(own.executor()),
        sorted_(own.executor()),
        buckets_(own.executor(), ranks() * std::size_t(division_.words())),
        cut_(own.executor(), 1 + (ranks() + 1) * (parts() + 1)) {}

  OwnPart run(const InputArrays& input) override {
    Communicator& beside = own_->beside();
    const ConstListOf<Element> elements = detail::list_of<Element>(input, u64(problem_.n));
    order_.find_buckets(keys_of(elements));
    own_->all_gather(order_.own_buckets().data, order_.own_buckets().count * sizeof(u32), buckets_.data());
    order_.cut(read_only(buckets_.span()), sum(n_of_), own_->size(), pieces_, division_.shape.tile(),
               cut_.span());
    beside.executor().after(own_->executor());
    order_.run(elements, ordered_.list());
    const std::vector<Index> cut = fathom::download(beside.executor(), read_only(cut_.span()));
    if (cut[0] != 0) return sorted_otherwise(input);

    Placed placed(ranks(), std::size_t(pieces_));
    placed.add_slice({cut.begin() + 2 + Index(parts()), cut.end()});
    beside.executor().after(own_->executor());
    const ListOf<Element> sorted = exchange_and_sort(placed, cut);
    return own_part<Element>(problem_.parameters.at("equal_parts") != 0
                                 ? in_equal_parts<Element>(*own_, sorted, placed.spread(), received_)
                                 : sorted);
  }

 private:
  static Index sum(const std::vector<Index>& n_of) {
    return std::accumulate(n_of.begin(), n_of.end(), Index(0));
  }
  std::size_t ranks() const { return n_of_.size(); }
  std::size_t parts() const { return ranks() * std::size_t(pieces_); }

  /// A piece is sorted while the next one is exchanged.
  ListOf<Element> exchange_and_sort(const Placed& placed, const std::vector<Index>& cut) {
    const std::size_t rank = std::size_t(own_->rank());
    const Index count = placed.count(rank);
    const ListOf<Element> sorted = sorted_.list(count);
    const ListOf<Element> received = received_.list(count - Index(placed.all_pieces(rank, 0, rank).bytes));
    Index arrived = 0, done = 0;
    for (std::size_t piece = 0; piece < std::size_t(pieces_); ++piece) {
      ReceivedBuckets<Element> from{read_only(received), read_only(ordered_.list()), own_->rank(), {}};
      std::vector<Part> sent(ranks()), places(ranks());
      Index of_piece = 0;
      for (std::size_t each = 0; each < ranks(); ++each) {
        const Part part = placed.part(each, 0, rank, piece);
        of_piece += Index(part.bytes);
        from.begins[each] = each == rank ? Index(part.begin) : arrived;
        if (each == rank) continue;  // those stay where they are
        sent[each] = placed.part(rank, 0, each, piece);
        places[each] = {std::size_t(arrived), part.bytes};
        arrived += Index(part.bytes);
      }
      exchange<Element>(own_->beside(), read_only(ordered_.list()), sent, received, places);
      own_->executor().after(own_->beside().executor());
      const Index* first_bucket = cut.data() + 1 + rank * std::size_t(pieces_) + piece;
      sort_pieces_.run(from, read_only(buckets_.span()), division_.words(), first_bucket[0],
                       first_bucket[1] - first_bucket[0], elements_of(sorted, done, of_piece));
      done += of_piece;
    }
    return sorted;
  }

  OwnPart sorted_otherwise(const InputArrays& input) {
    if (!otherwise_) {
      // There may be no memory for these lists of both.
      received_ = GrowingList<Element>(own_->executor());
      sorted_ = GrowingList<Element>(own_->executor());
      otherwise_ = std::make_unique<SortGpus<Element, Stability>>(*own_, problem_, n_of_);
    }
    return otherwise_->run(input);
  }

  Communicator* own_;
  Problem problem_;
  std::vector<Index> n_of_;
  int pieces_;
  PrefixDivision division_;
  OrderByPrefix<Element> order_;
  SortPieces<Element> sort_pieces_;
  DeviceList<Element> ordered_;
  GrowingList<Element> received_, sorted_;
  DeviceArray<u32> buckets_;  // of all ranks
  DeviceArray<Index> cut_;
  std::unique_ptr<SortGpus<Element, Stability>> otherwise_;  // once keys were too skewed
};

}  // namespace fathom
