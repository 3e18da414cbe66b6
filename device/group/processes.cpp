// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/device/group/communicator.h>
#include <fathom/device/group/exchange_call.h>
#include <fathom/device/group/processes.h>

#include <thread>

namespace fathom {

Message awaited(Processes& processes, int from, std::chrono::nanoseconds limit, const std::string& done,
                const std::function<void()>& while_waiting) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  // Ranks mostly come almost together, and no sleep ends as soon.
  constexpr milliseconds shortly(1);
  constexpr std::chrono::microseconds between_looks(100);
  for (const auto begin = Clock::now();;) {
    if (auto message = processes.received(from)) return *std::move(message);
    const auto waited = Clock::now() - begin;
    if (waited > limit) {
      processes.give_up();
      throw ExchangeFailure(rank_text(std::size_t(from)) + " has not " + done + " in " +
                            std::to_string(std::chrono::duration_cast<milliseconds>(limit).count()) + " ms");
    }
    while_waiting();
    if (waited < shortly)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(between_looks);
  }
}

std::vector<Message> gathered(Processes& processes, const Message& own, std::chrono::nanoseconds limit,
                              const std::string& step) {
  std::vector<Message> all;
  for (int other = 0; other < processes.size(); ++other)
    if (other != processes.rank()) processes.send(other, own);
  for (int rank = 0; rank < processes.size(); ++rank)
    all.push_back(rank == processes.rank()
                      ? own
                      : awaited(processes, rank, limit, "come to " + step, check_interruption));
  return all;
}

}  // namespace fathom
