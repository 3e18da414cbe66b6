// SPDX-License-Identifier: Apache-2.0
// Cuts among samples of all ranks' elements.
#pragma once

#include <fathom/algorithms/gpus/exchanged.h>
#include <fathom/algorithms/gpus/sample_elements.h>
#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/registry.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace fathom {

/// Samples of a rank. Those of a part have a relative standard deviation of 1/√samples, 1.1 %.
inline constexpr Index most_samples = 8192;

/// One rank's side. All of it is queued on the communicator's executor.
template <class Key>
class SampledCuts {
 public:
  /// This rank has n elements.
  SampledCuts(Communicator& through, Index n)
      : through_(&through),
        of_rank_(sampled(through, n)),
        room_(std::size_t(std::ranges::max_element(of_rank_, {}, &Sampled::samples)->samples)),
        plan_(through.executor(), plan(Index(room_))),
        bits_(through.executor(), room_),
        places_(through.executor(), room_),
        all_bits_(through.executor(), room_ * of_rank_.size()),
        all_places_(through.executor(), room_ * of_rank_.size()),
        sorted_bits_(through.executor(), room_ * of_rank_.size()),
        sorted_places_(through.executor(), room_ * of_rank_.size()) {
    if (room_ == 0) return;
    const Algorithm& sort = algorithm("radix-onesweep");
    // Stable: those with equal keys remain in the order of ranks and positions.
    sort_ = sort.make_call(
        through.executor(),
        sort.problem(double(all_bits_.size()), Instantiation({ElementType::u64, ElementType::u64}, true)));
  }

  static Plan plan(Index samples) {
    constexpr BlockShape shape{256};
    return {
        launch_of<SampleElements<Key>>(samples, std::max<Index>(1, ceil_div(samples, shape.threads)), shape)};
  }

  const std::vector<Sampled>& of_rank() const { return of_rank_; }
  Index elements() const {
    Index sum = 0;
    for (const Sampled& rank : of_rank_) sum += rank.elements;
    return sum;
  }
  Index most_elements() const { return std::ranges::max_element(of_rank_, {}, &Sampled::elements)->elements; }

  struct Chosen {
    std::vector<Cut> samples;  ///< in order
    std::vector<Cut> cuts;     ///< in front of all parts but the first
  };
  /// The cuts between so many parts, the same on all ranks, of which one at least has elements. Waits for the
  /// samples.
  Chosen choose(Span<const Key> keys, std::size_t parts) {
    const int rank = through_->rank();
    plan_.launch(0, SampleElements<Key>{keys, bits_.span(), places_.span(),
                                        of_rank_[std::size_t(rank)].samples, u64(rank)});
    through_->all_gather(bits_.data(), bits_.bytes(), all_bits_.data());
    through_->all_gather(places_.data(), places_.bytes(), all_places_.data());
    sort_->run({all_bits_.data(), all_places_.data()}, {sorted_bits_.data(), sorted_places_.data()});
    const std::vector<u64> bits = sorted_bits_.download(), places = sorted_places_.download();
    Chosen chosen;
    for (std::size_t i = 0; i < bits.size(); ++i) chosen.samples.push_back({bits[i], places[i]});
    chosen.cuts = choose_cuts(chosen.samples, of_rank_, parts);
    return chosen;
  }

 private:
  static std::vector<Sampled> sampled(Communicator& through, Index n) {
    std::vector<Sampled> of_rank;
    for (const Index elements : gathered(through, std::span<const Index>(&n, 1)))
      of_rank.push_back({elements, std::min(elements, most_samples)});
    return of_rank;
  }

  Communicator* through_;
  std::vector<Sampled> of_rank_;
  std::size_t room_;  ///< for samples, the same on all ranks
  PreparedPlan plan_;
  DeviceArray<u64> bits_, places_, all_bits_, all_places_, sorted_bits_, sorted_places_;
  std::unique_ptr<Call> sort_;  ///< nullptr without samples
};

}  // namespace fathom
