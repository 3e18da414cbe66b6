// SPDX-License-Identifier: Apache-2.0
// Accesses to shared memory by several threads with too few barriers, or to what was never written.
#include "../support/error_of.h"
#include "launch.h"

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

enum class Wait { none, warp_barrier, barrier };

void wait_at(Block& block, Wait wait) {
  if (wait == Wait::warp_barrier) block.warp_barrier();
  if (wait == Wait::barrier) block.barrier();
}

/// Each thread writes its own element and then reads another's.
template <class T>
struct ReadNeighbour {
  Wait wait;
  int distance;
  void operator()(Block& block) const {
    const auto elements = block.shared<T>(block.threads());
    elements.store(block.thread(), T(block.thread()));
    wait_at(block, wait);
    elements.load((block.thread() + distance) % block.threads());
  }
};
/// Each thread reads another's element and then writes its own.
template <class T>
struct WriteAfterNeighboursRead {
  Wait wait;
  int distance;
  void operator()(Block& block) const {
    const auto elements = block.shared<T>(block.threads());
    elements.store(block.thread(), 0);
    block.barrier();
    elements.load((block.thread() + distance) % block.threads());
    wait_at(block, wait);
    elements.store(block.thread(), 1);
  }
};

/// Accesses of threads 0 and 1 to one word, one after the other.
enum class Step : int { load, store, change, load_and_change };
struct TwoSteps {
  Step first, second;
  Wait between;
  void operator()(Block& block) const {
    const auto word = block.shared<u32>(1);
    if (block.thread() == 2) word.store(0, 0);
    block.barrier();
    if (block.thread() == 0) take(word, first);
    wait_at(block, between);
    if (block.thread() == 1) take(word, second);
  }
  static void take(const Shared<u32>& word, Step step) {
    if (step == Step::load || step == Step::load_and_change) word.load(0);
    if (step == Step::store) word.store(0, 1);
    if (step == Step::change || step == Step::load_and_change) word.atomic_max(0, 1);
  }
};

/// The error of a launch of one block; "" without any.
template <class Kernel>
std::string error_of(const Kernel& kernel, int threads) {
  CountingExecutor executor;
  return tests::error_of([&] { launch(executor, kernel, {threads, 8 * threads}, 1); });
}

}  // namespace

TEMPLATE_TEST_CASE("threads that access each other's elements, of any width, need a barrier of both", "", u8,
                   u16, u32, u64) {
  struct Truth {
    int threads;
    Wait wait;
    int distance;
    const char *reads, *writes;  ///< the error if neighbours read, or write after it; "" for none
  };
  for (const Truth& truth : {Truth{32, Wait::none, 0, "", ""},
                             {64, Wait::none, 1, "never written", "race: writes"},
                             {32, Wait::warp_barrier, 1, "", ""},
                             {64, Wait::warp_barrier, 0, "", ""},
                             {64, Wait::warp_barrier, 32, "race: reads", "race: writes"},
                             {64, Wait::barrier, 1, "", ""},
                             {64, Wait::barrier, 32, "", ""}}) {
    INFO(truth.threads << " threads, barrier " << int(truth.wait) << ", distance " << truth.distance);
    const auto check = [](const std::string& error, const std::string& expected) {
      if (expected.empty())
        CHECK(error == "");
      else
        CHECK_THAT(error, Contains(expected));
    };
    check(error_of(ReadNeighbour<TestType>{truth.wait, truth.distance}, truth.threads), truth.reads);
    check(error_of(WriteAfterNeighboursRead<TestType>{truth.wait, truth.distance}, truth.threads),
          truth.writes);
  }
}

