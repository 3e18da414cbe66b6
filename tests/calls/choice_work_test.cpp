// SPDX-License-Identifier: Apache-2.0
// The work of many choices, from sources whose times are known.
#include <fathom/calls/tuning/choice_work.h>
#include <fathom/core/interruption.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace fathom;
using namespace fathom::calls;
using Catch::Matchers::Contains;

namespace {

constexpr std::chrono::milliseconds moment(1);
const Progress silent = [](auto&&...) {};

std::vector<Parameters> choices(int count) {
  std::vector<Parameters> all;
  for (int i = 0; i < count; ++i) all.push_back({{"E", i}});
  return all;
}

SharedWork work_of(const Parameters& choice) {
  auto work = std::make_shared<AlgorithmWork>();
  work->parameters = choice;
  return work;
}

const SecondsOfChoice same_seconds = [](auto&&...) { return 1.0; };

/// Knows the work of even E; the others are counted, each once.
struct Source {
  std::mutex mutex{};
  std::set<int> counted{};
  WorkSource source() {
    return {.known = [](const Parameters& choice) { return choice.at("E") % 2 ? nullptr : work_of(choice); },
            .count =
                [this](const Parameters& choice, const Progress& progress) {
                  progress("counting", 0, 1);
                  const std::scoped_lock lock(mutex);
                  CHECK(counted.insert(choice.at("E")).second);
                  return work_of(choice);
                }};
  }
};

/// Counts that never end by themselves.
WorkSource endless() {
  return {.known = [](const Parameters& choice) { return choice.at("E") == 0 ? work_of(choice) : nullptr; },
          .count = [](const Parameters&, const Progress&) -> SharedWork {
            for (;;) check_interruption(), std::this_thread::sleep_for(moment);
          }};
}

/// All choices of an algorithm, of which nothing is known but the source.
AlgorithmChoices algorithm(int count, WorkSource source, SecondsOfChoice seconds = same_seconds) {
  return {choices(count), {{"E", 0}}, std::move(source), std::move(seconds)};
}

const CountingLimit no_limit{};

}  // namespace

TEST_CASE("without a limit all work is found, and only what is unknown is counted") {
  Source source;
  const ChoiceWork work({algorithm(20, source.source())}, no_limit, silent);
  for (const Parameters& choice : choices(20)) CHECK(work.of(0, choice)->parameters == choice);
  CHECK(source.counted == std::set<int>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19});
}

TEST_CASE("after the limit, what is known is there and the rest is left out") {
  const ChoiceWork work({algorithm(5, endless())}, {50 * moment, "more time counts it"}, silent);
  CHECK(work.of(0, {{"E", 0}}));
  CHECK_THROWS_AS(work.of(0, {{"E", 1}}), WorkUnavailable);
  CHECK_THROWS_WITH(work.of(0, {{"E", 1}}), Contains("more time counts it"));
}

TEST_CASE("an interrupt ends endless counting") {
  std::atomic<int> asked = 0;
  const Progress interrupted = [&](auto&&...) {
    if (++asked == 3) throw Interrupted("interrupted");
  };
  CHECK_THROWS_AS(ChoiceWork({algorithm(5, endless())}, no_limit, interrupted), Interrupted);
}

TEST_CASE("an interrupt says that the work of choices which have been counted is kept") {
  std::atomic<int> counted = 0;
  const WorkSource source{.known = [](const Parameters&) -> SharedWork { return nullptr; },
                          .count =
                              [&](const Parameters& choice, const Progress&) {
                                while (choice.at("E") >= 2)
                                  check_interruption(), std::this_thread::sleep_for(moment);
                                ++counted;
                                return work_of(choice);
                              }};
  const Progress interrupted = [&](std::string_view, std::size_t ended, std::size_t) {
    if (ended == 2) throw Interrupted("interrupted");
  };
  try {
    ChoiceWork({algorithm(5, source)}, no_limit, interrupted);
    FAIL("it was not interrupted");
  } catch (const Interrupted& what) {
    CHECK(
        what.what() ==
        "interrupted: the work of 2 of 5 choices is counted and kept; the same command continues from there");
  }
}

