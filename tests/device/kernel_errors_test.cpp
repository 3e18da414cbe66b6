#include "launch.h"

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

struct BarrierForHalf {
  template <class Block>
  void operator()(Block& block) const {
    if (block.thread() < 32) block.barrier();
  }
};

struct TwoBarriers {
  template <class Block>
  void operator()(Block& block) const {
    if (block.thread() < 32)
      block.barrier();
    else
      block.barrier();
  }
};

struct ShuffleAgainstBallot {
  template <class Block>
  void operator()(Block& block) const {
    if (block.lane() < 16)
      block.shuffle(u32(1), 0);
    else
      block.ballot(true);
  }
};

struct WritePastTheEnd {
  Span<u32> output;
  template <class Block>
  void operator()(Block& block) const {
    output.store(block.index() * block.threads() + block.thread() + 1, 0);
  }
};

struct MisalignedVector {
  Span<u32> output;
  template <class Block>
  void operator()(Block& block) const {
    output.template store_vector<4>(block.thread() * 4 + 1, {});
  }
};

struct SharedPastTheEnd {
  template <class Block>
  void operator()(Block& block) const {
    block.template shared<u32>(8).store(block.thread(), 1);
  }
};

struct ReadUnwritten {
  Span<u32> output;
  template <class Block>
  void operator()(Block& block) const {
    const auto words = block.template shared<u32>(64);
    if (block.thread() != 40) words.store(block.thread(), 1);
    block.barrier();
    output.store(block.thread(), words.load(block.thread()));
  }
};

/// Each thread writes its word and reads another's, with `Wait` in between.
template <class Wait>
struct ReadNeighbour {
  int distance;
  template <class Block>
  void operator()(Block& block) const {
    const auto words = block.template shared<u32>(block.threads());
    words.store(block.thread(), 0);
    Wait{}(block);
    words.load((block.thread() + distance) % block.threads());
  }
};
/// Each thread reads another's word and then writes its own.
template <class Wait>
struct WriteAfterNeighboursRead {
  int distance;
  template <class Block>
  void operator()(Block& block) const {
    const auto words = block.template shared<u32>(block.threads());
    words.store(block.thread(), 0);
    block.barrier();
    words.load((block.thread() + distance) % block.threads());
    Wait{}(block);
    words.store(block.thread(), 1);
  }
};
struct Nothing {
  void operator()(Block&) const {}
};
struct WarpBarrier {
  void operator()(Block& block) const { block.warp_barrier(); }
};
struct Barrier {
  void operator()(Block& block) const { block.barrier(); }
};

struct PollForEver {
  Span<u32> flag;
  static constexpr bool blocks_communicate = true;
  template <class Block>
  void operator()(Block&) const {
    while (flag.load_acquire(0) == 0) {
    }
  }
};

}  // namespace

TEST_CASE("an access out of bounds is reported with kernel, block, thread and source location") {
  CountingExecutor executor;
  const DeviceArray<u32> output(executor, 128);
  CHECK_THROWS_WITH(launch(executor, WritePastTheEnd{output.span()}, {64}, 2),
                    Contains("WritePastTheEnd, block 1, thread 63 (kernel_errors_test.cpp:") &&
                        Contains("global memory: index 128 outside [0, 128)"));
  CHECK_THROWS_WITH(launch(executor, SharedPastTheEnd{}, {32, 32}, 1),
                    Contains("thread 8") && Contains("shared memory: index 8 outside [0, 8)"));
  CHECK_THROWS_WITH(launch(executor, SharedPastTheEnd{}, {32, 16}, 1),
                    Contains("uses 32 bytes of shared memory; the launch gave the block 16"));
  CHECK_THROWS_WITH(launch(executor, MisalignedVector{output.span()}, {32}, 1),
                    Contains("not a multiple of 16 bytes"));
}

TEST_CASE("a span over memory that is not on the device is rejected") {
  CountingExecutor executor;
  std::vector<u32> host(64);
  CHECK_THROWS_WITH(launch(executor, WritePastTheEnd{{host.data(), host.size()}}, {32}, 1),
                    Contains("not allocated"));
}

