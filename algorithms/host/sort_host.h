// SPDX-License-Identifier: Apache-2.0
// Sorts an array in host memory on one GPU, in parts that are copied in and out beside kernels.
//
// One round, where the GPU's memory holds the array and a few parts: each part is sorted, into its place on
// the GPU, while the next one comes in; then all sorted parts are merged, a piece at a time, while the piece
// before goes out. With n bytes that is
//     n / (rate in) + the sort of a part + the merge of a piece + n / (rate out).
// In and out cannot overlap, though the link has both directions: the first element of the result may be the
// last to come in. Only a split by cuts that are known before could begin to sort the first part of the
// result earlier, and it, too, would have to wait for the last element that comes in.
//
// Two rounds otherwise. In the first, each part is sorted and goes back, into other memory of the host, as
// the one before and the one after it are copied: the link works in both directions. In the second, the host
// cuts the sorted parts so that it knows what belongs to each part of the result; that is gathered from all
// of them, sorted, and goes out. With P parts this takes (P + 2) / P as long for each round as copying n
// bytes in and n bytes out at once. What has been gathered is sorted, not merged, as that goes for any number
// of parts by what the first round uses anyway, and is hidden where a sort takes less time than a copy.
//
// Either way each element of a part passes through a sort that is stable, in the order of the keys' bits.
#pragma once

#include <fathom/algorithms/call.h>
#include <fathom/algorithms/gpus/merge_received.h>
#include <fathom/algorithms/host/cut_runs.h>
#include <fathom/algorithms/host/host_plan.h>
#include <fathom/algorithms/sort/device_list.h>
#include <fathom/device/arena_executor.h>
#include <fathom/device/host_streams.h>
#include <fathom/device/recording_executor.h>

#include <algorithm>
#include <memory>
#include <set>

namespace fathom {

/// Keys or records of these types. `parts` of the problem's parameters: how many at least (HostPlan).
template <class Element, class Stability>
class SortHost final : public Call {
  using Key = KeyOf<Element>;
  using Merge = MergeReceived<Element, Stability>;

 public:
  /// Uses at most so many bytes of the GPU's memory. Throws OutOfDeviceMemory, OutOfHostMemory.
  SortHost(const HostStreams& gpu, const Problem& problem, std::size_t memory_bytes)
      : gpu_(gpu),
        problem_(problem),
        n_(Index(problem.n)),
        plan_(plan(problem, gpu.kernels.plan_device(), memory_bytes)),
        arena_bytes_(bytes_of_sorts(plan_, problem, gpu.kernels.plan_device())),
        arena_memory_(gpu.kernels, arena_bytes_),
        sorted_(gpu.kernels, std::size_t(plan_.one_round ? n_ : 0)),
        run_keys_(gpu.kernels, plan_.one_round ? 0 : std::size_t(n_)),
        run_values_(gpu.kernels, plan_.one_round || !has_values<Element> ? 0 : std::size_t(n_)) {
    if (plan_.one_round && parts() > 1) merge_ = std::make_unique<Merge>(gpu.kernels, n_, int(parts()));
    for (int i = 0; i < 2; ++i) {
      slots_.emplace_back(gpu.kernels, std::size_t(slot_of(plan_, n_, gpu.kernels.plan_device())));
      if (!plan_.one_round) sorted_slots_.emplace_back(gpu.kernels, std::size_t(plan_.part));
    }
  }

  const HostPlan& plan() const { return plan_; }
  /// The plan takes at most so many bytes of the GPU's memory. Throws OutOfDeviceMemory.
  static HostPlan plan(const Problem& problem, const PlanDevice& device, std::size_t memory_bytes) {
    return plan_host(Index(problem.n), problem.parameters.at("parts"), ListedRuns::most, memory_bytes,
                     [&](const HostPlan& plan) { return bytes_of(plan, problem, device); });
  }
  /// The elements that a block merges, of so many parts.
  static Index tile_of_merge(Index parts, const PlanDevice& device) {
    return Merge::tile_size(int(parts), device);
  }

