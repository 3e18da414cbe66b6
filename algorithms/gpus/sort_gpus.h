// SPDX-License-Identifier: Apache-2.0
// Sorts an array that is spread over GPUs: each element crosses a link once.
#pragma once

#include <fathom/algorithms/gpus/exchanged.h>
#include <fathom/algorithms/gpus/find_cuts.h>
#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/algorithms/gpus/merge_received.h>
#include <fathom/algorithms/gpus/remade.h>
#include <fathom/algorithms/gpus/sample_elements.h>
#include <fathom/algorithms/gpus/split_by_cuts.h>
#include <fathom/algorithms/gpus/spread.h>
#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/registry.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>
#include <memory>
#include <numeric>

namespace fathom {

/// The order of the steps.
enum class SortScheme {
  sort_first = 1,  ///< each rank sorts its elements, then they are cut, exchanged and merged
  split_first = 2  ///< elements are split by cuts among samples, exchanged and sorted
};

/// Samples of a rank. A part is off by less than twice what a sample of each rank stands for (choose_cuts()),
/// which of sorted elements has to be at most 5 % of a part. Samples of unsorted elements are drawn; the
/// number of those that fall into a part has a relative standard deviation of 1/√samples, 1.1 %.
inline Index most_samples(SortScheme scheme, int ranks) {
  return scheme == SortScheme::sort_first ? Index(64) * ranks : 8192;
}

/// One rank's side, for keys or records of these types, in the order of the keys' bits. Each rank's part of
/// the output is within 5 % of an equal one, whatever the keys: certainly if it sorts first, else with four
/// standard deviations; or as equal as whole elements allow, after a second exchange.
template <class Element, class Stability>
class SortGpus final : public GroupCall {
  using Key = KeyOf<Element>;

 public:
  SortGpus(Communicator& own, const Problem& problem)
      : own_(&own),
        problem_(problem),
        scheme_(SortScheme(problem.parameters.at("scheme"))),
        of_rank_(sampled(own, Index(problem.n), scheme_)),
        n_(Index(problem.n)),
        local_(n_ > 0 && (scheme_ == SortScheme::sort_first || own.size() == 1)
                   ? local_sort(own.executor(), n_)
                   : nullptr),
        sort_received_(own.executor()),
        merge_(own.executor()),
        split_(scheme_ == SortScheme::split_first && n_ > 0
                   ? std::make_unique<SplitByCuts<Element>>(own.executor(), n_, own.size())
                   : nullptr),
        parts_(own.executor(), std::size_t(own.size() > 1 ? n_ : 0)),
        received_(own.executor()),
        sorted_(own.executor()),
        plan_(own.executor(), plan(Index(samples()), own.size())),
        sample_bits_(own.executor(), samples()),
        sample_places_(own.executor(), samples()),
        all_bits_(own.executor(), samples() * ranks()),
        all_places_(own.executor(), samples() * ranks()),
        sorted_bits_(own.executor(), samples() * ranks()),
        sorted_places_(own.executor(), samples() * ranks()),
        cuts_(own.executor(), ranks() - 1),
        begins_(own.executor(), ranks() + 1),
        all_begins_(own.executor(), ranks() * (ranks() + 1)) {
    if (samples() > 0 && own.size() > 1)
      sort_samples_ =
          make_sort(own.executor(), {ElementType::u64, ElementType::u64}, Index(samples() * ranks()), false);
  }

  OwnPart run(const InputArrays& input) override {
    const bool is_empty = samples() == 0;
    if (own_->size() == 1 || is_empty) {
      const ListOf<Element> result = sorted_.list(n_);
      if (n_ > 0) local_->run(input, arrays(result));
      return part(result, n_);
    }
    split(detail::list_of<Element>(input, u64(n_)));
    own_->all_gather(begins_.data(), begins_.bytes(), all_begins_.data());
    const std::vector<Index> begins = all_begins_.download();
    const Received received = exchange_parts(begins);
    const Spread spread = spread_of(begins);
    const Index count = count_of(spread, own_->rank());
    const ListOf<Element> sorted = sorted_.list(count);
    finish(received, sorted);
    return problem_.parameters.at("equal_parts") != 0 ? in_equal_parts(sorted, spread) : part(sorted, count);
  }

 private:
  std::size_t ranks() const { return std::size_t(own_->size()); }
  /// The samples, and the cuts among sorted elements.
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

  static std::vector<Sampled> sampled(Communicator& own, Index n, SortScheme scheme) {
    std::vector<Sampled> of_rank;
    for (const Index elements : gathered(own, std::span<const Index>(&n, 1)))
      of_rank.push_back({elements, std::min(elements, most_samples(scheme, own.size()))});
    return of_rank;
  }

