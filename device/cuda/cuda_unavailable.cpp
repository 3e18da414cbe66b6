// SPDX-License-Identifier: Apache-2.0
// Replaces what runs on a GPU in a build without the CUDA toolkit: every function says so.
#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/device/cuda/nccl_group.h>

namespace fathom {
namespace {
[[noreturn]] void unavailable() {
  throw DeviceUnavailable(
      "this build of Fathom runs nothing on a GPU: install NVIDIA's CUDA toolkit (12.8 or newer) and build "
      "again");
}
}  // namespace

struct CudaExecutor::Implementation {};

std::vector<GpuInfo> present_gpus() {
  unavailable();
}
int current_gpu() {
  unavailable();
}
std::vector<int> chosen_gpus(std::vector<int>) {
  unavailable();
}

CudaExecutor::CudaExecutor(int, StreamPriority) {
  unavailable();
}
CudaExecutor::~CudaExecutor() = default;
const GpuInfo& CudaExecutor::gpu() const {
  unavailable();
}
std::size_t CudaExecutor::free_bytes() const {
  unavailable();
}
void* CudaExecutor::allocate(std::size_t) {
  unavailable();
}
void CudaExecutor::release(void*) noexcept {}
void CudaExecutor::upload(void*, const void*, std::size_t) {
  unavailable();
}
void CudaExecutor::download(void*, const void*, std::size_t) {
  unavailable();
}
void CudaExecutor::copy(void*, const void*, std::size_t) {
  unavailable();
}
void CudaExecutor::fill(void*, unsigned char, std::size_t) {
  unavailable();
}
void CudaExecutor::synchronize() {
  unavailable();
}
void* CudaExecutor::allocate_host(std::size_t) {
  unavailable();
}
void CudaExecutor::release_host(void*) noexcept {}
void CudaExecutor::upload_queued(void*, const void*, std::size_t) {
  unavailable();
}
void CudaExecutor::download_queued(void*, const void*, std::size_t) {
  unavailable();
}
int CudaExecutor::multiprocessors() const {
  unavailable();
}
double CudaExecutor::shared_bytes_per_multiprocessor() const {
  unavailable();
}
double CudaExecutor::shared_bytes_reserved() const {
  unavailable();
}
double CudaExecutor::shared_bytes_per_block() const {
  unavailable();
}
std::shared_ptr<const PreparedKernel> CudaExecutor::prepare(const Launch&) {
  unavailable();
}
void CudaExecutor::warm_cache(const std::vector<Launch>&, const Progress&) {
  unavailable();
}
void CudaExecutor::compile_ahead(std::vector<CudaSource>) {
  unavailable();
}
double CudaExecutor::seconds_compiling() const {
  unavailable();
}
std::shared_ptr<const PreparedKernel> CudaExecutor::prepare_cuda(const std::string&, const std::string&,
                                                                 BlockShape) {
  unavailable();
}
void CudaExecutor::use_stream(void*) {
  unavailable();
}
void CudaExecutor::use_on_this_thread() {
  unavailable();
}
void CudaExecutor::after(Executor&) {
  unavailable();
}
void CudaExecutor::launch_cuda(const PreparedKernel&, Index, const std::vector<void*>&) {
  unavailable();
}
Timing CudaExecutor::time(const std::function<void()>&, const std::function<void()>&, int, int) {
  unavailable();
}
double CudaExecutor::time_once(const std::function<void()>&) {
  unavailable();
}
double CudaExecutor::clock_hz() {
  unavailable();
}
void* CudaExecutor::stream() const {
  unavailable();
}
void CudaExecutor::launch_erased(const PreparedKernel&, Index, const void*, std::size_t) {
  unavailable();
}

struct NcclGroup::Implementation {};

NcclGroup::NcclGroup(std::vector<int>, std::chrono::nanoseconds) {
  unavailable();
}
NcclGroup::NcclGroup(Processes&, std::chrono::nanoseconds) {
  unavailable();
}
NcclGroup::~NcclGroup() = default;
int NcclGroup::size() const {
  unavailable();
}
bool NcclGroup::has_one_clock() const {
  unavailable();
}
void NcclGroup::run(const std::function<void(Communicator&)>&) {
  unavailable();
}
CudaExecutor& NcclGroup::executor(int) {
  unavailable();
}

}  // namespace fathom
