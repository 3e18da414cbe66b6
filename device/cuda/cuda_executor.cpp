// SPDX-License-Identifier: Apache-2.0
// This file is long, as memory, launches, and the clock and gate of timed runs all use the stream and what
// was loaded for it, which nothing else knows.
#include <fathom/core/system/host_memory.h>
#include <fathom/device/cuda/compiler/compile_ahead.h>
#include <fathom/device/cuda/compiler/kernel_cache.h>
#include <fathom/device/cuda/compiler/nvrtc.h>
#include <fathom/device/cuda/cuda_executor.h>

#include "check.h"

#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <list>
#include <map>
#include <tuple>
#include <typeindex>

namespace fathom {
namespace {

/// "ScanTiles" of "fathom::ScanTiles<…>": the arguments are the compiler's affair.
std::string plain_name(const std::string& expression) {
  const std::string name = expression.substr(0, expression.find('<'));
  return name.substr(name.rfind(':') + 1);  // npos + 1 is the beginning
}

struct CudaKernel final : PreparedKernel {
  ~CudaKernel() override { cudaLibraryUnload(library); }
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  const void* function() const { return reinterpret_cast<const void*>(kernel); }
};

/// `gate` blocks the stream until the host opens it, so that the launches queued behind it never wait for the
/// host. It gives up after some time, in case the queued work needs the host after all. `watch_clock`
/// measures a spin in cycles and nanoseconds.
constexpr char instrument_kernels[] = R"(
__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}
__global__ void gate(const volatile int* open, unsigned long long duration) {
  const unsigned long long start = nanoseconds();
  while (!*open && nanoseconds() - start < duration) __nanosleep(200);
}
// Both ends lie on a tick of the global timer, whose resolution is up to a microsecond on some GPUs.
__global__ void watch_clock(unsigned long long* out, unsigned long long duration) {
  unsigned long long tick = nanoseconds(), start = tick;
  while ((start = nanoseconds()) == tick) {}
  const long long first = clock64();
  unsigned long long end = start;
  while (end - start < duration) end = nanoseconds();
  out[0] = clock64() - first;
  out[1] = end - start;
}
)";

}  // namespace

/// What a loaded kernel depends on. Its source follows from the type.
using Loaded = std::tuple<std::type_index, std::array<int, Launch::most_constants>, int, int, int>;

struct CudaExecutor::Implementation {
  GpuInfo gpu;
  cudaStream_t own_stream = nullptr, stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  cudaEvent_t reached = nullptr;  // what others wait for
  int* gate_open = nullptr;       // pinned: the gate kernel polls it
  int launches_behind_gate = 0;
  unsigned long long* clock_result = nullptr;  // pinned
  std::shared_ptr<const PreparedKernel> gate, watch_clock;
  std::map<Loaded, std::weak_ptr<const PreparedKernel>> loaded;
  std::list<CompileAhead> ahead;
  std::chrono::duration<double> compiling{};

  std::shared_ptr<const PreparedKernel> load(const CompiledKernel& compiled, const std::string& name,
                                             BlockShape shape);
  CompiledKernel compiled(const CudaSource& source) const;
  void launch(const PreparedKernel& prepared, Index blocks, void** arguments);
  /// GPU seconds of `work`, behind a gate that gives up after so long, once everything queued has ended.
  double gated(const std::function<void()>& work, std::chrono::nanoseconds patience = patience_with_host);
  void open_gate();
  void synchronize() const;
  static constexpr std::chrono::seconds patience_with_host{2};
  void watch(unsigned long long nanoseconds);  // queues a clock measurement
  double watched_hz() const { return 1e9 * double(clock_result[0]) / double(clock_result[1]); }
};

