// SPDX-License-Identifier: Apache-2.0
// Simulated GPUs, one in each of several processes.
#pragma once

#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/group/communicator.h>
#include <fathom/device/group/processes.h>

namespace fathom {

/// As a SimulatedGroup, but for the process of each rank: the processes carry what is exchanged.
class SimulatedProcessGroup final : public Group {
 public:
  explicit SimulatedProcessGroup(Processes& processes, CountingDevice device = {},
                                 std::chrono::nanoseconds limit = usual_limit_of_processes);

  int size() const override { return processes_.size(); }
  bool has_one_clock() const override { return are_on_one_host(processes_); }
  void run(const std::function<void(Communicator&)>& each) override;

  /// Of this process's rank. Stays, with its memory, from one run to the next.
  CountingExecutor& executor() { return executor_; }

 private:
  Processes& processes_;
  CountingExecutor executor_;
  std::chrono::nanoseconds limit_;
};

}  // namespace fathom
