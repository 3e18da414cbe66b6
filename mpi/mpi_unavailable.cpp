// SPDX-License-Identifier: Apache-2.0
// Replaces what MPI does in a build without it.
#include <fathom/device/executor.h>
#include <fathom/mpi/mpi_processes.h>

namespace fathom {

struct MpiProcesses::Implementation {};

MpiProcesses::MpiProcesses() {
  throw DeviceUnavailable(
      "this build has no MPI, which starts processes: install it (scripts/prepare mpi, in Debian "
      "libopenmpi-dev), configure with FATHOM_MPI=ON, and build again");
}

MpiProcesses::~MpiProcesses() = default;
int MpiProcesses::rank() const {
  return 0;
}
int MpiProcesses::size() const {
  return 1;
}
int MpiProcesses::rank_on_host() const {
  return 0;
}
int MpiProcesses::size_on_host() const {
  return 1;
}
void MpiProcesses::send(int, Message) {}
std::optional<Message> MpiProcesses::received(int) {
  return std::nullopt;
}

}  // namespace fathom
