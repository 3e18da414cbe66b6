// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/counting/counting_executor.h>
#include <fathom/model/descriptor.h>

#include <fathom/device/counting/block_state.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <thread>

namespace fathom {

namespace {

struct CpuKernel final : PreparedKernel {
  KernelSource source;
  HostKernel host;
  double l1_bytes = 0;  ///< of a block
};

/// One launch; workers take its blocks in the order of their indices.
class LaunchOnCpu {
 public:
  LaunchOnCpu(const CpuKernel& kernel, Index blocks, const void* arguments, counting::HowToRun how,
              counting::Allocations allocations, const TraceRequests& requests, const Progress& progress)
      : kernel_(kernel),
        blocks_(blocks),
        arguments_(arguments),
        how_(how),
        allocations_(std::move(allocations)),
        requests_(requests),
        progress_(progress) {}

  /// Rethrows the exception of `progress`, else that of the failed block with the lowest index.
  void run(int workers) {
    {
      std::vector<std::jthread> others;
      working_ = workers - 1;
      for (int worker = 1; worker < workers; ++worker)
        others.emplace_back([this] {
          work([this] { stop_if_cancelled(); });
          const std::lock_guard lock(mutex_);
          --working_;
          ended_.notify_one();
        });
      work([this] { report_progress(); });
      wait_for_others();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  const counting::WarpCounter& counter() const { return counter_; }
  LaunchTrace trace() { return std::move(recorder_).finish(kernel_); }

 private:
  /// Thrown in the other workers once `progress` has thrown.
  struct Cancelled {};

  void stop_if_cancelled() const {
    if (cancelled_) throw Cancelled();
  }

  /// Only on the thread that called run(): `progress` need not be thread-safe.
  void report_progress() {
    stop_if_cancelled();
    if (!progress_) return;
    try {
      progress_(kernel_.resources.name, std::size_t(finished_), std::size_t(blocks_));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      failed_block_ = -1;  // precedes every block
      cancelled_ = failed_ = true;
      throw;
    }
  }

  /// The others may still be in long blocks.
  void wait_for_others() {
    constexpr std::chrono::milliseconds between_reports(20);
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, between_reports, [this] { return working_ == 0; }) && !cancelled_) {
      lock.unlock();
      try {
        report_progress();
      } catch (...) {  // kept for run()
      }
      lock.lock();
    }
  }

  void work(const std::function<void()>& poll) {
    counting::BlockState block(kernel_.resources.name, kernel_.shape, kernel_.l1_bytes, how_, allocations_,
                               requests_, poll);
    for (Index index; (index = next_++) < blocks_ && !failed_;) {
      try {
        block.run(kernel_.host.run, arguments_, index, blocks_);
        ++finished_;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        // All blocks with lower indices have been started, so the reported failure does not depend on timing.
        if (index < failed_block_) {
          failed_block_ = index;
          failure_ = std::current_exception();
        }
        failed_ = true;
        return;
      }
    }
    const std::lock_guard lock(mutex_);
    counter_.merge(block.counter());
    recorder_.merge(std::move(block.recorder()));
  }

