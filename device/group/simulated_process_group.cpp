// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/group/process_meeting.h>
#include <fathom/device/group/simulated_process_group.h>
#include <fathom/device/group/simulated_rank.h>

#include <algorithm>
#include <cstring>

namespace fathom {
namespace {

/// Moves what is exchanged once all have met.
class SimulatedProcessMeeting final : public ProcessMeeting {
 public:
  SimulatedProcessMeeting(Processes& processes, std::chrono::nanoseconds limit,
                          const CountingExecutor& executor)
      : ProcessMeeting(processes, limit), executor_(executor) {}

 private:
  std::optional<std::string> fault_of_own(const ExchangeCall& call) const override {
    return fault_of_memory(executor_, call, std::size_t(processes_.rank()));
  }
  void once_met(const ExchangeCall& own) override {
    own.kind == ExchangeKind::all_reduce ? add_up(own) : copy(own);
  }

  void copy(const ExchangeCall& own) {
    const auto ranks = own.sent.size(), self = std::size_t(processes_.rank());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const Part part = own.sent[rank];
      if (rank != self)
        send_bytes(int(rank), own.from + part.begin, part.bytes);
      else if (part.bytes > 0)  // in place, it is there
        std::memmove(own.to + own.received[self].begin, own.from + part.begin, part.bytes);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank)
      if (rank != self) std::ranges::copy(bytes_from(int(rank)), own.to + own.received[rank].begin);
  }

  void add_up(const ExchangeCall& own) {
    const std::size_t bytes = own.numbers() * sizeof(unsigned);
    std::vector<unsigned> sums(own.numbers());
    for (int rank = 0; rank < processes_.size(); ++rank)
      if (rank != processes_.rank()) send_bytes(rank, own.from, bytes);
    for (int rank = 0; rank < processes_.size(); ++rank) {
      const Message numbers =
          rank == processes_.rank() ? Message(own.from, own.from + bytes) : bytes_from(rank);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        unsigned number;
        std::memcpy(&number, numbers.data() + i * sizeof(number), sizeof(number));
        sums[i] += number;
      }
    }
    if (bytes > 0) std::memcpy(own.to, sums.data(), bytes);
  }

  const CountingExecutor& executor_;
};

/// As processes run in parallel, each runs its blocks one after another, unless the device says otherwise.
CountingDevice for_one_rank(CountingDevice device) {
  if (device.workers == 0) device.workers = 1;
  return device;
}

}  // namespace

SimulatedProcessGroup::SimulatedProcessGroup(Processes& processes, CountingDevice device,
                                             std::chrono::nanoseconds limit)
    : processes_(processes), executor_(for_one_rank(device)), limit_(limit) {}

void SimulatedProcessGroup::run(const std::function<void(Communicator&)>& each) {
  const int rank = processes_.rank();
  SimulatedProcessMeeting meeting(processes_, limit_, executor_);
  const auto own = simulated_rank(meeting, executor_, rank, size());
  meeting.run(rank, [&] { each(*own); });
  meeting.rethrow_first();
}

}  // namespace fathom
