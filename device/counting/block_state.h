// SPDX-License-Identifier: Apache-2.0
// One block running on the CPU: its threads as fibers, its shared memory and the race detection. Used only
// inside the counting executor.
#pragma once

#include <fathom/device/counting/fiber.h>
#include <fathom/device/counting/lane_order.h>
#include <fathom/device/counting/trace_recorder.h>
#include <fathom/device/counting/warp_counter.h>
#include <fathom/device/executor.h>

#include <optional>

namespace fathom::counting {

/// A moment of one thread: the number of block barriers passed, of warp barriers passed since then, the
/// thread, and the kind of access.
class Moment {
 public:
  enum class Kind { plain, atomic, copy_in_flight };

  Moment() = default;  ///< never
  Moment(u32 block_epoch, u32 warp_epoch, int thread, Kind kind)
      : packed_(u64(block_epoch) << 36 | u64(warp_epoch) << 12 | u64(kind) << 10 | u64(thread)) {}

  bool ever() const { return packed_ != 0; }
  u64 block_epoch() const { return packed_ >> 36; }
  int thread() const { return int(packed_ & 0x3ff); }
  int warp() const { return thread() / warp_width; }
  bool is_same(Moment other) const { return packed_ == other.packed_; }
  Kind kind() const { return Kind(packed_ >> 10 & 3); }
  /// Whether a barrier of both threads separates this from `later`.
  bool is_separated_from(Moment later) const {
    if (block_epoch() < later.block_epoch()) return true;
    return warp() == later.warp() && packed_ >> 12 < later.packed_ >> 12;
  }
  /// Whether `later`, which runs afterwards, is guaranteed to see the effect of this.
  bool is_before(Moment later) const { return thread() == later.thread() || is_separated_from(later); }

  static constexpr u32 most_block_epochs = 1u << 28, most_warp_epochs = 1u << 24;
  static constexpr int most_threads = 1 << 10;

 private:
  u64 packed_ = 0;
};

/// The last accesses to one element of shared memory, as far as race detection needs them.
class SharedElement {
 public:
  /// The earlier access that an access at `now` races with. An asynchronous copy is not ordered with the
  /// accesses of the thread that started it, so it can race with these, too.
  std::optional<Moment> race_of_read(Moment now) const;
  std::optional<Moment> race_of_write(Moment now) const;
  std::optional<Moment> race_of_atomic(Moment now) const;
  std::optional<Moment> race_of_copy(Moment now) const;
  /// With the block's first epoch: whether this block wrote the element. Older writes are those of another
  /// block.
  bool written_since(u64 block_epoch) const { return write_.block_epoch() >= block_epoch; }
  bool copy_in_flight() const { return write_.kind() == Moment::Kind::copy_in_flight; }
  Moment last_write() const { return write_; }

  void read(Moment now);                    ///< also for atomics
  void write(Moment now) { write_ = now; }  ///< also for copies, when they start

 private:
  template <class Matters>
  std::optional<Moment> race_with_touch(Moment now, Matters matters) const;

  Moment write_;  // plain, or of a copy in flight
  // Plain reads or atomics; both kinds together would be a race, unless the same thread makes them. Two
  // suffice. If several warps made some, these are of two different warps, so that any write races with at
  // least one. Otherwise, if several are not separated by a warp barrier, these are two of them.
  Moment touches_[2];
};

/// HostKernel::run.
using RunThread = void (*)(const void* kernel, Block& block);

struct HowToRun {
  bool check_shared;  ///< against what SharedElement knows
  LaneOrder lane_order;

  bool alternates() const {
    return lane_order == LaneOrder::forwards_and_back || lane_order == LaneOrder::backwards_and_forth;
  }
};

/// Runs blocks of one kernel, one after another. Each thread is a fiber that runs until it waits or ends; a
/// waiting thread resumes once all threads that it waits for have arrived.
class BlockState {
 public:
  /// A block has `l1_bytes` of the L1. `poll` is called every few thousand accesses; what it throws ends the
  /// block.
  BlockState(std::string kernel, BlockShape shape, double l1_bytes, HowToRun how,
             const Allocations& allocations, const TraceRequests& requests, std::function<void()> poll);

