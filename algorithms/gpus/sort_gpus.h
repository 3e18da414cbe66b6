// SPDX-License-Identifier: Apache-2.0
// Sorts an array that is spread over GPUs: each element crosses a link once.
#pragma once

#include <fathom/algorithms/gpus/exchanged.h>
#include <fathom/algorithms/gpus/find_cuts.h>
#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/algorithms/gpus/merge_received.h>
#include <fathom/algorithms/gpus/remade.h>
#include <fathom/algorithms/gpus/sample_elements.h>
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

/// Samples of a rank. Those of a part of the output have a relative standard deviation of 1/√samples, 1.1 %.
inline constexpr Index most_samples = 8192;

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
        of_rank_(sampled(own, Index(problem.n))),
        n_(Index(problem.n)),
        slices_(slices_of(n_)),
        sort_received_(own.executor()),
        merge_(own.executor()),
        split_(scheme_ == SortScheme::split_first && n_ > 0
                   ? std::make_unique<SplitByCuts<Element>>(own.executor(), n_, own.size())
                   : nullptr),
        parts_(own.executor(), std::size_t(own.size() > 1 ? n_ : 0)),
        received_(own.beside().executor()),
        sorted_(own.executor()),
        plan_(own.executor(), plan(Index(samples()), own.size())),
        sample_bits_(own.executor(), samples()),
        sample_places_(own.executor(), samples()),
        all_bits_(own.executor(), samples() * ranks()),
        all_places_(own.executor(), samples() * ranks()),
        sorted_bits_(own.executor(), samples() * ranks()),
        sorted_places_(own.executor(), samples() * ranks()),
        cuts_(own.executor(), ranks() - 1),
        cuts_of_runs_(own.executor(), ranks() - 1),
        begins_(own.executor(), slices() * (ranks() + 1)),
        all_begins_(own.executor(), ranks() * (ranks() + 1)) {
    if (scheme_ == SortScheme::sort_first || own.size() == 1)
      for (std::size_t slice = 0; slice < slices(); ++slice)
        sort_slice_.push_back(length(slice) > 0 ? local_sort(own.executor(), length(slice)) : nullptr);
    if (samples() > 0 && own.size() > 1)
      sort_samples_ = make_sort("radix-onesweep", own.executor(), {ElementType::u64, ElementType::u64},
                                Index(samples() * ranks()), true);
  }

  OwnPart run(const InputArrays& input) override {
    const bool is_empty = samples() == 0;
    if (own_->size() == 1 || is_empty) {
      const ListOf<Element> result = sorted_.list(n_);
      if (n_ > 0) sort_slice_[0]->run(input, arrays(result));
      return part(result, n_);
    }
    const ConstListOf<Element> elements = detail::list_of<Element>(input, u64(n_));
    choose_cuts_of(keys_of(elements));
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
    const Index most = std::ranges::max_element(of_rank_, {}, &Sampled::elements)->elements;
    return slices_of_rank(problem_, own_->size(), elements, std::max<Index>(1, most));
  }
  /// The samples, and the cuts in sorted slices.
  static Plan plan(Index samples, int ranks) {
    constexpr BlockShape shape{256};
    return {
        launch_of<SampleElements<Key>>(samples, std::max<Index>(1, ceil_div(samples, shape.threads)), shape),
        launch_of<FindCuts<Key>>(ranks + 1, ceil_div(ranks + 1, shape.threads), shape)};
  }
  /// Room for samples: the same on all ranks.
  std::size_t samples() const {
    return std::size_t(std::ranges::max_element(of_rank_, {}, &Sampled::samples)->samples);
  }

  static std::vector<Sampled> sampled(Communicator& own, Index n) {
    std::vector<Sampled> of_rank;
    for (const Index elements : gathered(own, std::span<const Index>(&n, 1)))
      of_rank.push_back({elements, std::min(elements, most_samples)});
    return of_rank;
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

  /// By samples of all ranks.
  void choose_cuts_of(Span<const Key> keys) {
    const int rank = own_->rank();
    plan_.launch(0, SampleElements<Key>{keys, sample_bits_.span(), sample_places_.span(),
                                        of_rank_[std::size_t(rank)].samples, u64(rank)});
    own_->all_gather(sample_bits_.data(), sample_bits_.bytes(), all_bits_.data());
    own_->all_gather(sample_places_.data(), sample_places_.bytes(), all_places_.data());
    // Stable: those with equal keys remain in the order of ranks and positions.
    sort_samples_->run({all_bits_.data(), all_places_.data()}, {sorted_bits_.data(), sorted_places_.data()});
    const std::vector<u64> bits = sorted_bits_.download(), places = sorted_places_.download();
    std::vector<Cut> in_order;
    for (std::size_t i = 0; i < bits.size(); ++i) in_order.push_back({bits[i], places[i]});
    const std::vector<Cut> cuts = choose_cuts(in_order, of_rank_);
    own_->executor().upload(cuts_.data(), cuts.data(), cuts_.bytes());
    if (scheme_ == SortScheme::split_first) return;
    std::vector<std::vector<Index>> slices;
    for (const Sampled& each : of_rank_) slices.push_back(slices_of(each.elements));
    std::vector<RunCut> of_runs;
    for (const Cut& cut : cuts)
      of_runs.push_back(in_run(cut, in_order, [&](u64 place) {
        const u64 of_rank = rank_of(place);
        const std::vector<Index>& begins = slices[std::size_t(of_rank)];
        const auto after = std::ranges::upper_bound(begins, position_of(place));
        return number_of_run(of_rank, u64(after - begins.begin()) - 1);
      }));
    own_->executor().upload(cuts_of_runs_.data(), of_runs.data(), cuts_of_runs_.bytes());
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

  /// Each slice is exchanged while the next one is sorted.
  void exchange_slices(ConstListOf<Element> input, Received& received) {
    Communicator& beside = own_->beside();
    sort_and_cut(input, 0);
    beside.executor().after(own_->executor());
    for (std::size_t slice = 0; slice < slices(); ++slice) {
      const bool is_last = slice + 1 == slices();
      if (!is_last) sort_and_cut(input, slice + 1);
      exchange_parts(beside, slice, received);
      if (!is_last) beside.executor().after(own_->executor());
    }
    own_->executor().after(beside.executor());
  }
  void sort_and_cut(ConstListOf<Element> input, std::size_t slice) {
    const Index first = slices_[slice], count = length(slice);
    const ConstListOf<Element> from = elements_of(input, first, count);
    const ListOf<Element> to = elements_of(parts_.list(), first, count);
    if (count > 0) sort_slice_[slice]->run(arrays(from), arrays(to));
    plan_.launch(1, FindCuts<Key>{keys_of(read_only(to)), read_only(cuts_of_runs_.span()), begins_in(slice),
                                  number_of_run(u64(own_->rank()), slice)});
  }

  void exchange_split(ConstListOf<Element> input, Received& received) {
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
    Index all = 0;
    for (const Sampled& each : of_rank_) all += each.elements;
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
  std::vector<Sampled> of_rank_;
  Index n_;
  std::vector<Index> slices_;                      ///< where they begin, and n
  std::vector<std::unique_ptr<Call>> sort_slice_;  ///< nullptr of none
  std::unique_ptr<Call> sort_samples_;
  Remade<Call> sort_received_;
  Remade<MergeReceived<Element, Stability>> merge_;
  std::unique_ptr<SplitByCuts<Element>> split_;
  DeviceList<Element> parts_;
  GrowingList<Element> received_, sorted_;
  PreparedPlan plan_;  // of the cuts
  DeviceArray<u64> sample_bits_, sample_places_, all_bits_, all_places_, sorted_bits_, sorted_places_;
  DeviceArray<Cut> cuts_;
  DeviceArray<RunCut> cuts_of_runs_;
  DeviceArray<Index> begins_, all_begins_;  // of the parts of each slice; of one slice, of all ranks
};

}  // namespace fathom
