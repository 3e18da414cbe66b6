// SPDX-License-Identifier: Apache-2.0
// Runs on another executor, in memory that the caller has set aside.
#pragma once

#include <fathom/device/forwarding_executor.h>

namespace fathom {

/// Allocations are consecutive parts of the memory; releasing one frees nothing. All else is the other
/// executor's.
class ArenaExecutor final : public ForwardingExecutor {
 public:
  /// Every allocation begins at a multiple of it, as on a GPU.
  static constexpr std::size_t alignment = 256;

  /// `memory` is of `on`, which must outlive this executor, and begins at a multiple of `alignment`.
  ArenaExecutor(Executor& on, void* memory, std::size_t bytes)
      : ForwardingExecutor(on), memory_(static_cast<char*>(memory)), bytes_(bytes) {}

  /// All that it has prepared: launches of them may be queued when their solver is gone.
  const std::vector<std::shared_ptr<const PreparedKernel>>& kernels() const { return kernels_; }

  /// What an allocation takes from the memory.
  static constexpr std::size_t rounded_up(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }

  /// Throws OutOfDeviceMemory if the memory is used up.
  void* allocate(std::size_t bytes) override;
  void release(void*) noexcept override {}
  using Executor::prepare;
  std::shared_ptr<const PreparedKernel> prepare(const Launch& launch) override {
    return kernels_.emplace_back(on().prepare(launch));
  }

 private:
  char* memory_;
  std::size_t bytes_, used_ = 0;
  std::vector<std::shared_ptr<const PreparedKernel>> kernels_;
};

}  // namespace fathom
