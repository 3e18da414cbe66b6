// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/bench.h>

#include <algorithm>
#include <iterator>

namespace fathom::microbench {

std::vector<Series> measure_all(CudaExecutor& executor, const Effort& effort, const Progress& progress) {
  Bench bench(executor, effort, progress);
  std::vector<Series> all;
  Series clock = series_of(benchmarks::clock, {});
  clock.samples.push_back(executor.clock_hz());
  for (const auto measure :
       {measure_global_copy,       measure_l2_copy,        measure_shared_copy, measure_register_ops,
        measure_conflicts,         measure_footprints,     measure_device_copy, measure_launches,
        measure_block_starts,      measure_chases,         measure_streams,     measure_cold_passes,
        measure_in_flight,         measure_random_sectors, measure_pipes,       measure_overlap,
        measure_instruction_fetch, measure_launch_starts,  measure_atomics,     measure_flag_flights,
        measure_block_turnovers,   measure_sleeps,         measure_written_runs}) {
    std::vector<Series> series = measure(bench);
    std::move(series.begin(), series.end(), std::back_inserter(all));
    clock.samples.push_back(executor.clock_hz());
  }
  const auto [slowest, fastest] = std::minmax_element(clock.samples.begin(), clock.samples.end());
  clock.clock_hz = clock.samples.back();
  clock.clock_moved = *fastest > 1.01 * *slowest;
  all.push_back(std::move(clock));
  return all;
}

}  // namespace fathom::microbench
