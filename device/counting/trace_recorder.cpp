// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/counting/trace_recorder.h>

#include <algorithm>

namespace fathom::counting {

namespace {

int machine_warps(int threads_per_block, int width) {
  return MachineTrace::of_kernel(threads_per_block, width).warps_per_block();
}

/// Calls `use(machine_warp, cells)` for every machine warp with an active lane in the access.
template <class Use>
void for_each_part(int warp, const WarpAccess& access, int width, std::vector<u64>& cells, Use use) {
  const int lanes = std::min(width, warp_width);
  const u64 words = std::max<u64>(1, access.site.bytes() / 4);
  for (int i = 0; i < access.active;) {
    const int part = access.lane[std::size_t(i)] / lanes;
    cells.clear();
    for (; i < access.active && access.lane[std::size_t(i)] / lanes == part; ++i)
      for (u64 word = 0; word < words; ++word) cells.push_back(access.address[std::size_t(i)] / 4 + word);
    use(warp * (warp_width / lanes) + part, std::span<const u64>(cells));
  }
}

}  // namespace

TraceRecorder::TraceRecorder(const TraceRequests& requests, int threads_per_block)
    : requests_(&requests), threads_per_block_(threads_per_block) {
  for (const auto& request : requests.memory_machines)
    events_.emplace_back(std::size_t(machine_warps(threads_per_block, request.width)));
  if (requests.agpu_width) {
    const int width = *requests.agpu_width;
    agpu_ = Agpu(u64(width), width, 1);
    agpu_warps_ = u64(warp_width / std::min(width, warp_width));
  }
}

void TraceRecorder::access(int warp, const WarpAccess& access) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const MemoryMachine& machine = requests_->memory_machines[i].machine();
    if (access.is_global() != (requests_->memory_machines[i].kind == MachineKind::umm)) continue;
    for_each_part(
        warp, access, requests_->memory_machines[i].width, cells_, [&](int machine_warp, auto cells) {
          events_[i][std::size_t(machine_warp)].push_back(MachineTrace::request(machine.slots(cells)));
        });
  }
  if (!requests_->agpu_width) return;
  for_each_part(warp, access, *requests_->agpu_width, cells_, [&](int, auto cells) {
    access.is_global() ? agpu_.access_global(agpu_block_, cells) : agpu_.access_shared(agpu_block_, cells);
  });
}

void TraceRecorder::wait_for_warp(int warp) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const int parts = warp_width / std::min(requests_->memory_machines[i].width, warp_width);
    if (parts == 1) continue;  // a machine warp has no need to wait for itself
    for (int part = 0; part < parts; ++part)
      events_[i][std::size_t(warp * parts + part)].push_back(MachineTrace::wait_for_group);
  }
}

void TraceRecorder::wait_for_block() {
  for (auto& warps : events_)
    for (Events& events : warps) events.push_back(MachineTrace::wait_for_block);
}

void TraceRecorder::end_block(Index index) {
  if (events_.empty() && !requests_->agpu_width) return;
  Recorded block{index, events_, agpu_block_};
  blocks_.push_back(std::move(block));
  for (auto& warps : events_)
    for (Events& events : warps) events.clear();
  agpu_block_ = {};
}

void TraceRecorder::merge(TraceRecorder&& other) {
  std::move(other.blocks_.begin(), other.blocks_.end(), std::back_inserter(blocks_));
}

LaunchTrace TraceRecorder::finish(const PreparedKernel& kernel) && {
  std::sort(blocks_.begin(), blocks_.end(),
            [](const Recorded& a, const Recorded& b) { return a.index < b.index; });
  LaunchTrace trace;
  trace.kernel = kernel.resources.name;
  for (std::size_t i = 0; i < requests_->memory_machines.size(); ++i) {
    MachineTrace& machine = trace.memory_machines.emplace_back(
        MachineTrace::of_kernel(threads_per_block_, requests_->memory_machines[i].width));
    for (const Recorded& block : blocks_) machine.add_block(block.events[i]);
  }
  if (requests_->agpu_width)
    for (const Recorded& block : blocks_) trace.agpu_blocks.push_back(block.agpu);
  trace.shared_words_per_block = u64(kernel.shape.shared_bytes) / 4;
  return trace;
}

}  // namespace fathom::counting
