// SPDX-License-Identifier: Apache-2.0
// Threads in the place of processes: they only send each other messages.
#pragma once

#include <fathom/device/group/processes.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace fathom::tests {

/// What is on its way to each rank from each.
class Mail {
 public:
  explicit Mail(int ranks) : ranks_(ranks), boxes_(std::size_t(ranks * ranks)) {}
  int ranks() const { return ranks_; }
  void send(int from, int to, Message message) {
    const std::lock_guard lock(mutex_);
    box(from, to).push_back(std::move(message));
  }
  std::optional<Message> take(int from, int to) {
    const std::lock_guard lock(mutex_);
    if (box(from, to).empty()) return std::nullopt;
    Message first = std::move(box(from, to).front());
    box(from, to).pop_front();
    return first;
  }
  bool is_empty() const {
    return std::ranges::all_of(boxes_, [](const auto& box) { return box.empty(); });
  }

 private:
  std::deque<Message>& box(int from, int to) { return boxes_[std::size_t(from * ranks_ + to)]; }

  int ranks_;
  std::vector<std::deque<Message>> boxes_;
  std::mutex mutex_;
};

class Process final : public Processes {
 public:
  Process(Mail& mail, int rank) : mail_(mail), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return mail_.ranks(); }
  int rank_on_host() const override { return rank_; }
  int size_on_host() const override { return size(); }
  void send(int to, Message message) override { mail_.send(rank_, to, std::move(message)); }
  std::optional<Message> received(int from) override { return mail_.take(from, rank_); }

 private:
  Mail& mail_;
  int rank_;
};

}  // namespace fathom::tests
