// SPDX-License-Identifier: Apache-2.0
// Runs on another executor, in memory that the caller has set aside.
#pragma once

#include <fathom/device/executor.h>

namespace fathom {

/// Allocations are consecutive parts of the memory; releasing one frees nothing. All else is the other
/// executor's.
class ArenaExecutor final : public Executor {
 public:
  /// Every allocation begins at a multiple of it, as on a GPU.
  static constexpr std::size_t alignment = 256;

  /// `memory` is of `on`, which must outlive this executor, and begins at a multiple of `alignment`.
  ArenaExecutor(Executor& on, void* memory, std::size_t bytes)
      : on_(&on), memory_(static_cast<char*>(memory)), bytes_(bytes) {}

  /// All that it has prepared: launches of them may be queued when their solver is gone.
  const std::vector<std::shared_ptr<const PreparedKernel>>& kernels() const { return kernels_; }

  /// What an allocation takes from the memory.
  static constexpr std::size_t rounded_up(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }

  /// Throws OutOfDeviceMemory if the memory is used up.
  void* allocate(std::size_t bytes) override;
  void release(void*) noexcept override {}
  void upload(void* to, const void* from, std::size_t bytes) override { on_->upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { on_->download(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override { on_->copy(to, from, bytes); }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override { on_->fill(memory, byte, bytes); }
  void synchronize() override { on_->synchronize(); }
  int multiprocessors() const override { return on_->multiprocessors(); }
  double shared_bytes_per_multiprocessor() const override { return on_->shared_bytes_per_multiprocessor(); }
  double shared_bytes_reserved() const override { return on_->shared_bytes_reserved(); }
  double shared_bytes_per_block() const override { return on_->shared_bytes_per_block(); }
  using Executor::prepare;
  std::shared_ptr<const PreparedKernel> prepare(const Launch& launch) override {
    return kernels_.emplace_back(on_->prepare(launch));
  }
  void launch_erased(const PreparedKernel& prepared, Index blocks, const void* kernel,
                     std::size_t kernel_bytes) override {
    on_->launch_erased(prepared, blocks, kernel, kernel_bytes);
  }

 private:
  Executor* on_;
  char* memory_;
  std::size_t bytes_, used_ = 0;
  std::vector<std::shared_ptr<const PreparedKernel>> kernels_;
};

}  // namespace fathom
