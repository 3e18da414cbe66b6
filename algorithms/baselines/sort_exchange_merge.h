// SPDX-License-Identifier: Apache-2.0
// The straightforward sort of an array that is spread over GPUs, of others' sorts and merges.
#pragma once

#include <fathom/algorithms/gpus/exchanged.h>
#include <fathom/algorithms/gpus/find_cuts.h>
#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/algorithms/gpus/sampled_cuts.h>
#include <fathom/algorithms/gpus/spread.h>
#include <fathom/algorithms/launch.h>
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
        plan_(own.executor(), plan(own.size())),
        sampled_(own.size() > 1 && *std::ranges::max_element(n_of_) > 0
                     ? std::make_unique<SampledCuts<Key>>(own.beside(), n_of_, ranks(), 1)
                     : nullptr),
        begins_(own.executor(), ranks() + 1),
        all_begins_(own.executor(), ranks() * begins_.size()) {}

  static Plan plan(int ranks) {
    constexpr BlockShape shape{warp_width};
    return {launch_of<FindCuts<Key>>(ranks + 1, ceil_div(ranks + 1, shape.threads), shape)};
  }

  OwnPart run(const InputArrays& input) override {
    const ConstListOf<Element> elements = detail::list_of<Element>(input, u64(n_));
    if (!sampled_) {
      sort(elements);
      return part(sorted_.list());
    }
    Executor &executor = own_->executor(), &beside = own_->beside().executor();
    beside.after(executor);
    sampled_->exchange_samples(keys_of(elements));
    sort(elements);
    sampled_->choose();
    executor.after(beside);
    plan_.launch(0, FindCuts<Key>{keys_of(read_only(sorted_.list())), sampled_->cuts_of_runs(),
                                  begins_.span(), number_of_run(u64(own_->rank()), 0)});
    return part(merged(exchanged()));
  }

 private:
  using Run = std::pair<Index, Index>;

  std::size_t ranks() const { return std::size_t(own_->size()); }

  void sort(ConstListOf<Element> elements) {
    if (n_ > 0) local_.sort(elements, sorted_.list());
  }

  /// The sorted runs that this rank has received, of the ranks in their order.
  std::vector<Run> exchanged() {
    own_->all_gather(begins_.data(), begins_.bytes(), all_begins_.data());
    const std::vector<Index> begins = all_begins_.download();
    const auto part = [&](int from, int to) -> Part {
      const std::size_t at = std::size_t(from) * (ranks() + 1) + std::size_t(to);
      return {std::size_t(begins[at]), std::size_t(begins[at + 1] - begins[at])};
    };
    std::vector<Part> sent, received;
    std::vector<Run> runs;
    Index end = 0;
    for (int other = 0; other < own_->size(); ++other) {
      sent.push_back(part(own_->rank(), other));
      received.push_back({std::size_t(end), part(other, own_->rank()).bytes});
      runs.emplace_back(end, end + Index(received.back().bytes));
      end = runs.back().second;
    }
    exchange<Element>(*own_, read_only(sorted_.list()), sent, received_.list(end), received);
    return runs;
  }

  ListOf<Element> merged(std::vector<Run> runs) {
    const Index count = runs.back().second;
    ListOf<Element> from = received_.list(count), to = merged_.list(count);
    while (runs.size() > 1) {
      std::vector<Run> longer;
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

  static OwnPart part(ListOf<Element> list) {
    OwnPart of{.keys = keys_of(list).data, .count = Index(keys_of(list).count)};
    if constexpr (has_values<Element>) of.values = list.values.data;
    return of;
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
