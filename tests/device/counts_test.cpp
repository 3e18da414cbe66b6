// SPDX-License-Identifier: Apache-2.0
// Counts of kernels whose accesses and instructions are known.
#include "launch.h"

#include <catch2/catch.hpp>

using namespace fathom;

namespace {

Span<const u32> constant(const DeviceArray<u32>& array) {
  return {array.data(), array.size()};
}

/// Lane i of every warp loads element i · stride.
auto strided_load(Span<const u32> input, int stride) {
  return [=](Block& block) { input.load(block.thread() * stride); };
}

/// Lane 0 loads a word of each sector, and then once more.
auto load_twice(Span<const u32> input, int sectors) {
  return [=](Block& block) {
    for (int i = 0; i < 2 * sectors && block.thread() == 0; ++i) input.load(i % sectors * 8);
  };
}

/// Two elements per thread, as vectors.
auto vector_copy(const u64* input, Span<u64> output) {
  return [=, from = Span<const u64>{input, 1024}](Block& block) {
    const Index i = (block.index() * block.threads() + block.thread()) * 2;
    output.store_vector<2>(i, from.load_vector<2>(i));
  };
}

/// Lane i writes word i · stride of shared memory.
template <class T>
auto strided_shared(int stride) {
  return [=](Block& block) { block.shared<T>(32 * stride + 1).store(block.thread() * stride, T{}); };
}

/// Lane i runs a loop i % 4 times, then all lanes load once more.
struct UnevenLoop {
  Span<const u32> input;
  void operator()(Block& block) const {
    for (int i = 0; i < block.lane() % 4; ++i) input.load(i * 32 + block.lane());
    input.load(block.lane());
  }
};

auto touch_ten(Span<u32> output) {
  return [=](Block& block) { output.store(block.thread() % 10, u32(block.thread())); };
}

}  // namespace

TEST_CASE("a strided load touches the sectors, lines and bytes of its 32 addresses, at any alignment") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 4096);
  struct Truth {
    int stride, offset;
    u64 sectors, lines, useful_bytes;
  };
  for (const Truth& truth : {Truth{1, 0, 4, 1, 128},
                             {1, 1, 5, 2, 128},  // one more if the first address is not at the start of one
                             {1, 8, 4, 2, 128},  // aligned to a sector again, but not to a line
                             {2, 0, 8, 2, 128},  // half of every sector is unused
                             {8, 0, 32, 8, 128},
                             {100, 0, 32, 32, 128},
                             {0, 5, 1, 1, 4}}) {  // all lanes at one address
    INFO("stride " << truth.stride << " from " << truth.offset);
    const auto counts =
        counts_of(executor, strided_load(constant(array).from(truth.offset), truth.stride), {32});
    CHECK(counts.global().accesses == 1);
    CHECK(counts.global().words == 32);
    CHECK(counts.global(MemoryOperation::store).accesses == 0);
    CHECK(counts.global(MemoryOperation::load).sectors == truth.sectors);
    CHECK(counts.global().lines == truth.lines);
    CHECK(counts.global().useful_bytes == truth.useful_bytes);
  }
}

TEST_CASE("what a block has read lately does not leave the multiprocessor") {
  // A block's share of the L1 is what shared memory leaves, here 16 KiB.
  CountingDevice device{.multiprocessors = 1};
  device.limits.blocks_per_multiprocessor = 2;
  device.limits.shared_bytes_per_multiprocessor = 4 * 1024;
  CountingExecutor executor(device);
  const DeviceArray<u32> array(executor, 1 << 16);
  const auto loads = [&](const auto& kernel, BlockShape shape, Index blocks = 1) {
    return counts_of(executor, kernel, shape, blocks).global(MemoryOperation::load);
  };
  // Each warp touches five sectors of two lines; the first of them its neighbour has read.
  const auto misaligned = loads(strided_load(constant(array).from(1), 1), {128});
  CHECK(misaligned.sectors == 4 * 5);
  CHECK(misaligned.l2_sectors == 4 * 4 + 1);
  CHECK(misaligned.lines == 4 * 2);
  CHECK(misaligned.l2_lines == 4 * 2);
  CHECK(loads(strided_load(constant(array).from(1), 1), {128}, 3).l2_sectors == 3 * (4 * 4 + 1));
  // 512 sectors of 32 bytes.
  CHECK(loads(load_twice(constant(array), 512), {32}).l2_sectors == 512);
  CHECK(loads(load_twice(constant(array), 513), {32}).l2_sectors == 2 * 513);
}

