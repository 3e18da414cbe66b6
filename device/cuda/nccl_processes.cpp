// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/cuda/nccl_processes.h>
#include <fathom/device/group/process_meeting.h>

#include "check.h"

#include <cuda_runtime.h>

#include <cstring>
#include <future>
#include <thread>

namespace fathom {
namespace {

/// NCCL waits without limit for ranks that do not come. Then this thread goes on without the one that waits,
/// to end the process.
nccl::Communicator joined_in_time(Processes& processes, const nccl::UniqueId& id, int gpu,
                                  std::chrono::nanoseconds limit, const std::string& step) {
  using Joined = std::pair<int, nccl::Communicator>;
  std::packaged_task<Joined()> join([id, gpu, ranks = processes.size(), rank = processes.rank()] {
    nccl::Communicator communicator = nullptr;
    check(cudaSetDevice(gpu), "use GPU " + std::to_string(gpu));
    const int result = nccl::library().init_rank(&communicator, ranks, id, rank);
    return Joined(result, communicator);
  });
  std::future<Joined> future = join.get_future();
  std::thread(std::move(join)).detach();
  if (future.wait_for(limit) != std::future_status::ready) {
    processes.give_up();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit);
    throw ExchangeFailure(step + ": NCCL has not joined the ranks in " + std::to_string(ms.count()) + " ms");
  }
  const auto [result, communicator] = future.get();
  nccl::library().check(result, step);
  return communicator;
}

Message message_of_chars(std::span<const char> chars) {
  const auto bytes = std::as_bytes(chars);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

void check_one_kind(Processes& processes, const std::string& kind, std::chrono::nanoseconds limit) {
  const auto kinds = gathered(processes, message_of_chars(kind), limit, "the comparison of GPUs");
  const auto text = [&](std::size_t rank) {
    return std::string(reinterpret_cast<const char*>(kinds[rank].data()), kinds[rank].size());
  };
  for (std::size_t rank = 1; rank < kinds.size(); ++rank)
    if (kinds[rank] != kinds[0])
      throw DeviceUnavailable("rank 0 has a GPU of the kind " + text(0) + ", rank " + std::to_string(rank) +
                              " one of the kind " + text(rank) + ": choose GPUs of one kind for a group");
}

nccl::Communicator joined(Processes& processes, int gpu, std::chrono::nanoseconds limit,
                          const std::string& step) {
  nccl::UniqueId id{};
  in_all_processes(processes, limit, [&] {
    if (processes.rank() == 0) nccl::library().check(nccl::library().get_unique_id(&id), step);
  });
  const Message of_first = gathered(processes, message_of_chars(id.bytes), limit, step).front();
  std::memcpy(id.bytes, of_first.data(), sizeof(id.bytes));
  nccl::Communicator communicator = nullptr;
  in_all_processes(processes, limit, [&] { communicator = joined_in_time(processes, id, gpu, limit, step); });
  return communicator;
}

}  // namespace fathom