  static std::unique_ptr<Call> make_sort(Executor& executor, KeyAndValue type, Index n, bool stable) {
    const Algorithm& sort = algorithm("radix-onesweep");
    return sort.make_call(executor, sort.problem(double(n), Instantiation(type, stable)));
  }
  /// Of n > 0 elements.
  std::unique_ptr<Call> local_sort(Executor& executor, Index n) const {
    return make_sort(executor, {problem_.type, problem_.value_type}, n, problem_.stable);
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

  /// The elements in parts, one for each rank, and where these begin.
  void split(ConstListOf<Element> input) {
    const ListOf<Element> parts = parts_.list();
    const bool sorts_first = scheme_ == SortScheme::sort_first;
    if (sorts_first && n_ > 0) local_->run(arrays(input), arrays(parts));
    choose(sorts_first ? keys_of(read_only(parts)) : keys_of(input));
    if (sorts_first || n_ == 0)
      plan_.launch(1, FindCuts<Key>{keys_of(read_only(parts)), read_only(cuts_.span()), begins_.span(),
                                    u64(own_->rank())});
    else
      split_->run(input, read_only(cuts_.span()), own_->rank(), parts, begins_.span());
  }

  /// The cuts, by samples of all ranks.
  void choose(Span<const Key> keys) {
    const int rank = own_->rank();
    plan_.launch(0, SampleElements<Key>{keys, sample_bits_.span(), sample_places_.span(),
                                        of_rank_[std::size_t(rank)].samples, u64(rank),
                                        scheme_ == SortScheme::split_first});
    own_->all_gather(sample_bits_.data(), sample_bits_.bytes(), all_bits_.data());
    own_->all_gather(sample_places_.data(), sample_places_.bytes(), all_places_.data());
    // Stable: those with equal keys remain in the order of ranks and positions.
    sort_samples_->run({all_bits_.data(), all_places_.data()}, {sorted_bits_.data(), sorted_places_.data()});
    const std::vector<u64> bits = sorted_bits_.download(), places = sorted_places_.download();
    std::vector<Cut> in_order;
    for (std::size_t i = 0; i < bits.size(); ++i) in_order.push_back({bits[i], places[i]});
    const std::vector<Cut> cuts = choose_cuts(in_order, of_rank_);
    own_->executor().upload(cuts_.data(), cuts.data(), cuts_.bytes());
  }

  /// What all ranks have for this one, in the order of ranks.
  struct Received {
    ListOf<Element> elements;
    std::vector<Index> begins;  ///< of each rank's, and their end
  };

  /// `begins` are those of each rank's parts.
  Received exchange_parts(const std::vector<Index>& begins) {
    const auto part_of = [&](std::size_t rank, std::size_t part) {
      const std::size_t at = rank * (ranks() + 1) + part;
      return Part{std::size_t(begins[at]), std::size_t(begins[at + 1] - begins[at])};
    };
    const std::size_t self = std::size_t(own_->rank());
    std::vector<Part> sent, received;
    std::vector<Index> received_begins{0};
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      sent.push_back(part_of(self, rank));
      received.push_back({std::size_t(received_begins.back()), part_of(rank, self).bytes});
      received_begins.push_back(received_begins.back() + Index(received.back().bytes));
    }
    const ListOf<Element> to = received_.list(received_begins.back());
    exchange<Element>(*own_, read_only(parts_.list()), sent, to, received);
    return {to, std::move(received_begins)};
  }

  Spread spread_of(const std::vector<Index>& begins) const {
    Spread spread(ranks() + 1);
    for (std::size_t at = 0; at < begins.size(); ++at)
      if (const std::size_t part = at % (ranks() + 1); part < ranks())
        spread[part + 1] += begins[at + 1] - begins[at];
    std::partial_sum(spread.begin(), spread.end(), spread.begin());
    return spread;
  }
  static Index count_of(const Spread& spread, int rank) {
    return spread[std::size_t(rank) + 1] - spread[std::size_t(rank)];
  }

  /// Of sorted runs, the merge, unless there are too many.
  void finish(const Received& received, ListOf<Element> sorted) {
    const ConstListOf<Element> elements = read_only(received.elements);
    if (received.begins.back() == 0) return;
    if (scheme_ == SortScheme::sort_first && own_->size() <= ListedRuns::most)
      merge_
          .make([&](Executor& executor) {
            return std::make_unique<MergeReceived<Element, Stability>>(executor, received.begins);
          })
          .run(elements, sorted);
    else
      sort_received_.make([&](Executor& executor) { return local_sort(executor, received.begins.back()); })
          .run(arrays(elements), arrays(sorted));
  }

  OwnPart in_equal_parts(ListOf<Element> sorted, const Spread& spread) {
    const int rank = own_->rank();
    const Spread equal = equal_parts(spread.back(), own_->size());
    const Index count = count_of(equal, rank);
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
  std::unique_ptr<Call> local_, sort_samples_;
  Remade<Call> sort_received_;
  Remade<MergeReceived<Element, Stability>> merge_;
  std::unique_ptr<SplitByCuts<Element>> split_;
  DeviceList<Element> parts_;
  GrowingList<Element> received_, sorted_;
  PreparedPlan plan_;  // of the cuts
  DeviceArray<u64> sample_bits_, sample_places_, all_bits_, all_places_, sorted_bits_, sorted_places_;
  DeviceArray<Cut> cuts_;
  DeviceArray<Index> begins_, all_begins_;  // of the parts; of all ranks
};

}  // namespace fathom
