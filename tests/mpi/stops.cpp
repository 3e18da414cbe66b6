// SPDX-License-Identifier: Apache-2.0
// A program whose second process stops between two exchanges, without a word: the others end with one line.
#include <fathom/device/group/simulated_process_group.h>
#include <fathom/mpi/mpi_processes.h>

#include <unistd.h>
#include <cstdio>

int main() {
  fathom::MpiProcesses processes;
  try {
    fathom::SimulatedProcessGroup group(processes, {}, std::chrono::seconds(2));
    group.run([](fathom::Communicator& own) {
      const fathom::DeviceArray<std::byte> from(own.executor(), 1),
          to(own.executor(), std::size_t(own.size()));
      own.all_gather(from.data(), 1, to.data());
      if (own.rank() == 1) _exit(0);
      own.all_gather(from.data(), 1, to.data());
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", processes.rank(), error.what());
    return 1;
  }
}
