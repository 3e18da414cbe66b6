// SPDX-License-Identifier: Apache-2.0
// Sorts an array that is spread over GPUs: each element crosses a link once.
#pragma once

#include <fathom/algorithms/gpus/exchanged.h>
#include <fathom/algorithms/gpus/find_cuts.h>
#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/algorithms/gpus/merge_received.h>
#include <fathom/algorithms/gpus/remade.h>
#include <fathom/algorithms/gpus/sampled_cuts.h>
#include <fathom/algorithms/gpus/slices.h>
#include <fathom/algorithms/gpus/split_by_cuts.h>
#include <fathom/algorithms/gpus/spread.h>
#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/registry.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace fathom {

/// The order of the steps, after cuts have been chosen among samples.
enum class SortScheme {
  sort_first = 1,  ///< each rank sorts its elements, slice by slice, cuts and exchanges them, and merges all
  split_first = 2  ///< elements are split by the cuts, exchanged and sorted
};

/// More elements radix-msd sorts by all digits, as slowly as radix-onesweep.
inline constexpr Index most_of_msd = Index(1) << 28;

/// Where the slices of a rank with n elements begin, and n. The rank with most elements has `most`. There are
/// at most as many slices as can be merged.
inline std::vector<Index> slices_of_rank(const Problem& problem, int ranks, Index n, Index most) {
  if (ranks == 1 || SortScheme(problem.parameters.at("scheme")) == SortScheme::split_first) return {0, n};
  const int slices = std::min(problem.parameters.at("slices"), std::max(1, ListedRuns::most / ranks));
  return slices_of(n, most, slices, most_of_msd);
}

/// One rank's side, for keys or records of these types, in the order of the keys' bits. Each rank's part of
/// the output is within 5 % of an equal one, whatever the keys, with four standard deviations; or as equal as
/// whole elements allow, after a second exchange.
template <class Element, class Stability>
class SortGpus final : public GroupCall {
  using Key = KeyOf<Element>;

 public:
  SortGpus(Communicator& own, const Problem& problem)
      : own_(&own),
        problem_(problem),
        scheme_(SortScheme(problem.parameters.at("scheme"))),
        n_(Index(problem.n)),
        sampled_(own.beside(), n_),
        slices_(slices_of(n_)),
        sort_received_(own.executor()),
        merge_(own.executor()),
        split_(scheme_ == SortScheme::split_first && n_ > 0
                   ? std::make_unique<SplitByCuts<Element>>(own.executor(), n_, own.size())
                   : nullptr),
        parts_(own.executor(), std::size_t(own.size() > 1 ? n_ : 0)),
        received_(own.beside().executor()),
        sorted_(own.executor()),
        plan_(own.executor(), plan(own.size())),
        cuts_(own.executor(), ranks() - 1),
        cuts_of_runs_(own.executor(), ranks() - 1),
        begins_(own.executor(), slices() * (ranks() + 1)),
        all_begins_(own.executor(), ranks() * (ranks() + 1)) {
    if (scheme_ == SortScheme::sort_first || own.size() == 1)
      for (std::size_t slice = 0; slice < slices(); ++slice)
        sort_slice_.push_back(length(slice) > 0 ? local_sort(own.executor(), length(slice)) : nullptr);
  }

  OwnPart run(const InputArrays& input) override {
    const bool is_empty = sampled_.most_elements() == 0;
    if (own_->size() == 1 || is_empty) {
      const ListOf<Element> result = sorted_.list(n_);
      if (n_ > 0) sort_slice_[0]->run(input, arrays(result));
      return part(result, n_);
    }
    const ConstListOf<Element> elements = detail::list_of<Element>(input, u64(n_));
    own_->beside().executor().after(own_->executor());
    Received received;
    if (scheme_ == SortScheme::sort_first)
      exchange_slices(elements, received);
    else
      exchange_split(elements, received);
    const Index count = received.count();
    const ListOf<Element> sorted = sorted_.list(count);
    finish(received, sorted);
    return problem_.parameters.at("equal_parts") != 0 ? in_equal_parts(sorted, received.spread())
                                                      : part(sorted, count);
  }

 private:
  std::size_t ranks() const { return std::size_t(own_->size()); }
  std::size_t slices() const { return slices_.size() - 1; }
  Index length(std::size_t slice) const { return slices_[slice + 1] - slices_[slice]; }