TEST_CASE("a choice whose work fails does not cost the others theirs") {
  WorkSource source{.known = [](const Parameters& choice) -> SharedWork {
                      if (choice.at("E") == 0) throw std::invalid_argument("no block fits");
                      return nullptr;
                    },
                    .count = [](const Parameters& choice, const Progress&) -> SharedWork {
                      if (choice.at("E") == 1) throw WorkUnavailable("no compiler");
                      return work_of(choice);
                    }};
  const ChoiceWork work({algorithm(3, source)}, no_limit, silent);
  CHECK_THROWS_WITH(work.of(0, {{"E", 0}}), "no block fits");
  CHECK_THROWS_WITH(work.of(0, {{"E", 1}}), "no compiler");
  CHECK(work.of(0, {{"E", 2}}));
}

TEST_CASE("nothing is counted, and the reason is told, where a tool is missing") {
  Source source;
  std::size_t asked_missing = 0, asked_all = 0;
  const CountingLimit limit{.why_not = [&](std::size_t missing, std::size_t all) {
    asked_missing = missing;
    asked_all = all;
    return std::optional<std::string>("no disassembler: install it");
  }};
  const ChoiceWork work({algorithm(5, source.source())}, limit, silent);
  CHECK(asked_missing == 2);
  CHECK(asked_all == 5);
  CHECK(source.counted.empty());
  CHECK(work.of(0, {{"E", 2}}));
  CHECK_THROWS_WITH(work.of(0, {{"E", 1}}), "no disassembler: install it");
}

TEST_CASE("a missing tool is not asked for where all work is known") {
  const CountingLimit limit{.why_not = [](auto&&...) -> std::optional<std::string> {
    FAIL("asked");
    return std::nullopt;
  }};
  CHECK(ChoiceWork({algorithm(1, endless())}, limit, silent).of(0, {{"E", 0}}));
}

TEST_CASE("each algorithm has its own work") {
  Source first, second;
  const ChoiceWork work({algorithm(3, first.source()), algorithm(5, second.source())}, no_limit, silent);
  CHECK(first.counted == std::set<int>{1});
  CHECK(second.counted == std::set<int>{1, 3});
  CHECK_THROWS_AS(work.of(0, {{"E", 4}}), WorkUnavailable);
  CHECK(work.of(1, {{"E", 4}}));
}

TEST_CASE("what is not counted is estimated, from the defaults where these are no choice") {
  const auto estimated = std::make_shared<const AlgorithmWork>();
  WorkSource source{
      .known = [](const Parameters& choice) { return choice.at("E") < 0 ? work_of(choice) : nullptr; },
      .estimate =
          [&](const Parameters& choice, const Reference& reference) {
            CHECK(reference.choice.at("E") == -1);
            CHECK(reference.work->parameters == reference.choice);
            return choice.at("E") == 2 ? nullptr : estimated;
          },
      .count = [](auto&&...) -> SharedWork { throw WorkUnavailable("not to be counted"); }};
  AlgorithmChoices of = algorithm(4, source);
  of.usual = {{"E", -1}};
  const CountingLimit limit{.why_not = [](auto&&...) { return std::optional<std::string>("install it"); }};
  const ChoiceWork work({of}, limit, silent);
  CHECK(work.of(0, {{"E", 1}}) == estimated);
  CHECK_THROWS_WITH(work.of(0, {{"E", 2}}), "install it");
  CHECK(work.why_left_out() == "install it");
}

TEST_CASE("with a limit of time, counting ends when all that is left is hopeless") {
  Source source;
  WorkSource with_estimates = source.source();
  with_estimates.estimate = [](const Parameters& choice, const Reference&) { return work_of(choice); };
  const SecondsOfChoice seconds = [](const Parameters& choice, const AlgorithmWork&) {
    return choice.at("E") == 5 ? 1.0 : 2.0;
  };
  const AlgorithmChoices of = algorithm(20, with_estimates, seconds);
  const ChoiceWork work({of}, {std::chrono::hours(1), "never"}, silent);
  CHECK(source.counted.contains(5));
  CHECK(source.counted.size() < 10);
  for (const Parameters& choice : choices(20)) CHECK(work.of(0, choice)->parameters == choice);
}
