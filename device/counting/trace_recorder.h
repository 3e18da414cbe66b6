// SPDX-License-Identifier: Apache-2.0
// Records a launch for the abstract machines, block by block. Used only inside the counting executor.
#pragma once

#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/counting/warp_counter.h>

namespace fathom::counting {

/// Records the blocks that one worker runs during one launch.
class TraceRecorder {
 public:
  TraceRecorder(const TraceRequests& requests, int threads_per_block);

  // The running block, warp by warp.
  void access(int warp, const WarpAccess& access);
  void wait_for_warp(int warp);
  void wait_for_block();
  void instructions(u64 count) { agpu_block_.instructions += count * agpu_warps_; }
  void end_block(Index index);

  void merge(TraceRecorder&& other);
  LaunchTrace finish(const PreparedKernel& kernel) &&;

 private:
  using Events = std::vector<MachineTrace::Event>;
  struct Recorded {
    Index index;
    std::vector<std::vector<Events>> events;  ///< [request][machine warp]
    Agpu::Block agpu;
  };

  const TraceRequests* requests_;
  int threads_per_block_;
  std::vector<std::vector<Events>> events_;  ///< of the running block; [request][machine warp]
  Agpu agpu_{1, 1, 1};                       ///< only its width matters for counting accesses
  u64 agpu_warps_ = 0;                       ///< machine warps per warp of 32 lanes
  Agpu::Block agpu_block_;
  std::vector<Recorded> blocks_;
  std::vector<u64> cells_;  // reused to avoid allocations
};

}  // namespace fathom::counting
