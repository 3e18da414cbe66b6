// SPDX-License-Identifier: Apache-2.0
#include <fathom/algorithms/gpus/rank_parts.h>
#include <fathom/algorithms/host/steps.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace fathom {
namespace {

constexpr auto in = ExchangeKind::host_to_device, out = ExchangeKind::device_to_host,
               both_ways = ExchangeKind::host_both_ways;

/// The steps of a sort, in the order in which they are added.
class StepsOfSort {
 public:
  StepsOfSort(const Problem& problem, const HostPlan& plan)
      : problem_(problem), plan_(plan), share_(largest_share(plan)) {}

  /// The parts of the GPU that has most of them.
  PartRange share() const { return share_; }
  Index size_of(Index part) const { return plan_.size_of(part); }

  /// The elements come from, or go to, so many places.
  void copy(ExchangeKind kind, Index elements, Index places = 1) {
    steps_.push_back({.exchange = copied(kind, elements, places)});
  }
  void copy_beside_next(ExchangeKind kind, Index elements, Index places = 1) {
    steps_.push_back({.exchange = copied(kind, elements, places), .beside_next = true});
  }
  void sort(Index part) {
    steps_.push_back(
        {.local = &sort_of_parts(), .problem = problem_of_part(problem_, size_of(part)), .name = "sort"});
  }
  void select(Index elements) { merge_launch(0, elements); }
  void merge(Index elements) { merge_launch(1, elements); }

  std::vector<RankStep> steps() && { return std::move(steps_); }

 private:
  /// Keys and values have a copy each.
  Exchange copied(ExchangeKind kind, Index elements, Index places) const {
    const int arrays = problem_.value_type ? 2 : 1;
    const Index pieces = std::clamp<Index>(places, 1, std::max<Index>(elements, 1));  // none is empty
    return {kind, double(elements) * problem_.bytes_per_element(), double(pieces * arrays)};
  }
  void merge_launch(std::size_t launch, Index elements) {
    Problem of_runs = merge_part().problem(double(elements), Instantiation(problem_));
    // Its kernels depend on the next power of two alone (MergeReceived).
    of_runs.parameters.set("runs", int(std::bit_ceil(unsigned(plan_.parts()))));
    steps_.push_back(
        {.local = &merge_part(), .problem = std::move(of_runs), .launches = {launch}, .name = "merge"});
  }

  static PartRange largest_share(const HostPlan& plan) {
    PartRange largest = plan.share_of(0);
    for (int gpu = 1; gpu < plan.gpus; ++gpu)
      if (const PartRange share = plan.share_of(gpu); share.end - share.begin > largest.end - largest.begin)
        largest = share;
    return largest;
  }

  const Problem& problem_;
  const HostPlan& plan_;
  PartRange share_;
  std::vector<RankStep> steps_{};
};

/// Each part comes in from so many places.
void add_round(StepsOfSort& steps, Index places) {
  const PartRange share = steps.share();
  for (Index step = share.begin; step < share.end + 2; ++step) {
    const Index comes_in = step, is_sorted = step - 1, goes_out = step - 2;
    const bool has_in = share.contains(comes_in), has_out = share.contains(goes_out);
    if (!share.contains(is_sorted)) {
      if (has_in) steps.copy(in, steps.size_of(comes_in), places);
      if (has_out) steps.copy(out, steps.size_of(goes_out));
      continue;
    }
    if (has_in && has_out)  // of which the part that comes in may be the last, and smaller
      steps.copy_beside_next(both_ways, steps.size_of(goes_out), places);
    else if (has_in)
      steps.copy_beside_next(in, steps.size_of(comes_in), places);
    else if (has_out)
      steps.copy_beside_next(out, steps.size_of(goes_out));
    steps.sort(is_sorted);
  }
}

}  // namespace

std::vector<RankStep> steps_in_one_round(const Problem& problem, const HostPlan& plan, Index tile) {
  StepsOfSort steps(problem, plan);
  steps.copy(in, steps.size_of(0));
  const PartRange all = steps.share();
  for (Index part = 0; part < all.end; ++part) {
    if (all.contains(part + 1)) steps.copy_beside_next(in, steps.size_of(part + 1));
    steps.sort(part);
  }
  const Index n = plan.n;
  if (all.end == 1) {
    steps.copy(out, n);
    return std::move(steps).steps();
  }
  const Index of_piece = std::max<Index>(1, plan.part / tile) * tile;
  steps.select(n);
  Index merged = std::min(of_piece, n);
  steps.merge(merged);
  for (Index begin = merged; begin < n; begin += of_piece) {
    steps.copy_beside_next(out, merged);
    merged = std::min(of_piece, n - begin);
    steps.merge(merged);
  }
  steps.copy(out, merged);
  return std::move(steps).steps();
}

std::vector<RankStep> steps_in_two_rounds(const Problem& problem, const HostPlan& plan) {
  StepsOfSort steps(problem, plan);
  add_round(steps, 1);
  add_round(steps, plan.parts());  // gathered from all parts of the first round
  return std::move(steps).steps();
}

}  // namespace fathom
