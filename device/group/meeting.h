// SPDX-License-Identifier: Apache-2.0
// Where ranks meet for an exchange, which is checked before any of it is done.
#pragma once

#include <fathom/device/group/exchange_call.h>

#include <functional>
#include <string>

namespace fathom {

/// The meetings of one run of a group. All ranks' calls throw the same ExchangeFailure if there is a
/// fault_of() what they bring, or if a rank fails or ends while others are in an exchange or come to one.
class Meeting {
 public:
  virtual ~Meeting() = default;

  /// Calls `each` as a rank of this run, on this thread, and takes down how it ended.
  virtual void run(int rank, const std::function<void()>& each) = 0;
  /// Waits for all ranks, with which it begins an exchange. Throws ExchangeFailure, and what
  /// check_interruption() does.
  virtual void meet(int rank, ExchangeCall call) = 0;
  /// What a rank has brought to the exchange, for those that have met and not left.
  virtual const ExchangeCall& brought_by(int rank) const = 0;
  /// Ends the exchange, when this rank has done its part of it. Throws like meet().
  virtual void leave() = 0;
  /// Ends the run: all further calls throw ExchangeFailure.
  virtual void fail(const std::string& why) = 0;
  virtual bool has_failed() const = 0;
  virtual bool all_ended() const = 0;  ///< the ranks of this process
  /// Throws what the first rank that failed threw.
  virtual void rethrow_first() const = 0;
};

}  // namespace fathom
