// SPDX-License-Identifier: Apache-2.0
// The interface for running kernels. Solvers use nothing else, so that the same solver runs its kernels on a
// GPU (cuda_executor.h) or on the CPU (counting_executor.h).
#pragma once

#include <fathom/core/plan.h>
#include <fathom/core/progress.h>
#include <fathom/device/kernel_info.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fathom {

/// No GPU, no toolkit, or a driver that is too old: what() says in one line which, and what to do.
struct DeviceUnavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// An allocation that did not fit. what() states the bytes needed and free.
struct OutOfDeviceMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Memory of the host that could not be had, or not be pinned. what() states the bytes needed.
struct OutOfHostMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A kernel that did not compile, launch or finish.
struct KernelFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// A kernel of which no block fits on a multiprocessor of the device.
struct BlockDoesNotFit : KernelFailure {
  using KernelFailure::KernelFailure;
};

struct KernelResources {
  std::string name;
  int registers = 0;        ///< per thread
  int local_bytes = 0;      ///< per thread
  int shared_bytes = 0;     ///< per block, static and dynamic
  int resident_blocks = 0;  ///< per multiprocessor
};

/// A kernel prepared by an executor. Launch it through Executor::launch.
struct PreparedKernel {
  virtual ~PreparedKernel() = default;
  KernelResources resources;
  BlockShape shape;
};

class Executor {
 public:
  virtual ~Executor() = default;

  virtual void* allocate(std::size_t bytes) = 0;  ///< throws OutOfDeviceMemory
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;        ///< both on the device; queued
  virtual void fill(void* memory, unsigned char byte, std::size_t bytes) = 0;  ///< queued
  virtual void synchronize() = 0;  ///< throws KernelFailure for any failure since the last call

  /// Memory of the host that a GPU copies from and to without the host's help: pinned. Throws
  /// OutOfHostMemory.
  virtual void* allocate_host(std::size_t bytes) {
    void* const memory = ::operator new(bytes, host_alignment, std::nothrow);
    if (!memory) throw OutOfHostMemory("need " + std::to_string(bytes) + " bytes of the host's memory");
    return memory;
  }
  virtual void release_host(void* memory) noexcept { ::operator delete(memory, host_alignment); }
  /// Queued, for pinned memory of the host, which must stay as it is until the copy is done. For other memory
  /// the host may wait. Executors without a queue copy at once.
  virtual void upload_queued(void* to, const void* from, std::size_t bytes) { upload(to, from, bytes); }
  virtual void download_queued(void* to, const void* from, std::size_t bytes) { download(to, from, bytes); }

  virtual int multiprocessors() const = 0;
  virtual double shared_bytes_per_multiprocessor() const = 0;
  virtual double shared_bytes_reserved() const = 0;   ///< per block, by the system
  virtual double shared_bytes_per_block() const = 0;  ///< at most

  /// Compiles the launch's kernel for blocks of its shape, or finds it in the cache. Throws KernelFailure,
  /// and BlockDoesNotFit if no block of this shape fits on a multiprocessor.
  virtual std::shared_ptr<const PreparedKernel> prepare(const Launch& launch) = 0;

  /// Prepares a kernel outside any plan, without parameters to specialise for.
  template <class Kernel>
  std::shared_ptr<const PreparedKernel> prepare(BlockShape shape) {
    return prepare(make_launch<Kernel>(1, shape));
  }

  /// Queues `blocks` blocks of `kernel`.
  template <class Kernel>
  void launch(const PreparedKernel& prepared, Index blocks, const Kernel& kernel) {
    launch_erased(prepared, blocks, &kernel, sizeof(Kernel));
  }

  /// The same for a kernel struct of which only the bytes are known, which has to be the prepared one.
  virtual void launch_erased(const PreparedKernel&, Index blocks, const void* kernel,
                             std::size_t kernel_bytes) = 0;

  /// What is queued from now on goes to this stream, a cudaStream_t. Executors without streams do everything
  /// in the order of the calls.
  virtual void use_stream(void*) {}

  /// A thread calls it before it uses the executor, unless the last executor that it made, or called this of,
  /// is one of the same GPU. Throws KernelFailure.
  virtual void use_on_this_thread() {}

  /// What is queued from now on begins after all that `other`, of the same kind, has been given until now.
  virtual void after(Executor& other) { other.synchronize(); }

  /// The device that plans for this executor are made for. The executor must outlive it.
  PlanDevice plan_device() {
    return {multiprocessors(), shared_bytes_per_multiprocessor(), shared_bytes_reserved(),
            [this](const Launch& launch) { return prepare(launch)->resources.resident_blocks; },
            shared_bytes_per_block()};
  }

 private:
  static constexpr std::align_val_t host_alignment{256};
};

/// An array on an executor's device, released when it goes out of scope.
template <class T>
class DeviceArray {
 public:
  DeviceArray(Executor& executor, std::size_t count)
      : executor_(&executor), count_(count), data_(static_cast<T*>(executor.allocate(count * sizeof(T)))) {}
  DeviceArray(Executor& executor, std::span<const T> values) : DeviceArray(executor, values.size()) {
    if (count_ > 0) executor.upload(data_, values.data(), bytes());
  }
  DeviceArray(DeviceArray&& other) noexcept
      : executor_(other.executor_), count_(other.count_), data_(other.data_) {
    other.data_ = nullptr;
  }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(executor_, other.executor_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~DeviceArray() {
    if (data_) executor_->release(data_);
  }

  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  T* data() const { return data_; }
  Span<T> span() const { return {data_, count_}; }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    if (count_ > 0) executor_->download(host.data(), data_, bytes());
    return host;
  }

 private:
  Executor* executor_;
  std::size_t count_;
  T* data_;
};

/// An array in the host's memory, pinned for an executor's GPU, released when it goes out of scope. What it
/// holds at first is undefined.
template <class T>
class HostArray {
 public:
  HostArray(Executor& executor, std::size_t count)
      : executor_(&executor),
        count_(count),
        data_(static_cast<T*>(executor.allocate_host(std::max(count * sizeof(T), sizeof(T))))) {}
  HostArray(HostArray&& other) noexcept
      : executor_(other.executor_), count_(other.count_), data_(std::exchange(other.data_, nullptr)) {}
  HostArray& operator=(HostArray&& other) noexcept {
    std::swap(executor_, other.executor_);
    std::swap(count_, other.count_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~HostArray() {
    if (data_) executor_->release_host(data_);
  }

  std::size_t size() const { return count_; }
  T* data() const { return data_; }
  std::span<T> span() const { return {data_, count_}; }

 private:
  Executor* executor_;
  std::size_t count_;
  T* data_;
};

/// A copy on the host.
template <class T>
std::vector<T> download(Executor& executor, Span<const T> elements) {
  std::vector<T> host(elements.count);
  if (!host.empty()) executor.download(host.data(), elements.data, host.size() * sizeof(T));
  return host;
}

}  // namespace fathom