std::shared_ptr<const PreparedKernel> CudaExecutor::Implementation::load(const CompiledKernel& compiled,
                                                                         const std::string& name,
                                                                         BlockShape shape) {
  auto kernel = std::make_shared<CudaKernel>();
  check(
      cudaLibraryLoadData(&kernel->library, compiled.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      "load " + name);
  check(cudaLibraryGetKernel(&kernel->kernel, kernel->library, compiled.symbol.c_str()),
        "find " + compiled.symbol);
  kernel->shape = shape;
  if (std::size_t(shape.shared_bytes) > gpu.shared_bytes_per_block)
    throw BlockDoesNotFit(plain_name(name) + ": a block has " + std::to_string(shape.shared_bytes) +
                          " bytes of shared memory, this GPU allows " +
                          std::to_string(gpu.shared_bytes_per_block));
  if (shape.shared_bytes > 48 * 1024)  // more than this needs opt-in
    check(cudaFuncSetAttribute(kernel->function(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shape.shared_bytes),
          name + ": " + std::to_string(shape.shared_bytes) + " bytes of shared memory per block");
  if (shape.carveout >= 0)
    check(cudaFuncSetAttribute(kernel->function(), cudaFuncAttributePreferredSharedMemoryCarveout,
                               shape.carveout),
          name + ": a carve-out of " + std::to_string(shape.carveout) + " %");
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel->function()), "ask for the resources of " + name);
  kernel->resources.name = name;
  kernel->resources.registers = attributes.numRegs;
  kernel->resources.local_bytes = int(attributes.localSizeBytes);
  kernel->resources.shared_bytes = int(attributes.sharedSizeBytes) + shape.shared_bytes;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&kernel->resources.resident_blocks, kernel->function(),
                                                      shape.threads, std::size_t(shape.shared_bytes)),
        "ask for the occupancy of " + name);
  if (kernel->resources.resident_blocks == 0)
    throw BlockDoesNotFit(plain_name(name) + ": no block of " + std::to_string(shape.threads) +
                          " threads with " + std::to_string(kernel->resources.shared_bytes) +
                          " bytes of shared memory and " + std::to_string(attributes.numRegs) +
                          " registers per thread fits on a multiprocessor");
  return kernel;
}

/// A stream holds about a thousand launches; the host then waits for room. With a lead of this many the host
/// stays ahead: a launch takes the host no longer than the GPU.
constexpr int most_launches_behind_gate = 512;

void CudaExecutor::Implementation::open_gate() {
  std::atomic_ref(*gate_open).store(1);
}

void CudaExecutor::Implementation::launch(const PreparedKernel& prepared, Index blocks, void** arguments) {
  if (++launches_behind_gate == most_launches_behind_gate) open_gate();
  const auto& kernel = static_cast<const CudaKernel&>(prepared);
  check(cudaLaunchKernel(kernel.function(), dim3(unsigned(blocks)), dim3(unsigned(kernel.shape.threads)),
                         arguments, std::size_t(kernel.shape.shared_bytes), stream),
        "launch " + kernel.resources.name);
}

CompiledKernel CudaExecutor::Implementation::compiled(const CudaSource& source) const {
  for (const CompileAhead& batch : ahead)
    if (auto kernel = batch.find(source)) return *std::move(kernel);
  return cached_cuda(source.text, source.expression, gpu.compute_capability);
}

double CudaExecutor::Implementation::gated(const std::function<void()>& work,
                                           std::chrono::nanoseconds patience) {
  *gate_open = 0;
  launches_behind_gate = 0;
  unsigned long long duration = static_cast<unsigned long long>(patience.count());
  void* arguments[] = {&gate_open, &duration};
  launch(*gate, 1, arguments);
  check(cudaEventRecord(start, stream), "record an event");
  work();
  check(cudaEventRecord(stop, stream), "record an event");
  open_gate();
  synchronize();
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop), "read the timer");
  return 1e-3 * double(milliseconds);
}

void CudaExecutor::Implementation::synchronize() const {
  check(cudaStreamSynchronize(stream), "a kernel on GPU " + std::to_string(gpu.index) + " failed");
}

void CudaExecutor::Implementation::watch(unsigned long long nanoseconds) {
  void* arguments[] = {&clock_result, &nanoseconds};
  launch(*watch_clock, 1, arguments);
}

