// The contract beyond loads and stores, on the CPU: results, counts computed by hand, and detected errors.
#include "../launch.h"
#include "contract_cases.h"

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

template <class Kernel>
KernelCounts counts_of(const Kernel& kernel, BlockShape shape) {
  CountingExecutor executor;
  launch(executor, kernel, shape, 1);
  return executor.counts().at(0);
}

/// Lane i changes cell (i mod `cells`) · stride.
template <class T>
struct StridedAtomic {
  int cells, stride;
  template <class Block>
  void operator()(Block& block) const {
    const auto words = block.template shared<T>(cells * stride);
    if (block.lane() < cells) words.store(block.lane() * stride, 0);
    block.warp_barrier();
    words.atomic_add(block.lane() % cells * stride, T(1));
  }
};

/// Lane i writes element i · stride.
template <class T>
struct StridedStore {
  int stride;
  template <class Block>
  void operator()(Block& block) const {
    block.template shared<T>(warp_width * stride).store(block.lane() * stride, T(1));
  }
};

struct WarpInstructions {
  template <class Block>
  void operator()(Block& block) const {
    block.match(u32(block.lane()));
    block.match(u64(block.lane()));
    block.reduce_add(u32(1));
    block.reduce_min(1);
    block.reduce_xor(u32(1));
  }
};

struct CopyTiles {
  Span<const u32> input;
  int tiles;
  template <class Block>
  void operator()(Block& block) const {
    using Row = Vector<u32, 4>;
    const auto rows = block.template shared<Row>(2 * warp_width);
    const auto arrivals = block.template shared<u64>(2);
    auto pipeline = block.template copy_pipeline<Row>(arrivals, 2);
    const auto begin = [&](int tile) {
      const int stage = tile % 2;
      pipeline.begin(stage, input, Index(tile) * warp_width * 4, rows.from(stage * warp_width), warp_width);
    };
    begin(0);
    for (int tile = 0; tile < tiles; ++tile) {
      if (tile + 1 < tiles) begin(tile + 1);
      pipeline.wait(tile % 2);
      rows.load(tile % 2 * warp_width + block.lane());
      block.warp_barrier();
    }
  }
};

/// The barrier between two accesses of neighbouring threads, if any.
struct Nothing {
  void operator()(Block&) const {}
};
struct WarpBarrier {
  void operator()(Block& block) const { block.warp_barrier(); }
};

/// Each thread writes its own element and then reads its neighbour's.
template <class T, class Wait>
struct ReadNeighbour {
  int distance;
  template <class Block>
  void operator()(Block& block) const {
    const auto elements = block.template shared<T>(block.threads());
    elements.store(block.thread(), T(block.thread()));
    Wait{}(block);
    elements.load((block.thread() + distance) % block.threads());
  }
};

/// All bytes except one are written.
struct UnwrittenByte {
  int unwritten;
  template <class Block>
  void operator()(Block& block) const {
    const auto bytes = block.template shared<u8>(block.threads());
    if (block.thread() != unwritten) bytes.store(block.thread(), 1);
    block.barrier();
    bytes.load(block.thread());
  }
};

/// Accesses of threads 0 and 1 to one word, one after the other.
enum class Step : int { load, store, change, load_and_change };
struct TwoSteps {
  Step first, second;
  bool barrier_between;
  template <class Block>
  void operator()(Block& block) const {
    const auto word = block.template shared<u32>(1);
    if (block.thread() == 2) word.store(0, 0);
    block.barrier();
    if (block.thread() == 0) take(word, first);
    if (barrier_between) block.warp_barrier();
    if (block.thread() == 1) take(word, second);
  }
  static void take(const Shared<u32>& word, Step step) {
    if (step == Step::load || step == Step::load_and_change) word.load(0);
    if (step == Step::store) word.store(0, 1);
    if (step == Step::change || step == Step::load_and_change) word.atomic_max(0, 1);
  }
};

struct AtomicOnUnwritten {
  template <class Block>
  void operator()(Block& block) const {
    block.template shared<u32>(1).atomic_exchange(0, 1u);
  }
};

template <int bits>
struct CountTo {
  int count, field;
  bool atomically;
  template <class Block>
  void operator()(Block& block) const {
    const PackedCounters<bits> counters{block.template shared<u32>(1)};
    if (block.thread() > 0) return;
    counters.words.store(0, 0);
    for (int i = 0; i < count; ++i)
      if (atomically)
        counters.atomic_increment(0, field);
      else
        counters.increment(0, field);
  }
};

struct MatchAgainstReduce {
  template <class Block>
  void operator()(Block& block) const {
    if (block.lane() < 16)
      block.match(1);
    else
      block.reduce_or(1);
  }
};

