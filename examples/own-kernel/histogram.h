// SPDX-License-Identifier: Apache-2.0
// Counts the elements in 256 bins, with counters per block: the kernels and, below them, their plan, input
// and check.
#pragma once

#include <fathom/device/contract/contract.h>

namespace own {

using namespace fathom;

inline constexpr int bins = 256;

FATHOM_DEVICE
constexpr int bin_of(u32 element) {
  return int(element >> 24);
}

struct ClearBins {
  static constexpr const char* header = "histogram.h";

  Span<u32> counts;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const { counts.store(block.thread(), 0); }
};

/// Adds the blocks' counts to `counts`. The grid fills the GPU, and its blocks take tiles in turn.
template <class Elements = Number, class Threads = Number>
struct Histogram {
  static constexpr const char* header = "histogram.h";

  Span<const u32> input;
  Span<u32> counts;
  Elements elements_per_thread;
  Threads threads_per_block;

  static int shared_memory() { return shared_bytes<u32>(bins); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(input.count), tile = elements_per_thread * threads_per_block;
    const Shared<u32> own = block.template shared<u32>(bins);
    for (int bin = block.thread(); bin < bins; bin += threads_per_block) own.store(bin, 0);
    block.barrier();
    for (Index first = block.index() * tile + block.thread(); first < n; first += block.blocks() * tile) {
      // All loads come first: one of them would wait for the addition before it.
      Registers<u32, Elements> elements(elements_per_thread);
      FATHOM_UNROLL
      for (int k = 0; k < elements_per_thread; ++k)
        if (first + k * threads_per_block < n) elements[k] = input.load(first + k * threads_per_block);
      FATHOM_UNROLL
      for (int k = 0; k < elements_per_thread; ++k)
        if (first + k * threads_per_block < n) own.atomic_add(bin_of(elements[k]), 1);
    }
    block.barrier();
    for (int bin = block.thread(); bin < bins; bin += threads_per_block)
      counts.atomic_add_relaxed(bin, own.load(bin));
  }
};

}  // namespace own

#ifndef __CUDACC_RTC__  // what follows is not compiled for the GPU

#include <fathom/algorithms/check/run_check.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/device/prepared_plan.h>

std::span<const fathom::HeaderText> own_headers();  // made by CMakeLists.txt

namespace own {

/// Solves for u32 only.
template <class T>
class HistogramSolver {
  using Kernel = Histogram<>;

 public:
  HistogramSolver(Executor& executor, Index n, int elements, int threads)
      : elements_(elements),
        threads_(threads),
        plan_(executor, plan(n, elements, threads, executor.plan_device())) {}

  static Plan plan(Index n, int elements, int threads, const PlanDevice& device) {
    Launch count =
        make_launch<Kernel, own_headers>(1, {threads, Kernel::shared_memory()}, {elements, threads});
    count.grid = Grid::resident;
    count.tile = elements * threads;
    count.blocks = min(device.resident(count), ceil_div(n, elements * threads));
    return {make_launch<ClearBins, own_headers>(1, {bins}, {}, 1, bins), count};
  }

  void run(Span<const T> input, Span<T> output) {
    plan_.launch(0, ClearBins{output});
    plan_.launch(1, Kernel{input, output, elements_, threads_});
  }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

  static void fill(Executor& executor, Span<T> input, Input pattern) {
    fill_keys<T>(executor, input, pattern);
  }
  static Index outputs(Index) { return bins; }
  static void check(Executor& executor, Span<const T> input, Span<const T> output) {
    std::vector<u32> counts(bins);
    for (const T element : download(executor, input)) ++counts[std::size_t(bin_of(element))];
    const std::vector<T> out = download(executor, output);
    for (std::size_t bin = 0; bin < bins; ++bin)
      if (out[bin] != counts[bin])
        wrong_result("bin " + std::to_string(bin) + " has " + std::to_string(out[bin]) + " elements, not " +
                     std::to_string(counts[bin]));
  }

 private:
  int elements_, threads_;
  PreparedPlan plan_;
};

inline Algorithm histogram() {
  return make_algorithm<HistogramSolver>(
      {.slug = "histogram",
       .group = "own",
       .source = "examples/own-kernel",
       .parameters = {{"E", "elements per thread and tile", {1, 2, 4, 8, 16}, 8},
                      {"t", "threads per block", {128, 256, 512, 1024}, 256}}},
      Types<u32>{}, "E", "t");
}

}  // namespace own

#endif
