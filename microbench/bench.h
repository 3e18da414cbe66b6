// SPDX-License-Identifier: Apache-2.0
// Shared parts of the microbenchmarks: the GPU, two large arrays, the resident warps, and the timing of a
// point.
#pragma once

#include <fathom/core/benchmarks.h>
#include <fathom/microbench/microbench.h>
#include <fathom/microbench/repetition.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fathom::microbench {

/// One wave of equal blocks that puts exactly the wanted number of warps on each multiprocessor.
struct Residency {
  double multiplicity;  ///< X: resident threads per core
  int warps;            ///< per multiprocessor
  int blocks;           ///< per multiprocessor
  BlockShape shape;     ///< shared memory: what the kernel needs, or more, so that no additional block fits
};

/// `warps` warps per multiprocessor in blocks of at most half its threads, with `shared_bytes_per_warp` of
/// shared memory. Without extra shared memory the GPU could put two small blocks on one multiprocessor and
/// none on another.
Residency residency(const GpuInfo& gpu, int warps, int shared_bytes_per_warp = 0);

/// Exactly `blocks` blocks of `threads` threads on each multiprocessor: shared memory keeps others out.
Residency residency_of_blocks(const GpuInfo& gpu, int blocks, int threads);

/// Kernel source for a GPU: defines HALF_FULL as __launch_bounds__ for half a multiprocessor's threads, so
/// that registers never limit residency.
std::string with_launch_bounds(const char* text, int threads_per_multiprocessor);

/// One iteration of the kernel in mixed_loop.cpp, per thread. Accesses to global memory are `width` bytes
/// wide: 4 or 16.
struct Mix {
  int width = 16;
  bool through_l1 = true;
  int loads = 0, stores = 0;  ///< of global memory, streaming
  int shared = 0;             ///< loads of a word without conflicts: wavefronts of the warp
  int alu = 0, fma = 0;       ///< instructions; like `shared`, a multiple of 4
  bool barriers = false;      ///< of the block, after the loads, after the work and after the stores
  int waves = 1;              ///< blocks of the grid over those resident; with more, blocks differ in length
};
std::string expression(const Mix& mix);

/// Kernels of one source.
std::vector<CudaSource> sources(const std::string& text, const std::vector<std::string>& expressions);

/// Queues one launch with `steps` steps per thread; `steps` is a multiple of step_granule.
using Launch = std::function<void(unsigned steps)>;
inline constexpr unsigned step_granule = 16;

/// GPU times as a series.
Series series_of_times(const Benchmark& benchmark, const std::map<std::string, double>& coordinates,
                       const Timing& timing);

class Bench {
 public:
  /// Allocates the large arrays: 2 GiB each, or less if memory is short. Throws OutOfDeviceMemory if there is
  /// too little free memory to keep a walk through them out of the L2.
  Bench(CudaExecutor& executor, const Effort& effort, const Progress& progress);

  CudaExecutor& executor;
  const GpuInfo& gpu;
  const bool quick;
  const int repeats;               ///< of a series that does not settle earlier (repetition.h)
  DeviceArray<unsigned> from, to;  ///< same size, a power of two in bytes, filled with random words
  std::size_t walked_words = 0;    ///< where the next walk through the large arrays continues

  std::vector<int> warps() const;        ///< the sweep over X
  std::vector<int> independent() const;  ///< the sweep over I

  /// Compiles the kernel. Throws KernelFailure unless the whole wave of blocks is resident at once.
  std::shared_ptr<const PreparedKernel> prepare(const std::string& text, const std::string& expression,
                                                const Residency& residency);
  void progress(std::string_view benchmark, std::size_t done, std::size_t total) const;

  /// Steps for a launch of about a millisecond, half a millisecond if `quick`, of which the microseconds of
  /// its start are less than 1 %. The last of the pilot launches warms up for the series.
  unsigned steps_of_launch(const Launch& launch);
  /// One series, measured again if something disturbed it.
  Series undisturbed(const Repetition::Measure& measure) { return repetition_(measure); }
  /// The same, of GPU times of `work`, for a benchmark in seconds, until they settle (repetition.h). `before`
  /// is as CudaExecutor::time() has it.
  Series timed(const Benchmark& benchmark, const std::map<std::string, double>& coordinates,
               const std::function<void()>& work, const std::function<void()>& before = {});