CudaExecutor::CudaExecutor(int gpu, StreamPriority priority)
    : implementation_(std::make_unique<Implementation>()) {
  const auto gpus = present_gpus();
  if (gpus.empty())
    throw DeviceUnavailable("no NVIDIA GPU is present (nvidia-smi lists those that the driver sees)");
  if (gpu < 0 || std::size_t(gpu) >= gpus.size())
    throw DeviceUnavailable("there is no GPU " + std::to_string(gpu) + ": the driver sees " +
                            std::to_string(gpus.size()) + ", numbered from 0");
  auto& self = *implementation_;
  self.gpu = gpus[std::size_t(gpu)];
  check(cudaSetDevice(gpu), "use GPU " + std::to_string(gpu));
  int usual = 0, first = 0;
  check(cudaDeviceGetStreamPriorityRange(&usual, &first), "ask for the priorities of streams");
  check(cudaStreamCreateWithPriority(&self.own_stream, cudaStreamNonBlocking,
                                     priority == StreamPriority::first ? first : usual),
        "create a stream");
  self.stream = self.own_stream;
  check(cudaEventCreate(&self.start), "create an event");
  check(cudaEventCreate(&self.stop), "create an event");
  check(cudaEventCreateWithFlags(&self.reached, cudaEventDisableTiming), "create an event");
  check(cudaMallocHost(&self.gate_open, sizeof(int)), "allocate pinned memory");
  check(cudaMallocHost(&self.clock_result, 2 * sizeof(unsigned long long)), "allocate pinned memory");
  self.gate = prepare_cuda(instrument_kernels, "gate", {1});
  self.watch_clock = prepare_cuda(instrument_kernels, "watch_clock", {1});
}

CudaExecutor::~CudaExecutor() {
  auto& self = *implementation_;
  cudaStreamSynchronize(self.own_stream);
  cudaFreeHost(self.gate_open);
  cudaFreeHost(self.clock_result);
  cudaEventDestroy(self.start);
  cudaEventDestroy(self.stop);
  cudaEventDestroy(self.reached);
  cudaStreamDestroy(self.own_stream);
}

const GpuInfo& CudaExecutor::gpu() const {
  return implementation_->gpu;
}
int CudaExecutor::multiprocessors() const {
  return implementation_->gpu.multiprocessors;
}
double CudaExecutor::shared_bytes_per_multiprocessor() const {
  return double(implementation_->gpu.shared_bytes_per_multiprocessor);
}
double CudaExecutor::shared_bytes_reserved() const {
  return double(implementation_->gpu.shared_bytes_reserved);
}
double CudaExecutor::shared_bytes_per_block() const {
  return double(implementation_->gpu.shared_bytes_per_block);
}
void* CudaExecutor::stream() const {
  return implementation_->stream;
}
void CudaExecutor::use_stream(void* stream) {
  implementation_->stream = static_cast<cudaStream_t>(stream);
}
void CudaExecutor::use_on_this_thread() {
  const int gpu = implementation_->gpu.index;
  check(cudaSetDevice(gpu), "use GPU " + std::to_string(gpu));
}
void CudaExecutor::after(Executor& other) {
  const auto& before = dynamic_cast<CudaExecutor&>(other);
  const cudaEvent_t reached = before.implementation_->reached;
  check(cudaEventRecord(reached, before.implementation_->stream), "record an event");
  check(cudaStreamWaitEvent(implementation_->stream, reached), "wait for an event");
}

std::size_t CudaExecutor::free_bytes() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "ask for free memory");
  return free;
}

void* CudaExecutor::allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, std::max<std::size_t>(bytes, 1));
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // an allocation that did not fit leaves the device usable: clear it
    throw OutOfDeviceMemory("need " + std::to_string(bytes) + " bytes of GPU memory, " +
                            std::to_string(free_bytes()) + " are free");
  }
  check(error, "allocate " + std::to_string(bytes) + " bytes");
  return memory;
}
void CudaExecutor::release(void* memory) noexcept {
  cudaFree(memory);
}
void CudaExecutor::upload(void* to, const void* from, std::size_t bytes) {
  synchronize();
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copy to the GPU");
}
void CudaExecutor::download(void* to, const void* from, std::size_t bytes) {
  synchronize();
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy from the GPU");
}
void CudaExecutor::copy(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, implementation_->stream),
        "copy on the GPU");
}
void CudaExecutor::fill(void* memory, unsigned char byte, std::size_t bytes) {
  check(cudaMemsetAsync(memory, byte, bytes, implementation_->stream), "fill GPU memory");
}
void CudaExecutor::synchronize() {
  implementation_->synchronize();
}

