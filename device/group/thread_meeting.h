// SPDX-License-Identifier: Apache-2.0
// Where ranks that are threads of one process meet.
#pragma once

#include <fathom/device/group/meeting.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fathom {

class ThreadMeeting final : public Meeting {
 public:
  /// The last rank that comes to an exchange calls it with what all of them bring, while they wait: what is
  /// wrong with it, if anything.
  using OnceMet = std::function<std::optional<std::string>(const std::vector<ExchangeCall>& calls)>;

  ThreadMeeting(int ranks, OnceMet once_met)
      : once_met_(std::move(once_met)), calls_(std::size_t(ranks)), ended_(std::size_t(ranks)) {}

  void run(int rank, const std::function<void()>& each) override;
  void meet(int rank, ExchangeCall call) override;
  const ExchangeCall& brought_by(int rank) const override { return calls_[std::size_t(rank)]; }
  /// Waits until all have done their part.
  void leave() override;
  void fail(const std::string& why) override;
  bool has_failed() const override;
  bool all_ended() const override;
  void rethrow_first() const override;

 private:
  template <class OnceAllAreHere>
  void wait_for_all(std::unique_lock<std::mutex>& lock, OnceAllAreHere once_all_are_here);
  void fail_locked(const std::string& why);
  void end(int rank, std::exception_ptr thrown);

  OnceMet once_met_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ExchangeCall> calls_;
  std::vector<bool> ended_;
  std::size_t present_ = 0;             ///< those that wait now
  std::atomic<std::size_t> waits_ = 0;  ///< how often all have come; changed under the mutex
  std::size_t exchanges_ = 0;           ///< that all have left
  std::optional<std::string> failure_;
  std::exception_ptr first_;
};

}  // namespace fathom