TEST_CASE("a race is told with its element, both threads and what they do") {
  CHECK_THAT(error_of(ReadNeighbour<u8>{Wait::warp_barrier, 63}, 64),
             Contains("ReadNeighbour, block 0, thread 0 ") &&
                 Contains("race: reads the element at byte 63") &&
                 Contains("which thread 63 wrote with no barrier in between"));
  CHECK_THAT(error_of(ReadNeighbour<u16>{Wait::warp_barrier, 63}, 64),
             Contains("race: reads the element at byte 126"));
  CHECK_THAT(error_of(WriteAfterNeighboursRead<u32>{Wait::none, 1}, 64),
             Contains("race: writes") && Contains("which thread 0 read with no barrier in between"));
  CHECK_THAT(error_of(TwoSteps{Step::change, Step::load, Wait::none}, 32),
             Contains("reads the element") && Contains("which thread 0 changed atomically with no barrier"));
  CHECK_THAT(error_of(TwoSteps{Step::load, Step::change, Wait::none}, 32),
             Contains("changes atomically the element") && Contains("which thread 0 read with"));
}

TEST_CASE("without checks of shared memory the same is counted, and no race is found") {
  const ReadNeighbour<u32> racing{Wait::warp_barrier, 32}, right{Wait::barrier, 32};
  CountingExecutor checking, skipping;
  skipping.skip_shared_checks();
  const KernelCounts counted = counts_of(checking, right, {64, 256}),
                     same = counts_of(skipping, right, {64, 256});
  CHECK(same.shared(MemoryOperation::load).wavefronts == 2);  // a warp each
  CHECK(same.shared(MemoryOperation::store).wavefronts == 2);
  CHECK(same.count(Instruction::barrier) == counted.count(Instruction::barrier));
  CHECK(counts_of(skipping, racing, {64, 256}).shared(MemoryOperation::load).wavefronts == 2);
  CHECK_THROWS_WITH(counts_of(checking, racing, {64, 256}), Contains("race: reads"));
}

TEST_CASE("launches after those wanted are skipped") {
  CountingExecutor executor;
  executor.end_after(2);
  for (int i = 0; i < 3; ++i) launch(executor, ReadNeighbour<u32>{Wait::barrier, 1}, {32, 128}, 5);
  REQUIRE(executor.counts().size() == 1);
  CHECK(executor.counts()[0].launches == 2);
  CHECK(executor.counts()[0].blocks == 10);
}

TEST_CASE("atomics race with plain accesses, but not with atomics") {
  constexpr Step steps[] = {Step::load, Step::store, Step::change, Step::load_and_change};
  for (const Step first : steps)
    for (const Step second : steps) {
      CAPTURE(int(first), int(second));
      CHECK(error_of(TwoSteps{first, second, Wait::warp_barrier}, 32) == "");
      if (first == second && (first == Step::load || first == Step::change))
        CHECK(error_of(TwoSteps{first, second, Wait::none}, 32) == "");
      else
        CHECK_THAT(error_of(TwoSteps{first, second, Wait::none}, 32),
                   Contains("race: ") && Contains("thread 0"));
    }
}

TEST_CASE("a read of unwritten shared memory is detected, even if earlier blocks wrote it") {
  const auto unwritten_byte = [](Block& block) {
    const auto bytes = block.shared<u8>(block.threads());
    if (block.thread() != 13) bytes.store(block.thread(), 1);
    block.barrier();
    bytes.load(block.thread());
  };
  CHECK_THAT(error_of(unwritten_byte, 32),
             Contains("thread 13 ") && Contains("reads the element at byte 13") && Contains("never written"));
  CHECK_THAT(error_of([](Block& block) { block.shared<u32>(1).atomic_exchange(0, 1u); }, 32),
             Contains("never written"));

  const auto in_the_second_block = [](Block& block) {
    const auto words = block.shared<u32>(64);
    if (block.index() == 0 || block.thread() != 40) words.store(block.thread(), 1);
    block.barrier();
    words.load(block.thread());
  };
  CountingExecutor executor({.workers = 1});
  CHECK_THROWS_WITH(launch(executor, in_the_second_block, {64, 256}, 2),
                    Contains("block 1, thread 40") && Contains("byte 160") && Contains("never written"));
}
