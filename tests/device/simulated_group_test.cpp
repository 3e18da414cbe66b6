// SPDX-License-Identifier: Apache-2.0
#include "../support/error_of.h"

#include <fathom/core/interruption.h>
#include <fathom/device/group/simulated_group.h>

#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <thread>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

/// Adds one to the first elements.
struct AddOne {
  Span<const u32> input;
  Span<u32> output;
  void operator()(Block& block) const { output.store(block.thread(), input.load(block.thread()) + 1); }
};

DeviceArray<u32> array_of(Executor& executor, std::vector<u32> values) {
  return DeviceArray<u32>(executor, std::span<const u32>(values));
}

/// Parts of these numbers of u32, one after another.
std::vector<Part> parts(const std::vector<std::size_t>& counts) {
  std::vector<Part> all;
  std::size_t begin = 0;
  for (const std::size_t count : counts) {
    all.push_back({begin, count * sizeof(u32)});
    begin += count * sizeof(u32);
  }
  return all;
}

/// What each rank's call threw, "" for nothing, and the whole run.
struct Failures {
  std::vector<std::string> of_rank;
  std::string of_run;
};
Failures failures(SimulatedGroup& group, const std::function<void(Communicator&)>& each) {
  Failures all{std::vector<std::string>(std::size_t(group.size())), ""};
  all.of_run = tests::error_of([&] {
    group.run([&](Communicator& own) {
      try {
        each(own);
      } catch (const ExchangeFailure& failure) {
        all.of_rank[std::size_t(own.rank())] = failure.what();
        throw;
      }
    });
  });
  return all;
}

}  // namespace

TEST_CASE("parts of different sizes go from every rank to every rank, and their bytes are counted") {
  SimulatedGroup group(3);
  std::array<std::vector<u32>, 3> received;
  group.run([&](Communicator& own) {
    // Rank a sends a + b numbers to rank b, all 10·a + b.
    const u32 a = u32(own.rank());
    std::vector<u32> values;
    std::vector<std::size_t> counts;
    for (u32 b = 0; b < 3; ++b) {
      values.insert(values.end(), a + b, 10 * a + b);
      counts.push_back(a + b);
    }
    const DeviceArray<u32> from = array_of(own.executor(), values), to(own.executor(), values.size());
    own.all_to_all(from.data(), parts(counts), to.data(), parts(counts));
    received[a] = to.download();
  });
  CHECK(received[0] == std::vector<u32>{10, 20, 20});
  CHECK(received[1] == std::vector<u32>{1, 11, 11, 21, 21, 21});
  CHECK(received[2] == std::vector<u32>{2, 2, 12, 12, 12, 22, 22, 22, 22});
  REQUIRE(group.exchanges().size() == 1);
  const CountedExchange& counted = group.exchanges()[0];
  CHECK(counted.kind() == ExchangeKind::all_to_all);
  CHECK(counted.bytes(1, 2) == 3 * 4);
  CHECK(counted.bytes(2, 2) == 4 * 4);
  CHECK(counted.bytes_leaving(1) == (1 + 3) * 4);
  CHECK(counted.priced().kind == ExchangeKind::all_to_all);
  CHECK(counted.priced().bytes == (2 + 3) * 4);
  group.reset_exchanges();
  CHECK(group.exchanges().empty());
}

TEST_CASE("every rank gets what all have, in their order, also in place") {
  SimulatedGroup group(4);
  const bool in_place = GENERATE(false, true);
  std::array<std::vector<u32>, 4> received;
  group.run([&](Communicator& own) {
    const std::size_t rank = std::size_t(own.rank());
    std::vector<u32> values(8, 99);
    values[2 * rank] = u32(rank);
    values[2 * rank + 1] = u32(rank) + 100;
    const DeviceArray<u32> from = array_of(own.executor(), values), other(own.executor(), 8);
    const DeviceArray<u32>& to = in_place ? from : other;
    own.all_gather(from.data() + 2 * rank, 8, to.data());
    received[rank] = to.download();
  });
  for (const std::vector<u32>& each : received)
    CHECK(each == std::vector<u32>{0, 100, 1, 101, 2, 102, 3, 103});
  CHECK(group.exchanges()[0].priced().bytes == 3 * 8);
}

TEST_CASE("numbers are added up over all ranks, of which each sends twice what it does not add up itself") {
  SimulatedGroup group(3);
  std::array<std::vector<u32>, 3> sums;
  group.run([&](Communicator& own) {
    const u32 rank = u32(own.rank());
    const DeviceArray<u32> numbers = array_of(own.executor(), {rank, 10 * rank, 1, 0xffffffff, 5, 6, 7});
    own.all_reduce(numbers.data(), numbers.data(), numbers.size());
    sums[rank] = numbers.download();
  });
  for (const std::vector<u32>& each : sums) CHECK(each == std::vector<u32>{3, 30, 3, 0xfffffffd, 15, 18, 21});
  // Shares of 2, 2 and 3 numbers. The third rank sends the others their 2 and 2, and its own 3 to both.
  CHECK(group.exchanges()[0].bytes_leaving(0) == 4 * (2 + 3 + 2 * 2));
  CHECK(group.exchanges()[0].bytes_leaving(2) == 4 * (2 + 2 + 2 * 3));
}

