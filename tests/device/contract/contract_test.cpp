// SPDX-License-Identifier: Apache-2.0
// The contract beyond loads and stores, on the CPU: results, counts computed by hand, and detected errors.
#include "../../support/error_of.h"
#include "../launch.h"
#include "contract_cases.h"

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

/// Lane i changes cell (i mod `cells`) · stride.
template <class T>
auto strided_atomic(int cells, int stride) {
  return [=](Block& block) {
    const auto words = block.shared<T>(cells * stride);
    if (block.lane() < cells) words.store(block.lane() * stride, 0);
    block.warp_barrier();
    words.atomic_add(block.lane() % cells * stride, T(1));
  };
}

/// Lane i writes element i · stride.
template <class T>
auto strided_store(int stride) {
  return [=](Block& block) { block.shared<T>(warp_width * stride).store(block.lane() * stride, T(1)); };
}

/// Thread 0 counts to `count` in a field of a word.
template <int bits>
auto count_to(int count, int field, bool atomically) {
  return [=](Block& block) {
    const PackedCounters<bits> counters{block.shared<u32>(1)};
    if (block.thread() > 0) return;
    counters.words.store(0, 0);
    for (int i = 0; i < count; ++i)
      if (atomically)
        counters.atomic_increment(0, field);
      else
        counters.increment(0, field);
  };
}

/// A step of a warp that uses a pipeline of two stages of one row per lane.
struct Act {
  enum What { begin, wait, wait_by_half, load, load_mirrored, store, barrier } what;
  int stage = 0;
};
struct UsePipeline {
  using Row = Vector<u32, 4>;
  Span<const u32> input;
  const std::vector<Act>* acts;
  void operator()(Block& block) const {
    const auto rows = block.shared<Row>(2 * warp_width);
    auto copies = block.copy_pipeline<Row>(block.shared<u64>(2), 2);
    for (const auto& [what, stage] : *acts) {
      const int first = stage % 2 * warp_width;
      if (what == Act::begin) copies.begin(stage, input, 0, rows.from(first), warp_width);
      if (what == Act::wait || (what == Act::wait_by_half && block.lane() < 16)) copies.wait(stage);
      if (what == Act::load) rows.load(first + block.lane());
      if (what == Act::load_mirrored) rows.load(first + 31 - block.lane());
      if (what == Act::store) rows.store(first + block.lane(), {});
      if (what == Act::barrier || (what == Act::wait_by_half && block.lane() >= 16)) block.warp_barrier();
    }
  }
};

/// The error of a launch of one block; "" without any.
template <class Kernel>
std::string error_of(CountingExecutor& executor, const Kernel& kernel, BlockShape shape) {
  return tests::error_of([&] { launch(executor, kernel, shape, 1); });
}

}  // namespace

TEST_CASE("every contract kernel gives the expected results on the CPU") {
  for (const ContractCase& each : contract_cases()) {
    CountingExecutor executor;
    INFO(each.name);
    CHECK(each.run(executor) == "");
  }
}

TEST_CASE("atomics on one bank are serialised, including those on one word") {
  CountingExecutor executor;
  const auto atomics = [&](auto kernel) {
    return counts_of(executor, kernel, {32, 1 << 14}).shared(MemoryOperation::atomic);
  };
  struct Truth {
    int cells, stride;
    u64 wavefronts;
  };
  for (const Truth& truth :
       {Truth{32, 1, 1}, {1, 1, 32}, {32, 2, 2}, {16, 2, 2}, {8, 1, 4}, {32, 32, 32}, {16, 1, 2}}) {
    INFO(truth.cells << " cells at stride " << truth.stride);
    const SharedAccesses counts = atomics(strided_atomic<u32>(truth.cells, truth.stride));
    CHECK(counts.accesses == 1);
    CHECK(counts.words == 32);
    CHECK(counts.wavefronts == truth.wavefronts);
    CHECK(counts.least_wavefronts == 1);
  }
  // Two words per lane: sixteen lanes at once.
  CHECK(atomics(strided_atomic<u64>(32, 1)).wavefronts == 2);
  CHECK(atomics(strided_atomic<u64>(1, 1)).wavefronts == 32);
  CHECK(atomics(strided_atomic<u64>(1, 1)).least_wavefronts == 2);
  const KernelCounts all = counts_of(executor, strided_atomic<u32>(8, 1), {32, 32});
  CHECK(all.shared(MemoryOperation::store).wavefronts == 1);
  CHECK(all.shared(MemoryOperation::load).accesses == 0);
}

