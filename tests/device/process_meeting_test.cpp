// SPDX-License-Identifier: Apache-2.0
// Ranks in several processes. Here they are threads that only send each other messages.
#include "../support/error_of.h"
#include "../support/threads_as_processes.h"

#include <fathom/core/interruption.h>
#include <fathom/device/group/simulated_process_group.h>

#include <catch2/catch.hpp>

#include <array>
#include <thread>

using namespace fathom;
using Catch::Matchers::Contains;
using tests::Mail, tests::Process;

namespace {

using Each = std::function<void(Communicator&)>;

/// What the group of each process threw in each of its runs, "" for nothing.
using Errors = std::vector<std::vector<std::string>>;
Errors errors_of(Mail& mail, const std::vector<Each>& runs,
                 std::chrono::nanoseconds limit = usual_limit_of_processes) {
  Errors errors(std::size_t(mail.ranks()));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < mail.ranks(); ++rank)
    threads.emplace_back([&, rank] {
      Process process(mail, rank);
      SimulatedProcessGroup group(process, {}, limit);
      for (const Each& each : runs)
        errors[std::size_t(rank)].push_back(tests::error_of([&] { group.run(each); }));
    });
  threads.clear();
  return errors;
}

/// An exchange of so many bytes of each rank.
void gather(Communicator& own, std::size_t bytes = 4) {
  const DeviceArray<std::byte> from(own.executor(), bytes),
      to(own.executor(), bytes * std::size_t(own.size()));
  own.all_gather(from.data(), bytes, to.data());
}

}  // namespace

TEST_CASE("ranks in several processes exchange parts of any size, gather and add up") {
  Mail mail(3);
  std::array<std::vector<u32>, 3> received, gathered, added;
  const Errors errors = errors_of(mail, {[&](Communicator& own) {
                                    // Rank a sends a + b numbers to rank b, all 10·a + b.
                                    const u32 a = u32(own.rank());
                                    std::vector<u32> values;
                                    std::vector<Part> parts;
                                    for (u32 b = 0; b < 3; ++b) {
                                      parts.push_back({values.size() * 4, (a + b) * 4});
                                      values.insert(values.end(), a + b, 10 * a + b);
                                    }
                                    const DeviceArray<u32> from(own.executor(), std::span<const u32>(values)),
                                        to(own.executor(), values.size()), all(own.executor(), 3),
                                        sums(own.executor(), 2);
                                    own.all_to_all(from.data(), parts, to.data(), parts);
                                    received[a] = to.download();
                                    own.all_gather(from.data(), 4, all.data());
                                    gathered[a] = all.download();
                                    own.all_reduce(all.data(), sums.data(), 2);
                                    added[a] = sums.download();
                                  }});
  for (const auto& of_rank : errors) CHECK(of_rank == std::vector<std::string>{""});
  CHECK(received[0] == std::vector<u32>{10, 20, 20});
  CHECK(received[1] == std::vector<u32>{1, 11, 11, 21, 21, 21});
  CHECK(received[2] == std::vector<u32>{2, 2, 12, 12, 12, 22, 22, 22, 22});
  for (const auto& of_rank : gathered) CHECK(of_rank == std::vector<u32>{1, 10, 20});
  for (const auto& of_rank : added) CHECK(of_rank == std::vector<u32>{3, 30});
  CHECK(mail.is_empty());
}

TEST_CASE("processes whose ranks do not fit fail alike, and work together again in the next run") {
  std::string expected;
  Each wrong;
  SECTION("different exchanges") {
    expected = "exchange 1: all_gather: rank 0 called it, rank 1 all_reduce";
    wrong = [](Communicator& own) {
      const DeviceArray<u32> from(own.executor(), 1), to(own.executor(), 3);
      own.rank() == 1 ? own.all_reduce(from.data(), to.data(), 1) : own.all_gather(from.data(), 4, to.data());
    };
  }
  SECTION("sizes") {
    expected = "exchange 2: all_gather: rank 0 sends 8 bytes to rank 1, which expects 4";
    wrong = [](Communicator& own) {
      gather(own);
      gather(own, own.rank() == 1 ? 4 : 8);
    };
  }
  SECTION("memory") {
    expected = "exchange 1: all_gather: rank 2 reads 20 bytes that are not in its memory";
    wrong = [](Communicator& own) {
      const DeviceArray<std::byte> from(own.executor(), own.rank() == 2 ? 16 : 20), to(own.executor(), 60);
      own.all_gather(from.data(), 20, to.data());
    };
  }
  Mail mail(3);
  for (const auto& of_rank : errors_of(mail, {wrong, [](Communicator& own) { gather(own); }}))
    CHECK(of_rank == std::vector<std::string>{expected, ""});
  CHECK(mail.is_empty());
}

TEST_CASE("a rank that throws or returns while others exchange ends them in their processes") {
  const auto ending = [](bool throws) -> Each {
    return [throws](Communicator& own) {
      gather(own);
      if (own.rank() == 1 && throws) throw KernelFailure("a kernel failed");
      if (own.rank() == 1) return;
      gather(own);
    };
  };
  Mail mail(3);
  const Errors errors =
      errors_of(mail, {ending(true), ending(false), [](Communicator& own) { gather(own); }});
  using Texts = std::vector<std::string>;
  CHECK(errors[0] ==
        Texts{"exchange 2: rank 1 failed: a kernel failed", "exchange 2: rank 1 ended before it", ""});
  CHECK(errors[1] == Texts{"a kernel failed", "rank 0 failed: exchange 2: rank 1 ended before it", ""});
  CHECK(errors[2] == errors[0]);
  CHECK(mail.is_empty());
}

TEST_CASE("a rank that throws after the last exchange fails the run in all processes") {
  Mail mail(2);
  const Errors errors = errors_of(mail, {[](Communicator& own) {
                                    gather(own);
                                    if (own.rank() == 1) throw KernelFailure("a kernel failed");
                                  }});
  CHECK(errors[0][0] == "rank 1 failed: a kernel failed");
  CHECK(errors[1][0] == "a kernel failed");
}

TEST_CASE("a process that does not answer ends the others after the time limit, and for good") {
  Mail mail(3);
  std::array<std::vector<std::string>, 3> errors;
  std::array<bool, 3> has_given_up{};
  const auto without_rank_1 = [&](std::size_t rank) {
    Process process(mail, int(rank));
    SimulatedProcessGroup group(process, {}, std::chrono::milliseconds(50));
    for (int run = 0; run < 2; ++run)
      errors[rank].push_back(tests::error_of([&] { group.run([](Communicator& own) { gather(own); }); }));
    has_given_up[rank] = process.has_given_up();
  };
  std::jthread other(without_rank_1, 2);
  without_rank_1(0);
  other.join();
  for (const std::size_t rank : {0, 2}) {
    CHECK(errors[rank] ==
          std::vector<std::string>{"exchange 1: all_gather: rank 1 has not come to it in 50 ms",
                                   "another process did not answer: start all of them again"});
    CHECK(has_given_up[rank]);
  }
}

TEST_CASE("who waits for another process is stopped when the user cancels") {
  Mail mail(2);
  Process process(mail, 0);
  SimulatedProcessGroup group(process, {}, std::chrono::milliseconds(50));
  const Interruptible by_user([] { throw Interrupted("cancelled"); });
  CHECK_THROWS_AS(group.run([](Communicator& own) { gather(own); }), Interrupted);
}
