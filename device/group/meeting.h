// SPDX-License-Identifier: Apache-2.0
// Where the ranks of one process meet for an exchange, which is checked before any of it is done.
#pragma once

#include <fathom/core/exchange.h>
#include <fathom/device/group/communicator.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fathom {

/// What a rank brings to an exchange.
struct ExchangeCall {
  ExchangeKind kind{};
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::vector<Part> sent, received;  ///< of all_reduce: the numbers that each rank adds up, in both

  static ExchangeCall all_to_all(const void* from, std::span<const Part> sent, void* to,
                                 std::span<const Part> received);
  static ExchangeCall all_gather(const void* from, std::size_t bytes, void* to, int ranks);
  static ExchangeCall all_reduce(const unsigned* from, unsigned* to, std::size_t count, int ranks);
  std::size_t numbers() const;  ///< of all_reduce
};

/// "rank 2"
std::string rank_text(std::size_t rank);

/// The meetings of one run of a group. All ranks' calls throw the same ExchangeFailure if they call different
/// exchanges; if sizes differ; if an exchange writes what it also reads, or writes it twice; or if a rank
/// fails or ends while others are in an exchange or come to one.
class Meeting {
 public:
  /// The last rank that comes to an exchange calls it with what all of them bring, while they wait: what is
  /// wrong with it, if anything.
  using OnceMet = std::function<std::optional<std::string>(const std::vector<ExchangeCall>& calls)>;

  Meeting(int ranks, OnceMet once_met)
      : once_met_(std::move(once_met)), calls_(std::size_t(ranks)), ended_(std::size_t(ranks)) {}

  /// Calls `each` as a rank of this run, on this thread, and takes down how it ended.
  void run(int rank, const std::function<void()>& each);
  /// Waits for all ranks, with which it begins an exchange. Throws ExchangeFailure, and what
  /// check_interruption() does.
  void meet(int rank, ExchangeCall call);
  /// What a rank has brought to the exchange, for those that have met and not left.
  const ExchangeCall& brought_by(int rank) const { return calls_[std::size_t(rank)]; }
  /// Ends the exchange, when all have done their part of it. Throws like meet().
  void leave();
  /// Ends the run: all further calls throw ExchangeFailure.
  void fail(const std::string& why);
  bool has_failed() const;
  bool all_ended() const;
  /// Throws what the first rank that failed threw.
  void rethrow_first() const;

 private:
  template <class OnceAllAreHere>
  void wait_for_all(std::unique_lock<std::mutex>& lock, OnceAllAreHere once_all_are_here);
  std::optional<std::string> fault() const;
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
