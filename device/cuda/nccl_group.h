// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine as a group that exchanges data by copies between them, and through NCCL.
#pragma once

#include <fathom/device/cuda/cuda_executor.h>
#include <fathom/device/group/communicator.h>
#include <fathom/device/group/processes.h>

#include <chrono>
#include <memory>
#include <vector>

namespace fathom {

/// Every rank is a thread with a GPU of its own, or the only one of its process, whose exchanges are queued
/// on its executor's stream. Before any is, the ranks meet on the host and are checked against each other
/// (meeting.h). An exchange that has not ended in `limit` from when it was queued, whatever was queued before
/// it included, fails on all ranks, and so does one whose link fails. After a failure NCCL begins anew with
/// the next run.
class NcclGroup final : public Group {
 public:
  static constexpr std::chrono::seconds usual_limit{60};

  /// All GPUs that are present, or these. Throws DeviceUnavailable without NCCL, without a GPU, for a GPU
  /// that is not there or named twice, and for GPUs of different kinds, on which equal parts would take
  /// different times; and ExchangeFailure if NCCL does not begin.
  explicit NcclGroup(std::vector<int> gpus = {}, std::chrono::nanoseconds limit = usual_limit);
  /// A rank in each process, whose GPU has the number of its rank on its host. All exchanges go through NCCL.
  /// Every process throws if one does: DeviceUnavailable for its own reasons, and also where its host has
  /// fewer GPUs than processes; else ExchangeFailure.
  explicit NcclGroup(Processes& processes, std::chrono::nanoseconds limit = usual_limit);
  ~NcclGroup() override;

  int size() const override;
  bool has_one_clock() const override;
  /// Waits until the GPUs have done what the ranks queued.
  void run(const std::function<void(Communicator&)>& each) override;
  /// The executor of a rank of this process stays, with its memory, from one run to the next. Nobody else may
  /// use it during a run.
  CudaExecutor& executor(int rank);

 private:
  struct RankState;
  class Rank;
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fathom
