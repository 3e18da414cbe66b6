// SPDX-License-Identifier: Apache-2.0
// Sorts an array in host memory on GPUs, in parts that are copied in and out beside kernels.
//
// One round, on one GPU whose memory holds the array and a few parts: each part is sorted, into its place on
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
// Several GPUs share the parts of both rounds, and need no link between them: all that they exchange is in
// host memory after the first round. On g GPUs a round takes (P / g + 2) / P as long as copying n bytes in
// and n bytes out at once, for P parts on all GPUs together. One round would need an exchange, and a copy out
// that waits for it, while the links to the host work in one direction at a time.
//
// Either way each element of a part passes through a sort that is stable, in the order of the keys' bits.
#pragma once

#include <fathom/algorithms/gpus/merge_received.h>
#include <fathom/algorithms/host/cut_runs.h>
#include <fathom/algorithms/host/on_each_gpu.h>
#include <fathom/algorithms/host/part_sorter.h>

#include <stdexcept>
#include <string>

namespace fathom {

/// Keys or records of these types. Of the problem's parameters, `parts` says how many parts there are at
/// least (HostPlan), and `gpus` how many GPUs.
template <class Element, class Stability>
class SortHost final : public Call {
  using Key = KeyOf<Element>;
  using Merge = MergeReceived<Element, Stability>;

 public:
  /// Uses at most so many bytes of the memory of each GPU; all are of one kind. Throws OutOfDeviceMemory,
  /// OutOfHostMemory, std::invalid_argument for another number of GPUs than the problem's.
  SortHost(const std::vector<HostStreams>& gpus, const Problem& problem, std::size_t memory_bytes)
      : gpus_(gpus),
        plan_(plan(problem, first_of(gpus, problem).plan_device(), memory_bytes)),
        sorted_(gpus_[0].kernels, std::size_t(plan_.one_round ? plan_.n : 0)),
        run_keys_(gpus_[0].kernels, plan_.one_round ? 0 : std::size_t(plan_.n)),
        run_values_(gpus_[0].kernels, plan_.one_round || !has_values<Element> ? 0 : std::size_t(plan_.n)),
        sorters_(gpus.size()) {
    if (merges(plan_)) merge_ = std::make_unique<Merge>(gpus_[0].kernels, plan_.n, int(plan_.parts()));
    on_each_gpu(gpus_, [&](std::size_t gpu) {
      Executor& kernels = gpus_[gpu].kernels;
      sorters_[gpu] = std::make_unique<PartSorter<Element>>(gpus_[gpu], problem, plan_,
                                                            slot_of(plan_, kernels.plan_device()));
    });
  }

  const HostPlan& plan() const { return plan_; }
  /// The plan takes at most so many bytes of each GPU's memory. Throws OutOfDeviceMemory.
  static HostPlan plan(const Problem& problem, const PlanDevice& device, std::size_t memory_bytes) {
    return plan_host({.n = Index(problem.n),
                      .gpus = problem.parameters.at("gpus"),
                      .parts = problem.parameters.at("parts"),
                      .most_merged = ListedRuns::most},
                     memory_bytes, [&](const HostPlan& plan) { return bytes_of(plan, problem, device); });
  }
  /// The elements that a block merges, of so many parts.
  static Index tile_of_merge(Index parts, const PlanDevice& device) {
    return Merge::tile_size(int(parts), device);
  }

  /// Sorts from host memory to host memory, of which what is pinned for the GPUs is copied at the link's
  /// rate, beside kernels. The output may be the input; otherwise the input stays as it is. Returns when it
  /// is done.
  void run(const InputArrays& input, const OutputArrays& output) override try {
    const auto from = detail::list_of<Element>(input, u64(plan_.n));
    const auto to = detail::list_of<Element>(output, u64(plan_.n));
    if (plan_.one_round) {
      gpus_[0].kernels.use_on_this_thread();
      sort_parts_in(from);
      copy_merged_out(to);
      sorters_[0]->wait();
      return;
    }
    const ListOf<Element> runs =
        detail::list_of<Element>(OutputArrays{run_keys_.data(), run_values_.data()}, u64(plan_.n));
    on_each_gpu(gpus_, [&](std::size_t gpu) {
      PartSorter<Element>& sorter = *sorters_[gpu];
      const auto copy_in = [&](Index part, ListOf<Element> slot) {
        sorter.upload(from.from(plan_.begin_of(part)), slot, plan_.size_of(part));
      };
      sorter.sort_parts(plan_.share_of(int(gpu)), copy_in, runs);
    });
    on_each_gpu(gpus_, [&](std::size_t gpu) {
      const PartRange share = plan_.share_of(int(gpu));
      sorters_[gpu]->sort_parts(share, Gather(*sorters_[gpu], plan_, read_only(runs), share.begin), to);
    });
  } catch (...) {
    for (const auto& sorter : sorters_) sorter->settle();  // the caller may release memory
    throw;
  }