  /// From host memory to host memory, of which what is pinned for the GPU is copied at the link's rate,
  /// beside kernels. The output may be the input; otherwise the input stays as it is. Returns when it is
  /// done.
  void run(const InputArrays& input, const OutputArrays& output) override try {
    const auto from = detail::list_of<Element>(input, u64(n_));
    const auto to = detail::list_of<Element>(output, u64(n_));
    if (plan_.one_round) {
      sort_parts_in(from);
      copy_merged_out(to);
    } else {
      const ListOf<Element> runs = runs_in_host_memory();
      sort_parts(
          [&](Index part, ListOf<Element> slot) { upload(from.from(begin_of(part)), slot, size_of(part)); },
          runs);
      wait();  // the host reads the runs
      Gather gather(*this, read_only(runs));
      sort_parts([&](Index part, ListOf<Element> slot) { gather(part, slot); }, to);
    }
    wait();
  } catch (...) {
    // The caller may release memory that is still being copied.
    for (Executor* each : {&gpu_.in, &gpu_.kernels, &gpu_.out}) try {
        each->synchronize();
      } catch (const KernelFailure&) {  // the first failure is the one to tell
      }
    throw;
  }

 private:
  Index parts() const { return plan_.parts(n_); }
  Index begin_of(Index part) const { return std::min(part * plan_.part, n_); }
  Index size_of(Index part) const { return begin_of(part + 1) - begin_of(part); }
  RunsOfList runs_of_parts() const {
    RunsOfList runs;
    for (Index begin = 0; begin < n_; begin += plan_.part)
      runs.emplace_back(begin, std::min(n_, begin + plan_.part));
    return runs;
  }

  // ---- memory ----

  static constexpr std::size_t element_bytes =
      sizeof(Key) + (has_values<Element> ? sizeof(fathom::ValueOf<Element>) : 0);

  /// A slot takes a part, and a tile of the merge at least.
  static Index slot_of(const HostPlan& plan, Index n, const PlanDevice& device) {
    return plan.one_round && plan.parts(n) > 1 ? std::max(plan.part, tile_of_merge(plan.parts(n), device))
                                               : plan.part;
  }
  static std::size_t bytes_of(const HostPlan& plan, const Problem& problem, const PlanDevice& device) {
    const Index n = Index(problem.n);
    const Index elements = plan.one_round ? n + 2 * slot_of(plan, n, device) : 4 * plan.part;
    std::size_t bytes = std::size_t(elements) * element_bytes + bytes_of_sorts(plan, problem, device);
    if (plan.one_round && plan.parts(n) > 1) {
      RecordingExecutor recorder(device);
      const Merge merge(recorder, n, int(plan.parts(n)));
      bytes += recorder.arena_bytes();
    }
    return bytes;
  }
  /// Work space of the sort of a part, and of the last one.
  static std::size_t bytes_of_sorts(const HostPlan& plan, const Problem& problem, const PlanDevice& device) {
    const Index n = Index(problem.n);
    std::size_t most = 0;
    for (const Index count : {std::min(plan.part, n), n % plan.part}) {
      if (count == 0) continue;
      RecordingExecutor recorder(device);
      sort_of_parts().make_call(recorder, problem_of_part(problem, count));
      most = std::max(most, recorder.arena_bytes());
    }
    return most;
  }

  // ---- steps ----
  //
  // A step gives each stream work that needs what other streams were given in steps before, and no more.

  void next_step() {
    gpu_.in.after(gpu_.kernels);
    gpu_.out.after(gpu_.kernels);
    gpu_.kernels.after(gpu_.in);
    gpu_.kernels.after(gpu_.out);
  }
  void wait() {
    gpu_.in.synchronize();
    gpu_.kernels.synchronize();
    gpu_.out.synchronize();
  }
  bool is_part(Index part) const { return part >= 0 && part < parts(); }
  static ListOf<Element> slot(const std::vector<DeviceList<Element>>& slots, Index part) {
    return slots[std::size_t(part % 2)].list();
  }

  /// One round: all parts, sorted, on the GPU.
  void sort_parts_in(ConstListOf<Element> input) {
    for (Index step = 0; step < parts() + 1; ++step) {
      next_step();
      if (is_part(step - 1)) sort(step - 1, sorted_.list().from(begin_of(step - 1)));
      if (is_part(step)) upload(input.from(begin_of(step)), slot(slots_, step), size_of(step));
    }
  }
  void copy_merged_out(ListOf<Element> output) {
    const ConstListOf<Element> runs = read_only(sorted_.list());
    if (!merge_) {
      gpu_.out.after(gpu_.kernels);
      return download(runs, output, n_);
    }
    next_step();
    merge_->select(runs, runs_of_parts());
    const Index tile = merge_->tile_size(), of_piece = std::max<Index>(1, plan_.part / tile);
    const Index pieces = ceil_div(merge_->tiles(), of_piece);
    for (Index step = 0; step < pieces + 1; ++step) {
      next_step();
      if (const Index first = step * of_piece; step < pieces)
        merge_->merge(runs, first, std::min(of_piece, merge_->tiles() - first), slot(slots_, step));
      if (const Index first = (step - 1) * of_piece * tile; step > 0)
        download(read_only(slot(slots_, step - 1)), output.from(first),
                 std::min(of_piece * tile, n_ - first));
    }
  }