  /// Runs a block to completion. Rethrows an exception of a thread; throws KernelFailure if threads wait
  /// forever.
  void run(RunThread body, const void* kernel, Index index, Index blocks);

  const WarpCounter& counter() const { return counter_; }
  TraceRecorder& recorder() { return recorder_; }

  // Called by the running thread.
  void wait_for_block(int thread, Where where);
  void wait_for_warp(int thread, Where where);
  void wait_for_copy(int thread, Where where);
  u32 ballot(int thread, bool predicate, Where where);
  const LaneValue* exchange(int thread, const void* value, std::size_t bytes, Instruction, Where where);
  std::byte* shared(int offset, int end, Where where);
  void access(ThreadAccess access);
  void access_shared(Access access, const void* address, std::size_t bytes, Where where, std::size_t member);
  void copy_begins(const void* address, Where where);
  void copy_ends(const void* address);
  void claim_arrival(const void* address, Where where);
  void polled(const void* address, Where where);
  void compared();
  void exchanged(std::size_t bytes);
  /// Throws KernelFailure with kernel, block, running thread and source location in front of `what`.
  [[noreturn]] void fail(const std::string& what, Where where) const;

 private:
  enum class Waiting { no, for_block, for_warp, finished };
  struct Thread {
    Fiber fiber;
    Waiting waiting = Waiting::no;
    Instruction instruction = Instruction::barrier;  ///< at which it waits
    Where where;
    std::size_t bytes = 0;  ///< that it passes on
    unsigned exchanges = 0;
    const void* polled = nullptr;
    unsigned polls = 0;
  };

  void start(RunThread body, const void* kernel, Index index, Index blocks);
  bool resume_runnable();
  /// Returns true if the turns of a round go from the last lane of each warp to the first.
  bool goes_backwards(u64 round) const;
  void poll_sometimes() {
    if (++since_poll_ < accesses_between_polls) return;
    since_poll_ = 0;
    poll_();
  }
  void release_waiting();
  bool all_wait(std::size_t first, std::size_t last, Waiting what) const;
  void release(std::size_t first, std::size_t last);
  void converge(std::size_t first, std::size_t last);
  void wait(int thread, Waiting what, Instruction instruction, Where where, std::size_t bytes = 0);
  Moment now(Moment::Kind kind = Moment::Kind::plain) const;
  std::size_t offset_of(const void* address) const {
    return std::size_t(static_cast<const std::byte*>(address) - shared_.data());
  }
  void check_shared_access(Access access, std::size_t offset, Where where);
  SharedElement& element_at(std::size_t offset);
  [[noreturn]] void fail_race(const char* verb, Moment other, const SharedElement& element,
                              std::size_t offset, Where where) const;
  std::string waiting_threads() const;
  [[noreturn]] void fail_waiting(const std::string& what) const;

  static constexpr unsigned accesses_between_polls = 1 << 14;  // about a millisecond

  std::string kernel_;
  HowToRun how_;
  std::function<void()> poll_;
  unsigned since_poll_ = 0;
  Index index_ = 0;
  // Kept for this host thread's next launch: fresh stacks would cost a small kernel more page faults than it
  // has accesses. They outlive every block.
  static inline thread_local Fiber::Stacks stacks_{64 * 1024};
  std::vector<Thread> threads_;
  std::vector<ThreadLog> logs_;  // not in Thread, so that those of a warp are contiguous
  std::vector<std::byte> shared_;
  // The element at byte i is elements_[i % 4][i / 4]: words are contiguous, and the other vectors stay empty
  // unless a kernel uses elements of one or two bytes.
  std::array<std::vector<SharedElement>, 4> elements_;
  std::array<std::vector<LaneValue>, 2> exchanged_;
  u32 block_epoch_ = 0, first_epoch_ = 0;
  u64 blocks_begun_ = 0, rounds_ = 0;
  std::vector<u32> warp_epochs_;
  int running_ = 0;
  WarpCounter counter_;
  TraceRecorder recorder_;
};

}  // namespace fathom::counting
