// Up to which footprint does the L2 keep data from one launch to the next, and how fast are accesses below
// and beyond it? Once for copying and once for reading only, because written data must leave the L2 again.
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace fathom::microbench {
namespace {

constexpr int independent = 4;
constexpr int launches = 16;

/// Footprints in whole steps of the full GPU, up to eight times the L2.
std::vector<unsigned> step_counts(const Bench& bench, std::size_t bytes_per_step) {
  std::vector<unsigned> counts;
  const double points_per_octave = bench.quick ? 2 : 4;
  for (int i = 0; counts.empty() || counts.back() * bytes_per_step < 8 * bench.gpu.l2_bytes; ++i) {
    const auto steps = unsigned(std::lround(std::exp2(i / points_per_octave)));
    if (counts.empty() || counts.back() < steps) counts.push_back(steps);
  }
  return counts;
}

/// Every launch walks once through the same `steps`·`bytes_per_step` bytes, in the same order. In a launch
/// with several walks, warps would drift apart and access words that another warp has just touched.
std::vector<Series> measure(Bench& bench, const std::string& benchmark, std::size_t bytes_per_step,
                            std::size_t most_bytes, const std::function<void(unsigned steps)>& walk) {
  std::vector<Series> series;
  auto counts = step_counts(bench, bytes_per_step);
  std::erase_if(counts, [&](unsigned steps) { return steps * bytes_per_step > most_bytes; });
  for (const unsigned steps : counts) {
    bench.progress(benchmark, series.size(), counts.size());
    series.push_back(bench.timed(
        benchmark, {{"bytes", double(steps * bytes_per_step)}, {"launches", double(launches)}}, [&] {
          for (int i = 0; i < launches; ++i) walk(steps);
        }));
  }
  bench.progress(benchmark, counts.size(), counts.size());
  return series;
}

}  // namespace

std::vector<Series> measure_footprints(Bench& bench) {
  const Residency resident = residency(bench.gpu, bench.warps().back());
  const int blocks = resident.blocks * bench.gpu.multiprocessors;
  const std::size_t bytes_per_step =
      sizeof(unsigned) * independent * std::size_t(blocks) * std::size_t(resident.shape.threads);

  const std::string text = with_launch_bounds(stream_copy_text, bench.gpu.threads_per_multiprocessor);
  const auto read = bench.prepare(text, fmt::format("stream_read<{}>", independent), resident);
  const auto copy = bench.prepare(text, fmt::format("stream_copy<{}>", independent), resident);
  const unsigned chunks_per_step = unsigned(blocks) * unsigned(resident.shape.threads) / 32;

  std::vector<Series> series =
      measure(bench, "footprint-copy", 2 * bytes_per_step, 2 * bench.from.bytes(), [&](unsigned steps) {
        launch(bench.executor, *copy, blocks, bench.from.data(), bench.to.data(), steps * chunks_per_step, 0u,
               steps);
      });
  for (Series& one :
       measure(bench, "footprint-read", bytes_per_step, bench.from.bytes(), [&](unsigned steps) {
         launch(bench.executor, *read, blocks, bench.from.data(), bench.to.data(), steps);
       }))
    series.push_back(std::move(one));
  return series;
}

}  // namespace fathom::microbench