namespace {

struct RowsByTicket {
  Span<u32> output, tickets;
  static constexpr bool blocks_communicate = true;
  void operator()(Block& block) const {
    const auto taken = block.shared<u32>(1);
    while (true) {
      if (block.thread() == 0) taken.store(0, tickets.atomic_add_relaxed(0, 1u));
      block.barrier();
      const Index row = taken.load(0);
      if (row >= 4) return;
      output.store(row * 32 + block.thread(), 1);
      block.barrier();
    }
  }
};

}  // namespace

TEST_CASE("a block resumes no sectors of tiles that blocks take in turn") {
  CountingExecutor executor;
  DeviceArray<u32> array(executor, 4096), tickets(executor, 1);
  executor.fill(tickets.data(), 0, tickets.bytes());
  const RowsByTicket rows{array.span().from(3), tickets.span()};
  const auto stores = counts_of(executor, rows, {32, 16}, 3).global(MemoryOperation::store);
  CHECK(stores.words == 4 * 32);
  CHECK(stores.sectors == 4 * 5);
  CHECK(stores.resumed_sectors == 0);
}

TEST_CASE("a block resumes the sectors that it wrote in part before a barrier") {
  CountingExecutor executor;
  DeviceArray<u32> array(executor, 4096);
  const auto resumed = [&](int offset, int step, bool with_barrier) {
    // Each warp writes four rows of a word per lane; blocks are 1024 words apart.
    const auto store_rows = [=, output = array.span().from(offset)](Block& block) {
      for (int row = 0; row < 4; ++row) {
        output.store(block.index() * 1024 + row * step + block.thread(), 1);
        if (with_barrier) block.barrier();
      }
    };
    return counts_of(executor, store_rows, {32}, 3).global(MemoryOperation::store).resumed_sectors;
  };
  CHECK(resumed(0, 32, true) == 0);      // rows of whole sectors
  CHECK(resumed(3, 32, true) == 3 * 3);  // the end of each of four rows but the last, in three blocks
  CHECK(resumed(3, 32, false) == 0);     // at once
  CHECK(resumed(3, 40, true) == 0);      // the rows do not meet
  CHECK(resumed(3, 0, true) == 0);       // the same part again
}

TEST_CASE("a vector access is one warp access of 16 bytes per lane") {
  CountingExecutor executor;
  const DeviceArray<u64> array(executor, 2048);
  const auto counts = counts_of(executor, vector_copy(array.data(), array.span().from(1024)), {64}, 8);
  for (const auto operation : {MemoryOperation::load, MemoryOperation::store}) {
    CHECK(counts.global(operation).accesses == 16);
    CHECK(counts.global(operation).words == 1024 * 2);
    CHECK(counts.global(operation).sectors == 1024 * 8 / 32);
    CHECK(counts.global(operation).lines == 1024 * 8 / 128);
    CHECK(counts.global(operation).useful_bytes == 1024 * 8);
  }
  CHECK(counts.footprint_bytes == 2048 * 8);
  CHECK(counts.read_bytes == 1024 * 8);
  CHECK(counts.written_bytes == 1024 * 8);
  CHECK(counts.blocks == 8);
}

// An H200 counts the same (data/h200/hardware/counters.json: copies of rows of three words).
TEST_CASE("an element of 12 bytes is three accesses, each of which touches the sectors of all lanes") {
  CountingExecutor executor;
  struct ThreeWords {
    u32 word[3];
  };
  const DeviceArray<ThreeWords> array(executor, 32);
  const Span<const ThreeWords> input{array.data(), 32};
  const auto load = [=](Block& block) { input.load(block.thread()); };
  const GlobalAccesses counts = counts_of(executor, load, {32}).global();
  CHECK(counts.accesses == 3);
  CHECK(counts.words == 96);
  CHECK(counts.sectors == 3 * 12);
  CHECK(counts.useful_bytes == 384);
}

