// SPDX-License-Identifier: Apache-2.0
// How fast do nearly empty blocks start and end? And how long does it take until a block starts in the place
// of one that has ended?
#include <fathom/microbench/bench.h>

namespace fathom::microbench {

// The store never happens, but the compiler cannot know that: every thread computes its index, as in any
// kernel.
const char* const short_blocks_text = R"(
__global__ void short_blocks(unsigned* to, unsigned nobody) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index == nobody) *to = index;
}
)";

std::vector<Series> measure_block_starts(Bench& bench) {
  std::vector<int> widths = {32, 64, 128, 256, 512, 1024};
  if (bench.quick) widths = {32, 1024};  // those that are fitted
  const std::vector<int> per_multiprocessor = {64, 512, 4096};
  std::vector<Series> series;
  const std::size_t points = widths.size() * per_multiprocessor.size();
  for (const int threads : widths) {
    if (threads > bench.gpu.threads_per_multiprocessor / 2) continue;
    const auto kernel = bench.executor.prepare_cuda(short_blocks_text, "short_blocks", {threads});
    for (const int count : per_multiprocessor) {
      bench.progress("block-start", series.size(), points);
      const int blocks = count * bench.gpu.multiprocessors;
      series.push_back(bench.timed(benchmarks::block_start,
                                   {{along::threads, double(threads)}, {along::blocks, double(blocks)}},
                                   [&] { launch(bench.executor, *kernel, blocks, bench.to.data(), ~0u); }));
    }
  }
  bench.progress("block-start", points, points);
  return series;
}

std::vector<Series> measure_block_turnovers(Bench& bench) {
  constexpr int threads = 128;
  const Residency alone = residency_of_blocks(bench.gpu, 1, threads);
  const auto kernel = bench.prepare(short_blocks_text, "short_blocks", alone);
  std::vector<Series> series;
  for (const int in_a_row : {64, 512}) {
    bench.progress("block-turnover", series.size(), 2);
    const int blocks = in_a_row * bench.gpu.multiprocessors;
    series.push_back(bench.timed(benchmarks::block_turnover, {{along::blocks, double(blocks)}},
                                 [&] { launch(bench.executor, *kernel, blocks, bench.to.data(), ~0u); }));
  }
  bench.progress("block-turnover", 2, 2);
  return series;
}

}  // namespace fathom::microbench
