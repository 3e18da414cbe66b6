// SPDX-License-Identifier: Apache-2.0
// Looks elements up in a table, at places that look random: the kernel, one that makes table and places, and
// below them its plan and its check.
#pragma once

#include <fathom/device/contract/contract.h>

namespace own {

using namespace fathom;

/// A number below n, another one for each i below n, in an order that looks random. `bits` are those of n
/// − 1.
FATHOM_DEVICE
constexpr u32 shuffled(u32 i, Index n, int bits) {
  const u64 mask = (u64(1) << bits) - 1;
  u64 place = i;
  // Both steps of a round permute the numbers of so many bits. A place that is not below n is permuted again:
  // it is on a cycle with i, which is.
  do {
    for (int round = 0; round < 3; ++round) {
      place = place * 0x9e3779b1 & mask;
      place ^= place >> (bits + 1) / 2;
    }
  } while (Index(place) >= n);
  return u32(place);
}

/// output[i] = table[places[i]], with a thread per element.
template <class Threads = Number>
struct Gather {
  static constexpr const char* header = "gather.h";

  Span<const u32> table, places;
  Span<u32> output;
  Threads threads_per_block;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index i = block.index() * threads_per_block + block.thread();
    if (i < Index(output.count)) output.store(i, table.load(places.load(i)));
  }
};

struct Shuffle {
  static constexpr const char* header = "gather.h";

  Span<u32> output;
  int bits;

  template <class Block>
  FATHOM_DEVICE
  void operator()(Block& block) const {
    const Index i = block.index() * block.threads() + block.thread(), n = Index(output.count);
    if (i < n) output.store(i, shuffled(u32(i), n, bits));
  }
};

}  // namespace own

#ifndef __CUDACC_RTC__  // what follows is not compiled for the GPU

#include <fathom/algorithms/check/run_check.h>
#include <fathom/algorithms/make_algorithm.h>
#include <fathom/device/prepared_plan.h>

#include <bit>
#include <stdexcept>

std::span<const fathom::HeaderText> own_headers();  // made by CMakeLists.txt

namespace own {

/// Solves for u32 only. The input are the places; the table is the solver's.
template <class T>
class GatherSolver {
  using Kernel = Gather<>;

 public:
  GatherSolver(Executor& executor, Index n, int threads)
      : threads_(threads),
        plan_(executor, plan(n, threads, executor.plan_device())),
        table_(executor, std::size_t(n)) {
    shuffle(executor, table_.span());
  }

  static Plan plan(Index n, int threads, const PlanDevice&) {
    Launch launch = make_launch<Kernel, own_headers>(ceil_div(n, threads), {threads}, {threads});
    launch.grid = Grid::tiles;
    launch.tile = threads;
    return {launch};
  }

  void run(Span<const T> input, Span<T> output) {
    plan_.launch(0, Kernel{{table_.data(), table_.size()}, input, output, threads_});
  }
  std::vector<KernelResources> kernels() const { return plan_.resources(); }

  /// The pattern does not matter: keys are not places.
  static void fill(Executor& executor, Span<T> input, Input) { shuffle(executor, input); }
  static Index outputs(Index n) { return n; }
  static void check(Executor& executor, Span<const T> input, Span<const T> output) {
    const std::vector<T> places = download(executor, input), out = download(executor, output);
    const Index n = Index(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      if (out[i] != shuffled(places[i], n, bits(n)))
        wrong_result("element " + std::to_string(i) + " is not the table's");
  }

 private:
  static int bits(Index n) { return std::bit_width(u64(n - 1)); }
  static void shuffle(Executor& executor, Span<T> elements) {
    const Index n = Index(elements.count);
    if (n > Index(1) << 32) throw std::invalid_argument("gather: places of 32 bits reach 2^32 elements");
    const Launch launch = make_launch<Shuffle, own_headers>(ceil_div(n, 256), {256});
    executor.launch(*executor.prepare(launch), launch.blocks, Shuffle{elements, bits(n)});
  }

  int threads_;
  PreparedPlan plan_;
  DeviceArray<T> table_;
};

inline Algorithm gather() {
  return make_algorithm<GatherSolver>(
      {.slug = "gather",
       .group = "own",
       .source = "examples/own-kernel",
       .parameters = {{"t", "threads per block", {128, 256, 512, 1024}, 256}}},
      Types<u32>{}, "t");
}

}  // namespace own

#endif
