// SPDX-License-Identifier: Apache-2.0
// Where ranks that are processes meet.
#pragma once

#include <fathom/device/group/meeting.h>
#include <fathom/device/group/processes.h>

#include <exception>
#include <mutex>
#include <optional>
#include <vector>

namespace fathom {

/// The rank of this process in one run of a group. Each rank sends the others what it brings, so that all of
/// them compare the same and fail alike. The last that a rank sends is how it ended, and all wait for that:
/// no message is left for the next run. A rank that another one waits for longer than `limit` ends the run,
/// and after that there is no other.
///
/// Messages go from each to each, not through a collective of MPI, which could not say who is missing.
class ProcessMeeting : public Meeting {
 public:
  /// Throws ExchangeFailure if the processes have given up.
  ProcessMeeting(Processes& processes, std::chrono::nanoseconds limit);

  void run(int rank, const std::function<void()>& each) override;
  void meet(int rank, ExchangeCall call) override;
  /// The memory of others is in their processes.
  const ExchangeCall& brought_by(int rank) const override { return calls_[std::size_t(rank)]; }
  void leave() override {}
  void fail(const std::string& why) override;
  bool has_failed() const override;
  bool all_ended() const override;
  void rethrow_first() const override;

 protected:
  /// What is wrong with this rank's call beside what ranks compare.
  virtual std::optional<std::string> fault_of_own(const ExchangeCall&) const { return std::nullopt; }
  /// All have met, and nothing is wrong.
  virtual void once_met(const ExchangeCall&) {}
  /// For once_met(), between whose calls these are received: bytes for another rank, and those from it.
  /// Throws ExchangeFailure if that has failed.
  void send_bytes(int to, const std::byte* bytes, std::size_t count);
  Message bytes_from(int rank);

  Processes& processes_;

 private:
  std::vector<int> others() const;
  std::optional<Message> next_from(int rank);
  std::optional<std::string> fault_of_ranks() const;
  void throw_if_failed() const;
  /// Why the run has failed: this, unless it had before.
  std::string failed(const std::string& why);
  void end(const std::exception_ptr& thrown);

  std::chrono::nanoseconds limit_;
  std::string step_;
  std::vector<ExchangeCall> calls_;
  std::vector<std::string> faults_;               ///< of the ranks' calls, as they say; empty: none
  std::vector<std::optional<std::string>> ends_;  ///< of the ranks that have ended, empty: well
  mutable std::mutex mutex_;   ///< of what follows, which the thread that watches a run uses, too
  std::size_t exchanges_ = 0;  ///< begun
  std::optional<std::string> failure_;
  std::exception_ptr first_;
  bool ended_ = false;
};

/// Calls it, as each process does, where nothing is exchanged. Throws what it throws, or ExchangeFailure if
/// another process's has failed.
void in_all_processes(Processes& processes, std::chrono::nanoseconds limit,
                      const std::function<void()>& each);

}  // namespace fathom
