// SPDX-License-Identifier: Apache-2.0
// The cost of sectors that are written in two parts, as where tiles are scattered: with some time between the
// parts, so that they may have left the L2, and close together, by blocks that run at the same time.
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

namespace fathom::microbench {

// A copy by a fixed grid. Each block has consecutive tiles, of which it writes every run of a few words to
// where the same run of the tile before it has ended. Runs of 8 and 24 words in turn, in the next tile of 24
// and 8, fill sectors; of 10 and 22 words, three words further, they never do, so that each sector where two
// of them meet is written in parts, one tile apart. Warps keep step at barriers.
const char* const written_runs_text = R"(
template <bool cut>
__global__ void __launch_bounds__(256) written_runs(const unsigned* from, unsigned* to, unsigned tiles) {
  constexpr unsigned words = 16, pair = 32, mean = pair / 2, shorter = cut ? 10 : 8, shift = cut ? 3 : 0;
  const unsigned tile = blockDim.x * words;
  const unsigned begin = unsigned((unsigned long long)tiles * blockIdx.x / gridDim.x);
  const unsigned end = unsigned((unsigned long long)tiles * (blockIdx.x + 1) / gridDim.x);
  for (unsigned k = begin; k < end; ++k) {
    unsigned word[words];
#pragma unroll
    for (int i = 0; i < words; ++i) word[i] = from[k * tile + i * blockDim.x + threadIdx.x];
    __syncthreads();
    const unsigned first = k % 2 == 0 ? shorter : pair - shorter;  // length of a pair's first run
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const unsigned at = i * blockDim.x + threadIdx.x, second = at % pair >= first;
      const unsigned run = at / pair * 2 + second, in_run = at % pair - (second ? first : 0);
      const unsigned before = k % 2 == 0 ? k * mean : (k - 1) * mean + (second ? pair - shorter : shorter);
      to[run * (tiles * mean) + before + in_run + shift] = word[i];
    }
    __syncthreads();
  }
}

template <bool cut>
__global__ void __launch_bounds__(512) partial_sectors(const unsigned* from, unsigned* to, unsigned tiles) {
  constexpr unsigned words = 16, run = 32, shift = cut ? 3 : 0;
  unsigned word[words];
#pragma unroll
  for (unsigned i = 0; i < words; ++i) word[i] = from[(blockIdx.x * words + i) * blockDim.x + threadIdx.x];
#pragma unroll
  for (unsigned i = 0; i < words; ++i) {
    const unsigned at = i * blockDim.x + threadIdx.x;
    to[(at / run * tiles + blockIdx.x) * run + at % run + shift] = word[i];
  }
}
)";

namespace {

/// Word `at` of tile i goes to run at / 32 of the output, behind those of the tiles before: where a pass of a
/// radix sort by 8 bits puts keys that are spread evenly. One block has a tile, so that the neighbour's part
/// of a sector follows soon. Runs of 32 words begin at a sector, or three words later: then each has two
/// parts.
void measure_partial_sectors(Bench& bench, std::vector<Series>& series) {
  constexpr int threads = 512;
  constexpr std::size_t tile = std::size_t{16} * threads, runs_of_a_tile = tile / 32,
                        most_words = std::size_t{1} << 28;
  const std::size_t tiles = std::min(bench.to.size(), most_words) / tile - 1;
  for (const bool cut : {false, true}) {
    bench.progress("partial-sectors", cut, 2);
    const auto kernel =
        bench.executor.prepare_cuda(written_runs_text, fmt::format("partial_sectors<{}>", cut), {threads});
    series.push_back(bench.timed(benchmarks::partial_sectors,
                                 {{along::cut, double(cut)},
                                  {along::bytes, double(tiles * tile * 2 * sizeof(unsigned))},
                                  {along::parts, double(2 * tiles * runs_of_a_tile)}},
                                 [&] {
                                   launch(bench.executor, *kernel, int(tiles), bench.from.data(),
                                          bench.to.data(), unsigned(tiles));
                                 }));
  }
  bench.progress("partial-sectors", 2, 2);
}

}  // namespace

std::vector<Series> measure_written_runs(Bench& bench) {
  constexpr int threads = 256, blocks_on_each = 4;
  constexpr std::size_t tile = std::size_t{16} * threads, mean_run = 16, most_words = std::size_t{1} << 28;
  const std::size_t words = std::min(bench.to.size(), most_words);
  // An odd number, so that the places of a tile's runs are not a power of two apart.
  const std::size_t tiles = words / tile - 1;
  const Residency resident = residency_of_blocks(bench.gpu, blocks_on_each, threads);
  const int blocks = resident.blocks * bench.gpu.multiprocessors;
  constexpr std::size_t runs_of_tile = tile / mean_run;

  std::vector<Series> series;
  for (const bool cut : {false, true}) {
    bench.progress("written-runs", series.size(), 2);
    const auto kernel = bench.prepare(written_runs_text, fmt::format("written_runs<{}>", cut), resident);
    series.push_back(bench.timed(benchmarks::written_runs,
                                 {{along::cut, double(cut)},
                                  {along::bytes, double(tiles * tile * 2 * sizeof(unsigned))},
                                  {along::meetings, double((tiles - std::size_t(blocks)) * runs_of_tile)}},
                                 [&] {
                                   launch(bench.executor, *kernel, blocks, bench.from.data(), bench.to.data(),
                                          unsigned(tiles));
                                 }));
  }
  bench.progress("written-runs", 2, 2);
  measure_partial_sectors(bench, series);
  return series;
}

}  // namespace fathom::microbench