TEST_CASE("elements of one or two bytes share the wavefront of their word") {
  CountingExecutor executor;
  const auto wavefronts = [&](auto kernel) {
    const SharedAccesses counts = counts_of(executor, kernel, {32, 4096}).shared(MemoryOperation::store);
    CHECK(counts.accesses == 1);
    CHECK(counts.words == 32);
    CHECK(counts.least_wavefronts == 1);
    return counts.wavefronts;
  };
  CHECK(wavefronts(strided_store<u8>(1)) == 1);   // eight words
  CHECK(wavefronts(strided_store<u8>(4)) == 1);   // one word each
  CHECK(wavefronts(strided_store<u8>(8)) == 2);   // every second bank
  CHECK(wavefronts(strided_store<u8>(12)) == 1);  // three words apart
  CHECK(wavefronts(strided_store<u8>(128)) == 32);
  CHECK(wavefronts(strided_store<u16>(1)) == 1);
  CHECK(wavefronts(strided_store<u16>(2)) == 1);
  CHECK(wavefronts(strided_store<u16>(4)) == 2);
  CHECK(wavefronts(strided_store<u16>(64)) == 32);
}

TEST_CASE("matches and reductions count as warp instructions") {
  CountingExecutor executor;
  const auto warp_instructions = [](Block& block) {
    block.match(u32(block.lane()));
    block.match(u64(block.lane()));
    block.reduce_add(u32(1));
    block.reduce_min(1);
    block.reduce_xor(u32(1));
  };
  const KernelCounts counts = counts_of(executor, warp_instructions, {64});
  CHECK(counts.count(Instruction::match) == 2 * 2);
  CHECK(counts.count(Instruction::reduce) == 3 * 2);
  CHECK(counts.count(Instruction::shuffle) == 0);
}

TEST_CASE("copies count where they are started, as loads from global and stores to shared memory") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 5 * 32 * 4);
  const Span<const u32> input{array.data(), array.size()};
  const auto copy_tiles = [=](Block& block) {
    using Row = Vector<u32, 4>;
    const auto rows = block.shared<Row>(2 * warp_width);
    auto pipeline = block.copy_pipeline<Row>(block.shared<u64>(2), 2);
    const auto begin = [&](int tile) {
      const int stage = tile % 2;
      pipeline.begin(stage, input, Index(tile) * warp_width * 4, rows.from(stage * warp_width), warp_width);
    };
    begin(0);
    for (int tile = 0; tile < 5; ++tile) {
      if (tile + 1 < 5) begin(tile + 1);
      pipeline.wait(tile % 2);
      rows.load(tile % 2 * warp_width + block.lane());
      block.warp_barrier();
    }
  };
  const KernelCounts counts = counts_of(executor, copy_tiles, {32, 2 * 32 * 16 + 16});
  CHECK(counts.global(MemoryOperation::load).accesses == 5);
  CHECK(counts.global(MemoryOperation::load).sectors == 5 * 512 / 32);
  CHECK(counts.shared(MemoryOperation::store).accesses == 5);
  CHECK(counts.shared(MemoryOperation::store).wavefronts == 5 * 4);  // 512 bytes
  CHECK(counts.shared(MemoryOperation::load).wavefronts == 5 * 4);
  CHECK(counts.count(Instruction::copy_wait) == 5);
  CHECK(counts.count(Instruction::warp_barrier) == 1 + 5);  // one in the constructor of the pipeline
}

TEST_CASE("a packed counter that overflows into its neighbour is detected") {
  CountingExecutor executor;
  const auto run = [&](auto kernel) { launch(executor, kernel, {32, 16}, 1); };
  for (const bool atomically : {false, true}) {
    CHECK_NOTHROW(run(count_to<8>(255, 3, atomically)));
    CHECK_THROWS_WITH(run(count_to<8>(256, 1, atomically)), Contains("a packed counter of 8 bits overflows"));
    CHECK_NOTHROW(run(count_to<16>(256, 1, atomically)));
    CHECK_THROWS_WITH(run(count_to<16>(65536, 0, atomically)), Contains("16 bits overflows"));
    CHECK_THROWS_WITH(run(count_to<16>(1, 2, atomically)), Contains("field 2 of a word with 2"));
  }
  using Bytes = PackedCounters<8>;
  CHECK(Bytes::add(0x01fe0003, 0x02010404) == 0x03ff0407);
  CHECK_THROWS_WITH(Bytes::add(0x01fe0003, 0x02020404),
                    Contains("contract_test.cpp") && Contains("overflows"));
}

