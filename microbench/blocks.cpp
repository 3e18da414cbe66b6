// How fast do nearly empty blocks start and end?
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
  const std::vector<int> widths = {32, 64, 128, 256, 512, 1024};
  const std::vector<int> per_multiprocessor = {64, 512, 4096};
  std::vector<Series> series;
  const std::size_t points = widths.size() * per_multiprocessor.size();
  for (const int threads : widths) {
    if (threads > bench.gpu.threads_per_multiprocessor / 2) continue;
    const auto kernel = bench.executor.prepare_cuda(short_blocks_text, "short_blocks", {threads});
    for (const int count : per_multiprocessor) {
      bench.progress("block-start", series.size(), points);
      const int blocks = count * bench.gpu.multiprocessors;
      series.push_back(bench.timed("block-start", {{"threads", double(threads)}, {"blocks", double(blocks)}},
                                   [&] { launch(bench.executor, *kernel, blocks, bench.to.data(), ~0u); }));
    }
  }
  bench.progress("block-start", points, points);
  return series;
}

}  // namespace fathom::microbench