void* CudaExecutor::allocate_host(std::size_t bytes) {
  // Pinning what the system does not have ends other programs, or this one.
  if (const double available = available_host_bytes(); double(bytes) > available)
    throw OutOfHostMemory("need " + std::to_string(bytes) + " bytes of the host's memory, pinned, " +
                          std::to_string(std::size_t(available)) + " are available");
  void* memory = nullptr;
  // Portable: pinned for all GPUs, whichever the calling thread uses.
  const cudaError_t error = cudaHostAlloc(&memory, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // as when the GPU's memory does not suffice
    throw OutOfHostMemory("need " + std::to_string(bytes) +
                          " bytes of the host's memory, pinned, more than the system gives");
  }
  check(error, "pin " + std::to_string(bytes) + " bytes of the host's memory");
  return memory;
}
void CudaExecutor::release_host(void* memory) noexcept {
  cudaFreeHost(memory);
}
void CudaExecutor::upload_queued(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, implementation_->stream), "copy to the GPU");
}
void CudaExecutor::download_queued(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, implementation_->stream),
        "copy from the GPU");
}

std::shared_ptr<const PreparedKernel> CudaExecutor::prepare(const Launch& launch) {
  const BlockShape& shape = launch.shape;
  // Sweeps return to the same kernels: those still in use are not loaded twice.
  auto& known = implementation_->loaded[{*launch.kernel->type, launch.constants, shape.threads,
                                         shape.shared_bytes, shape.carveout}];
  if (auto kernel = known.lock()) return kernel;
  const KernelSource source = launch.source();
  auto kernel = implementation_->load(cached_kernel(source, shape.threads, gpu().compute_capability),
                                      source.expression, shape);
  known = kernel;
  return kernel;
}

void CudaExecutor::launch_erased(const PreparedKernel& prepared, Index blocks, const void* kernel,
                                 std::size_t) {
  void* arguments[] = {const_cast<void*>(kernel)};
  implementation_->launch(prepared, blocks, arguments);
}

std::shared_ptr<const PreparedKernel> CudaExecutor::prepare_cuda(const std::string& text,
                                                                 const std::string& expression,
                                                                 BlockShape shape) {
  const auto begin = std::chrono::steady_clock::now();
  const CompiledKernel compiled = implementation_->compiled({text, expression});
  implementation_->compiling += std::chrono::steady_clock::now() - begin;
  return implementation_->load(compiled, expression, shape);
}

void CudaExecutor::compile_ahead(std::vector<CudaSource> sources) {
  implementation_->ahead.emplace_back(std::move(sources), gpu().compute_capability);
}

double CudaExecutor::seconds_compiling() const {
  return implementation_->compiling.count();
}

void CudaExecutor::launch_cuda(const PreparedKernel& kernel, Index blocks,
                               const std::vector<void*>& arguments) {
  implementation_->launch(kernel, blocks, const_cast<void**>(arguments.data()));
}

Timing CudaExecutor::time(const std::function<void()>& work, const std::function<void()>& before, int repeats,
                          int warmups) {
  auto& self = *implementation_;
  // Work that waits for the GPU before it has queued everything, as CUB's segmented sort does, waits for the
  // gate to give up. The second time it need not be patient.
  std::chrono::nanoseconds patience = Implementation::patience_with_host;
  const auto repeat_once = [&] {
    if (before) before();
    return self.gated(
        [&] {
          const auto began = std::chrono::steady_clock::now();
          work();
          const auto queueing = std::chrono::steady_clock::now() - began;
          if (2 * queueing >= Implementation::patience_with_host) patience = std::chrono::milliseconds(1);
        },
        patience);
  };
  for (int i = 0; i < warmups;
       ++i) {  // without the gate: the first launch may load code, which waits for the stream
    if (before) before();
    work();
    synchronize();
  }

  constexpr double moved = 0.01;
  Timing timing;
  for (int attempt = 0; attempt < 2; ++attempt) {
    timing = {};
    const double first_hz = clock_hz();
    for (int i = 0; i < repeats; ++i) timing.seconds.push_back(repeat_once());
    self.watch(20'000);  // at once, before the clock changes after the last repeat
    synchronize();
    timing.clock_hz = self.watched_hz();
    timing.clock_moved = std::abs(timing.clock_hz / first_hz - 1) > moved;
    if (!timing.clock_moved) break;
  }
  return timing;
}

double CudaExecutor::time_once(const std::function<void()>& work) {
  return implementation_->gated(work);
}

double CudaExecutor::clock_hz() {
  implementation_->watch(100'000);
  synchronize();
  return implementation_->watched_hz();
}

}  // namespace fathom
