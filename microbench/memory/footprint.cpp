// SPDX-License-Identifier: Apache-2.0
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

constexpr std::size_t chunk_bytes = 32 * independent * sizeof(unsigned);

/// One pass over the first `bytes` bytes, of both large arrays together if it copies.
class Pass {
 public:
  Pass(Bench& bench, bool copies)
      : bench_(bench), arrays_(copies ? 2 : 1), resident_(residency(bench.gpu, bench.warps().back())) {
    const std::string text = with_launch_bounds(stream_copy_text, bench.gpu.threads_per_multiprocessor);
    kernel_ =
        bench.prepare(text, fmt::format("pass_{}<{}>", copies ? "copy" : "read", independent), resident_);
  }
  std::size_t arrays() const { return arrays_; }
  /// `from` words into the arrays.
  void operator()(std::size_t bytes, std::size_t from = 0) const {
    launch(bench_.executor, *kernel_, resident_.blocks * bench_.gpu.multiprocessors,
           bench_.from.data() + from, bench_.to.data() + from, unsigned(bytes / arrays_ / chunk_bytes));
  }

 private:
  Bench& bench_;
  std::size_t arrays_;
  Residency resident_;
  std::shared_ptr<const PreparedKernel> kernel_;
};

/// Footprints in whole chunks of all arrays, from a fifteenth of the L2 to eight times it: four per octave,
/// sixteen from a quarter of the L2 to twice it.
std::vector<std::size_t> footprints(const Bench& bench, std::size_t granule, std::size_t most_bytes) {
  const double capacity = double(bench.gpu.l2_bytes);
  const double coarse = bench.quick ? 2 : 4, dense = bench.quick ? 4 : 16;
  std::vector<std::size_t> all;
  for (double bytes = capacity / 16; bytes < 8.01 * capacity && bytes <= double(most_bytes);
       bytes *= std::exp2(1 / (bytes > 0.249 * capacity && bytes < 1.99 * capacity ? dense : coarse)))
    all.push_back(std::size_t(bytes) / granule * granule);
  return all;
}

/// Every launch is one pass in the same order. In a launch with several passes, warps would drift apart and
/// access words that another warp has just touched.
void measure_edge(Bench& bench, const Benchmark& benchmark, const Pass& pass, std::vector<Series>& series) {
  const auto all = footprints(bench, pass.arrays() * chunk_bytes, pass.arrays() * bench.from.bytes());
  for (std::size_t i = 0; i < all.size(); ++i) {
    bench.progress(benchmark.name, i, all.size());
    series.push_back(
        bench.timed(benchmark, {{along::bytes, double(all[i])}, {along::launches, double(launches)}}, [&] {
          for (int launch = 0; launch < launches; ++launch) pass(all[i]);
        }));
  }
  bench.progress(benchmark.name, all.size(), all.size());
}

/// One pass over data that the L2 does not hold: other words, only read, have displaced them.
void measure_cold(Bench& bench, const Benchmark& benchmark, const Pass& pass, const Pass& read,
                  std::vector<Series>& series) {
  const std::size_t evicting = std::min(4 * bench.gpu.l2_bytes, bench.from.bytes() / 2);
  const std::size_t largest = std::min<std::size_t>(std::size_t{64} << 20, bench.from.bytes() / 2);
  std::vector<std::size_t> all;
  for (double bytes = 1 << 20; bytes < 1.01 * double(largest); bytes *= std::exp2(bench.quick ? 2.0 : 0.5))
    all.push_back(std::size_t(bytes) / (2 * chunk_bytes) * (2 * chunk_bytes));
  for (std::size_t i = 0; i < all.size(); ++i) {
    bench.progress(benchmark.name, i, all.size());
    series.push_back(bench.timed(
        benchmark, {{along::bytes, double(all[i])}}, [&] { pass(all[i]); },
        [&] { read(evicting, bench.from.size() / 2); }));
  }
  bench.progress(benchmark.name, all.size(), all.size());
}

}  // namespace

std::vector<Series> measure_footprints(Bench& bench) {
  const Pass copy(bench, true), read(bench, false);
  std::vector<Series> series;
  measure_edge(bench, benchmarks::footprint_copy, copy, series);
  measure_edge(bench, benchmarks::footprint_read, read, series);
  return series;
}

std::vector<Series> measure_cold_passes(Bench& bench) {
  const Pass copy(bench, true), read(bench, false);
  std::vector<Series> series;
  measure_cold(bench, benchmarks::cold_copy, copy, read, series);
  measure_cold(bench, benchmarks::cold_read, read, read, series);
  return series;
}

}  // namespace fathom::microbench