TEST_CASE("a read of unwritten shared memory is detected, even if earlier blocks wrote it") {
  CountingExecutor executor({.workers = 1});
  const DeviceArray<u32> output(executor, 64);
  CHECK_THROWS_WITH(launch(executor, ReadUnwritten{output.span()}, {64, 256}, 1),
                    Contains("thread 40") && Contains("byte 160") && Contains("never written"));
}

TEST_CASE("a read of another thread's word needs a barrier of both threads") {
  CountingExecutor executor;
  const BlockShape shape{64, 256};
  CHECK_THROWS_WITH(launch(executor, ReadNeighbour<Nothing>{1}, shape, 1), Contains("never written"));
  CHECK_THROWS_WITH(launch(executor, ReadNeighbour<WarpBarrier>{32}, shape, 1),
                    Contains("ReadNeighbour, block 0") && Contains("race: reads") &&
                        Contains("which thread 32 wrote with no barrier"));
  CHECK_NOTHROW(launch(executor, ReadNeighbour<Barrier>{1}, shape, 1));
  CHECK_NOTHROW(launch(executor, ReadNeighbour<Barrier>{32}, shape, 1));
  CHECK_NOTHROW(launch(executor, ReadNeighbour<WarpBarrier>{0}, shape, 1));
  CHECK_NOTHROW(launch(executor, ReadNeighbour<WarpBarrier>{1}, {32, 128}, 1));
}

TEST_CASE("a write to a word that another thread read needs a barrier of both threads") {
  CountingExecutor executor;
  const BlockShape shape{64, 256};
  CHECK_THROWS_WITH(launch(executor, WriteAfterNeighboursRead<Nothing>{1}, shape, 1),
                    Contains("race: writes") && Contains("which thread 0 read with no barrier in between"));
  CHECK_THROWS_WITH(launch(executor, WriteAfterNeighboursRead<WarpBarrier>{32}, shape, 1), Contains("race"));
  CHECK_NOTHROW(launch(executor, WriteAfterNeighboursRead<Nothing>{0}, shape, 1));
  CHECK_NOTHROW(launch(executor, WriteAfterNeighboursRead<WarpBarrier>{1}, {32, 128}, 1));
  CHECK_NOTHROW(launch(executor, WriteAfterNeighboursRead<Barrier>{32}, shape, 1));
}

TEST_CASE("threads that wait forever are listed with their source locations") {
  CountingExecutor executor;
  CHECK_THROWS_WITH(
      launch(executor, BarrierForHalf{}, {64}, 1),
      Contains("BarrierForHalf, block 0: threads wait forever: threads 0 to 31 at the barrier in "
               "kernel_errors_test.cpp:") &&
          Contains("threads 32 to 63 ended"));
  CHECK_THROWS_WITH(launch(executor, TwoBarriers{}, {64}, 1), Contains("different barriers"));
  CHECK_THROWS_WITH(launch(executor, ShuffleAgainstBallot{}, {32}, 1),
                    Contains("threads 0 to 15 at the shuffle") && Contains("threads 16 to 31 at the ballot"));
  const DeviceArray<u32> flag(executor, 1);
  executor.fill(flag.data(), 0, flag.bytes());
  CHECK_THROWS_WITH(launch(executor, PollForEver{flag.span()}, {32}, 1), Contains("polls forever"));
}

TEST_CASE("if several blocks fail, the first one is reported") {
  CountingExecutor executor({.workers = 4});
  const DeviceArray<u32> output(executor, 32);
  for (int trial = 0; trial < 20; ++trial)
    CHECK_THROWS_WITH(launch(executor, WritePastTheEnd{output.span()}, {32}, 50), Contains("block 0,"));
}

TEST_CASE("a block that does not fit on a multiprocessor or is not made of whole warps is rejected") {
  CountingExecutor executor({.memory_bytes = 1000});
  CHECK_THROWS_WITH(launch(executor, BarrierForHalf{}, {33}, 1), Contains("whole warps"));
  CHECK_THROWS_WITH(launch(executor, BarrierForHalf{}, {32, 1 << 20}, 1),
                    Contains("does not fit on a multiprocessor"));
  CHECK_THROWS_WITH(DeviceArray<u32>(executor, 251), Contains("need 1004 bytes"));
}
