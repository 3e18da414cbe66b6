// SPDX-License-Identifier: Apache-2.0
// Sums the rows of a matrix: the kernel and, below it, its plan, its input and its check.
#pragma once

#include <fathom/device/contract/contract.h>

namespace own {

using namespace fathom;

inline constexpr int row_length = 256;  ///< a multiple of a warp's width

/// The rows follow each other; the last one may be incomplete. A warp per row, whose lanes read neighbouring
/// elements and then add up their sums by shuffles.
template <class T, class Threads = Number>
struct RowSums {
  static constexpr const char* header = "row_sums.h";

  Span<const T> input;
  Span<T> output;
  Threads threads_per_block;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(input.count);
    const Index row = block.index() * (threads_per_block / warp_width) + block.warp();
    if (row >= Index(output.count)) return;  // with all its lanes: the shuffles miss none
    T sum{};
    FATHOM_UNROLL
    for (int k = 0; k < row_length; k += warp_width) {
      const Index i = row * row_length + k + block.lane();
      if (i < n) sum = sum + input.load(i);
    }
    FATHOM_UNROLL
    for (int distance = warp_width / 2; distance > 0; distance /= 2)
      sum = sum + block.shuffle_down(sum, distance);
    if (block.lane() == 0) output.store(row, sum);
  }
};

}  // namespace own

#ifndef __CUDACC_RTC__  // what follows is not compiled for the GPU

#include <fathom/algorithms/check/run_check.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/device/prepared_plan.h>

std::span<const fathom::HeaderText> own_headers();  // made by CMakeLists.txt

namespace own {

template <class T>
class RowSumsSolver {
  using Kernel = RowSums<T>;

 public:
  RowSumsSolver(Executor& executor, Index n, int threads)
      : threads_(threads), plan_(executor, plan(n, threads, executor.plan_device())) {}

  static Plan plan(Index n, int threads, const PlanDevice&) {
    const int tile = threads / warp_width * row_length;
    Launch launch = make_launch<Kernel, own_headers>(ceil_div(n, tile), {threads}, {threads});
    launch.grid = Grid::tiles;
    launch.tile = tile;
    return {launch};
  }

  void run(Span<const T> input, Span<T> output) { plan_.launch(0, Kernel{input, output, threads_}); }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

  static void fill(Executor& executor, Span<T> input, Input pattern) {
    fill_summands<T>(executor, input, pattern);
  }
  static Index outputs(Index n) { return ceil_div(n, row_length); }
  static void check(Executor& executor, Span<const T> input, Span<const T> output) {
    std::vector<T> sums(output.count);
    const std::vector<T> in = download(executor, input), out = download(executor, output);
    for (std::size_t i = 0; i < in.size(); ++i) sums[i / row_length] = sums[i / row_length] + in[i];
    for (std::size_t row = 0; row < sums.size(); ++row)
      if (out[row] != sums[row]) wrong_result("the sum of row " + std::to_string(row) + " differs");
  }

 private:
  int threads_;
  PreparedPlan plan_;
};

/// For integers only, whose sums do not depend on the order.
inline Algorithm row_sums() {
  return make_algorithm<RowSumsSolver>(
      {.slug = "row-sums",
       .group = "own",
       .source = "examples/own-kernel",
       .parameters = {{"t", "threads per block", {128, 256, 512, 1024}, 256}}},
      Types<u32, u64>{}, "t");
}

}  // namespace own

#endif
