// SPDX-License-Identifier: Apache-2.0
// Bandwidth of DRAM and of the L2, each for reading, writing and copying, by narrow and by wide accesses: by
// a fixed grid that walks through the data, and, of DRAM, by blocks with a tile each, which is up to 7 %
// faster (data/h200/hardware/trials.txt).
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace fathom::microbench {
namespace {

struct Direction {
  const Benchmark &of_dram, &of_tiles, &of_l2;
  bool loads, stores;
};
constexpr Direction directions[] = {
    {benchmarks::stream_dram_read, benchmarks::tiles_dram_read, benchmarks::stream_l2_read, true, false},
    {benchmarks::stream_dram_write, benchmarks::tiles_dram_write, benchmarks::stream_l2_write, false, true},
    {benchmarks::stream_dram_copy, benchmarks::tiles_dram_copy, benchmarks::stream_l2_copy, true, true}};

const Benchmark& of_dram(const Direction& direction) {
  return direction.of_dram;
}
const Benchmark& of_l2(const Direction& direction) {
  return direction.of_l2;
}

struct Accesses {
  int width, independent;
};

Mix stream(const Direction& direction, Accesses accesses, bool through_l1) {
  return {.width = accesses.width,
          .through_l1 = through_l1,
          .loads = direction.loads ? accesses.independent : 0,
          .stores = direction.stores ? accesses.independent : 0};
}

const std::vector<Accesses> accesses_of_dram = {{4, 4}, {4, 8}, {16, 2}, {16, 4}},
                            accesses_of_l2 = {{4, 4}, {16, 1}, {16, 2}};

/// `bytes` is what all arrays walked through have together.
std::vector<Series> measure(Bench& bench, const Benchmark& (*of)(const Direction&),
                            const std::vector<Accesses>& accesses, bool through_l1, std::size_t bytes) {
  const Residency resident = residency(bench.gpu, bench.warps().back());
  const std::size_t points = std::size(directions) * accesses.size();
  std::vector<Series> series;
  for (const Direction& direction : directions)
    for (const Accesses& one : accesses) {
      bench.progress(of(direction).name, series.size(), points);
      const Mix mix = stream(direction, one, through_l1);
      const Launch run = bench.mix(resident, mix, direction.loads && direction.stores ? bytes / 2 : bytes);
      const unsigned steps = bench.steps_of_launch(run);
      const double threads = double(resident.blocks) * bench.gpu.multiprocessors * resident.shape.threads;
      series.push_back(bench.timed(of(direction),
                                   {{along::width, double(one.width)},
                                    {along::I, double(one.independent)},
                                    {along::bytes, steps * threads * one.width * (mix.loads + mix.stores)}},
                                   [&] { run(steps); }));
    }
  bench.progress("stream", points, points);
  return series;
}

// A block has a tile of 16·I bytes per thread. What is only read must decide something, and nothing is
// written then but by a chance of 2^-32.
const char* const tiles_text = R"(
template <int I, bool loads, bool stores>
__global__ void tiles(const uint4* from, uint4* to, unsigned value) {
  const unsigned long long first = (unsigned long long)blockIdx.x * (blockDim.x * I) + threadIdx.x;
  uint4 word[I];
  unsigned seen = 0;
#pragma unroll
  for (int i = 0; i < I; ++i) {
    word[i] = loads ? from[first + i * blockDim.x] : uint4{value, value, value, value};
    seen ^= word[i].x ^ word[i].y ^ word[i].z ^ word[i].w;
  }
#pragma unroll
  for (int i = 0; i < I; ++i)
    if (stores || seen == value) to[first + i * blockDim.x] = word[i];
}
)";

struct Tile {
  int threads, independent;
};
const std::vector<Tile> tiles_of_dram = {{128, 2}, {256, 1}, {256, 4}};

std::string expression(const Direction& direction, const Tile& tile) {
  return fmt::format("tiles<{}, {}, {}>", tile.independent, direction.loads, direction.stores);
}

std::vector<Series> measure_tiles(Bench& bench) {
  const std::size_t points = std::size(directions) * tiles_of_dram.size();
  std::vector<Series> series;
  for (const Direction& direction : directions)
    for (const Tile& tile : tiles_of_dram) {
      bench.progress(direction.of_tiles.name, series.size(), points);
      const auto kernel =
          bench.executor.prepare_cuda(tiles_text, expression(direction, tile), {tile.threads});
      const std::size_t tile_bytes = std::size_t{16} * std::size_t(tile.independent * tile.threads);
      const std::size_t blocks = bench.from.bytes() / tile_bytes;
      const int arrays = direction.loads + direction.stores;
      series.push_back(bench.timed(
          direction.of_tiles,
          {{along::threads, double(tile.threads)},
           {along::I, double(tile.independent)},
           {along::bytes, double(blocks * tile_bytes) * arrays}},
          [&] { launch(bench.executor, *kernel, int(blocks), bench.from.data(), bench.to.data(), 1u); }));
    }
  bench.progress("tiles", points, points);
  return series;
}

}  // namespace

std::vector<CudaSource> kernels_of_streams(const Bench& bench) {
  std::vector<std::string> expressions;
  for (const Direction& direction : directions) {
    for (const Accesses& one : accesses_of_dram)
      expressions.push_back(expression(stream(direction, one, true)));
    for (const Accesses& one : accesses_of_l2)
      expressions.push_back(expression(stream(direction, one, false)));
  }
  std::vector<CudaSource> all =
      sources(with_launch_bounds(mix_text, bench.gpu.threads_per_multiprocessor), expressions);
  std::vector<std::string> by_tiles;
  for (const Direction& direction : directions)
    for (const Tile& tile : tiles_of_dram) by_tiles.push_back(expression(direction, tile));
  std::ranges::move(sources(tiles_text, by_tiles), std::back_inserter(all));
  return all;
}

// Loads from the L2 bypass the L1, which otherwise keeps what it reads again; loads from DRAM pass through
// it, as in any kernel. A quarter of the L2, as in l2.cpp, or one step of the grid if that is more.
std::vector<Series> measure_streams(Bench& bench) {
  std::vector<Series> series = measure(bench, of_dram, accesses_of_dram, true, bench.from.bytes());
  std::ranges::move(measure_tiles(bench), std::back_inserter(series));
  std::ranges::move(measure(bench, of_l2, accesses_of_l2, false, bench.gpu.l2_bytes / 4),
                    std::back_inserter(series));
  return series;
}

}  // namespace fathom::microbench
