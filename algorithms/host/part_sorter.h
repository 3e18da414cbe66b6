// SPDX-License-Identifier: Apache-2.0
// Sorts parts of an array in host memory on one GPU: copies in and out beside kernels.
#pragma once

#include <fathom/algorithms/call.h>
#include <fathom/algorithms/host/host_plan.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/core/interruption.h>
#include <fathom/device/arena_executor.h>
#include <fathom/device/host_streams.h>
#include <fathom/device/recording_executor.h>

#include <algorithm>
#include <memory>
#include <set>

namespace fathom {

/// A GPU with what it needs to sort parts. It works in steps: a step gives each stream work that needs what
/// other streams were given in steps before, and no more.
template <class Element>
class PartSorter {
 public:
  /// Slots have so many elements, at least as many as a part. Throws OutOfDeviceMemory.
  PartSorter(const HostStreams& gpu, const Problem& problem, const HostPlan& plan, Index slot)
      : gpu_(gpu),
        problem_(problem),
        plan_(plan),
        arena_bytes_(work_bytes(plan, problem, gpu.kernels.plan_device())),
        arena_memory_(gpu.kernels, arena_bytes_) {
    for (int i = 0; i < 2; ++i) {
      slots_.emplace_back(gpu.kernels, std::size_t(slot));
      if (!plan.one_round) sorted_slots_.emplace_back(gpu.kernels, std::size_t(plan.part));
    }
  }

  /// Returns the work space of the sort of a part, or of the last one, in bytes.
  static std::size_t work_bytes(const HostPlan& plan, const Problem& problem, const PlanDevice& device) {
    std::size_t most = 0;
    for (const Index count : {std::min(plan.part, plan.n), plan.n % plan.part}) {
      if (count == 0) continue;
      RecordingExecutor recorder(device);
      sort_of_parts().make_call(recorder, problem_of_part(problem, count));
      most = std::max(most, recorder.arena_bytes());
    }
    return most;
  }

  /// Copies each of these parts in, sorts it and copies it to its place in the output, beside others.
  /// `copy_in(part, slot)` queues what fills a slot with a part. Returns when it is done.
  template <class CopyIn>
  void sort_parts(PartRange range, CopyIn copy_in, ListOf<Element> output) {
    for (Index step = range.begin; step < range.end + 2; ++step) {
      next_step();
      if (range.contains(step - 1)) sort(step - 1, sorted_slot(step - 1));
      if (range.contains(step)) copy_in(step, slot(step));
      if (const Index part = step - 2; range.contains(part))
        download(read_only(sorted_slot(part)), output.from(plan_.begin_of(part)), plan_.size_of(part));
    }
    wait();
  }

  // ---- what a step does ----

  /// Throws Interrupted.
  void next_step() {
    check_interruption();
    gpu_.in.after(gpu_.kernels);
    gpu_.out.after(gpu_.kernels);
    gpu_.kernels.after(gpu_.in);
    gpu_.kernels.after(gpu_.out);
  }
  /// Queues a copy of so many elements from host memory.
  void upload(ConstListOf<Element> from, ListOf<Element> to, Index count) {
    copy_arrays(from, to, count, [&](auto... copy) { gpu_.in.upload_queued(copy...); });
  }
  /// Queues a copy of so many elements to host memory.
  void download(ConstListOf<Element> from, ListOf<Element> to, Index count) {
    copy_arrays(from, to, count, [&](auto... copy) { gpu_.out.download_queued(copy...); });
  }
  /// Sorts a part that its slot holds.
  void sort(Index part, ListOf<Element> to) {
    if (const Index count = plan_.size_of(part); count != ready_for_) {
      auto arena = std::make_unique<ArenaExecutor>(gpu_.kernels, arena_memory_.data(), arena_bytes_);
      call_ = sort_of_parts().make_call(*arena, problem_of_part(problem_, count));
      loaded_.insert(arena->kernels().begin(), arena->kernels().end());
      arena_ = std::move(arena);
      ready_for_ = count;
    }
    const ListOf<Element> from = slot(part);
    if constexpr (has_values<Element>)
      call_->run({from.keys.data, from.values.data}, {to.keys.data, to.values.data});
    else
      call_->run({from.data}, {to.data});
  }
  /// Returns the slot that holds a part before its sort, or the piece of this number of a merge. Two that
  /// follow each other have different ones.
  ListOf<Element> slot(Index part) const { return slots_[std::size_t(part % 2)].list(); }

  /// Returns when all is done that has been queued. Throws KernelFailure.
  void wait() {
    for (Executor* each : {&gpu_.in, &gpu_.kernels, &gpu_.out}) each->synchronize();
  }
  /// Returns when nothing is being copied any more, whatever has failed.
  void settle() {
    for (Executor* each : {&gpu_.in, &gpu_.kernels, &gpu_.out}) {
      try {
        each->synchronize();
      } catch (const KernelFailure&) {  // the first failure is the one to tell
      }
    }
  }

 private:
  using Key = KeyOf<Element>;

  /// Calls copy(to, from, bytes) for the keys, and for the values if there are any.
  template <class Copy>
  static void copy_arrays(ConstListOf<Element> from, ListOf<Element> to, Index count, Copy copy) {
    const std::size_t n = std::size_t(count);
    if (n == 0) return;
    copy(keys_of(to).data, keys_of(from).data, n * sizeof(Key));
    if constexpr (has_values<Element>)
      copy(to.values.data, from.values.data, n * sizeof(fathom::ValueOf<Element>));
  }
  ListOf<Element> sorted_slot(Index part) const { return sorted_slots_[std::size_t(part % 2)].list(); }

  HostStreams gpu_;
  Problem problem_;
  HostPlan plan_;
  std::size_t arena_bytes_;
  DeviceArray<std::byte> arena_memory_;  // of call_
  std::vector<DeviceList<Element>> slots_,
      sorted_slots_;  // for even and odd parts, before and after the sort
  std::unique_ptr<ArenaExecutor> arena_;
  std::unique_ptr<Call> call_;
  Index ready_for_ = 0;  // elements that call_ sorts
  std::set<std::shared_ptr<const PreparedKernel>>
      loaded_;  // launches of them may be queued when call_ is another
};

}  // namespace fathom
