// One block as it runs on the CPU: its threads as fibers, its shared memory and who may touch it when. Inside
// the counting executor only.
#pragma once

#include <fathom/device/executor.h>
#include <fathom/device/fiber.h>
#include <fathom/device/trace_recorder.h>
#include <fathom/device/warp_counter.h>

#include <optional>

namespace fathom::counting {

/// A moment of one thread: barriers of its block that lie before it, barriers of its warp since the last of
/// those, and the thread.
class Moment {
 public:
  Moment() = default;  ///< never
  Moment(u32 block_epoch, u32 warp_epoch, int thread)
      : packed_(u64(block_epoch) << 36 | u64(warp_epoch) << 12 | u64(thread)) {}

  bool ever() const { return packed_ != 0; }
  u64 block_epoch() const { return packed_ >> 36; }
  int thread() const { return int(packed_ & 0xfff); }
  int warp() const { return thread() / warp_width; }
  /// Whether what happened here is certain to be seen by `later`, which runs after it.
  bool is_before(Moment later) const {
    if (thread() == later.thread() || block_epoch() < later.block_epoch()) return true;
    return warp() == later.warp() && packed_ >> 12 < later.packed_ >> 12;
  }

  static constexpr u32 most_block_epochs = 1u << 28, most_warp_epochs = 1u << 24;

 private:
  u64 packed_ = 0;
};

/// Who touched one word of shared memory last, as far as it can matter.
class SharedWord {
 public:
  /// Reading it at `now`: the write that this races with. `first_epoch` is the block's: what is older is
  /// another block's.
  std::optional<Moment> race_of_read(Moment now) const;
  /// Writing it at `now`: the read or write that this races with.
  std::optional<Moment> race_of_write(Moment now) const;
  bool written_since(u64 block_epoch) const { return write_.block_epoch() >= block_epoch; }
  void read(Moment now);
  void write(Moment now) { write_ = now; }

 private:
  Moment write_;
  // Two readers are enough: if there are readers of several warps one of each of two warps, which any writer
  // races with one of; else, if there are several that no warp barrier parts, two of these.
  Moment reads_[2];
};

/// Runs blocks of one kernel, one after the other, each thread as a fiber that takes its turn until it waits
/// or ends; whoever waits goes on once all it waits for have arrived.
class BlockState {
 public:
  BlockState(std::string kernel, BlockShape shape, const Allocations& allocations,
             const TraceRequests& requests);

  /// Runs a block to its end. Throws what a thread threw, or KernelFailure for threads that wait in vain.
  void run(BlockOnCpu body, const void* kernel, Index index, Index blocks);

  const WarpCounter& counter() const { return counter_; }
  TraceRecorder& recorder() { return recorder_; }

  // For the running thread.
  void wait_for_block(int thread, Where where);
  void wait_for_warp(int thread, Where where);
  u32 ballot(int thread, bool predicate, Where where);
  const ShuffleSlot* shuffle(int thread, const void* value, std::size_t bytes, Where where);
  std::byte* shared(int offset, int end, Where where);
  void access(ThreadAccess access);
  void access_shared(Access access, const void* address, std::size_t bytes, Where where);
  void polled(const void* address, Where where);
  void compared(bool exchanged);
  /// KernelFailure: kernel, block, running thread and place in front of `what`.
  [[noreturn]] void fail(const std::string& what, Where where) const;

 private:
  enum class Waiting { no, for_block, for_warp, finished };
  struct Thread {
    Fiber fiber;
    Waiting waiting = Waiting::no;
    Instruction instruction = Instruction::barrier;  ///< that it waits at
    Where where;
    unsigned exchanges = 0;
    const void* polled = nullptr;
    unsigned polls = 0;
  };

  void start(BlockOnCpu body, const void* kernel, Index index, Index blocks);
  bool resume_runnable();
  void release_waiting();
  bool all_wait(std::size_t first, std::size_t last, Waiting what) const;
  void release(std::size_t first, std::size_t last);
  void converge(std::size_t first, std::size_t last);
  void wait(int thread, Waiting what, Instruction instruction, Where where);
  const ShuffleSlot* publish(int thread, const void* value, std::size_t bytes, Instruction, Where where);
  Moment now() const;
  [[noreturn]] void fail_race(const char* verb, Moment other, const char* other_verb, std::size_t word,
                              Where where) const;
  std::string waiting_threads() const;
  [[noreturn]] void fail_waiting(const std::string& what) const;

  std::string kernel_;
  Index index_ = 0;
  // Kept for this thread's next launch: fresh stacks would cost a small kernel more page faults than it has
  // accesses. They outlive every block.
  static inline thread_local Fiber::Stacks stacks_{64 * 1024};
  std::vector<Thread> threads_;
  std::vector<ThreadLog> logs_;  // apart from the threads, so that those of a warp lie side by side
  std::vector<std::byte> shared_;
  std::vector<SharedWord> words_;
  std::array<std::vector<ShuffleSlot>, 2> slots_;
  u32 block_epoch_ = 0, first_epoch_ = 0;
  std::vector<u32> warp_epochs_;
  int running_ = 0;
  WarpCounter counter_;
  TraceRecorder recorder_;
};

}  // namespace fathom::counting
