// SPDX-License-Identifier: Apache-2.0
// Exchanges of the GPUs that are present. Skipped (exit code 77) with fewer than two, or without NCCL.
#include "../support/skip.h"
#include "spin.h"

#include <fathom/device/cuda/nccl_group.h>

#include <catch2/catch.hpp>

namespace fathom {
std::span<const HeaderText> contract_kernel_headers();  // generated: cmake/EmbedText.cmake
}

using namespace fathom;
using Catch::Matchers::Contains;
using timing_kernels::Spin;

namespace {

DeviceArray<u32> array_of(Executor& executor, const std::vector<u32>& values) {
  return DeviceArray<u32>(executor, std::span<const u32>(values));
}

/// What each rank has after an exchange of `each`, which returns it.
std::vector<std::vector<u32>> received(Group& group,
                                       const std::function<std::vector<u32>(Communicator&)>& each) {
  std::vector<std::vector<u32>> all(std::size_t(group.size()));
  group.run([&](Communicator& own) { all[std::size_t(own.rank())] = each(own); });
  return all;
}

std::vector<u32> ranks_gathered(Communicator& own) {
  const DeviceArray<u32> mine = array_of(own.executor(), {u32(own.rank())});
  const DeviceArray<u32> all(own.executor(), std::size_t(own.size()));
  own.all_gather(mine.data(), sizeof(u32), all.data());
  return all.download();
}

}  // namespace

TEST_CASE("parts of different sizes go from every GPU to every GPU") {
  tests::skip_without_several_gpus();
  NcclGroup group;
  const u32 ranks = u32(group.size());
  const auto all = received(group, [&](Communicator& own) {
    // Rank a sends a·b numbers to rank b, all 1000·a + b: none to and from rank 0.
    const u32 a = u32(own.rank());
    std::vector<u32> values;
    std::vector<Part> parts;
    for (u32 b = 0; b < ranks; ++b) {
      parts.push_back({values.size() * sizeof(u32), a * b * sizeof(u32)});
      values.insert(values.end(), a * b, 1000 * a + b);
    }
    const DeviceArray<u32> from = array_of(own.executor(), values), to(own.executor(), values.size());
    own.all_to_all(from.data(), parts, to.data(), parts);
    return to.download();
  });
  for (u32 b = 0; b < ranks; ++b) {
    std::vector<u32> expected;
    for (u32 a = 0; a < ranks; ++a) expected.insert(expected.end(), a * b, 1000 * a + b);
    CHECK(all[b] == expected);
  }
}

TEST_CASE("an exchange beside kernels waits for what it sends, and kernels after it for what they read") {
  tests::skip_without_several_gpus();
  NcclGroup group;
  const u32 ranks = u32(group.size());
  const auto all = received(group, [&](Communicator& own) {
    const u32 rank = u32(own.rank());
    const DeviceArray<u32> numbers = array_of(own.executor(), std::vector<u32>(ranks, 1000 + rank)),
                           sent(own.executor(), ranks), got(own.executor(), ranks),
                           copy(own.executor(), ranks);
    const DeviceArray<u64> advances(own.executor(), 2);
    const auto spin = own.executor().prepare(make_launch<Spin, contract_kernel_headers>(1, {32}));
    std::vector<Part> parts;
    for (u32 other = 0; other < ranks; ++other) parts.push_back({other * sizeof(u32), sizeof(u32)});
    for (int repeat = 0; repeat < 3; ++repeat) {
      own.executor().fill(sent.data(), 0, sent.bytes());
      // Ranks come late in turn.
      constexpr u64 nanoseconds = 20'000'000;
      if (u32(repeat) % ranks == rank) own.executor().launch(*spin, 1, Spin{nanoseconds, 0, advances.span()});
      own.executor().copy(sent.data(), numbers.data(), sent.bytes());
      own.beside().executor().after(own.executor());
      own.beside().all_to_all(sent.data(), parts, got.data(), parts);
      own.executor().after(own.beside().executor());
      own.executor().copy(copy.data(), got.data(), copy.bytes());
      own.executor().fill(got.data(), 0, got.bytes());
    }
    return copy.download();
  });
  std::vector<u32> expected;
  for (u32 rank = 0; rank < ranks; ++rank) expected.push_back(1000 + rank);
  for (const std::vector<u32>& of_rank : all) CHECK(of_rank == expected);
}

TEST_CASE("GPUs gather what all have, and add it up") {
  tests::skip_without_several_gpus();
  NcclGroup group;
  const u32 ranks = u32(group.size());
  for (const std::vector<u32>& of_rank : received(group, ranks_gathered))
    for (u32 rank = 0; rank < ranks; ++rank) CHECK(of_rank.at(rank) == rank);
  const auto sums = received(group, [](Communicator& own) {
    const DeviceArray<u32> numbers = array_of(own.executor(), {u32(own.rank()), 0xffffffff, 5});
    own.all_reduce(numbers.data(), numbers.data(), numbers.size());
    return numbers.download();
  });
  for (const std::vector<u32>& of_rank : sums)
    CHECK(of_rank == std::vector<u32>{ranks * (ranks - 1) / 2, u32(0) - ranks, 5 * ranks});
}

TEST_CASE("a rank that fails or ends early ends the others, and the group goes on with the next run") {
  tests::skip_without_several_gpus();
  NcclGroup group;
  CHECK_THROWS_WITH(received(group,
                             [](Communicator& own) {
                               if (own.rank() == 1) throw KernelFailure("a kernel failed");
                               return ranks_gathered(own);
                             }),
                    Contains("a kernel failed"));
  CHECK_THROWS_WITH(
      received(group,
               [](Communicator& own) { return own.rank() == 1 ? std::vector<u32>() : ranks_gathered(own); }),
      Contains("rank 1 ended before it"));
  CHECK(received(group, ranks_gathered)[0].size() == std::size_t(group.size()));
}

TEST_CASE("an exchange for which a GPU comes too late is ended, and says so") {
  tests::skip_without_several_gpus();
  NcclGroup group({}, std::chrono::milliseconds(500));
  CHECK_THROWS_WITH(received(group,
                             [](Communicator& own) {
                               // What the host copies would wait for the kernel.
                               const DeviceArray<u32> number = array_of(own.executor(), {u32(own.rank())});
                               const DeviceArray<u32> all(own.executor(), std::size_t(own.size()));
                               const DeviceArray<u64> advances(own.executor(), 2);
                               const Launch launch = make_launch<Spin, contract_kernel_headers>(1, {32});
                               const auto spin = own.executor().prepare(launch);
                               constexpr u64 nanoseconds = 3'000'000'000;
                               if (own.rank() == 0)
                                 own.executor().launch(*spin, 1, Spin{nanoseconds, 0, advances.span()});
                               own.all_gather(number.data(), number.bytes(), all.data());
                               return all.download();
                             }),
                    Contains("has not ended its last exchange in 500 ms"));
  CHECK(received(group, ranks_gathered)[0].size() == std::size_t(group.size()));
}

TEST_CASE("GPUs that are not there, or named twice, make no group") {
  tests::skip_without_several_gpus();
  CHECK_THROWS_WITH(NcclGroup({0, 99}), Contains("there is no GPU 99"));
  CHECK_THROWS_WITH(NcclGroup({1, 1}), Contains("GPU 1 is named twice"));
}
