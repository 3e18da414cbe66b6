// SPDX-License-Identifier: Apache-2.0
// Cuts among samples of all ranks' elements.
#pragma once

#include <fathom/algorithms/gpus/choose_cuts.h>
#include <fathom/algorithms/gpus/find_cuts.h>
#include <fathom/algorithms/gpus/sample_elements.h>
#include <fathom/algorithms/launch.h>
#include <fathom/algorithms/registry.h>
#include <fathom/device/group/communicator.h>
#include <fathom/device/prepared_plan.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace fathom {

/// Samples of a rank. Those of a part have a relative standard deviation of 1/√samples, 1.1 %.
inline constexpr Index most_samples = 8192;
/// So many samples each rank draws, of whose elements this is the largest number.
inline Index samples_of(Index most_elements) {
  return std::min(most_elements, most_samples);
}

/// The launch of FindCuts, for a sorted run of keys that is cut into `parts` parts. They are few: other warps
/// would only wait.
template <class Key>
Plan plan_of_find_cuts(int parts) {
  constexpr BlockShape shape{warp_width};
  return {launch_of<FindCuts<Key>>(parts + 1, ceil_div(parts + 1, shape.threads), shape)};
}

/// One rank's side of the choice, with which the host has nothing to do. All of it is queued on the
/// communicator's executor.
template <class Key>
class SampledCuts {
 public:
  /// `elements` are the numbers of elements of the ranks, over which an array of one element at least is
  /// spread. It is to be cut into `parts` parts. Each rank sorts its elements, if at all, in `slices` slices.
  SampledCuts(Communicator& through, const std::vector<Index>& elements, std::size_t parts, int slices)
      : through_(&through),
        slices_(slices),
        n_of_(through.executor(), std::span<const Index>(elements)),
        samples_(samples_of(*std::ranges::max_element(elements))),
        plan_(through.executor(), plan(samples_, int(elements.size()), int(parts))),
        bits_(through.executor(), std::size_t(samples_)),
        all_bits_(through.executor(), bits_.size() * elements.size()),
        tags_(through.executor(), std::span<const u32>(tags(u32(elements.size()), u32(samples_)))),
        sorted_bits_(through.executor(), all_bits_.size()),
        sorted_tags_(through.executor(), tags_.size()),
        cuts_(through.executor(), parts - 1) {
    const Algorithm& sort = algorithm("radix-onesweep");
    // Stable: those with equal keys remain in the order of ranks and positions.
    sort_ = sort.make_call(
        through.executor(),
        sort.problem(double(tags_.size()), Instantiation({ElementType::u64, ElementType::u32}, true)));
  }

  /// The kernels on both sides of the exchange and the sort.
  static Plan plan(Index samples, int ranks, int parts) {
    const BlockShape of_elements{256}, of_cuts{512, ChooseCuts::shared_memory()};
    return {
        launch_of<SampleElements<Key>>(samples, ceil_div(samples, of_elements.threads), of_elements),
        launch_of<ChooseCuts>(samples * ranks, std::max(1, parts - 1), of_cuts),
    };
  }
  /// The tags of all samples are in the order of ranks and numbers.
  static std::vector<u32> tags(u32 ranks, u32 samples) {
    std::vector<u32> all;
    for (u32 rank = 0; rank < ranks; ++rank)
      for (u32 number = 0; number < samples; ++number) all.push_back(Sample{rank, number}.tag());
    return all;
  }

  /// All ranks get the samples of this rank's keys.
  void exchange_samples(Span<const Key> keys) {
    plan_.launch(0, SampleElements<Key>{keys, bits_.span(), u32(through_->rank())});
    through_->all_gather(bits_.data(), bits_.bytes(), all_bits_.data());
  }
  /// The same on all ranks.
  void choose() {
    sort_->run({all_bits_.data(), tags_.data()}, {sorted_bits_.data(), sorted_tags_.data()});
    if (cuts_.size() > 0)
      plan_.launch(1, ChooseCuts{read_only(sorted_bits_.span()), read_only(sorted_tags_.span()),
                                 read_only(n_of_.span()), slices_, cuts_.span()});
  }
  /// The cuts that choose() has chosen are in front of all parts but the first.
  Span<const RunCut> cuts() const { return read_only(cuts_.span()); }

 private:
  Communicator* through_;
  int slices_;
  DeviceArray<Index> n_of_;
  Index samples_;  ///< of each rank
  PreparedPlan plan_;
  DeviceArray<u64> bits_, all_bits_;
  DeviceArray<u32> tags_;
  DeviceArray<u64> sorted_bits_;
  DeviceArray<u32> sorted_tags_;
  DeviceArray<RunCut> cuts_;
  std::unique_ptr<Call> sort_;
};

}  // namespace fathom
