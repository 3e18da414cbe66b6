// SPDX-License-Identifier: Apache-2.0
// Sorts an array that is spread over GPUs: each rank sorts its elements, and merges those that it receives.
#pragma once

#include <fathom/algorithms/gpus/group_call.h>
#include <fathom/algorithms/gpus/merge_received.h>
#include <fathom/algorithms/gpus/placed.h>
#include <fathom/algorithms/gpus/remade.h>
#include <fathom/algorithms/gpus/sampled_cuts.h>
#include <fathom/algorithms/gpus/slices.h>
#include <fathom/algorithms/gpus/spread.h>
#include <fathom/algorithms/registry.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace fathom {

/// More elements radix-msd sorts by all digits, as slowly as radix-onesweep; half of them, if a block has
/// shared memory for prefixes of 15 bits alone.
inline constexpr Index most_of_msd = Index(1) << 29;
/// Larger slices are sorted in larger, slower tiles.
inline constexpr Index most_of_slice = Index(1) << 28;

/// Elements of 64 bits or more are sorted faster by their top bits first, in slices where there are more of
/// them.
inline bool sorts_by_msd(const Problem& problem) {
  return problem.bytes_per_element() >= 8 && !(problem.stable && problem.value_type);
}

/// How a rank's work is divided, the same on all ranks.
struct Division {
  int slices;  ///< that a rank sorts one after another: each is exchanged while the next one is sorted
  int pieces;  ///< of a rank's part of the output: each is finished while the next one is exchanged

  bool operator==(const Division&) const = default;
};
/// The division for ranks of which none has more than `most` elements. More runs than can be merged are
/// sorted. Of small pieces, what the host does for each takes longer than is gained (two H200s). With a
/// second slice half of the exchange is hidden, and twice as many runs are merged: for two GPUs, of which
/// each sends half of its elements, one takes as long as the other; of more GPUs the exchange takes longer
/// (four H200s).
inline Division division_of(const Problem& problem, int ranks, Index most) {
  constexpr Index least_piece = Index(1) << 24, least_of_two_slices = Index(1) << 26;
  if (ranks == 1 || ranks > ListedRuns::most) return {1, 1};
  const auto chosen = [&](const char* name, Index by_n) {
    const Index number = problem.parameters.at(name);
    return number > 0 ? number : by_n;
  };
  const Index pieces = chosen("pieces", std::clamp<Index>(most / least_piece, 1, 4));
  const Index slices = std::max(sorts_by_msd(problem) ? ceil_div(most, most_of_slice) : 1,
                                chosen("slices", ranks > 2 && most >= least_of_two_slices ? 2 : 1));
  return {int(std::clamp<Index>(slices, 1, ListedRuns::most / ranks)), int(pieces)};
}

/// One rank's side, for keys or records of these types, in the order of the keys' bits. Each rank's part of
/// the output is within 5 % of an equal one, whatever the keys, with four standard deviations; or as equal as
/// whole elements allow, after a second exchange.
template <class Element, class Stability>
class SortGpus final : public GroupCall {
  using Key = KeyOf<Element>;

 public:
  /// `n_of` are the elements of each rank.
  SortGpus(Communicator& own, const Problem& problem, std::vector<Index> n_of)
      : own_(&own),
        problem_(problem),
        n_(Index(problem.n)),
        n_of_(std::move(n_of)),
        division_(division_of(problem, own.size(), most_elements())),
        slices_(slices_of(n_, division_.slices)),
        sort_received_(own.executor()),
        parts_(own.executor(), std::size_t(own.size() > 1 ? n_ : 0)),
        received_(own.executor()),
        sorted_(own.executor()),
        plan_(own.executor(), plan_of_find_cuts<Key>(int(parts()))),
        sampled_(own.size() > 1 && most_elements() > 0
                     ? std::make_unique<SampledCuts<Key>>(own.beside(), n_of_, parts(), division_.slices)
                     : nullptr),
        begins_(own.executor(), parts() + 1),
        all_begins_(own.executor(), ranks() * begins_.size()) {
    for (std::size_t slice = 0; slice < slices(); ++slice)
      sort_slice_.push_back(length(slice) > 0 ? local_sort(own.executor(), length(slice)) : nullptr);
  }

  OwnPart run(const InputArrays& input) override {
    if (!sampled_) {
      const ListOf<Element> result = sorted_.list(n_);
      if (n_ > 0) sort_slice_[0]->run(input, detail::output_arrays<Element>(result));
      return own_part<Element>(result);
    }
    const ConstListOf<Element> elements = detail::list_of<Element>(input, u64(n_));
    own_->beside().executor().after(own_->executor());
    Placed placed(ranks(), pieces());
    Arrived arrived(rank());
    sampled_->exchange_samples(keys_of(elements));
    sort_and_cut(elements, placed, arrived);
    const Index count = placed.count(rank());
    const ListOf<Element> sorted = sorted_.list(count);
    const ListOf<Element> received = room_for(arrived, count);
    if (own_->size() <= ListedRuns::most)
      exchange_and_merge(placed, arrived, received, sorted);
    else
      exchange_and_sort(placed, arrived, received, sorted);
    return own_part<Element>(problem_.parameters.at("equal_parts") != 0
                                 ? in_equal_parts<Element>(*own_, sorted, placed.spread(), received_)
                                 : sorted);
  }

 private:
  Index most_elements() const { return *std::ranges::max_element(n_of_); }
  std::size_t rank() const { return std::size_t(own_->rank()); }
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

