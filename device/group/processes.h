// SPDX-License-Identifier: Apache-2.0
// Processes that run one program together, each as one rank of a group.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fathom {

/// What one process says to another.
using Message = std::vector<std::byte>;

/// What has started the processes carries small messages between them, on the host. One thread at a time may
/// call it.
class Processes {
 public:
  virtual ~Processes() = default;
  virtual int rank() const = 0;  ///< from 0
  virtual int size() const = 0;
  virtual int rank_on_host() const = 0;  ///< among those on the same host
  virtual int size_on_host() const = 0;

  /// Returns at once. What a rank sends to another arrives in order.
  virtual void send(int to, Message message) = 0;
  /// What has arrived, the first if there are several.
  virtual std::optional<Message> received(int from) = 0;

  /// To be called when another process does not answer: what has been sent is never received, so there is no
  /// orderly end, and this one must end all.
  void give_up() { has_given_up_ = true; }
  bool has_given_up() const { return has_given_up_; }

 private:
  bool has_given_up_ = false;
};

inline bool are_on_one_host(const Processes& processes) {
  return processes.size_on_host() == processes.size();
}

/// How long a rank waits for another one, unless said otherwise.
inline constexpr std::chrono::seconds usual_limit_of_processes{60};

/// Waits for a message, and calls `while_waiting` now and then. Throws what that throws; and when `limit` is
/// over ExchangeFailure, after giving up: that the rank has not `done` it, "come to it", in so long.
Message awaited(Processes& processes, int from, std::chrono::nanoseconds limit, const std::string& done,
                const std::function<void()>& while_waiting);

/// What each process brings, in order of ranks, on every one. Throws like awaited() and what
/// check_interruption() does; `step` is named.
std::vector<Message> gathered(Processes& processes, const Message& own, std::chrono::nanoseconds limit,
                              const std::string& step);

}  // namespace fathom