/// A step of a warp that uses a pipeline of two stages of one row per lane.
struct Act {
  enum What { begin, wait, wait_by_half, load, load_mirrored, store, barrier } what;
  int stage = 0;
};
struct UsePipeline {
  using Row = Vector<u32, 4>;
  Span<const u32> input;
  const std::vector<Act>* acts;
  template <class Block>
  void operator()(Block& block) const {
    const auto rows = block.template shared<Row>(2 * warp_width);
    auto copies = block.template copy_pipeline<Row>(block.template shared<u64>(2), 2);
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

struct SharedArrivals {
  template <class Block>
  void operator()(Block& block) const {
    block.template copy_pipeline<Vector<u32, 4>>(block.template shared<u64>(1), 1);
  }
};
struct ManyStages {
  template <class Block>
  void operator()(Block& block) const {
    block.template copy_pipeline<Vector<u32, 4>>(block.template shared<u64>(33), 33);
  }
};
struct SingleCopyTwice {
  Span<const u32> input;
  bool begin_first;
  template <class Block>
  void operator()(Block& block) const {
    const auto rows = block.template shared<Vector<u32, 4>>(warp_width);
    const auto arrival = block.template shared<u64>(1);
    for (int i = 0; i < 2; ++i) {
      if (begin_first) block.begin_copy(input, 0, rows, warp_width, arrival);
      block.wait_for_copy(rows, arrival);
    }
  }
};

struct NoShared {
  template <class Block>
  void operator()(Block&) const {}
};

}  // namespace

TEST_CASE("every contract kernel gives the expected results on the CPU") {
  for (const ContractCase& each : contract_cases()) {
    CountingExecutor executor;
    INFO(each.name);
    CHECK(each.run(executor) == "");
  }
}

TEST_CASE("atomics on one bank are serialised, including those on one word") {
  const auto shared = [](auto kernel, int bytes) {
    return counts_of(kernel, {32, bytes}).shared(MemoryOperation::atomic);
  };
  struct Truth {
    int cells, stride;
    u64 wavefronts;
  };
  for (const Truth& truth :
       {Truth{32, 1, 1}, {1, 1, 32}, {32, 2, 2}, {16, 2, 2}, {8, 1, 4}, {32, 32, 32}, {16, 1, 2}}) {
    INFO(truth.cells << " cells at stride " << truth.stride);
    const SharedAccesses counts =
        shared(StridedAtomic<u32>{truth.cells, truth.stride}, 4 * (truth.cells * truth.stride + 3));
    CHECK(counts.accesses == 1);
    CHECK(counts.words == 32);
    CHECK(counts.wavefronts == truth.wavefronts);
    CHECK(counts.least_wavefronts == 1);
  }
  // Two words per lane: sixteen lanes at once.
  CHECK(shared(StridedAtomic<u64>{32, 1}, 8 * 32).wavefronts == 2);
  CHECK(shared(StridedAtomic<u64>{1, 1}, 16).wavefronts == 32);
  CHECK(shared(StridedAtomic<u64>{1, 1}, 16).least_wavefronts == 2);
  const KernelCounts all = counts_of(StridedAtomic<u32>{8, 1}, {32, 32});
  CHECK(all.shared(MemoryOperation::store).wavefronts == 1);
  CHECK(all.shared(MemoryOperation::load).accesses == 0);
}

TEST_CASE("elements of one or two bytes share the wavefront of their word") {
  const auto wavefronts = [](auto kernel, int bytes) {
    const SharedAccesses counts = counts_of(kernel, {32, bytes}).shared(MemoryOperation::store);
    CHECK(counts.accesses == 1);
    CHECK(counts.words == 32);
    CHECK(counts.least_wavefronts == 1);
    return counts.wavefronts;
  };
  CHECK(wavefronts(StridedStore<u8>{1}, 32) == 1);    // eight words
  CHECK(wavefronts(StridedStore<u8>{4}, 128) == 1);   // one word each
  CHECK(wavefronts(StridedStore<u8>{8}, 256) == 2);   // every second bank
  CHECK(wavefronts(StridedStore<u8>{12}, 384) == 1);  // three words apart
  CHECK(wavefronts(StridedStore<u8>{128}, 4096) == 32);
  CHECK(wavefronts(StridedStore<u16>{1}, 64) == 1);
  CHECK(wavefronts(StridedStore<u16>{2}, 128) == 1);
  CHECK(wavefronts(StridedStore<u16>{4}, 256) == 2);
  CHECK(wavefronts(StridedStore<u16>{64}, 4096) == 32);
}

TEST_CASE("matches and reductions count as warp instructions") {
  const KernelCounts counts = counts_of(WarpInstructions{}, {64});
  CHECK(counts.count(Instruction::match) == 2 * 2);
  CHECK(counts.count(Instruction::reduce) == 3 * 2);
  CHECK(counts.count(Instruction::shuffle) == 0);
}

TEST_CASE("copies count where they are started, as loads from global and stores to shared memory") {
  CountingExecutor executor;
  const DeviceArray<u32> input(executor, 5 * 32 * 4);
  launch(executor, CopyTiles{{input.data(), input.size()}, 5}, {32, 2 * 32 * 16 + 16}, 1);
  const KernelCounts& counts = executor.counts()[0];
  CHECK(counts.global(MemoryOperation::load).accesses == 5);
  CHECK(counts.global(MemoryOperation::load).sectors == 5 * 512 / 32);
  CHECK(counts.shared(MemoryOperation::store).accesses == 5);
  CHECK(counts.shared(MemoryOperation::store).wavefronts == 5 * 4);  // 512 bytes
  CHECK(counts.shared(MemoryOperation::load).wavefronts == 5 * 4);
  CHECK(counts.count(Instruction::copy_wait) == 5);
  CHECK(counts.count(Instruction::warp_barrier) == 1 + 5);  // one in the constructor of the pipeline
}

TEST_CASE("threads that touch different bytes of a word do not race") {
  CountingExecutor executor;
  const auto run = [&](auto kernel) { launch(executor, kernel, {32, 64}, 1); };
  CHECK_NOTHROW(run(ReadNeighbour<u8, Nothing>{0}));
  CHECK_NOTHROW(run(ReadNeighbour<u16, Nothing>{0}));
  CHECK_NOTHROW(run(ReadNeighbour<u8, WarpBarrier>{1}));
  CHECK_NOTHROW(run(ReadNeighbour<u16, WarpBarrier>{1}));
  const auto run_two_warps = [&](auto kernel) { launch(executor, kernel, {64, 128}, 1); };
  CHECK_THROWS_WITH(run_two_warps(ReadNeighbour<u8, WarpBarrier>{63}),
                    Contains("thread 0 ") && Contains("race: reads the element at byte 63") &&
                        Contains("which thread 63 wrote with no barrier in between"));
  CHECK_THROWS_WITH(run_two_warps(ReadNeighbour<u16, WarpBarrier>{63}),
                    Contains("race: reads the element at byte 126"));
  CHECK_THROWS_WITH(run(UnwrittenByte{13}), Contains("thread 13 ") &&
                                                Contains("reads the element at byte 13") &&
                                                Contains("never written"));
}

TEST_CASE("atomics race with plain accesses, but not with atomics") {
  CountingExecutor executor;
  const auto run = [&](Step first, Step second, bool barrier) {
    launch(executor, TwoSteps{first, second, barrier}, {32, 16}, 1);
  };
  for (const Step first : {Step::load, Step::store, Step::change})
    for (const Step second : {Step::load, Step::store, Step::change}) {
      CAPTURE(int(first), int(second));
      CHECK_NOTHROW(run(first, second, true));
      if (first == second && first != Step::store)
        CHECK_NOTHROW(run(first, second, false));
      else
        CHECK_THROWS_WITH(run(first, second, false), Contains("race: ") && Contains("thread 0"));
    }
  CHECK_THROWS_WITH(
      run(Step::change, Step::load, false),
      Contains("reads the element") && Contains("which thread 0 changed atomically with no barrier"));
  CHECK_THROWS_WITH(run(Step::load, Step::change, false),
                    Contains("changes atomically the element") && Contains("which thread 0 read with"));
  for (const Step second : {Step::load, Step::store, Step::change, Step::load_and_change})
    CHECK_THROWS_WITH(run(Step::load_and_change, second, false), Contains("race: ") && Contains("thread 0"));
  CHECK_THROWS_WITH(launch(executor, AtomicOnUnwritten{}, {32, 16}, 1), Contains("never written"));
}

TEST_CASE("a packed counter that overflows into its neighbour is detected") {
  CountingExecutor executor;
  const auto run = [&](auto kernel) { launch(executor, kernel, {32, 16}, 1); };
  for (const bool atomically : {false, true}) {
    CHECK_NOTHROW(run(CountTo<8>{255, 3, atomically}));
    CHECK_THROWS_WITH(run(CountTo<8>{256, 1, atomically}), Contains("a packed counter of 8 bits overflows"));
    CHECK_NOTHROW(run(CountTo<16>{256, 1, atomically}));
    CHECK_THROWS_WITH(run(CountTo<16>{65536, 0, atomically}), Contains("16 bits overflows"));
    CHECK_THROWS_WITH(run(CountTo<16>{1, 2, atomically}), Contains("field 2 of a word with 2"));
  }
  using Bytes = PackedCounters<8>;
  CHECK(Bytes::add(0x01fe0003, 0x02010404) == 0x03ff0407);
  CHECK_THROWS_WITH(Bytes::add(0x01fe0003, 0x02020404),
                    Contains("contract_test.cpp") && Contains("overflows"));
}

TEST_CASE("lanes that wait at different instructions of a warp are listed") {
  CountingExecutor executor;
  CHECK_THROWS_WITH(launch(executor, MatchAgainstReduce{}, {32}, 1),
                    Contains("threads 0 to 15 at the match in contract_test.cpp:") &&
                        Contains("threads 16 to 31 at the reduce in contract_test.cpp:"));
}

TEST_CASE("misuse of a copy pipeline is detected") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 1024);
  const Span<const u32> input{array.data(), array.size()};
  const auto run = [&](const std::vector<Act>& acts) {
    launch(executor, UsePipeline{input, &acts}, {32, 2 * 32 * 16 + 16}, 1);
  };
  std::vector<Act> used_well;
  for (int round = 0; round < 3; ++round)
    for (const Act act : {Act{Act::begin, 0},
                          {Act::begin, 1},
                          {Act::wait, 1},
                          {Act::load_mirrored, 1},
                          {Act::wait, 0},
                          {Act::load_mirrored, 0},
                          {Act::barrier}})
      used_well.push_back(act);
  CHECK_NOTHROW(run(used_well));

  struct Misuse {
    std::vector<Act> acts;
    std::vector<std::string> message;
  };
  const std::vector<Misuse> misuses{
      {{{Act::begin, 0}, {Act::begin, 1}, {Act::wait, 0}, {Act::load, 1}},
       {"reads the element at byte 512", "a copy that was not waited for"}},
      {{{Act::begin}, {Act::wait}, {Act::barrier}, {Act::begin}, {Act::load}},
       {"reads the element", "not waited for"}},
      {{{Act::begin}, {Act::store}}, {"writes the element", "not waited for"}},
      {{{Act::begin}, {Act::wait}, {Act::load}, {Act::begin}},
       {"race: starts a copy into the element at byte 0", "which thread 0 read with no barrier in between"}},
      {{{Act::begin}, {Act::begin}}, {"another copy that was not waited for"}},
      {{{Act::begin}, {Act::wait, 1}}, {"waits for stage 1, for which no copy was started"}},
      {{{Act::begin}, {Act::wait}, {Act::wait}}, {"waits for stage 0, for which no copy was started"}},
      {{{Act::begin}, {Act::wait_by_half}},
       {"threads 0 to 15 at the copy-wait in contract_test.cpp:", "threads 16 to 31 at the warp-barrier"}},
      {{{Act::begin, 1}}, {"ends without waiting for a copy"}},
      {{{Act::begin, 2}}, {"stage 2 of a pipeline of 2"}}};
  for (const Misuse& misuse : misuses) {
    INFO(misuse.message.front());
    std::string error;
    try {
      run(misuse.acts);
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    for (const std::string& part : misuse.message) CHECK_THAT(error, Contains(part));
  }
  CHECK_THROWS_WITH(launch(executor, SharedArrivals{}, {64, 16}, 1),
                    Contains("thread 32 ") && Contains("arrival word at byte 0"));
  CHECK_THROWS_WITH(launch(executor, ManyStages{}, {32, 33 * 8 + 8}, 1), Contains("a pipeline of 33 stages"));
}

TEST_CASE("the copy without a pipeline can be used only once") {
  CountingExecutor executor;
  const DeviceArray<u32> array(executor, 128);
  const Span<const u32> input{array.data(), array.size()};
  CHECK_THROWS_WITH(launch(executor, SingleCopyTwice{input, true}, {32, 528}, 1),
                    Contains("arrival word at byte 512"));
  CHECK_THROWS_WITH(launch(executor, SingleCopyTwice{input, false}, {32, 528}, 1),
                    Contains("waits for a copy that was not started"));
}

TEST_CASE("a carve-out, rounded up to a supported size, limits the resident blocks") {
  CountingExecutor executor({.limits = {.blocks_per_multiprocessor = 32,
                                        .shared_bytes_per_multiprocessor = 228 * 1024,
                                        .shared_bytes_per_block = 227 * 1024,
                                        .shared_bytes_reserved = 1024}});
  const auto resident = [&](int shared_bytes, int carveout) {
    return executor.prepare<NoShared>({64, shared_bytes, carveout})->resources.resident_blocks;
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