TEST_CASE("misuse of a copy pipeline is detected") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 1024);
  const Span<const u32> input{array.data(), array.size()};
  const auto error_with = [&](const std::vector<Act>& acts) {
    return error_of(executor, UsePipeline{input, &acts}, {32, 2 * 32 * 16 + 16});
  };
  using enum Act::What;
  const std::vector<Act> round{{begin, 0}, {begin, 1},         {wait, 1}, {load_mirrored, 1},
                               {wait, 0},  {load_mirrored, 0}, {barrier}};
  std::vector<Act> used_well;
  for (int i = 0; i < 3; ++i) used_well.insert(used_well.end(), round.begin(), round.end());
  CHECK(error_with(used_well) == "");

  struct Misuse {
    std::vector<Act> acts;
    std::vector<std::string> message;
  };
  const std::vector<Misuse> misuses{
      {{{begin, 0}, {begin, 1}, {wait, 0}, {load, 1}},
       {"reads the element at byte 512", "a copy that was not waited for"}},
      {{{begin}, {wait}, {barrier}, {begin}, {load}}, {"reads the element", "not waited for"}},
      {{{begin}, {store}}, {"writes the element", "not waited for"}},
      {{{begin}, {wait}, {load}, {begin}},
       {"race: starts a copy into the element at byte 0", "which thread 0 read with no barrier in between"}},
      {{{begin}, {begin}}, {"another copy that was not waited for"}},
      {{{begin}, {wait, 1}}, {"waits for stage 1, for which no copy was started"}},
      {{{begin}, {wait}, {wait}}, {"waits for stage 0, for which no copy was started"}},
      {{{begin}, {wait_by_half}},
       {"threads 0 to 15 at the copy-wait in contract_test.cpp:", "threads 16 to 31 at the warp-barrier"}},
      {{{begin, 1}}, {"ends without waiting for a copy"}},
      {{{begin, 2}}, {"stage 2 of a pipeline of 2"}}};
  for (const Misuse& misuse : misuses) {
    INFO(misuse.message.front());
    const std::string error = error_with(misuse.acts);
    for (const std::string& part : misuse.message) CHECK_THAT(error, Contains(part));
  }
  const auto make = [](int stages) {
    return [=](Block& block) { block.copy_pipeline<Vector<u32, 4>>(block.shared<u64>(stages), stages); };
  };
  CHECK_THAT(error_of(executor, make(1), {64, 16}),  // by two warps
             Contains("thread 32 ") && Contains("arrival word at byte 0"));
  CHECK_THAT(error_of(executor, make(33), {32, 33 * 8 + 8}), Contains("a pipeline of 33 stages"));
}

TEST_CASE("the copy without a pipeline can be used only once") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 128);
  const Span<const u32> input{array.data(), array.size()};
  const auto copy_twice = [&](bool begin_first) {
    const auto kernel = [=](Block& block) {
      const auto rows = block.shared<Vector<u32, 4>>(warp_width);
      const auto arrival = block.shared<u64>(1);
      for (int i = 0; i < 2; ++i) {
        if (begin_first) block.begin_copy(input, 0, rows, warp_width, arrival);
        block.wait_for_copy(rows, arrival);
      }
    };
    return error_of(executor, kernel, {32, 528});
  };
  CHECK_THAT(copy_twice(true), Contains("arrival word at byte 512"));
  CHECK_THAT(copy_twice(false), Contains("waits for a copy that was not started"));
}

TEST_CASE("a carve-out, rounded up to a supported size, limits the resident blocks") {
  CountingExecutor executor({.limits = {.blocks_per_multiprocessor = 32,
                                        .shared_bytes_per_multiprocessor = 228 * 1024,
                                        .shared_bytes_per_block = 227 * 1024,
                                        .shared_bytes_reserved = 1024}});
  const auto resident = [&](int shared_bytes, int carveout) {
    const auto nothing = [](Block&) {};
    return executor.prepare<decltype(nothing)>({64, shared_bytes, carveout})->resources.resident_blocks;
  };
  CHECK(resident(16 * 1024, -1) == 13);  // 228 / 17
  CHECK(resident(16 * 1024, 100) == 13);
  CHECK(resident(16 * 1024, 86) == 13);  // 196.08 KiB, rounded up to 228
  CHECK(resident(16 * 1024, 77) == 11);  // 175.6 KiB, rounded up to 196
  CHECK(resident(16 * 1024, 50) == 7);   // 114 → 132
  CHECK(resident(16 * 1024, 10) == 1);   // 22.8 → 32
  CHECK(resident(16 * 1024, 0) == 1);    // at least what one block needs: 17 → 32
  CHECK(resident(3 * 1024, 0) == 2);     // 4 → 8
  CHECK(resident(0, 0) == 32);
  CHECK_THROWS_WITH(resident(1024, 101), Contains("a carve-out of 101 %"));
  CHECK_THROWS_WITH(resident(228 * 1024, 50), Contains("does not fit on a multiprocessor"));
}