  /// Two rounds, one of them: `copy_in(part, slot)` queues what fills a slot with a part.
  template <class CopyIn>
  void sort_parts(CopyIn copy_in, ListOf<Element> output) {
    for (Index step = 0; step < parts() + 2; ++step) {
      next_step();
      if (is_part(step - 1)) sort(step - 1, slot(sorted_slots_, step - 1));
      if (is_part(step)) copy_in(step, slot(slots_, step));
      if (const Index part = step - 2; is_part(part))
        download(read_only(slot(sorted_slots_, part)), output.from(begin_of(part)), size_of(part));
    }
  }

  /// Gathers the elements of each part of the result, in order, from the sorted parts in host memory.
  class Gather {
   public:
    Gather(SortHost& of, ConstListOf<Element> runs)
        : of_(of), runs_(runs), cuts_(std::size_t(of.parts()), 0) {
      for (Index run = 0; run < of.parts(); ++run)
        keys_.emplace_back(keys_of(runs).data + of.begin_of(run), std::size_t(of.size_of(run)));
    }
    void operator()(Index part, ListOf<Element> slot) {
      const std::vector<Index> next = cut_runs(keys_, of_.begin_of(part + 1));
      Index filled = 0;
      for (std::size_t run = 0; run < next.size(); ++run) {
        const Index count = next[run] - cuts_[run];
        of_.upload(runs_.from(of_.begin_of(Index(run)) + cuts_[run]), slot.from(filled), count);
        filled += count;
      }
      cuts_ = next;
    }

   private:
    SortHost& of_;
    ConstListOf<Element> runs_;
    std::vector<std::span<const Key>> keys_;
    std::vector<Index> cuts_;
  };

  // ---- what a step does ----

  void upload(ConstListOf<Element> from, ListOf<Element> to, Index count) {
    const std::size_t n = std::size_t(count);
    if (n == 0) return;
    gpu_.in.upload_queued(keys_of(to).data, keys_of(from).data, n * sizeof(Key));
    if constexpr (has_values<Element>)
      gpu_.in.upload_queued(to.values.data, from.values.data, n * sizeof(fathom::ValueOf<Element>));
  }
  void download(ConstListOf<Element> from, ListOf<Element> to, Index count) {
    const std::size_t n = std::size_t(count);
    if (n == 0) return;
    gpu_.out.download_queued(keys_of(to).data, keys_of(from).data, n * sizeof(Key));
    if constexpr (has_values<Element>)
      gpu_.out.download_queued(to.values.data, from.values.data, n * sizeof(fathom::ValueOf<Element>));
  }

  void sort(Index part, ListOf<Element> to) {
    if (const Index count = size_of(part); count != ready_for_) {
      auto arena = std::make_unique<ArenaExecutor>(gpu_.kernels, arena_memory_.data(), arena_bytes_);
      call_ = sort_of_parts().make_call(*arena, problem_of_part(problem_, count));
      loaded_.insert(arena->kernels().begin(), arena->kernels().end());
      arena_ = std::move(arena);
      ready_for_ = count;
    }
    const ListOf<Element> from = slot(slots_, part);
    if constexpr (has_values<Element>)
      call_->run({from.keys.data, from.values.data}, {to.keys.data, to.values.data});
    else
      call_->run({from.data}, {to.data});
  }

  ListOf<Element> runs_in_host_memory() {
    return detail::list_of<Element>(OutputArrays{run_keys_.data(), run_values_.data()}, u64(n_));
  }

  HostStreams gpu_;
  Problem problem_;
  Index n_;
  HostPlan plan_;
  std::size_t arena_bytes_;
  DeviceArray<std::byte> arena_memory_;  // of call_
  DeviceList<Element> sorted_;           // of one round
  HostArray<Key> run_keys_;              // of two rounds
  HostArray<fathom::ValueOf<Element>> run_values_;
  std::vector<DeviceList<Element>> slots_,
      sorted_slots_;  // for even and odd parts, before and after the sort
  std::unique_ptr<Merge> merge_;
  std::unique_ptr<ArenaExecutor> arena_;
  std::unique_ptr<Call> call_;
  Index ready_for_ = 0;  // elements that call_ sorts
  std::set<std::shared_ptr<const PreparedKernel>>
      loaded_;  // launches of them may be queued when call_ is another
};

}  // namespace fathom
