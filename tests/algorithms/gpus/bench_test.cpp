// SPDX-License-Identifier: Apache-2.0
// Timed runs of algorithms for several GPUs, on simulated ones.
#include "../../support/error_of.h"

#include <fathom/algorithms/gpus/bench.h>
#include <fathom/core/interruption.h>
#include <fathom/device/group/simulated_group.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

GroupCase case_of(const GroupAlgorithm& algorithm, double n) {
  return {&algorithm, algorithm.problem(n, ElementType::u64)};
}

double steady(int) {
  return 1e9;
}

/// The usual algorithm, whose ranks call `before` before they run.
GroupAlgorithm watched(const char* slug, std::function<void(Communicator&)> before) {
  struct Watched final : GroupCall {
    Communicator* own;
    std::unique_ptr<GroupCall> call;
    std::function<void(Communicator&)> before;
    OwnPart run(const InputArrays& input) override {
      before(*own);
      return call->run(input);
    }
  };
  GroupAlgorithm algorithm = group_algorithm(slug);
  algorithm.make_call = [=, make = algorithm.make_call](Communicator& own, const Problem& problem) {
    auto call = std::make_unique<Watched>();
    call->own = &own;
    call->call = make(own, problem);
    call->before = before;
    return call;
  };
  return algorithm;
}

}  // namespace

TEST_CASE("a run of several GPUs is checked, and has its problem with the number of GPUs") {
  const auto [slug, gpus] = GENERATE(
      table<const char*, int>({{"sort-gpus", 1}, {"sort-gpus", 3}, {"scan-gpus", 2}, {"reduce-gpus", 2}}));
  SimulatedGroup group(gpus);
  const GroupCase one = case_of(group_algorithm(slug), 3001);
  const Measurement run = bench(group, one, 3, steady);
  CHECK(run.algorithm == slug);
  CHECK(run.checked);
  CHECK(run.problem.n == 3001);
  CHECK(run.problem.parameters.at("gpus") == gpus);
  CHECK(run.clock_hz == 1e9);
  CHECK_FALSE(run.clock_moved);
  CHECK(run.seconds.size() == 3);
  for (const double seconds : run.seconds) CHECK(seconds > 0);
}

namespace {

/// Two ranks, as if each were on a host of its own.
class OnTwoHosts final : public Group {
 public:
  int size() const override { return group_.size(); }
  bool has_one_clock() const override { return false; }
  void run(const std::function<void(Communicator&)>& each) override { group_.run(each); }

 private:
  SimulatedGroup group_{2};
};

}  // namespace

TEST_CASE("a run's time is at least that of its slowest rank, also where hosts have clocks of their own") {
  constexpr auto nap = std::chrono::milliseconds(50);
  const GroupAlgorithm slow = watched("reduce-gpus", [&](Communicator& own) {
    if (own.rank() == 0) std::this_thread::sleep_for(nap);
  });
  SimulatedGroup on_one_host(2);
  OnTwoHosts on_two_hosts;
  for (Group* group : {static_cast<Group*>(&on_one_host), static_cast<Group*>(&on_two_hosts)})
    for (const double seconds : bench(*group, case_of(slow, 100), 3, steady).seconds)
      CHECK(seconds >= std::chrono::duration<double>(nap).count());
}

TEST_CASE("runs during which a GPU's clock moved are repeated once, then marked") {
  SimulatedGroup group(2);
  const auto run_with = [&](double on_rank_1, int& asked) {
    std::atomic<int> calls = 0;
    const Measurement run = bench(group, case_of(group_algorithm("reduce-gpus"), 100), 3, [&](int rank) {
      return rank == 1 && calls++ % 2 == 1 ? on_rank_1 : 2e9;  // the second of each attempt
    });
    asked = calls;
    return run;
  };
  int asked = 0;
  CHECK_FALSE(run_with(1.99e9, asked).clock_moved);
  CHECK(asked == 2);
  const Measurement moved = run_with(1.9e9, asked);
  CHECK(moved.clock_moved);
  CHECK(asked == 4);
  CHECK(moved.clock_hz == 1.9e9);
  CHECK(moved.seconds.size() == 3);
}

TEST_CASE("a rank that fails ends the others, and the failure says which run it was") {
  SimulatedGroup group(2);
  std::atomic<int> runs = 0;
  const GroupAlgorithm failing = watched("scan-gpus", [&](Communicator& own) {
    if (own.rank() == 1 && ++runs == 6) throw KernelFailure("a kernel failed");
  });
  CHECK_THAT(error_of<KernelFailure>([&] { bench(group, case_of(failing, 100), 3, steady); }),
             Contains("scan-gpus n = 100, ") && Contains("gpus = 2, u64: a kernel failed"));
}

TEST_CASE("progress is told before each run, on one thread, and may cancel it") {
  SimulatedGroup group(2);
  std::vector<std::size_t> told;
  const GroupCase one = case_of(group_algorithm("reduce-gpus"), 100);
  bench(group, one, 3, steady, [&](auto, std::size_t done, std::size_t) { told.push_back(done); });
  CHECK(told == std::vector<std::size_t>{0, 1, 2});
  CHECK_THROWS_AS(bench(group, one, 3, steady, [](auto&&...) { throw Interrupted("stop"); }), Interrupted);
}