  /// A slice is exchanged while the next one is sorted; the last one is not exchanged yet. Cuts are chosen
  /// while the first slice is sorted. Samples are drawn before, since the exchange takes its time.
  void sort_and_cut(ConstListOf<Element> input, Placed& placed, Arrived& arrived) {
    Communicator& beside = own_->beside();
    sort(input, 0);
    sampled_->choose();
    own_->executor().after(beside.executor());
    for (std::size_t slice = 0; slice < slices(); ++slice) {
      cut(slice);
      beside.executor().after(own_->executor());
      const bool is_last = slice + 1 == slices();
      if (!is_last) sort(input, slice + 1);
      placed.add_slice(all_begins(beside));
      if (!is_last) exchange_slice(placed, slice, arrived);
    }
  }
  void sort(ConstListOf<Element> input, std::size_t slice) {
    if (length(slice) > 0)
      sort_slice_[slice]->run(
          detail::input_arrays<Element>(elements_of(input, slices_[slice], length(slice))),
          detail::output_arrays<Element>(sorted_slice(slice)));
  }
  void cut(std::size_t slice) {
    plan_.launch(0, FindCuts<Key>{keys_of(read_only(sorted_slice(slice))), sampled_->cuts(), begins_.span(),
                                  number_of_run(u64(rank()), slice)});
  }
  ListOf<Element> sorted_slice(std::size_t slice) const {
    return elements_of(parts_.list(), slices_[slice], length(slice));
  }
  /// The begins of all ranks' parts. It waits for them.
  std::vector<Index> all_begins(Communicator& through) {
    through.all_gather(begins_.data(), begins_.bytes(), all_begins_.data());
    return fathom::download(through.executor(), read_only(all_begins_.span()));
  }

  /// A list of so many elements, with those that have arrived.
  ListOf<Element> room_for(const Arrived& arrived, Index count) {
    if (arrived.elements() == 0) return received_.list(count);
    own_->executor().after(own_->beside().executor());
    return received_.grown(count, arrived.elements());
  }
  void exchange_slice(const Placed& placed, std::size_t slice, Arrived& arrived) {
    // The part of a rank is at most a twentieth larger than an equal one but for rare cases, whatever slice
    // its elements come in.
    const Index equal = std::accumulate(n_of_.begin(), n_of_.end(), Index(0)) / Index(ranks());
    const ListOf<Element> received = room_for(arrived, std::max(placed.count(rank()), equal + equal / 16));
    std::vector<Part> sent;
    for (std::size_t to = 0; to < ranks(); ++to)
      sent.push_back(in_slices(slice, placed.all_pieces(rank(), slice, to)));
    exchange<Element>(own_->beside(), read_only(parts_.list()), sent, received,
                      arrived.add_slice(placed, slice, ranks()));
  }
  Part in_slices(std::size_t slice, Part part) const {
    return {std::size_t(slices_[slice]) + part.begin, part.bytes};
  }

  /// Exchanges a piece of the last slice, and returns the runs of that piece.
  RunsOfList exchange_piece(const Placed& placed, std::size_t piece, Arrived& arrived,
                            ListOf<Element> received) {
    const std::size_t last = slices() - 1;
    std::vector<Part> sent;
    for (std::size_t to = 0; to < ranks(); ++to)
      sent.push_back(in_slices(last, placed.part(rank(), last, to, piece)));
    const std::vector<Part> places = arrived.add_piece(placed, piece, ranks());
    exchange<Element>(own_->beside(), read_only(parts_.list()), sent, received, places);
    return arrived.runs(placed, piece, places);
  }

  /// A piece is merged while the next one is exchanged.
  void exchange_and_merge(const Placed& placed, Arrived& arrived, ListOf<Element> received,
                          ListOf<Element> sorted) {
    Index begin = 0;
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
      const RunsOfList runs = exchange_piece(placed, piece, arrived, received);
      own_->executor().after(own_->beside().executor());
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

  /// More runs than can be merged are sorted, in one piece: by all digits, as keys of a part of their range
  /// have the first ones in common.
  void exchange_and_sort(const Placed& placed, Arrived& arrived, ListOf<Element> received,
                         ListOf<Element> sorted) {
    const Index count = elements_in(exchange_piece(placed, 0, arrived, received));
    own_->executor().after(own_->beside().executor());
    if (count > 0)
      sort_received_
          .make([&](Executor& executor) {
            return make_sort("radix-onesweep", executor, {problem_.type, problem_.value_type}, count,
                             problem_.stable);
          })
          .run(detail::input_arrays<Element>(read_only(received)), detail::output_arrays<Element>(sorted));
  }

  Communicator* own_;
  Problem problem_;
  Index n_;
  std::vector<Index> n_of_;  ///< elements of each rank
  Division division_;
  std::vector<Index> slices_;                      ///< where they begin, and n
  std::vector<std::unique_ptr<Call>> sort_slice_;  ///< nullptr of none
  Remade<Call> sort_received_;
  std::unique_ptr<MergeReceived<Element, Stability>> merge_;  ///< nullptr before the first
  DeviceList<Element> parts_;
  GrowingList<Element> received_, sorted_;
  PreparedPlan plan_;                          // of the cuts
  std::unique_ptr<SampledCuts<Key>> sampled_;  ///< nullptr of one rank, and without elements
  DeviceArray<Index> begins_, all_begins_;     // of the parts of a slice; of all ranks
};

}  // namespace fathom