  /// The sweep over X and I: `make(residency, I)` prepares a point, whose threads make `accesses_per_step(I)`
  /// accesses per step.
  std::vector<Series> sweep(const Benchmark& benchmark,
                            const std::function<Launch(const Residency&, int independent)>& make,
                            const std::function<double(int independent)>& accesses_per_step,
                            const std::function<int(int independent)>& shared_bytes_per_warp = {});

  /// A copy of `bytes_per_array` bytes from one large array to the other by coalesced words, with I of them
  /// in flight per thread. Each launch continues where the previous one stopped and wraps around at the end.
  Launch stream_copy(const Residency& residency, int independent, std::size_t bytes_per_array);

  /// The kernel of mixed_loop.cpp. It walks through the first `bytes_per_array` bytes of the large arrays, or
  /// through one step of the grid if that is more. Each launch continues where the previous one stopped.
  Launch mix(const Residency& residency, const Mix& mix, std::size_t bytes_per_array);

 private:
  /// Waits, and says so; throws what the progress callback throws.
  void pause(const Series& disturbed, double seconds, int round) const;

  const Progress& progress_;
  Repetition repetition_;
};

/// launch_cuda reads the arguments before it returns.
template <class... Arguments>
void launch(CudaExecutor& executor, const PreparedKernel& kernel, int blocks, Arguments... arguments) {
  executor.launch_cuda(kernel, blocks, {static_cast<void*>(&arguments)...});
}

// Each measures its series. Those with several kernels list them, to be compiled ahead.
std::vector<Series> measure_global_copy(Bench& bench);
std::vector<Series> measure_l2_copy(Bench& bench);
std::vector<Series> measure_shared_copy(Bench& bench);
std::vector<Series> measure_register_ops(Bench& bench);
std::vector<Series> measure_chases(Bench& bench);
std::vector<Series> measure_conflicts(Bench& bench);
std::vector<Series> measure_footprints(Bench& bench);
std::vector<Series> measure_cold_passes(Bench& bench);
std::vector<Series> measure_launches(Bench& bench);
std::vector<Series> measure_launch_starts(Bench& bench);
std::vector<Series> measure_block_starts(Bench& bench);
std::vector<Series> measure_block_turnovers(Bench& bench);
std::vector<Series> measure_sleeps(Bench& bench);
std::vector<Series> measure_device_copy(Bench& bench);
std::vector<Series> measure_streams(Bench& bench);
std::vector<CudaSource> kernels_of_streams(const Bench& bench);
std::vector<Series> measure_in_flight(Bench& bench);
std::vector<CudaSource> kernels_of_in_flight(const Bench& bench);
std::vector<Series> measure_pipes(Bench& bench);
std::vector<CudaSource> kernels_of_pipes(const Bench& bench);
std::vector<Series> measure_random_sectors(Bench& bench);
std::vector<CudaSource> kernels_of_random_sectors(const Bench& bench);
std::vector<Series> measure_instruction_fetch(Bench& bench);
std::vector<Series> measure_atomics(Bench& bench);
std::vector<CudaSource> kernels_of_atomics(const Bench& bench);
std::vector<Series> measure_flag_flights(Bench& bench);
std::vector<Series> measure_overlap(Bench& bench);
std::vector<CudaSource> kernels_of_overlap(const Bench& bench);
std::vector<Series> measure_written_runs(Bench& bench);

/// Dynamic shared memory that a block of mixed_loop.cpp needs if it loads shared words, and a block of
/// pipes.cpp.
inline constexpr int mix_shared_bytes = 4 * 32 * 4, pipe_shared_bytes = 32 * 16;
/// Operands of the ALU and FMA instructions of both. As floats the first two keep a product bounded.
struct alignas(16) Constants {
  unsigned x, y, z, w;
};
inline constexpr Constants mix_constants{0x3f7fbe77u, 0x3e99d1f2u, 0x9e3779b9u, 0x85ebca6bu};

/// Kernel sources, for NVRTC and for the tests that inspect their machine code.
extern const char* const stream_copy_text;
extern const char* const shared_copy_text;
extern const char* const register_chains_text;
extern const char* const chase_text;
extern const char* const conflict_text;
extern const char* const empty_text;
extern const char* const short_blocks_text;
extern const char* const mix_text;
extern const char* const pipe_text;
extern const char* const random_sectors_text;
extern const char* const instruction_fetch_text;
extern const char* const atomics_text;
extern const char* const flag_text;
extern const char* const sleep_text;
extern const char* const written_runs_text;

}  // namespace fathom::microbench
