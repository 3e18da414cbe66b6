// SPDX-License-Identifier: Apache-2.0
// Processes that MPI has started: mpirun, or SLURM's srun.
#pragma once

#include <fathom/device/group/processes.h>

#include <memory>

namespace fathom {

/// Lives once in a program, from its beginning to its end, so that errors are printed while it lives: where
/// another process did not answer, its end is that of all processes. A program that was started without MPI's
/// command is the only one.
class MpiProcesses final : public Processes {
 public:
  /// Starts MPI, unless the program has. Throws DeviceUnavailable without MPI in this build, or with one that
  /// is used by its first thread alone.
  MpiProcesses();
  ~MpiProcesses() override;

  int rank() const override;
  int size() const override;
  int rank_on_host() const override;
  int size_on_host() const override;
  void send(int to, Message message) override;
  std::optional<Message> received(int from) override;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fathom