TEST_CASE("bank conflicts: a stride of 32 words hits one bank, an odd stride has no conflicts") {
  CountingExecutor executor;
  const auto shared = [&](auto kernel, int bytes) {
    return counts_of(executor, kernel, {32, bytes}).shared(MemoryOperation::store);
  };
  for (const auto& [stride, wavefronts] :
       {std::pair{1, 1}, {2, 2}, {3, 1}, {4, 4}, {17, 1}, {32, 32}, {24, 8}}) {
    INFO("stride " << stride);
    const SharedAccesses counts = shared(strided_shared<u32>(stride), 4 * (32 * stride + 4));
    CHECK(counts.accesses == 1);
    CHECK(counts.wavefronts == u64(wavefronts));
    CHECK(counts.conflict() == wavefronts);
  }
  // Two words per lane: at least two passes of 16 lanes.
  const SharedAccesses wide = shared(strided_shared<u64>(1), 8 * 36);
  CHECK(wide.accesses == 1);
  CHECK(wide.words == 64);
  CHECK(wide.wavefronts == 2);
  CHECK(wide.conflict() == 1);
  CHECK(shared(strided_shared<u64>(16), 8 * (32 * 16 + 4)).conflict() == 16);
  // Four words per lane: four passes.
  CHECK(shared(strided_shared<Vector<u32, 4>>(1), 16 * 36).wavefronts == 4);
}

TEST_CASE("a load of a member reads its words alone") {
  CountingExecutor executor;
  const DeviceArray<u64> array(executor, 32);
  struct KeyWithValue {
    u32 key;
    u64 value;
  };
  const auto load_members = [output = array.span()](Block& block) {
    const auto records = block.shared<KeyWithValue>(block.threads());
    const int i = block.thread();
    records.store(i, {u32(i), 7});
    output.store(i, records.load(i, &KeyWithValue::key) + records.load(i, &KeyWithValue::value));
  };
  const auto counts = counts_of(executor, load_members, {32, 32 * int(sizeof(KeyWithValue))});
  CHECK(counts.shared(MemoryOperation::load).accesses == 2);
  CHECK(counts.shared(MemoryOperation::load).words == 32 + 64);
  // Four words apart: lanes 8, 16 and 24 have the banks of lane 0.
  CHECK(counts.shared(MemoryOperation::load).wavefronts == 4 + 4);
  CHECK(array.download()[5] == 12);
}

TEST_CASE("lanes that read one word share it") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 8);
  const auto broadcast = [input = constant(array)](Block& block) {
    const auto word = block.shared<u32>(1);
    if (block.thread() == 0) word.store(0, input.load(7));
    block.barrier();
    word.load(0);
    input.load(7);
  };
  const auto counts = counts_of(executor, broadcast, {32, 16});
  CHECK(counts.shared(MemoryOperation::load).wavefronts == 1);
  CHECK(counts.shared(MemoryOperation::load).words == 32);
  CHECK(counts.shared(MemoryOperation::store).words == 1);
  CHECK(counts.global().accesses == 2);
  CHECK(counts.global().sectors == 2);
  CHECK(counts.count(Instruction::barrier) == 1);
}

TEST_CASE("lanes that leave a loop early do not shift the accesses of the others") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 128);
  const auto counts = counts_of(executor, UnevenLoop{constant(array)}, {32});
  CHECK(counts.global().accesses == 3 + 1);
  CHECK(counts.global().words == 8 * (0 + 1 + 2 + 3) + 32);
  CHECK(counts.global().warp_words == 4 * 32);
  REQUIRE(counts.sites.size() == 2);
  CHECK(counts.sites[0].global.accesses == 3);
  CHECK(counts.sites[1].global.accesses == 1);
  CHECK(counts.sites[1].global.sectors == 4);
  CHECK(counts.sites[0].file == "counts_test.cpp");
  CHECK(counts.sites[0].function == "operator()");
  CHECK(counts.sites[0].line + 1 == counts.sites[1].line);
}

TEST_CASE("the two sides of a divergent branch count as separate accesses") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 32);
  const auto branches = [input = constant(array)](Block& block) {
    if (block.lane() % 2 == 0)
      input.load(block.lane());
    else
      input.load(block.lane());
    input.load(block.lane());
  };
  CHECK(counts_of(executor, branches, {64}).global().accesses == 2 * 3);
}

TEST_CASE("of each place, the warps are counted that moved more than so many words, and the launches") {
  CountingExecutor executor;
  const DeviceArray<u64> array(executor, 64);
  const auto turns_of_warps = [input = array.span()](Block& block) {
    for (int i = 0; i <= 2 * block.warp(); ++i) input.load(i);
  };
  const auto counts = counts_of(executor, turns_of_warps, {64}, 3);
  REQUIRE(counts.sites.size() == 1);
  CHECK(counts.sites[0].warps_beyond == std::vector<u64>{6, 6, 3, 3, 3, 3});  // an element has two
  CHECK(counts.sites[0].launches == 1);
}

