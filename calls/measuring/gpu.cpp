// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/measuring/gpu.h>

#include <fathom/calibration/plausible.h>
#include <fathom/device/cuda/gpu_activity.h>
#include <fmt/format.h>

namespace fathom::calls {

OtherWork::OtherWork(int number, Listener listener) : listener_(std::move(listener)) {
  const auto gpus = present_gpus();
  if (number < 0 || std::size_t(number) >= gpus.size()) return;  // open_gpu() says so
  bus_id_ = gpus[std::size_t(number)].bus_id;
  const GpuActivity before = gpu_activity(bus_id_);
  processes_ = before.processes.size();
  if (const int busy = before.busy_percent.value_or(0); busy > most_other_load)
    listener_.note(fmt::format("the GPU is {} % busy with other work: what is measured now is slower", busy));
}

void OtherWork::look() {
  if (noted_ || bus_id_.empty()) return;
  const std::size_t others = gpu_activity(bus_id_).processes.size();
  if (others <= processes_ + 1) return;  // one is this process
  listener_.note(fmt::format("{} more processes use the GPU than before: what is measured now may be slower",
                             others - processes_ - 1));
  noted_ = true;
}

void note_uncached(const Listener& listener) {
  if (const auto problem = kernel_cache_problem())
    listener.note("compiled kernels are not cached: " + *problem);
}

CudaExecutor open_gpu(int number, const Listener& listener) {
  note_uncached(listener);
  return CudaExecutor(number);
}

}  // namespace fathom::calls
