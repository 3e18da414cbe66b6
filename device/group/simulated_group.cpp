// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/device/group/simulated_group.h>
#include <fathom/device/group/simulated_rank.h>
#include <fathom/device/group/thread_meeting.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace fathom {
namespace {

CountedExchange copied(const std::vector<ExchangeCall>& calls) {
  CountedExchange counted(calls[0].kind, int(calls.size()));
  for (std::size_t a = 0; a < calls.size(); ++a)
    for (std::size_t b = 0; b < calls.size(); ++b) {
      const Part part = calls[a].sent[b];
      if (part.bytes > 0)  // in place, what a rank sends to itself is there
        std::memmove(calls[b].to + calls[b].received[a].begin, calls[a].from + part.begin, part.bytes);
      counted.bytes(int(a), int(b)) = part.bytes;
    }
  return counted;
}

CountedExchange added_up(const std::vector<ExchangeCall>& calls) {
  std::vector<unsigned> sums(calls[0].numbers());
  for (const ExchangeCall& call : calls)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += reinterpret_cast<const unsigned*>(call.from)[i];
  for (const ExchangeCall& call : calls)
    if (!sums.empty()) std::memcpy(call.to, sums.data(), sums.size() * sizeof(unsigned));
  const std::vector<Part>& shares = calls[0].sent;
  CountedExchange counted(ExchangeKind::all_reduce, int(calls.size()));
  for (std::size_t a = 0; a < shares.size(); ++a)
    for (std::size_t b = 0; b < shares.size(); ++b)
      if (a != b) counted.bytes(int(a), int(b)) = shares[a].bytes + shares[b].bytes;
  return counted;
}

}  // namespace

u64 CountedExchange::bytes_leaving(int rank) const {
  u64 sum = 0;
  for (int to = 0; to < ranks_; ++to)
    if (to != rank) sum += bytes(rank, to);
  return sum;
}

Exchange CountedExchange::priced() const {
  u64 most = 0;
  for (int rank = 0; rank < ranks_; ++rank) most = std::max(most, bytes_leaving(rank));
  return {kind_, double(most)};
}

SimulatedGroup::SimulatedGroup(int size, CountingDevice device) {
  if (size < 1) throw std::invalid_argument("a group has at least one GPU, not " + std::to_string(size));
  if (device.workers == 0) device.workers = 1;
  for (int rank = 0; rank < size; ++rank) executors_.push_back(std::make_unique<CountingExecutor>(device));
}

void SimulatedGroup::run(const std::function<void(Communicator&)>& each) {
  ThreadMeeting meeting(size(), [&](const std::vector<ExchangeCall>& calls) {
    for (std::size_t rank = 0; rank < calls.size(); ++rank)
      if (auto wrong = fault_of_memory(*executors_[rank], calls[rank], rank)) return wrong;
    exchanges_.push_back(calls[0].kind == ExchangeKind::all_reduce ? added_up(calls) : copied(calls));
    return std::optional<std::string>();
  });
  const InterruptionCheck check = interruption_check();
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size(); ++rank)
      threads.emplace_back([&, rank] {
        const Interruptible as_the_caller(check);
        const auto own = simulated_rank(meeting, executor(rank), rank, size());
        meeting.run(rank, [&] { each(*own); });
      });
  }
  meeting.rethrow_first();
}

}  // namespace fathom
