// SPDX-License-Identifier: Apache-2.0
#include <fathom/microbench/bench.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace fathom::microbench {
namespace {

struct Part {
  const char* name;
  std::vector<Series> (*measure)(Bench&);
};
constexpr Part parts[] = {{"global-copy", measure_global_copy},
                          {"l2-copy", measure_l2_copy},
                          {"shared-copy", measure_shared_copy},
                          {"register-ops", measure_register_ops},
                          {"conflict", measure_conflicts},
                          {"footprint", measure_footprints},
                          {"device-copy", measure_device_copy},
                          {"launch", measure_launches},
                          {"block-start", measure_block_starts},
                          {"chase", measure_chases},
                          {"stream", measure_streams},
                          {"cold", measure_cold_passes},
                          {"in-flight", measure_in_flight},
                          {"random-sectors", measure_random_sectors},
                          {"pipe", measure_pipes},
                          {"overlap", measure_overlap},
                          {"instruction-fetch", measure_instruction_fetch},
                          {"launch-start", measure_launch_starts},
                          {"atomics", measure_atomics},
                          {"flag-flight", measure_flag_flights},
                          {"block-turnover", measure_block_turnovers},
                          {"sleep", measure_sleeps},
                          {"written-runs", measure_written_runs}};

/// In the order in which they are needed, but for one that takes as long as thirty others to compile. What
/// is missing here is compiled where it is prepared.
std::vector<CudaSource> all_kernels(const Bench& bench) {
  const auto bounded = [&](const char* text) {
    return with_launch_bounds(text, bench.gpu.threads_per_multiprocessor);
  };
  const auto over_independent = [&](const char* kernel) {
    std::vector<std::string> expressions;
    for (const int I : bench.independent()) expressions.push_back(fmt::format("{}<{}>", kernel, I));
    return expressions;
  };
  std::vector<CudaSource> all;
  for (const auto& kernels :
       {sources(instruction_fetch_text, {"straight_line<0>", "straight_line<1>"}),
        sources(bounded(stream_copy_text), over_independent("stream_copy")),
        sources(bounded(shared_copy_text), over_independent("shared_copy")),
        sources(bounded(register_chains_text), over_independent("register_chains")),
        sources(bounded(conflict_text), {"conflict"}),
        sources(bounded(stream_copy_text), {"pass_copy<4>", "pass_read<4>"}), sources(empty_text, {"empty"}),
        sources(short_blocks_text, {"short_blocks"}),
        sources(chase_text, {"chase_shared", "lay_cycle", "chase<true>", "chase<false>"}),
        kernels_of_streams(bench), kernels_of_in_flight(bench), kernels_of_random_sectors(bench),
        kernels_of_pipes(bench), kernels_of_overlap(bench), kernels_of_atomics(bench),
        sources(flag_text, {"flag_flights"}), sources(sleep_text, {"sleeps"}),
        sources(written_runs_text, {"written_runs<false>", "written_runs<true>", "partial_sectors<false>",
                                    "partial_sectors<true>"})})
    std::ranges::copy(kernels, std::back_inserter(all));
  return all;
}

}  // namespace

Measured measure_all(CudaExecutor& executor, const Effort& effort, const Progress& progress) {
  Bench bench(executor, effort, progress);
  executor.compile_ahead(all_kernels(bench));
  Measured all;
  Series clock = series_of(benchmarks::clock, {});
  clock.samples.push_back(executor.clock_hz());
  for (const Part& part : parts) {
    const auto begin = std::chrono::steady_clock::now();
    const double compiled = executor.seconds_compiling();
    std::vector<Series> series = part.measure(bench);
    clock.samples.push_back(executor.clock_hz());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    all.spent.push_back({part.name, taken.count(), executor.seconds_compiling() - compiled, series.size()});
    std::ranges::move(series, std::back_inserter(all.series));
  }
  const auto [slowest, fastest] = std::minmax_element(clock.samples.begin(), clock.samples.end());
  clock.clock_hz = clock.samples.back();
  clock.clock_moved = *fastest > 1.01 * *slowest;
  all.series.push_back(std::move(clock));
  return all;
}

}  // namespace fathom::microbench
