// SPDX-License-Identifier: Apache-2.0
// Transposes a matrix through shared memory: the kernel, one that makes its input, and below them its plan
// and its check.
#pragma once

#include <fathom/device/contract/contract.h>

namespace own {

using namespace fathom;

inline constexpr Index columns = 1024;  ///< of the input
inline constexpr int side = 32;         ///< of a tile
/// Between rows of a tile in shared memory. One more than the banks: a column, too, is in 32 different ones.
inline constexpr int pitch = side + 1;

/// Rows of `columns` elements become columns. The last row of the input may be incomplete; what it lacks is
/// left out of the output. One block per tile, of which every warp handles a row at a time.
template <class T, class Threads = Number>
struct Transpose {
  static constexpr const char* header = "transpose.h";

  Span<const T> input;
  Span<T> output;  ///< columns · rows
  Threads threads_per_block;

  static int shared_memory() { return shared_bytes<T>(side * pitch); }

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index n = Index(input.count), rows = Index(output.count) / columns;
    const Index tiles_across = columns / side;
    const Index first_row = block.index() / tiles_across * side;
    const Index first_column = block.index() % tiles_across * side;
    const int lane = block.lane(), warps = threads_per_block / warp_width;
    const Shared<T> tile = block.template shared<T>(side * pitch);

    FATHOM_UNROLL
    for (int k = 0; k < side; k += warps) {
      const int row = block.warp() + k;
      const Index i = (first_row + row) * columns + first_column + lane;
      if (i < n) tile.store(row * pitch + lane, input.load(i));
    }
    block.barrier();
    FATHOM_UNROLL
    for (int k = 0; k < side; k += warps) {
      const int column = block.warp() + k;
      const Index row = first_row + lane;
      if (row * columns + first_column + column < n)
        output.store((first_column + column) * rows + row, tile.load(lane * pitch + column));
    }
  }
};

/// The input: 0, 1, 2, … up to 2^24, which f32 can tell apart, and again from 0.
template <class T>
struct NumberElements {
  static constexpr const char* header = "transpose.h";

  Span<T> elements;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index i = block.index() * block.threads() + block.thread();
    if (i < Index(elements.count)) elements.store(i, T(i % (1 << 24)));
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
class TransposeSolver {
  using Kernel = Transpose<T>;

 public:
  TransposeSolver(Executor& executor, Index n, int threads)
      : threads_(threads), plan_(executor, plan(n, threads, executor.plan_device())) {}

  static Plan plan(Index n, int threads, const PlanDevice&) {
    const Index tiles = ceil_div(n, columns * side) * (columns / side);
    Launch launch = make_launch<Kernel, own_headers>(tiles, {threads, Kernel::shared_memory()}, {threads});
    launch.grid = Grid::tiles;
    launch.tile = double(side) * side;
    return {launch};
  }

  void run(Span<const T> input, Span<T> output) { plan_.launch(0, Kernel{input, output, threads_}); }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

  /// The pattern does not matter: a transposition does not look at its elements.
  static void fill(Executor& executor, Span<T> input, Input) {
    const Launch launch =
        make_launch<NumberElements<T>, own_headers>(ceil_div(Index(input.count), 256), {256});
    executor.launch(*executor.prepare(launch), launch.blocks, NumberElements<T>{input});
  }
  static Index outputs(Index n) { return ceil_div(n, columns) * columns; }
  static void check(Executor& executor, Span<const T> input, Span<const T> output) {
    const std::vector<T> in = download(executor, input), out = download(executor, output);
    const Index n = Index(in.size()), rows = Index(out.size()) / columns;
    for (Index i = 0; i < n; ++i)
      if (out[std::size_t(i % columns * rows + i / columns)] != in[std::size_t(i)])
        wrong_result("element " + std::to_string(i) + " is not where it belongs");
  }

 private:
  int threads_;
  PreparedPlan plan_;
};

inline Algorithm transpose() {
  return make_algorithm<TransposeSolver>(
      {.slug = "transpose",
       .group = "own",
       .source = "examples/own-kernel",
       .parameters = {{"t", "threads per block", {128, 256, 512, 1024}, 256}}},
      Types<u32, f32, u64>{}, "t");
}

}  // namespace own

#endif