 private:
  static Executor& first_of(const std::vector<HostStreams>& gpus, const Problem& problem) {
    const int asked = problem.parameters.at("gpus");
    if (int(gpus.size()) != asked)
      throw std::invalid_argument("`gpus` is " + std::to_string(asked) + ", but there are streams of " +
                                  std::to_string(gpus.size()));
    gpus[0].kernels.use_on_this_thread();
    return gpus[0].kernels;
  }

  // ---- memory ----

  static bool merges(const HostPlan& plan) { return plan.one_round && plan.parts() > 1; }
  /// A slot takes a part, and a tile of the merge at least.
  static Index slot_of(const HostPlan& plan, const PlanDevice& device) {
    return merges(plan) ? std::max(plan.part, tile_of_merge(plan.parts(), device)) : plan.part;
  }
  static std::size_t bytes_of(const HostPlan& plan, const Problem& problem, const PlanDevice& device) {
    constexpr std::size_t element_bytes =
        sizeof(Key) + (has_values<Element> ? sizeof(fathom::ValueOf<Element>) : 0);
    const Index elements = plan.one_round ? plan.n + 2 * slot_of(plan, device) : 4 * plan.part;
    std::size_t bytes =
        std::size_t(elements) * element_bytes + PartSorter<Element>::work_bytes(plan, problem, device);
    if (merges(plan)) {
      RecordingExecutor recorder(device);
      const Merge merge(recorder, plan.n, int(plan.parts()));
      bytes += recorder.arena_bytes();
    }
    return bytes;
  }

  // ---- one round ----

  /// Leaves all parts, sorted, on the GPU.
  void sort_parts_in(ConstListOf<Element> input) {
    PartSorter<Element>& sorter = *sorters_[0];
    const PartRange all = plan_.share_of(0);
    for (Index step = 0; step < all.end + 1; ++step) {
      sorter.next_step();
      if (all.contains(step - 1)) sorter.sort(step - 1, sorted_.list().from(plan_.begin_of(step - 1)));
      if (all.contains(step))
        sorter.upload(input.from(plan_.begin_of(step)), sorter.slot(step), plan_.size_of(step));
    }
  }
  void copy_merged_out(ListOf<Element> output) {
    PartSorter<Element>& sorter = *sorters_[0];
    const ConstListOf<Element> runs = read_only(sorted_.list());
    sorter.next_step();
    if (!merge_) return sorter.download(runs, output, plan_.n);
    merge_->select(runs, runs_of_parts());
    const Index tile = merge_->tile_size(), of_piece = std::max<Index>(1, plan_.part / tile);
    const Index pieces = ceil_div(merge_->tiles(), of_piece);
    for (Index step = 0; step < pieces + 1; ++step) {
      sorter.next_step();
      if (const Index first = step * of_piece; step < pieces)
        merge_->merge(runs, first, std::min(of_piece, merge_->tiles() - first), sorter.slot(step));
      if (const Index first = (step - 1) * of_piece * tile; step > 0)
        sorter.download(read_only(sorter.slot(step - 1)), output.from(first),
                        std::min(of_piece * tile, plan_.n - first));
    }
  }
  RunsOfList runs_of_parts() const {
    RunsOfList runs;
    for (Index part = 0; part < plan_.parts(); ++part)
      runs.emplace_back(plan_.begin_of(part), plan_.begin_of(part) + plan_.size_of(part));
    return runs;
  }

  // ---- two rounds ----

  /// Gathers the elements of parts of the result, one after the other from `first` on, from the sorted parts
  /// in host memory.
  class Gather {
   public:
    Gather(PartSorter<Element>& sorter, const HostPlan& plan, ConstListOf<Element> runs, Index first)
        : sorter_(sorter), plan_(plan), runs_(runs) {
      for (Index run = 0; run < plan.parts(); ++run)
        keys_.emplace_back(keys_of(runs).data + plan.begin_of(run), std::size_t(plan.size_of(run)));
      cuts_ = cut_runs(keys_, plan.begin_of(first));
    }
    void operator()(Index part, ListOf<Element> slot) {
      const std::vector<Index> next = cut_runs(keys_, plan_.begin_of(part + 1));
      Index filled = 0;
      for (std::size_t run = 0; run < next.size(); ++run) {
        const Index count = next[run] - cuts_[run];
        sorter_.upload(runs_.from(plan_.begin_of(Index(run)) + cuts_[run]), slot.from(filled), count);
        filled += count;
      }
      cuts_ = next;
    }

   private:
    PartSorter<Element>& sorter_;
    const HostPlan& plan_;
    ConstListOf<Element> runs_;
    std::vector<std::span<const Key>> keys_;
    std::vector<Index> cuts_;
  };

  std::vector<HostStreams> gpus_;
  HostPlan plan_;
  DeviceList<Element> sorted_;  // of one round
  HostArray<Key> run_keys_;     // of two rounds
  HostArray<fathom::ValueOf<Element>> run_values_;
  std::vector<std::unique_ptr<PartSorter<Element>>> sorters_;  // of each GPU
  std::unique_ptr<Merge> merge_;
};

}  // namespace fathom
