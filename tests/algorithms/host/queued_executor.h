// SPDX-License-Identifier: Apache-2.0
// Streams whose work is done as late as their order allows, or in another order that it allows: what a sort
// on several streams does not order shows as a wrong result.
#pragma once

#include <fathom/device/executor.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <random>
#include <vector>

namespace fathom::tests {

/// Has the memory and the kernels of another executor, and a queue of its own.
class QueuedExecutor final : public Executor {
 public:
  /// All work of the streams of one GPU. Of the streams that could go on, `choice` says which does.
  class Gpu {
   public:
    explicit Gpu(Executor& executor, std::function<std::size_t(std::size_t)> choice)
        : executor(executor), choice_(std::move(choice)) {}
    /// Until all of a stream's work is done.
    void work_until_done(const QueuedExecutor& stream) {
      while (!stream.queue_.empty()) {
        std::vector<QueuedExecutor*> ready;
        for (QueuedExecutor* each : streams)
          if (!each->queue_.empty() && each->queue_.front().is_ready()) ready.push_back(each);
        ready.at(choice_(ready.size()))->do_next();
      }
    }
    Executor& executor;
    std::vector<QueuedExecutor*> streams{};

   private:
    std::function<std::size_t(std::size_t)> choice_;
  };

  explicit QueuedExecutor(Gpu& gpu) : gpu_(gpu) { gpu.streams.push_back(this); }

  void* allocate(std::size_t bytes) override { return gpu_.executor.allocate(bytes); }
  void release(void* memory) noexcept override { gpu_.executor.release(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    upload_queued(to, from, bytes);
    synchronize();
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    download_queued(to, from, bytes);
    synchronize();
  }
  void upload_queued(void* to, const void* from, std::size_t bytes) override {
    queue([=] { std::memcpy(to, from, bytes); });
  }
  void download_queued(void* to, const void* from, std::size_t bytes) override {
    queue([=] { std::memcpy(to, from, bytes); });
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    queue([=, this] { gpu_.executor.copy(to, from, bytes); });
  }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    queue([=, this] { gpu_.executor.fill(memory, byte, bytes); });
  }
  void synchronize() override { gpu_.work_until_done(*this); }
  int multiprocessors() const override { return gpu_.executor.multiprocessors(); }
  double shared_bytes_per_multiprocessor() const override {
    return gpu_.executor.shared_bytes_per_multiprocessor();
  }
  double shared_bytes_reserved() const override { return gpu_.executor.shared_bytes_reserved(); }
  double shared_bytes_per_block() const override { return gpu_.executor.shared_bytes_per_block(); }
  using Executor::prepare;
  std::shared_ptr<const PreparedKernel> prepare(const Launch& launch) override {
    return gpu_.executor.prepare(launch);
  }
  /// As a GPU, it does not keep the kernel for as long as its launch is queued.
  void launch_erased(const PreparedKernel& kernel, Index blocks, const void* arguments,
                     std::size_t bytes) override {
    std::vector<char> copied(static_cast<const char*>(arguments),
                             static_cast<const char*>(arguments) + bytes);
    queue([this, &kernel, blocks, copied] {
      gpu_.executor.launch_erased(kernel, blocks, copied.data(), copied.size());
    });
  }
  void after(Executor& other) override {
    const auto& before = dynamic_cast<QueuedExecutor&>(other);
    queue([] {});
    queue_.back().stream = &before;
    queue_.back().done = before.given_;
  }

 private:
  struct Work {
    std::function<void()> work;
    const QueuedExecutor* stream = nullptr;  ///< of which so much is to be done before
    std::size_t done = 0;
    bool is_ready() const { return !stream || stream->done_ >= done; }
  };

  void queue(std::function<void()> work) {
    queue_.push_back({std::move(work)});
    ++given_;
  }
  void do_next() {
    const Work next = std::move(queue_.front());
    queue_.pop_front();
    next.work();
    ++done_;
  }

  Gpu& gpu_;
  std::deque<Work> queue_;
  std::size_t given_ = 0, done_ = 0;
};

}  // namespace fathom::tests
