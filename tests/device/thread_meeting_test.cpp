// SPDX-License-Identifier: Apache-2.0
#include <fathom/device/group/thread_meeting.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace fathom;

TEST_CASE("ranks go on from an exchange once all have done their part of it") {
  constexpr int ranks = 3;
  ThreadMeeting meeting(ranks, [](const std::vector<ExchangeCall>&) { return std::optional<std::string>(); });
  std::atomic<int> parts = 0;
  std::atomic<bool> is_one_behind = false;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        meeting.run(rank, [&] {
          for (int exchange = 1; exchange <= 100; ++exchange) {
            meeting.meet(rank, ExchangeCall::all_gather(nullptr, 0, nullptr, ranks));
            ++parts;
            meeting.leave();
            if (parts < ranks * exchange) is_one_behind = true;
          }
        });
      });
  }
  CHECK_NOTHROW(meeting.rethrow_first());
  CHECK(parts == 100 * ranks);
  CHECK_FALSE(is_one_behind);
}

TEST_CASE("a rank that fails between meeting and leaving ends the others") {
  ThreadMeeting meeting(2, [](const std::vector<ExchangeCall>&) { return std::optional<std::string>(); });
  std::atomic<int> left = 0;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 2; ++rank)
      threads.emplace_back([&, rank] {
        meeting.run(rank, [&] {
          meeting.meet(rank, ExchangeCall::all_gather(nullptr, 0, nullptr, 2));
          if (rank == 1) throw ExchangeFailure("a link failed");
          meeting.leave();
          ++left;
        });
      });
  }
  CHECK(left == 0);
  CHECK(meeting.has_failed());
  CHECK(meeting.all_ended());
  CHECK_THROWS_WITH(meeting.rethrow_first(), "a link failed");
}
