// SPDX-License-Identifier: Apache-2.0
// Sums of nine neighbours, with a halo in shared memory: the kernel and, below it, its plan, its input and
// its check.
#pragma once

#include <fathom/device/contract/contract.h>

namespace own {

using namespace fathom;

inline constexpr int radius = 4;

/// output[i] = input[i − radius] + … + input[i + radius], and zeros beyond both ends. A block loads its tile
/// and, on either side, `radius` elements of its neighbours' tiles.
template <class T, class Elements = Number, class Threads = Number>
struct Stencil {
  static constexpr const char* header = "stencil.h";

  Span<const T> input;
  Span<T> output;
  Elements elements_per_thread;
  Threads threads_per_block;

  static int shared_memory(int tile) { return shared_bytes<T>(tile + 2 * radius); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const int tile = elements_per_thread * threads_per_block, thread = block.thread();
    const Index first = block.index() * tile;
    const Shared<T> window = block.template shared<T>(tile + 2 * radius);

    FATHOM_UNROLL
    for (int k = 0; k < elements_per_thread; ++k) {
      const int j = k * threads_per_block + thread;
      window.store(radius + j, element(first + j));
    }
    if (thread < radius) {
      window.store(thread, element(first - radius + thread));
      window.store(radius + tile + thread, element(first + tile + thread));
    }
    block.barrier();
    FATHOM_UNROLL
    for (int k = 0; k < elements_per_thread; ++k) {
      const int j = k * threads_per_block + thread;
      T sum{};
      FATHOM_UNROLL
      for (int d = 0; d <= 2 * radius; ++d) sum = sum + window.load(j + d);
      if (first + j < Index(output.count)) output.store(first + j, sum);
    }
  }

 private:
  FATHOM_DEVICE
  T element(Index i) const { return i >= 0 && i < Index(input.count) ? input.load(i) : T{}; }
};

}  // namespace own

#ifndef __CUDACC_RTC__  // what follows is not compiled for the GPU

#include <fathom/algorithms/check/run_check.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/device/prepared_plan.h>

std::span<const fathom::HeaderText> own_headers();  // made by CMakeLists.txt

namespace own {

template <class T>
class StencilSolver {
  using Kernel = Stencil<T>;

 public:
  StencilSolver(Executor& executor, Index n, int elements, int threads)
      : elements_(elements),
        threads_(threads),
        plan_(executor, plan(n, elements, threads, executor.plan_device())) {}

  static Plan plan(Index n, int elements, int threads, const PlanDevice&) {
    const int tile = elements * threads;
    Launch launch = make_launch<Kernel, own_headers>(
        ceil_div(n, tile), {threads, Kernel::shared_memory(tile)}, {elements, threads});
    launch.grid = Grid::tiles;
    launch.tile = tile;
    return {launch};
  }

  void run(Span<const T> input, Span<T> output) {
    plan_.launch(0, Kernel{input, output, elements_, threads_});
  }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

  static void fill(Executor& executor, Span<T> input, Input pattern) {
    fill_summands<T>(executor, input, pattern);
  }
  static Index outputs(Index n) { return n; }
  static void check(Executor& executor, Span<const T> input, Span<const T> output) {
    const std::vector<T> in = download(executor, input), out = download(executor, output);
    const Index n = Index(in.size());
    for (Index i = 0; i < n; ++i) {
      T sum{};  // in the kernel's order, so that floating-point numbers round alike
      for (Index j = max(Index(0), i - radius); j <= min(n - 1, i + radius); ++j)
        sum = sum + in[std::size_t(j)];
      if (out[std::size_t(i)] != sum) wrong_result("sum " + std::to_string(i) + " differs");
    }
  }

 private:
  int elements_, threads_;
  PreparedPlan plan_;
};

inline Algorithm stencil() {
  return make_algorithm<StencilSolver>(
      {.slug = "stencil",
       .group = "own",
       .source = "examples/own-kernel",
       .parameters = {{"E", "elements per thread", {1, 2, 4, 8, 16}, 4},
                      {"t", "threads per block", {128, 256, 512, 1024}, 256}}},
      Types<u32, f32>{}, "E", "t");
}

}  // namespace own

#endif
