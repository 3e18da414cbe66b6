// SPDX-License-Identifier: Apache-2.0
// Runs kernels on an NVIDIA GPU. NVRTC compiles them at run time for the GPU present; the results are cached
// on disk.
#pragma once

#include <fathom/core/measurement.h>
#include <fathom/device/code/kernel_entry.h>
#include <fathom/device/executor.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace fathom {

/// A GPU as the driver describes it.
struct GpuInfo {
  int index = 0;
  std::string name;
  std::string bus_id;          ///< "0000:1A:00.0": what NVML finds it by
  int compute_capability = 0;  ///< 90 for 9.0
  int multiprocessors = 0;
  int cores_per_multiprocessor = 0;
  int warp_width = 32;
  std::size_t global_bytes = 0;
  std::size_t l2_bytes = 0;
  int threads_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  int threads_per_block = 0;
  int registers_per_multiprocessor = 0;
  std::size_t shared_bytes_per_multiprocessor = 0;
  std::size_t shared_bytes_per_block = 0;  ///< with opt-in
  std::size_t shared_bytes_reserved = 0;   ///< per block, taken by the system
  std::string driver;
  std::string toolkit;
};

/// The GPUs present; empty if there is none. Throws DeviceUnavailable if this build runs nothing on a GPU or
/// the driver is too old.
std::vector<GpuInfo> present_gpus();
/// The index of the calling thread's current GPU. Throws like present_gpus().
int current_gpu();
/// Returns the numbers, or of all GPUs if there are none. Throws DeviceUnavailable without a GPU, for one
/// that is not there or named twice, and for GPUs of different kinds, on which equal parts would take
/// different times; and like present_gpus().
std::vector<int> chosen_gpus(std::vector<int> numbers);

/// Compiles a kernel for an architecture (90 for sm_90), without a GPU. Throws KernelFailure with what
/// nvrtc::compile() says, DeviceUnavailable without NVRTC. `threads` limits the registers of a
/// kernel struct (__launch_bounds__).
CompiledKernel compile_kernel(const KernelSource& source, int threads, int compute_capability);

/// Compiles plain CUDA C++ source, for microbenchmarks that need more than the block contract (clocks,
/// pointer chases). `expression` names a __global__ function, template arguments included.
CompiledKernel compile_cuda(const std::string& text, const std::string& expression, int compute_capability);

/// A __global__ function in plain CUDA C++.
struct CudaSource {
  std::string text;
  std::string expression;  ///< names it, template arguments included
  auto operator<=>(const CudaSource&) const = default;
};

struct Timing {
  std::vector<double> seconds;  ///< GPU time of each repeat
  double clock_hz = 0;          ///< multiprocessor clock measured while they ran
  bool clock_moved =
      false;  ///< by more than 1 % between the first and the last repeat, also in the second attempt
};

/// Whose blocks a GPU starts when a multiprocessor has room.
enum class StreamPriority { usual, first };

class CudaExecutor final : public Executor {
 public:
  /// Throws DeviceUnavailable.
  explicit CudaExecutor(int gpu = 0, StreamPriority priority = StreamPriority::usual);
  ~CudaExecutor() override;

  const GpuInfo& gpu() const;
  std::size_t free_bytes() const;

  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void fill(void* memory, unsigned char byte, std::size_t bytes) override;
  void synchronize() override;
  void* allocate_host(std::size_t bytes) override;
  void release_host(void* memory) noexcept override;
  void upload_queued(void* to, const void* from, std::size_t bytes) override;
  void download_queued(void* to, const void* from, std::size_t bytes) override;
  int multiprocessors() const override;
  double shared_bytes_per_multiprocessor() const override;
  double shared_bytes_reserved() const override;
  double shared_bytes_per_block() const override;
  using Executor::prepare;
  std::shared_ptr<const PreparedKernel> prepare(const Launch& launch) override;

  /// Compiles many kernels into the cache, in parallel on all CPU cores: the first step of a sweep.
  void warm_cache(const std::vector<Launch>& launches, const Progress& progress);

  /// Compiles plain CUDA kernels on other CPU cores, in this order; prepare_cuda() waits for those that it
  /// needs.
  void compile_ahead(std::vector<CudaSource> sources);
  /// For how long prepare_cuda() has waited for the compiler and the cache.
  double seconds_compiling() const;

  /// A plain CUDA kernel for blocks of this shape; launch it with launch_cuda.
  std::shared_ptr<const PreparedKernel> prepare_cuda(const std::string& text, const std::string& expression,
                                                     BlockShape shape);
  void launch_cuda(const PreparedKernel& kernel, Index blocks, const std::vector<void*>& arguments);

  /// GPU times of `work`, which queues launches, measured with events. All launches are queued before the
  /// first may start, or about five hundred of them, enough to keep the host ahead of the GPU. `before` is
  /// queued, untimed, ahead of each repeat, including the warm-ups.
  Timing time(const std::function<void()>& work, const std::function<void()>& before = {}, int repeats = 11,
              int warmups = 2);

  /// The GPU time of `work`, once: for pilots, of which neither the clock nor the noise matters.
  double time_once(const std::function<void()>& work);

  /// The multiprocessor clock in Hz, measured over about 100 µs of spinning (clock64 against the global
  /// timer).
  double clock_hz();

  /// The stream on which everything is queued: a cudaStream_t, for the CUB baselines. Its own, unless another
  /// is to be used; nullptr is CUDA's default stream.
  void* stream() const;
  void use_stream(void* stream) override;
  void use_on_this_thread() override;    ///< makes its GPU the thread's current one
  void after(Executor& other) override;  ///< of any GPU; the host does not wait

  void launch_erased(const PreparedKernel&, Index blocks, const void* kernel, std::size_t bytes) override;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Directory of the compiled kernels: $FATHOM_CACHE, else $XDG_CACHE_HOME/fathom, else ~/.cache/fathom. Unset
/// and empty variables are the same. Absent if there is no home either: nothing is cached then.
std::optional<std::filesystem::path> kernel_cache_directory();
/// Why kernels are not cached, in one line; absent if they are. The cache is used only if its directory
/// belongs to the user and no one else may write to it: its machine code is run.
std::optional<std::string> kernel_cache_problem();

}  // namespace fathom
