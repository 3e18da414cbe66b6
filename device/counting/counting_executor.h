// Runs kernels on the CPU, finds what they do wrong, and counts what they do.
#pragma once

#include <fathom/device/counting/counts.h>
#include <fathom/device/executor.h>
#include <fathom/model/machine.h>
#include <fathom/model/machines/memory_machines.h>

#include <limits>
#include <map>
#include <optional>

namespace fathom {

/// What drivers see of the GPU that is not there: by it they choose their grids. By default a small one, so
/// that small inputs already fill it.
struct CountingDevice {
  int multiprocessors = 4;
  OccupancyLimits limits{.blocks_per_multiprocessor = 2,
                         .shared_bytes_per_multiprocessor = 228 * 1024,
                         .shared_bytes_per_block = 227 * 1024};
  /// Registers that a thread of a kernel takes, 32 where not given: the CPU does not tell.
  std::function<double(const Launch&)> registers{};
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
  int workers = 0;  ///< blocks that run side by side; 0 = as many as the host has cores
};

/// For which abstract machines launches are recorded. A DMM takes a kernel's accesses to shared memory, a UMM
/// those to global memory; the AGPU takes both.
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
  std::vector<MachineTrace> memory_machines;  ///< of each requested
  std::vector<Agpu::Block> agpu_blocks;
  u64 shared_words_per_block = 0;
};

/// Device memory is host memory; the threads of a block are fibers (Boost.Context), blocks run side by side
/// on the host's cores. Blocks that communicate (see blocks_communicate in executor.h) run one after another,
/// in the order of their indexes.
///
/// launch() ends with KernelFailure that names kernel, block, thread and place when a kernel reads or writes
/// out of bounds; reads shared memory that nothing wrote; when two threads of a block touch one word of
/// shared memory, one of them writing, with no barrier between; when a barrier is not reached by all threads.
class CountingExecutor final : public Executor {
 public:
  explicit CountingExecutor(CountingDevice device = {}, TraceRequests requests = {})
      : device_(device), requests_(std::move(requests)) {}

  /// What all launches since the last reset() did, in the order of each kernel's first launch.
  const std::vector<KernelCounts>& counts() const { return counts_; }
  const std::vector<LaunchTrace>& traces() const { return traces_; }
  std::size_t allocated_bytes() const { return allocated_bytes_; }
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
  using Executor::prepare;
  std::shared_ptr<const PreparedKernel> prepare(const Launch& launch) override;

 protected:
  void launch_erased(const PreparedKernel&, Index blocks, const void* kernel, std::size_t bytes) override;

 private:
  KernelCounts& counts_of(const PreparedKernel& kernel);

  CountingDevice device_;
  std::map<std::uintptr_t, std::size_t> allocations_;  ///< address → bytes
  std::size_t allocated_bytes_ = 0;
  TraceRequests requests_;
  std::vector<KernelCounts> counts_;
  std::vector<LaunchTrace> traces_;
};

}  // namespace fathom