  const CpuKernel& kernel_;
  const Index blocks_;
  const void* arguments_;
  const counting::HowToRun how_;
  const counting::Allocations allocations_;
  const TraceRequests& requests_;
  const Progress& progress_;
  std::atomic<Index> next_ = 0, finished_ = 0;
  std::atomic<bool> failed_ = false, cancelled_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  int working_ = 0;  ///< other workers that have not ended
  counting::WarpCounter counter_{allocations_, kernel_.l1_bytes};
  counting::TraceRecorder recorder_{requests_, kernel_.shape.threads};
  Index failed_block_ = std::numeric_limits<Index>::max();
  std::exception_ptr failure_;
};

}  // namespace

void* CountingExecutor::allocate(std::size_t bytes) {
  if (bytes > device_.memory_bytes - allocated_bytes_)
    throw OutOfDeviceMemory("need " + std::to_string(bytes) + " bytes, " +
                            std::to_string(device_.memory_bytes - allocated_bytes_) + " of " +
                            std::to_string(device_.memory_bytes) + " are free");
  // Aligned to 256 bytes, as on a GPU: vector accesses rely on it, and sectors come out the same.
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256 + 256);
  if (!memory) throw OutOfDeviceMemory("need " + std::to_string(bytes) + " bytes of host memory");
  allocations_[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
  allocated_bytes_ += bytes;
  return memory;
}
void CountingExecutor::release(void* memory) noexcept {
  const auto known = allocations_.find(reinterpret_cast<std::uintptr_t>(memory));
  allocated_bytes_ -= known->second;
  touched_.forget(known->first);
  allocations_.erase(known);
  std::free(memory);
}
bool CountingExecutor::holds(const void* memory, std::size_t bytes) const {
  if (bytes == 0) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return false;
  const auto& [begin, allocated] = *std::prev(after);
  return bytes <= allocated && address - begin <= allocated - bytes;
}
void CountingExecutor::upload(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void CountingExecutor::download(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void CountingExecutor::copy(void* to, const void* from, std::size_t bytes) {
  std::memmove(to, from, bytes);
}
void CountingExecutor::fill(void* memory, unsigned char byte, std::size_t bytes) {
  std::memset(memory, byte, bytes);
}

std::shared_ptr<const PreparedKernel> CountingExecutor::prepare(const Launch& launch) {
  if (!launch.kernel->host.run)
    throw std::invalid_argument(launch.kernel->name + " is plain CUDA, which runs on a GPU only");
  auto kernel = std::make_shared<CpuKernel>();
  const BlockShape& shape = launch.shape;
  const double registers = device_.registers ? device_.registers(launch) : unknown_registers;
  kernel->shape = shape;
  kernel->source = launch.source();
  kernel->host = launch.kernel->host;
  kernel->resources.name = launch.name();
  kernel->resources.shared_bytes = shape.shared_bytes;
  kernel->resources.registers = int(registers);
  kernel->resources.resident_blocks = resident_blocks(device_.limits, shape, registers);
  if (shape.carveout > 100)
    throw KernelFailure(kernel->resources.name + ": a carve-out of " + std::to_string(shape.carveout) +
                        " %: must be at most 100, or -1 for the driver's choice");
  if (shape.threads < 1 || shape.threads % warp_width != 0)
    throw KernelFailure(kernel->resources.name + ": a block of " + std::to_string(shape.threads) +
                        " threads: must be whole warps of " + std::to_string(warp_width));
  if (kernel->resources.resident_blocks == 0)
    throw BlockDoesNotFit(kernel->resources.name + ": a block of " + std::to_string(shape.threads) +
                          " threads and " + std::to_string(shape.shared_bytes) +
                          " bytes of shared memory does not fit on a multiprocessor");
  const int resident = kernel->resources.resident_blocks;
  const double carveout = device_.limits.shared_bytes_per_multiprocessor * std::max(0, shape.carveout) / 100;
  kernel->l1_bytes = l1_bytes(device_.limits, resident, shape.shared_bytes, carveout) / resident;
  return kernel;
}

void CountingExecutor::reset() {
  counts_.clear();
  touched_.clear();
  traces_.clear();
}

KernelCounts& CountingExecutor::counts_of(const PreparedKernel& prepared, Index blocks) {
  const auto& kernel = static_cast<const CpuKernel&>(prepared);
  const auto known = std::find_if(counts_.begin(), counts_.end(), [&](const KernelCounts& counts) {
    return counts.kernel == kernel.resources.name && counts.source.expression == kernel.source.expression &&
           counts.threads_per_block == kernel.shape.threads &&
           counts.shared_bytes_per_block == kernel.shape.shared_bytes &&
           (!separate_grids_ || counts.blocks == counts.launches * u64(blocks));
  });
  if (known != counts_.end()) return *known;
  KernelCounts counts;
  counts.kernel = kernel.resources.name;
  counts.source = kernel.source;
  counts.threads_per_block = kernel.shape.threads;
  counts.shared_bytes_per_block = kernel.shape.shared_bytes;
  return counts_.emplace_back(std::move(counts));
}

void CountingExecutor::count(const PreparedKernel& kernel, Index blocks,
                             const counting::WarpCounter& launch) {
  KernelCounts& counts = counts_of(kernel, blocks);
  ++counts.launches;
  counts.blocks += u64(blocks);
  counts.fresh_read_bytes += touched_.fresh_bytes(launch.read());
  counts.fresh_written_bytes += touched_.fresh_bytes(launch.written());
  touched_.add(launch.read());
  touched_.add(launch.written());
  counts.steps += launch.steps();
  counts.steps_if_busiest += u64(blocks) * launch.steps_of_busiest_block();
  launch.add_to(counts);
  // Of blocks that take tiles by ticket the first has all of them here. On a GPU those that run take them in
  // turn, so the other part of a sector is another block's.
  if (static_cast<const CpuKernel&>(kernel).host.blocks_communicate)
    for (AccessSite& site : counts.sites) site.global.resumed_sectors = 0;
}

void CountingExecutor::launch_erased(const PreparedKernel& prepared, Index blocks, const void* arguments,
                                     std::size_t) {
  if (launches_left_ == 0) return;
  --launches_left_;
  const auto& kernel = static_cast<const CpuKernel&>(prepared);
  counting::Allocations allocations;
  for (const auto& [begin, bytes] : allocations_) allocations.push_back({begin, bytes});

  const int cores = device_.workers > 0 ? device_.workers : int(std::thread::hardware_concurrency());
  const int workers = kernel.host.blocks_communicate ? 1 : int(std::clamp<Index>(blocks, 1, cores));
  LaunchOnCpu launch(kernel, blocks, arguments, {check_shared_, device_.lane_order}, std::move(allocations),
                     requests_, progress_);
  launch.run(workers);

  count(prepared, blocks, launch.counter());
  if (!requests_.memory_machines.empty() || requests_.agpu_width) traces_.push_back(launch.trace());
}

}  // namespace fathom
