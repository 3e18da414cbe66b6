// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/arena_executor.h>
#include <fathom/device/recording_executor.h>

#include <cstring>

namespace fathom {
namespace {

struct RecordedKernel final : PreparedKernel {
  Launch launch;
};

constexpr std::size_t alignment = ArenaExecutor::alignment;

}  // namespace

void* RecordingExecutor::allocate(std::size_t bytes) {
  const std::size_t address = next_address_;
  next_address_ += (bytes + alignment) / alignment * alignment;
  allocated_bytes_ += bytes;
  arena_bytes_ += ArenaExecutor::rounded_up(bytes);
  return reinterpret_cast<void*>(address);
}

void RecordingExecutor::download(void* to, const void*, std::size_t bytes) {
  std::memset(to, 0, bytes);
}

std::shared_ptr<const PreparedKernel> RecordingExecutor::prepare(const Launch& launch) {
  auto kernel = std::make_shared<RecordedKernel>();
  kernel->launch = launch;
  kernel->shape = launch.shape;
  kernel->resources.name = launch.name();
  kernel->resources.shared_bytes = launch.shape.shared_bytes;
  kernel->resources.resident_blocks = device_.resident_blocks(launch);
  return kernel;
}

void RecordingExecutor::launch_erased(const PreparedKernel& prepared, Index blocks, const void*,
                                      std::size_t) {
  Launch launch = static_cast<const RecordedKernel&>(prepared).launch;
  launch.blocks = blocks;
  launch.repeats = 1;
  launches_.push_back(launch);
}

}  // namespace fathom