TEST_CASE("an exchange comes after what was queued before, and memory stays from run to run") {
  SimulatedGroup group(2);
  std::vector<DeviceArray<u32>> kept;
  for (int rank = 0; rank < 2; ++rank)
    kept.push_back(array_of(group.executor(rank), std::vector<u32>(32, 5)));
  for (int run = 0; run < 2; ++run)
    group.run([&](Communicator& own) {
      const DeviceArray<u32>& mine = kept[std::size_t(own.rank())];
      const DeviceArray<u32> raised(own.executor(), 32);
      own.executor().launch(*own.executor().prepare<AddOne>({32}), 1,
                            AddOne{{mine.data(), 32}, raised.span()});
      const std::vector<Part> sent{{0, 64}, {64, 64}}, swapped{{64, 64}, {0, 64}};
      own.all_to_all(raised.data(), sent, mine.data(), swapped);
    });
  CHECK(kept[0].download() == std::vector<u32>(32, 7));
  CHECK(kept[1].download() == std::vector<u32>(32, 7));
}

TEST_CASE("what ranks exchange beside their kernels is there when these come after it, and not before") {
  SimulatedGroup group(2);
  group.run([&](Communicator& own) {
    const u32 rank = u32(own.rank());
    const DeviceArray<u32> from = array_of(own.executor(), {rank, rank}), to(own.executor(), 4);
    own.beside().executor().after(own.executor());
    own.beside().all_to_all(from.data(), parts({1, 1}), to.data(), parts({1, 1}));
    const auto received = [&](Executor& on) { return download(on, Span<const u32>{to.data(), 2}); };
    CHECK(received(own.executor()) != std::vector<u32>{0, 1});
    own.executor().after(own.beside().executor());
    CHECK(received(own.executor()) == std::vector<u32>{0, 1});
    // One that the host waits for, and the next one.
    own.beside().all_gather(from.data(), sizeof(u32), to.data());
    CHECK(received(own.beside().executor()) == std::vector<u32>{0, 1});
    own.beside().all_to_all(
        from.data(), parts({2, 0}), to.data(),
        parts(rank == 0 ? std::vector<std::size_t>{2, 2} : std::vector<std::size_t>{0, 0}));
    own.executor().after(own.beside().executor());
  });
  CHECK(group.exchanges().size() == 3);
}

TEST_CASE("what is sent beside kernels must not change meanwhile") {
  SimulatedGroup group(2);
  const auto changing = [](bool too_early) {
    return [too_early](Communicator& own) {
      const DeviceArray<u32> from = array_of(own.executor(), {1, 2}), to(own.executor(), 2);
      own.beside().all_to_all(from.data(), parts({1, 1}), to.data(), parts({1, 1}));
      if (!too_early) own.executor().after(own.beside().executor());
      own.executor().fill(from.data(), 0, from.bytes());
      own.executor().after(own.beside().executor());
    };
  };
  CHECK_NOTHROW(group.run(changing(false)));
  CHECK_THROWS_WITH(group.run(changing(true)), Contains("sent beside kernels has changed"));
}

TEST_CASE("a group of one exchanges with itself") {
  SimulatedGroup group(1);
  group.run([&](Communicator& own) {
    const DeviceArray<u32> from = array_of(own.executor(), {4, 5}), to(own.executor(), 2);
    own.all_to_all(from.data(), parts({2}), to.data(), parts({2}));
    CHECK(to.download() == std::vector<u32>{4, 5});
    own.all_reduce(from.data(), to.data(), 2);
    CHECK(to.download() == std::vector<u32>{4, 5});
  });
  CHECK(group.exchanges()[0].priced().bytes == 0);
  CHECK_THROWS_WITH(SimulatedGroup(0), Contains("at least one GPU"));
}

