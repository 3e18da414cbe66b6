// SPDX-License-Identifier: Apache-2.0
// Runs nothing and records what an algorithm requests: memory, kernels and launches.
#pragma once

#include <fathom/device/executor.h>

namespace fathom {

/// Memory has addresses but no contents: downloads are zero. Recording takes the same time for any size.
class RecordingExecutor final : public Executor {
 public:
  explicit RecordingExecutor(PlanDevice device) : device_(std::move(device)) {}

  /// The bytes of all allocations, including those released.
  std::size_t allocated_bytes() const { return allocated_bytes_; }
  /// The bytes that an ArenaExecutor needs for the same allocations.
  std::size_t arena_bytes() const { return arena_bytes_; }
  /// The launches in order, each with the number of blocks it was launched with.
  const std::vector<Launch>& launches() const { return launches_; }

  void* allocate(std::size_t bytes) override;
  void release(void*) noexcept override {}
  void upload(void*, const void*, std::size_t) override {}
  void download(void* to, const void* from, std::size_t bytes) override;
  void copy(void*, const void*, std::size_t) override {}
  void fill(void*, unsigned char, std::size_t) override {}
  void synchronize() override {}
  int multiprocessors() const override { return device_.multiprocessors; }
  double shared_bytes_per_multiprocessor() const override { return device_.shared_bytes_per_multiprocessor; }
  double shared_bytes_reserved() const override { return device_.shared_bytes_reserved; }
  double shared_bytes_per_block() const override { return device_.shared_bytes_per_block; }
  using Executor::prepare;
  std::shared_ptr<const PreparedKernel> prepare(const Launch& launch) override;
  void launch_erased(const PreparedKernel&, Index blocks, const void* kernel, std::size_t bytes) override;

 private:
  PlanDevice device_;
  std::size_t allocated_bytes_ = 0, arena_bytes_ = 0;
  std::size_t next_address_ = 1 << 20;
  std::vector<Launch> launches_;
};

}  // namespace fathom
