// SPDX-License-Identifier: Apache-2.0
// Runs kernels on the CPU, checks their accesses and counts their operations.
#pragma once

#include <fathom/device/counting/counts.h>
#include <fathom/device/counting/lane_order.h>
#include <fathom/device/counting/warp_counter.h>
#include <fathom/device/executor.h>
#include <fathom/model/machine.h>
#include <fathom/model/machines/memory_machines.h>

#include <limits>
#include <map>
#include <optional>

namespace fathom {

/// The GPU that the executor stands in for: plans choose their grids by it. By default a small one, so that
/// small inputs already fill it.
struct CountingDevice {
  int multiprocessors = 4;
  OccupancyLimits limits{.blocks_per_multiprocessor = 2,
                         .shared_bytes_per_multiprocessor = 228 * 1024,
                         .shared_bytes_per_block = 227 * 1024};
  /// Registers per thread of a kernel, which a CPU build cannot know; unknown_registers if not
  /// given.
  std::function<double(const Launch&)> registers{};
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
  int workers = 0;  ///< blocks that run in parallel; 0 = one per core of the host
  LaneOrder lane_order = LaneOrder::forwards;
};

/// The abstract machines for which launches are recorded. A DMM records a kernel's accesses to shared memory,
/// a UMM those to global memory, the AGPU both.
struct TraceRequests {
  struct MemoryMachineWidth {
    MachineKind kind;
    int width;  ///< w
    MemoryMachine machine() const { return {kind, width, 1}; }
  };
  std::vector<MemoryMachineWidth> memory_machines;
  std::optional<int> agpu_width;  ///< b
};

/// One launch as the abstract machines see it.
struct LaunchTrace {
  std::string kernel;
  std::vector<MachineTrace> memory_machines;  ///< one per request
  std::vector<Agpu::Block> agpu_blocks;
  u64 shared_words_per_block = 0;
};

/// Device memory is host memory. The threads of a block are fibers (Boost.Context), and blocks run in
/// parallel on the host's cores. Blocks that communicate (blocks_communicate in kernel_info.h) run one after
/// another, in the order of their indices.
///
/// launch() throws KernelFailure with kernel, block, thread and source location when a kernel accesses memory
/// out of bounds; reads shared memory that was never written; accesses an element of shared memory from two
/// threads, one of them writing, without a barrier in between; or has a barrier that not all threads reach.
class CountingExecutor final : public Executor {
 public:
  /// launch() calls `progress` every few milliseconds, also within a block, with the kernel's name and the
  /// number of blocks finished and in all. If it throws, all workers stop and launch() rethrows.
  explicit CountingExecutor(CountingDevice device = {}, TraceRequests requests = {}, Progress progress = {})
      : device_(device), requests_(std::move(requests)), progress_(std::move(progress)) {}

  /// From now on, launches of a kernel with different numbers of blocks are counted separately.
  void separate_grids() { separate_grids_ = true; }
  /// From now on, accesses to shared memory are not checked for races, for elements that were never written,
  /// and for copies in flight. Such checks take a large part of the time.
  void skip_shared_checks() { check_shared_ = false; }
  /// Launches after the next `count` ones are skipped: what they would have written is not there.
  void end_after(std::size_t count) { launches_left_ = count; }
  /// Counts of all launches since the last reset(), in the order of each kernel's first launch.
  const std::vector<KernelCounts>& counts() const { return counts_; }
  const std::vector<LaunchTrace>& traces() const { return traces_; }
  std::size_t allocated_bytes() const { return allocated_bytes_; }
  /// All of these bytes are of one allocation; none are of any.
  bool holds(const void* memory, std::size_t bytes) const;
  void reset();

  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void fill(void* memory, unsigned char byte, std::size_t bytes) override;
  void synchronize() override {}
  int multiprocessors() const override { return device_.multiprocessors; }
  double shared_bytes_per_multiprocessor() const override {
    return device_.limits.shared_bytes_per_multiprocessor;
  }
  double shared_bytes_reserved() const override { return device_.limits.shared_bytes_reserved; }
  double shared_bytes_per_block() const override { return device_.limits.shared_bytes_per_block; }
  using Executor::prepare;
  std::shared_ptr<const PreparedKernel> prepare(const Launch& launch) override;
  void launch_erased(const PreparedKernel&, Index blocks, const void* kernel, std::size_t bytes) override;

 private:
  KernelCounts& counts_of(const PreparedKernel& prepared, Index blocks);
  void count(const PreparedKernel& kernel, Index blocks, const counting::WarpCounter& launch);

  CountingDevice device_;
  std::map<std::uintptr_t, std::size_t> allocations_;  ///< address → bytes
  std::size_t allocated_bytes_ = 0;
  TraceRequests requests_;
  Progress progress_;
  bool separate_grids_ = false, check_shared_ = true;
  std::size_t launches_left_ = std::numeric_limits<std::size_t>::max();
  std::vector<KernelCounts> counts_;
  counting::TouchedBefore touched_;
  std::vector<LaunchTrace> traces_;
};

}  // namespace fathom