TEST_CASE("ranks whose exchanges do not fit fail alike, with what does not fit") {
  SimulatedGroup group(3);
  std::function<void(Communicator&)> each;
  std::string expected;
  const DeviceArray<u32> of_rank_0(group.executor(0), 8);
  const auto by_rank = [](auto exchange) {
    return [=](Communicator& own) {
      const DeviceArray<u32> from(own.executor(), 12), to(own.executor(), 12);
      exchange(own, from.data(), to.data());
    };
  };
  const std::vector<Part> even = parts({4, 4, 4});
  SECTION("sizes") {
    expected = "exchange 1: all_to_all: rank 1 sends 16 bytes to rank 2, which expects 12";
    each = by_rank([&](Communicator& own, u32* from, u32* to) {
      own.all_to_all(from, even, to, own.rank() == 2 ? parts({4, 3, 4}) : even);
    });
  }
  SECTION("parts") {
    expected = "rank 2 sends 2 parts and receives 3 in a group of 3 ranks";
    each = by_rank([&](Communicator& own, u32* from, u32* to) {
      own.all_to_all(from, own.rank() == 2 ? parts({4, 4}) : even, to, even);
    });
  }
  SECTION("gathered sizes") {
    expected = "all_gather: rank 0 sends 8 bytes to rank 1, which expects 4";
    each = by_rank(
        [&](Communicator& own, u32* from, u32* to) { own.all_gather(from, own.rank() == 1 ? 4 : 8, to); });
  }
  SECTION("numbers to add up") {
    expected = "all_reduce: rank 2 adds up 5 numbers, rank 0 4";
    each = by_rank(
        [&](Communicator& own, u32* from, u32* to) { own.all_reduce(from, to, own.rank() == 2 ? 5 : 4); });
  }
  SECTION("different exchanges") {
    expected = "all_gather: rank 0 called it, rank 1 all_reduce";
    each = by_rank([&](Communicator& own, u32* from, u32* to) {
      own.rank() == 1 ? own.all_reduce(from, to, 4) : own.all_gather(from, 4, to);
    });
  }
  SECTION("another rank's memory") {
    expected = "rank 1 writes 32 bytes that are not in its memory";
    each = by_rank([&](Communicator& own, u32* from, u32*) {
      const DeviceArray<u32> enough(own.executor(), 24);
      own.all_to_all(from, parts({0, 0, 0}), own.rank() == 1 ? of_rank_0.data() : enough.data(),
                     parts({0, 0, 0}));
      own.all_gather(from, 32, own.rank() == 1 ? of_rank_0.data() : enough.data());
    });
  }
  SECTION("beyond the end of an array") {
    expected = "rank 2 reads 20 bytes that are not in its memory";
    each = by_rank([&](Communicator& own, u32* from, u32* to) {
      const DeviceArray<u32> room(own.executor(), 15);
      own.all_gather(own.rank() == 2 ? from + 8 : from, 20, room.data());
      (void)to;
    });
  }
  SECTION("received twice in one place") {
    expected = "what rank 0 receives from rank 1 and rank 2 overlaps";
    each = by_rank([&](Communicator& own, u32* from, u32* to) {
      std::vector<Part> received = even;
      if (own.rank() == 0) received[2].begin -= 4;
      own.all_to_all(from, even, to, received);
    });
  }
  SECTION("received over what is sent") {
    expected = "rank 1 receives from rank 0 over what it sends to rank 0";
    each = by_rank([&](Communicator& own, u32* from, u32* to) {
      own.all_to_all(from, even, own.rank() == 1 ? from : to, even);
    });
  }
  const Failures found = failures(group, each);
  CHECK_THAT(found.of_run, Contains(expected));
  for (const std::string& of_rank : found.of_rank) CHECK(of_rank == found.of_run);
}

TEST_CASE("a rank that fails or ends early ends the others' exchange, and the first failure is thrown") {
  SimulatedGroup group(3);
  std::atomic<int> went_on = 0;
  const bool throws = GENERATE(true, false);
  const Failures found = failures(group, [&](Communicator& own) {
    const DeviceArray<u32> from(own.executor(), 1), to(own.executor(), 3);
    own.all_gather(from.data(), 4, to.data());
    if (own.rank() == 1) {
      if (throws) throw KernelFailure("a kernel failed");
      return;
    }
    own.all_gather(from.data(), 4, to.data());
    ++went_on;
  });
  CHECK(went_on == 0);
  CHECK(found.of_rank[1] == "");
  const std::string expected =
      throws ? "exchange 2: rank 1 failed: a kernel failed" : "exchange 2: rank 1 ended before it";
  CHECK(found.of_rank[0] == expected);
  CHECK(found.of_rank[2] == expected);
  CHECK(found.of_run == (throws ? "a kernel failed" : expected));

  // The group is none the worse for it.
  CHECK_NOTHROW(group.run([](Communicator& own) {
    const DeviceArray<u32> from(own.executor(), 1), to(own.executor(), 3);
    own.all_gather(from.data(), 4, to.data());
  }));
}

TEST_CASE("a kernel cannot read another rank's memory") {
  SimulatedGroup group(2);
  const DeviceArray<u32> of_rank_0(group.executor(0), 32);
  CHECK_THROWS_WITH(group.run([&](Communicator& own) {
    const DeviceArray<u32> output(own.executor(), 32);
    own.executor().launch(*own.executor().prepare<AddOne>({32}), 1,
                          AddOne{{of_rank_0.data(), 32}, output.span()});
  }),
                    Contains("memory that was not allocated on this device"));
}

TEST_CASE("who waits in an exchange is stopped when the user cancels") {
  SimulatedGroup group(2);
  std::atomic<bool> waits = false;
  const Interruptible by_user([&] {
    if (waits) throw Interrupted("cancelled");
  });
  CHECK_THROWS_AS(group.run([&](Communicator& own) {
    const DeviceArray<u32> from(own.executor(), 1), to(own.executor(), 2);
    if (own.rank() == 0) {
      waits = true;
      own.all_gather(from.data(), 4, to.data());
    } else {
      while (true) {
        check_interruption();
        std::this_thread::yield();
      }
    }
  }),
                  Interrupted);
}
