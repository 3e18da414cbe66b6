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
#include <fathom/algorithms/gpus/split/split_by_cuts.h>
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
  sort_first = 1,  ///< each rank sorts its elements, cuts them, and exchanges and merges piece by piece
  split_first = 2  ///< elements are split by the cuts, exchanged and sorted
};

/// More elements radix-msd sorts by all digits, as slowly as radix-onesweep.
inline constexpr Index most_of_msd = Index(1) << 28;

/// Keys of 64 bits are sorted in half the time by their top bits first, in slices where there are more of
/// them.
inline bool sorts_by_msd(const Problem& problem) {
  return size_in_bytes(problem.type) == 8 && !(problem.stable && problem.value_type);
}

/// How a rank's work is divided, the same on all ranks.
struct Division {
  int slices;  ///< that a rank sorts one after another
  int pieces;  ///< of a rank's part of the output: each is merged while the next one is exchanged

  bool operator==(const Division&) const = default;
};
/// The division for ranks of which none has more than `most` elements. More runs than can be merged are
/// sorted. Of small pieces, what the host does for each takes longer than is gained (two H200s).
inline Division division_of(const Problem& problem, int ranks, Index most) {
  constexpr Index least_piece = Index(1) << 24, enough_pieces = 4;
  const bool merges =
      SortScheme(problem.parameters.at("scheme")) == SortScheme::sort_first && ranks <= ListedRuns::most;
  if (ranks == 1 || !merges) return {1, 1};
  const Index slices = sorts_by_msd(problem) ? ceil_div(most, most_of_msd) : 1;
  const int pieces = problem.parameters.at("pieces");
  return {int(std::clamp<Index>(slices, 1, ListedRuns::most / ranks)),
          pieces > 0 ? pieces : int(std::clamp<Index>(most / least_piece, 1, enough_pieces))};
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
        n_of_(gathered(own.beside(), std::span<const Index>(&n_, 1))),
        division_(division_of(problem, own.size(), most_elements())),
        slices_(slices_of(n_, division_.slices)),
        sort_received_(own.executor()),
        split_(scheme_ == SortScheme::split_first && n_ > 0
                   ? std::make_unique<SplitByCuts<Element>>(own.executor(), n_, own.size())
                   : nullptr),
        parts_(own.executor(), std::size_t(own.size() > 1 ? n_ : 0)),
        received_(own.executor()),
        sorted_(own.executor()),
        plan_(own.executor(), plan(int(parts()))),
        sampled_(own.size() > 1 && most_elements() > 0
                     ? std::make_unique<SampledCuts<Key>>(own.beside(), n_of_, parts(), division_.slices)
                     : nullptr),
        begins_(own.executor(), slices() * (parts() + 1)),
        all_begins_(own.executor(), ranks() * begins_.size()) {
    if (scheme_ == SortScheme::sort_first || own.size() == 1)
      for (std::size_t slice = 0; slice < slices(); ++slice)
        sort_slice_.push_back(length(slice) > 0 ? local_sort(own.executor(), length(slice)) : nullptr);
  }

  /// The cuts in a sorted slice. They are few: other warps would only wait.
  static Plan plan(int parts) {
    constexpr BlockShape shape{warp_width};
    return {launch_of<FindCuts<Key>>(parts + 1, ceil_div(parts + 1, shape.threads), shape)};
  }

  OwnPart run(const InputArrays& input) override {
    if (!sampled_) {
      const ListOf<Element> result = sorted_.list(n_);
      if (n_ > 0) sort_slice_[0]->run(input, arrays(result));
      return part(result, n_);
    }
    const ConstListOf<Element> elements = detail::list_of<Element>(input, u64(n_));
    own_->beside().executor().after(own_->executor());
    const Placed placed = scheme_ == SortScheme::sort_first ? sorted_and_cut(elements) : split(elements);
    const Index count = placed.count(own_->rank());
    const ListOf<Element> sorted = sorted_.list(count);
    if (scheme_ == SortScheme::sort_first && own_->size() <= ListedRuns::most)
      exchange_and_merge(placed, sorted);
    else
      exchange_and_sort(placed, sorted);
    return problem_.parameters.at("equal_parts") != 0 ? in_equal_parts(sorted, placed.spread())
                                                      : part(sorted, count);
  }

 private:
  Index most_elements() const { return *std::ranges::max_element(n_of_); }
  std::size_t ranks() const { return std::size_t(own_->size()); }
  std::size_t slices() const { return slices_.size() - 1; }
  std::size_t pieces() const { return std::size_t(division_.pieces); }
  std::size_t parts() const { return ranks() * pieces(); }
  Index length(std::size_t slice) const { return slices_[slice + 1] - slices_[slice]; }

  static std::unique_ptr<Call> make_sort(const char* slug, Executor& executor, KeyAndValue type, Index n,
                                         bool stable) {
    const Algorithm& sort = algorithm(slug);
    return sort.make_call(executor, sort.problem(double(n), Instantiation(type, stable)));
  }
  /// Of n > 0 elements.
  std::unique_ptr<Call> local_sort(Executor& executor, Index n) const {
    return make_sort(sorts_by_msd(problem_) && n <= most_of_msd ? "radix-msd" : "radix-onesweep", executor,
                     {problem_.type, problem_.value_type}, n, problem_.stable);
  }

  /// Makes the sort of n > 0 elements that a rank has received. Their keys lie in a part of the range, for
  /// which the buckets of radix-msd are too few: it would sort them by all digits, too.
  std::unique_ptr<Call> sort_of_received(Executor& executor, Index n) const {
    return make_sort("radix-onesweep", executor, {problem_.type, problem_.value_type}, n, problem_.stable);
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

  /// Where the parts of all ranks' slices begin.
  struct Placed {
    std::size_t ranks, slices, pieces;
    std::vector<Index> begins;  ///< for each rank and slice, one more than there are parts

    /// The elements that go from a slice of a rank into a piece of another's output, counted from the slice's
    /// begin.
    Part part(std::size_t from, std::size_t slice, std::size_t to, std::size_t piece) const {
      const std::size_t parts = ranks * pieces;
      const std::size_t at = (from * slices + slice) * (parts + 1) + to * pieces + piece;
      return {std::size_t(begins[at]), std::size_t(begins[at + 1] - begins[at])};
    }
    Index count(int to) const {
      Index sum = 0;
      for (std::size_t from = 0; from < ranks; ++from)
        for (std::size_t slice = 0; slice < slices; ++slice)
          for (std::size_t piece = 0; piece < pieces; ++piece)
            sum += Index(part(from, slice, std::size_t(to), piece).bytes);
      return sum;
    }
    Spread spread() const {
      Spread begins{0};
      for (std::size_t rank = 0; rank < ranks; ++rank) begins.push_back(begins.back() + count(int(rank)));
      return begins;
    }
  };
  /// Waits for all ranks' begins.
  Placed placed(Communicator& through) {
    through.all_gather(begins_.data(), begins_.bytes(), all_begins_.data());
    return {ranks(), slices(), pieces(), fathom::download(through.executor(), read_only(all_begins_.span()))};
  }

  /// Cuts are chosen while the slices are sorted. Samples are drawn before, since the exchange takes its
  /// time.
  Placed sorted_and_cut(ConstListOf<Element> input) {
    Communicator& beside = own_->beside();
    sampled_->exchange_samples(keys_of(input));
    for (std::size_t slice = 0; slice < slices(); ++slice) sort(input, slice);
    sampled_->choose();
    own_->executor().after(beside.executor());
    for (std::size_t slice = 0; slice < slices(); ++slice) cut(slice);
    beside.executor().after(own_->executor());
    return placed(beside);
  }
  void sort(ConstListOf<Element> input, std::size_t slice) {
    if (length(slice) > 0)
      sort_slice_[slice]->run(arrays(elements_of(input, slices_[slice], length(slice))),
                              arrays(sorted_slice(slice)));
  }
  void cut(std::size_t slice) {
    plan_.launch(0, FindCuts<Key>{keys_of(read_only(sorted_slice(slice))), sampled_->cuts_of_runs(),
                                  begins_in(slice), number_of_run(u64(own_->rank()), slice)});
  }
  ListOf<Element> sorted_slice(std::size_t slice) const {
    return elements_of(parts_.list(), slices_[slice], length(slice));
  }
  Placed split(ConstListOf<Element> input) {
    sampled_->exchange_samples(keys_of(input));
    sampled_->choose();
    own_->executor().after(own_->beside().executor());
    if (n_ > 0)
      split_->run(input, sampled_->cuts(), own_->rank(), parts_.list(), begins_in(0));
    else
      own_->executor().fill(begins_.data(), 0, begins_.bytes());
    return placed(*own_);
  }

  Span<Index> begins_in(std::size_t slice) const {
    return {begins_.data() + slice * (parts() + 1), parts() + 1};
  }

  /// The runs that a piece has received, from `begin` on: by ranks, and by slices of a rank, so that equal
  /// elements keep their order.
  RunsOfList exchange_piece(Communicator& through, const Placed& placed, std::size_t piece, Index begin,
                            ListOf<Element> received) {
    const std::size_t self = std::size_t(own_->rank());
    RunsOfList runs;
    std::vector<std::vector<Part>> to(slices());
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      for (std::size_t slice = 0; slice < slices(); ++slice) {
        const Index count = Index(placed.part(rank, slice, self, piece).bytes);
        to[slice].push_back({std::size_t(begin), std::size_t(count)});
        runs.emplace_back(begin, begin + count);
        begin += count;
      }
    for (std::size_t slice = 0; slice < slices(); ++slice) {
      std::vector<Part> sent;
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        const Part part = placed.part(self, slice, rank, piece);
        sent.push_back({std::size_t(slices_[slice]) + part.begin, part.bytes});
      }
      exchange<Element>(through, read_only(parts_.list()), sent, received, to[slice]);
    }
    return runs;
  }

  /// A piece is merged while the next one is exchanged.
  void exchange_and_merge(const Placed& placed, ListOf<Element> sorted) {
    Communicator& beside = own_->beside();
    const ListOf<Element> received = received_.list(Index(keys_of(sorted).count));
    Index begin = 0;
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
      const RunsOfList runs = exchange_piece(beside, placed, piece, begin, received);
      own_->executor().after(beside.executor());
      const Index count = elements_in(runs);
      if (count > 0) merge_for(count).run(read_only(received), runs, elements_of(sorted, begin, count));
      begin += count;
    }
  }
  /// To merge so many elements. With some room, as the next piece may be larger.
  MergeReceived<Element, Stability>& merge_for(Index count) {
    if (!merge_ || merge_->most_elements() < count)
      merge_ = std::make_unique<MergeReceived<Element, Stability>>(own_->executor(), count + count / 8,
                                                                   int(ranks() * slices()));
    return *merge_;
  }

  void exchange_and_sort(const Placed& placed, ListOf<Element> sorted) {
    const Index count = Index(keys_of(sorted).count);
    const ListOf<Element> received = received_.list(count);
    exchange_piece(*own_, placed, 0, 0, received);
    if (count > 0)
      sort_received_.make([&](Executor& executor) { return sort_of_received(executor, count); })
          .run(arrays(read_only(received)), arrays(sorted));
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
  std::vector<Index> n_of_;  ///< elements of each rank
  Division division_;
  std::vector<Index> slices_;                      ///< where they begin, and n
  std::vector<std::unique_ptr<Call>> sort_slice_;  ///< nullptr of none
  Remade<Call> sort_received_;
  std::unique_ptr<MergeReceived<Element, Stability>> merge_;  ///< nullptr before the first
  std::unique_ptr<SplitByCuts<Element>> split_;
  DeviceList<Element> parts_;
  GrowingList<Element> received_, sorted_;
  PreparedPlan plan_;                          // of the cuts
  std::unique_ptr<SampledCuts<Key>> sampled_;  ///< nullptr of one rank, and without elements
  DeviceArray<Index> begins_, all_begins_;     // of the parts of each slice; of all ranks
};

}  // namespace fathom
