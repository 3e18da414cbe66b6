// Runs kernels on the CPU: each thread of a block is a fiber (Boost.Context), blocks run one after another.
#pragma once

#include <fathom/device/executor.h>

namespace fathom {

/// Device memory is host memory. A kernel that reads or writes out of bounds, or whose threads wait for each
/// other in vain, ends with KernelFailure from launch().
class CountingExecutor final : public Executor {
 public:
  /// `multiprocessors` is what drivers ask for when they choose how many blocks to launch.
  explicit CountingExecutor(int multiprocessors = 4) : multiprocessors_(multiprocessors) {}

  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void fill(void* memory, unsigned char byte, std::size_t bytes) override;
  void synchronize() override {}
  int multiprocessors() const override { return multiprocessors_; }

 protected:
  std::shared_ptr<const PreparedKernel> prepare_erased(const KernelSource&, BlockShape, std::size_t,
                                                       BlockOnCpu) override;
  void launch_erased(const PreparedKernel&, Index blocks, const void* kernel, std::size_t bytes) override;

 private:
  int multiprocessors_;
};

}  // namespace fathom
