// SPDX-License-Identifier: Apache-2.0
// The straightforward sort of an array that is spread over GPUs, of others' sorts and merges.
#pragma once

#include <fathom/algorithms/gpus/exchanged.h>
#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/algorithms/gpus/placed.h>
#include <fathom/algorithms/gpus/sampled_cuts.h>
#include <fathom/algorithms/gpus/spread.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace fathom {

/// Each rank sorts its elements, one exchange brings together what lies between two cuts, and the ranks'
/// runs are merged two by two. Cuts and exchange are those of sort-gpus (gpus/sort_gpus.h), so that a
/// comparison with it is one of the local steps and of what runs at the same time. Stable if sort and merge
/// are.
///
/// A Local has, queued on the rank's executor, with n the number of the rank's elements:
///     Local(Executor&, Index n);
///     void sort(ConstListOf<Element>, ListOf<Element>);  // n > 0 elements
///     void merge(ConstListOf<Element> a, ConstListOf<Element> b, ListOf<Element>);  // either may be empty
template <class Element, class Local>
class SortExchangeMerge final : public GroupCall {
  using Key = KeyOf<Element>;

 public:
  SortExchangeMerge(Communicator& own, Index n, Local local)
      : own_(&own),
        n_(n),
        n_of_(gathered(own.beside(), std::span<const Index>(&n_, 1))),
        local_(std::move(local)),
        sorted_(own.executor(), std::size_t(n)),
        received_(own.executor()),
        merged_(own.executor()),
        plan_(own.executor(), plan_of_find_cuts<Key>(own.size())),
        sampled_(own.size() > 1 && *std::ranges::max_element(n_of_) > 0
                     ? std::make_unique<SampledCuts<Key>>(own.beside(), n_of_, ranks(), 1)
                     : nullptr),
        begins_(own.executor(), ranks() + 1),
        all_begins_(own.executor(), ranks() * begins_.size()) {}

  OwnPart run(const InputArrays& input) override {
    const ConstListOf<Element> elements = detail::list_of<Element>(input, u64(n_));
    if (!sampled_) {
      sort(elements);
      return own_part<Element>(sorted_.list());
    }
    Executor &executor = own_->executor(), &beside = own_->beside().executor();
    beside.after(executor);
    sampled_->exchange_samples(keys_of(elements));
    sort(elements);
    sampled_->choose();
    executor.after(beside);
    plan_.launch(0, FindCuts<Key>{keys_of(read_only(sorted_.list())), sampled_->cuts(), begins_.span(),
                                  number_of_run(u64(rank()), 0)});
    return own_part<Element>(merged(exchanged()));
  }

 private:
  std::size_t rank() const { return std::size_t(own_->rank()); }
  std::size_t ranks() const { return std::size_t(own_->size()); }

  void sort(ConstListOf<Element> elements) {
    if (n_ > 0) local_.sort(elements, sorted_.list());
  }

  /// The sorted runs that this rank has received, of the ranks in their order.
  RunsOfList exchanged() {
    own_->all_gather(begins_.data(), begins_.bytes(), all_begins_.data());
    Placed placed(ranks(), 1);
    placed.add_slice(all_begins_.download());
    std::vector<Part> sent;
    for (std::size_t to = 0; to < ranks(); ++to) sent.push_back(placed.all_pieces(rank(), 0, to));
    Arrived arrived(rank());
    const std::vector<Part> places = arrived.add_piece(placed, 0, ranks());
    exchange<Element>(*own_, read_only(sorted_.list()), sent, received_.list(arrived.elements()), places);
    return arrived.runs(placed, 0, places);
  }

  ListOf<Element> merged(RunsOfList runs) {
    const Index count = runs.back().second;
    ListOf<Element> from = received_.list(count), to = merged_.list(count);
    while (runs.size() > 1) {
      RunsOfList longer;
      for (std::size_t first = 0; first < runs.size(); first += 2) {
        const auto [begin, middle] = runs[first];
        const Index end = first + 1 < runs.size() ? runs[first + 1].second : middle;
        if (begin < end)
          local_.merge(read_only(elements_of(from, begin, middle - begin)),
                       read_only(elements_of(from, middle, end - middle)),
                       elements_of(to, begin, end - begin));
        longer.emplace_back(begin, end);
      }
      runs = std::move(longer);
      std::swap(from, to);
    }
    return from;
  }

  Communicator* own_;
  Index n_;
  std::vector<Index> n_of_;  ///< elements of each rank
  Local local_;
  DeviceList<Element> sorted_;
  GrowingList<Element> received_, merged_;
  PreparedPlan plan_;                          // of the cuts
  std::unique_ptr<SampledCuts<Key>> sampled_;  ///< nullptr of one rank, and without elements
  DeviceArray<Index> begins_, all_begins_;     // of the parts of the sorted elements; of all ranks
};

}  // namespace fathom