  /// Of so many elements of any rank.
  std::vector<Index> slices_of(Index elements) const {
    return slices_of_rank(problem_, own_->size(), elements, std::max<Index>(1, sampled_.most_elements()));
  }
  /// The cuts in a sorted slice.
  static Plan plan(int ranks) {
    constexpr BlockShape shape{256};
    return {launch_of<FindCuts<Key>>(ranks + 1, ceil_div(ranks + 1, shape.threads), shape)};
  }

  static std::unique_ptr<Call> make_sort(const char* slug, Executor& executor, KeyAndValue type, Index n,
                                         bool stable) {
    const Algorithm& sort = algorithm(slug);
    return sort.make_call(executor, sort.problem(double(n), Instantiation(type, stable)));
  }
  /// Of n > 0 elements. Keys of 64 bits are sorted in half the time by their top bits first, unless so many
  /// are equal in these that it has to sort by all digits.
  std::unique_ptr<Call> local_sort(Executor& executor, Index n) const {
    const bool by_msd = sizeof(Key) == 8 && !(problem_.stable && has_values<Element>)&&n <= most_of_msd;
    return make_sort(by_msd ? "radix-msd" : "radix-onesweep", executor, {problem_.type, problem_.value_type},
                     n, problem_.stable);
  }

  static InputArrays arrays(ConstListOf<Element> list) {
    if constexpr (has_values<Element>)
      return {list.keys.data, list.values.data};
    else
      return {list.data};
  }
  static OutputArrays arrays(ListOf<Element> list) {
    if constexpr (has_values<Element>)
      return {list.keys.data, list.values.data};
    else
      return {list.data};
  }
  static OwnPart part(ListOf<Element> list, Index count) {
    const OutputArrays of = arrays(list);
    return {of.keys, of.values, count};
  }

  /// What ranks have for each other.
  struct Received {
    ListOf<Element> elements{};                   ///< for this one
    std::vector<std::pair<Index, Index>> runs{};  ///< of each exchange and rank
    std::vector<Index> counts{};                  ///< of all that each rank receives

    Index count() const { return runs.empty() ? 0 : runs.back().second; }
    Spread spread() const {
      Spread begins{0};
      for (const Index count : counts) begins.push_back(begins.back() + count);
      return begins;
    }
  };

  /// Cuts are chosen while the first slice is sorted, and each slice is exchanged while the next one is
  /// sorted.
  void exchange_slices(ConstListOf<Element> input, Received& received) {
    Communicator& beside = own_->beside();
    sort(input, 0);
    beside.executor().upload(cuts_of_runs_.data(), cuts_of_runs(input).data(), cuts_of_runs_.bytes());
    own_->executor().after(beside.executor());
    cut(0);
    beside.executor().after(own_->executor());
    for (std::size_t slice = 0; slice < slices(); ++slice) {
      const bool is_last = slice + 1 == slices();
      if (!is_last) {
        sort(input, slice + 1);
        cut(slice + 1);
      }
      exchange_parts(beside, slice, received);
      if (!is_last) beside.executor().after(own_->executor());
    }
    own_->executor().after(beside.executor());
  }
  void sort(ConstListOf<Element> input, std::size_t slice) {
    if (length(slice) > 0)
      sort_slice_[slice]->run(arrays(elements_of(input, slices_[slice], length(slice))),
                              arrays(sorted_slice(slice)));
  }
  void cut(std::size_t slice) {
    plan_.launch(0, FindCuts<Key>{keys_of(read_only(sorted_slice(slice))), read_only(cuts_of_runs_.span()),
                                  begins_in(slice), number_of_run(u64(own_->rank()), slice)});
  }
  ListOf<Element> sorted_slice(std::size_t slice) const {
    return elements_of(parts_.list(), slices_[slice], length(slice));
  }
  std::vector<RunCut> cuts_of_runs(ConstListOf<Element> input) {
    std::vector<std::vector<Index>> slices;
    for (const Sampled& each : sampled_.of_rank()) slices.push_back(slices_of(each.elements));
    const auto run_of = [&](u64 place) {
      const std::vector<Index>& begins = slices[std::size_t(rank_of(place))];
      const auto after = std::ranges::upper_bound(begins, position_of(place));
      return number_of_run(rank_of(place), u64(after - begins.begin()) - 1);
    };
    const auto chosen = sampled_.choose(keys_of(input));
    std::vector<RunCut> of_runs;
    for (const Cut& cut : chosen.cuts) of_runs.push_back(in_run(cut, chosen.samples, run_of));
    return of_runs;
  }

