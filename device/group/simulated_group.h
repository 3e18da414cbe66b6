// SPDX-License-Identifier: Apache-2.0
// Several simulated GPUs in one process: each a counting executor with its own memory.
#pragma once

#include <fathom/core/exchange.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/group/communicator.h>

#include <memory>
#include <vector>

namespace fathom {

/// One exchange of a simulated group, as it was counted.
class CountedExchange {
 public:
  CountedExchange(ExchangeKind kind, int ranks)
      : kind_(kind), ranks_(ranks), bytes_(std::size_t(ranks) * std::size_t(ranks)) {}

  ExchangeKind kind() const { return kind_; }
  /// From one rank to another, or to itself.
  u64& bytes(int from, int to) { return bytes_[std::size_t(from * ranks_ + to)]; }
  u64 bytes(int from, int to) const { return bytes_[std::size_t(from * ranks_ + to)]; }
  u64 bytes_leaving(int rank) const;  ///< those to other ranks
  Exchange priced() const;            ///< what the law takes

 private:
  ExchangeKind kind_;
  int ranks_;
  std::vector<u64> bytes_;
};

/// An exchange is a copy that is checked once all ranks have called it (meeting.h), also that all memory is
/// of the rank's executor. It is done when the call returns.
///
/// A sum over all ranks counts as what the least traffic needs: each rank adds up its share of the numbers
/// and sends the sums to the others.
class SimulatedGroup final : public Group {
 public:
  /// As ranks run in parallel, each runs its blocks one after another, unless the device says otherwise.
  explicit SimulatedGroup(int size, CountingDevice device = {});

  int size() const override { return int(executors_.size()); }
  void run(const std::function<void(Communicator&)>& each) override;

  /// Stays, with its memory, from one run to the next. Not to be used by others during a run.
  CountingExecutor& executor(int rank) { return *executors_[std::size_t(rank)]; }
  /// Those of all runs since the last reset_exchanges(), in order.
  const std::vector<CountedExchange>& exchanges() const { return exchanges_; }
  void reset_exchanges() { exchanges_.clear(); }

 private:
  std::vector<std::unique_ptr<CountingExecutor>> executors_;
  std::vector<CountedExchange> exchanges_;
};

}  // namespace fathom
