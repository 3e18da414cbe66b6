// SPDX-License-Identifier: Apache-2.0
// What executors that run on another one have in common.
#pragma once

#include <fathom/device/executor.h>

namespace fathom {

/// Does nothing but call another executor, which must outlive it. Those that do something else, too, inherit.
class ForwardingExecutor : public Executor {
 public:
  explicit ForwardingExecutor(Executor& on) : on_(&on) {}

  void* allocate(std::size_t bytes) override { return on_->allocate(bytes); }
  void release(void* memory) noexcept override { on_->release(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override { on_->upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { on_->download(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override { on_->copy(to, from, bytes); }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override { on_->fill(memory, byte, bytes); }
  void synchronize() override { on_->synchronize(); }
  void use_on_this_thread() override { on_->use_on_this_thread(); }
  int multiprocessors() const override { return on_->multiprocessors(); }
  double shared_bytes_per_multiprocessor() const override { return on_->shared_bytes_per_multiprocessor(); }
  double shared_bytes_reserved() const override { return on_->shared_bytes_reserved(); }
  double shared_bytes_per_block() const override { return on_->shared_bytes_per_block(); }
  using Executor::prepare;
  std::shared_ptr<const PreparedKernel> prepare(const Launch& launch) override {
    return on_->prepare(launch);
  }
  void launch_erased(const PreparedKernel& prepared, Index blocks, const void* kernel,
                     std::size_t kernel_bytes) override {
    on_->launch_erased(prepared, blocks, kernel, kernel_bytes);
  }

 protected:
  Executor& on() const { return *on_; }

 private:
  Executor* on_;
};

}  // namespace fathom