  void exchange_split(ConstListOf<Element> input, Received& received) {
    const std::vector<Cut> cuts = sampled_.choose(keys_of(input)).cuts;
    own_->executor().upload(cuts_.data(), cuts.data(), cuts_.bytes());
    if (n_ > 0)
      split_->run(input, read_only(cuts_.span()), own_->rank(), parts_.list(), begins_in(0));
    else
      own_->executor().fill(begins_.data(), 0, begins_.bytes());
    exchange_parts(*own_, 0, received);
  }

  Span<Index> begins_in(std::size_t slice) const {
    return {begins_.data() + slice * (ranks() + 1), ranks() + 1};
  }

  /// Of a slice, whose parts have been placed.
  void exchange_parts(Communicator& through, std::size_t slice, Received& received) {
    const Span<Index> own_begins = begins_in(slice);
    through.all_gather(own_begins.data, own_begins.count * sizeof(Index), all_begins_.data());
    const std::vector<Index> begins = fathom::download(through.executor(), read_only(all_begins_.span()));
    const auto part_of = [&](std::size_t rank, std::size_t part) {
      const std::size_t at = rank * (ranks() + 1) + part;
      return Part{std::size_t(begins[at]), std::size_t(begins[at + 1] - begins[at])};
    };
    const std::size_t self = std::size_t(own_->rank());
    std::vector<Part> sent, to;
    const Index kept = received.count();
    received.counts.resize(ranks());
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      const Part for_rank = part_of(self, rank), from_rank = part_of(rank, self);
      sent.push_back({std::size_t(slices_[slice]) + for_rank.begin, for_rank.bytes});
      const Index begin = received.count(), count = Index(from_rank.bytes);
      to.push_back({std::size_t(begin), std::size_t(count)});
      received.runs.emplace_back(begin, begin + count);
      for (std::size_t other = 0; other < ranks(); ++other)
        received.counts[other] += Index(part_of(rank, other).bytes);
    }
    received.elements = received_.list_keeping(kept, std::max(received.count(), expected_count()));
    exchange<Element>(through, read_only(parts_.list()), sent, received.elements, to);
  }
  /// With what parts may differ by. If more comes, the list grows.
  Index expected_count() const {
    const Index all = sampled_.elements();
    return ceil_div(all + all / 16, Index(ranks()));
  }

  /// Of sorted runs, the merge, unless there are too many.
  void finish(const Received& received, ListOf<Element> sorted) {
    if (received.count() == 0) return;
    const ConstListOf<Element> elements = elements_of(read_only(received.elements), 0, received.count());
    if (scheme_ == SortScheme::sort_first && own_->size() <= ListedRuns::most)
      merge_
          .make([&](Executor& executor) {
            return std::make_unique<MergeReceived<Element, Stability>>(executor, in_order(received.runs));
          })
          .run(elements, sorted);
    else
      sort_received_.make([&](Executor& executor) { return local_sort(executor, received.count()); })
          .run(arrays(elements), arrays(sorted));
  }
  /// By ranks, and by slices of a rank: equal elements keep this order.
  std::vector<std::pair<Index, Index>> in_order(const std::vector<std::pair<Index, Index>>& runs) const {
    std::vector<std::pair<Index, Index>> ordered;
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      for (std::size_t slice = 0; slice < slices(); ++slice) ordered.push_back(runs[slice * ranks() + rank]);
    return ordered;
  }

  OwnPart in_equal_parts(ListOf<Element> sorted, const Spread& spread) {
    const int rank = own_->rank();
    const Spread equal = equal_parts(spread.back(), own_->size());
    const Index count = equal[std::size_t(rank) + 1] - equal[std::size_t(rank)];
    const ListOf<Element> to = received_.list(count);
    exchange<Element>(*own_, read_only(sorted), parts_in(spread, rank, equal), to,
                      parts_in(equal, rank, spread));
    return part(to, count);
  }

  Communicator* own_;
  Problem problem_;
  SortScheme scheme_;
  Index n_;
  SampledCuts<Key> sampled_;
  std::vector<Index> slices_;                      ///< where they begin, and n
  std::vector<std::unique_ptr<Call>> sort_slice_;  ///< nullptr of none
  Remade<Call> sort_received_;
  Remade<MergeReceived<Element, Stability>> merge_;
  std::unique_ptr<SplitByCuts<Element>> split_;
  DeviceList<Element> parts_;
  GrowingList<Element> received_, sorted_;
  PreparedPlan plan_;  // of the cuts
  DeviceArray<Cut> cuts_;
  DeviceArray<RunCut> cuts_of_runs_;
  DeviceArray<Index> begins_, all_begins_;  // of the parts of each slice; of one slice, of all ranks
};

}  // namespace fathom