TEST_CASE("instructions count per warp, comparisons for the busiest lane") {
  CountingExecutor executor;
  const DeviceArray<u32> counter(executor, 2);
  const auto every_instruction = [counter = counter.span()](Block& block) {
    block.barrier();
    block.warp_barrier();
    block.warp_barrier();
    block.shuffle(block.lane(), 0);
    block.shuffle_up(block.lane(), 1);
    block.shuffle_xor(u64(1), 1);
    block.ballot(true);
    int a = block.lane(), b = 5;
    for (int i = 0; i < block.lane(); ++i) compare(a, b, Less{});
    compare_exchange(a, b, Less{});
    block.atomic_add(counter, block.thread() % 2, 1u);
  };
  const auto counts = counts_of(executor, every_instruction, {64}, 3);
  const u64 warps = 2 * 3;
  CHECK(counts.count(Instruction::barrier) == warps);
  CHECK(counts.count(Instruction::warp_barrier) == 2 * warps);
  CHECK(counts.count(Instruction::shuffle) == 3 * warps);
  CHECK(counts.count(Instruction::ballot) == warps);
  CHECK(counts.count(Instruction::compare) == 31 * warps);
  CHECK(counts.count(Instruction::compare_exchange) == warps);
  CHECK(counts.global(MemoryOperation::atomic).accesses == warps);
  CHECK(counts.global(MemoryOperation::atomic).words == 64 * 3);
}

TEST_CASE("the busiest block of a launch is compared with the mean, however many blocks run concurrently") {
  for (const int workers : {1, 3}) {
    CountingDevice device;
    device.workers = workers;
    CountingExecutor executor(device);
    const DeviceArray<u32> array(executor, 64);
    executor.reset();
    const auto loop = [input = array.span()](Block& block) {
      for (int i = 0; i < (block.index() == 1 ? 8 : 4); ++i) {
        input.load(block.lane());
        block.warp_barrier();
      }
    };
    launch(executor, loop, {32}, 4);  // 8 + 16 + 8 + 8 steps; 64 if all were as busy
    CHECK(executor.counts()[0].busiest_over_mean() == Approx(64 / 40.));
    launch(executor, loop, {32}, 1);  // 8, which is the mean as well
    REQUIRE(executor.counts().size() == 1);
    CHECK(executor.counts()[0].busiest_over_mean() == Approx((64 + 8) / (40 + 8.)));
  }
}

TEST_CASE("the footprint counts each word once") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 64);
  executor.reset();
  launch(executor, touch_ten(array.span()), {64}, 5);
  CHECK(executor.counts()[0].footprint_bytes == 40);
  launch(executor, touch_ten(array.span()), {64}, 5);
  CHECK(executor.counts().size() == 1);
  CHECK(executor.counts()[0].launches == 2);
  CHECK(executor.counts()[0].footprint_bytes == 80);  // of each launch
}

TEST_CASE("bytes are fresh to the first launch that touches them") {
  CountingExecutor executor;
  const DeviceArray<u64> array(executor, 2048);
  const auto forth = vector_copy(array.data(), array.span().from(1024)),
             back = vector_copy(array.data() + 1024, array.span());
  const auto counted = [&](const auto& copy) {
    launch(executor, copy, {64}, 8);
    return executor.counts()[0];
  };
  executor.reset();
  KernelCounts counts = counted(forth);
  CHECK(counts.read_bytes == 1024 * 8);
  CHECK(counts.fresh_read_bytes == 1024 * 8);
  CHECK(counts.fresh_written_bytes == 1024 * 8);
  counts = counted(back);
  CHECK(counts.read_bytes == 2 * 1024 * 8);
  CHECK(counts.fresh_read_bytes == 1024 * 8);  // as before: nothing that it touches is fresh
  CHECK(counts.fresh_written_bytes == 1024 * 8);
  executor.reset();
  CHECK(counted(back).fresh_read_bytes == 1024 * 8);
}

TEST_CASE("a new allocation in the place of an old one is fresh") {
  CountingExecutor executor;
  executor.reset();
  for (u64 i = 1; i <= 3; ++i) {
    const DeviceArray<u32> array(executor, 64);
    launch(executor, touch_ten(array.span()), {64}, 5);
    CHECK(executor.counts()[0].fresh_written_bytes == i * 40);
  }
}
