// SPDX-License-Identifier: Apache-2.0
// One GPU of several that work together, and what it exchanges with the others. Algorithms for several GPUs
// use nothing else, so that the same code runs on GPUs (nccl_group.h) and on simulated ones.
#pragma once

#include <fathom/device/executor.h>

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>

namespace fathom {

/// An exchange that failed or did not end in time: what() names the step and the rank.
struct ExchangeFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Bytes of an array that go to one rank, or come from it.
struct Part {
  std::size_t begin = 0, bytes = 0;
};

/// A rank's side. Every rank calls the same exchanges in the same order. They are queued: after what the
/// executor was given before, and before what it is given later.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;      ///< from 0
  virtual int size() const = 0;      ///< ranks
  virtual Executor& executor() = 0;  ///< of this rank's GPU

  /// Part r of `from` goes to rank r, part r of `to` comes from it. What a rank sends has the size that the
  /// other expects.
  virtual void all_to_all(const void* from, std::span<const Part> sent, void* to,
                          std::span<const Part> received) = 0;
  /// `to` gets `bytes` of every rank, in their order.
  virtual void all_gather(const void* from, std::size_t bytes, void* to) = 0;
  /// The sums of `count` numbers over all ranks, on every rank.
  virtual void all_reduce(const unsigned* from, unsigned* to, std::size_t count) = 0;

  /// The same ranks, for exchanges that run beside what this communicator's executor is given: its own
  /// executor, of the same GPU, has a queue of its own. Executor::after() orders the two: what is sent must
  /// not change, and what is received not be read, before this one's executor comes after that one's.
  virtual Communicator& beside() = 0;
};

/// Ranks that work together: those of this process, or of several.
class Group {
 public:
  virtual ~Group() = default;
  virtual int size() const = 0;
  /// Whether std::chrono::steady_clock is the same on all ranks.
  virtual bool has_one_clock() const { return true; }
  /// Calls it for every rank of this process, each in a thread of its own if there are several, and waits for
  /// all. Throws what the first of them that failed threw; others that wait for it in an exchange fail, too,
  /// so that nothing hangs. Processes call it equally often; where a rank of another one failed, it throws
  /// ExchangeFailure.
  virtual void run(const std::function<void(Communicator&)>& each) = 0;
};

}  // namespace fathom
