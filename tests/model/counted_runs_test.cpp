// SPDX-License-Identifier: Apache-2.0
// Runs under the law `counted`: a plan's launches, where their data come from, and what physics demands of
// every launch.
#include <fathom/model/laws/counted.h>
#include <fathom/model/laws/dual.h>

#include "../support/derivatives.h"
#include "../support/machines.h"

#include <catch2/catch.hpp>

#include <random>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

/// Two launches: of one block per element, then of one that works on what those left.
const KernelInfo first_kernel{"First", nullptr, nullptr, {}}, second_kernel{"Second", nullptr, nullptr, {}};
Plan two_launches(double n, int threads) {
  Launch first{.kernel = &first_kernel, .blocks = Index(n), .shape = {threads, 1024}, .elements = n};
  Launch second{.kernel = &second_kernel, .shape = {threads, 0}, .repeats = 3, .elements = n};
  return {first, second};
}

AlgorithmWork work_of_two() {
  AlgorithmWork work;
  work.algorithm = "test";
  work.kernels = {
      {.kernel = "First", .registers = 32, .constant = {.alu = 100, .sectors_read = 1, .bytes_read = 32}},
      {.kernel = "Second", .registers = 64, .per_element = {.alu = 2}}};
  return work;
}

}  // namespace

TEST_CASE("the launches of a plan take place one after another, each as often as it repeats") {
  Machine<double> machine = simple_machine();
  machine.launch_overhead = 5e-6;
  machine.kernel_gap = 1e-6;
  machine.limits.shared_bytes_per_block = 100 * 1024;
  const Plan plan = two_launches(10, 128);
  const RunTime<double> run = run_time(10, plan, work_of_two(), machine);
  REQUIRE(run.launches.size() == 2);
  CHECK(run.launches[0].of(Resource::alu) * 1e9 == Approx(5 * 50));  // 5 blocks on each multiprocessor
  CHECK(run.launches[1].of(Resource::alu) * 1e9 == Approx(10));      // one block of 10 elements
  CHECK(run.seconds == Approx(5e-6 + run.launches[0].seconds() + 3 * run.launches[1].seconds()));
}

TEST_CASE("a block that no multiprocessor holds is named, as is a kernel without work") {
  Machine<double> machine = simple_machine();
  machine.launch_overhead = machine.kernel_gap = 0;
  machine.limits.shared_bytes_per_block = 512;
  CHECK_THROWS_WITH(run_time(10, two_launches(10, 64), work_of_two(), machine),
                    Contains("'simple'") && Contains("First") && Contains("1024 bytes"));
  machine.limits.shared_bytes_per_block = 100 * 1024;
  AlgorithmWork work = work_of_two();
  work.kernels.pop_back();
  CHECK_THROWS_WITH(run_time(10, two_launches(10, 64), work, machine), Contains("Second"));
}

TEST_CASE("of a block of a fixed grid, what does not depend on the elements takes place once") {
  Machine<double> machine = simple_machine();
  machine.limits.shared_bytes_per_block = 100 * 1024;
  AlgorithmWork work = work_of_two();
  work.kernels[0].per_doubling = {.alu = 1};  // but nothing per element
  work.kernels[1].constant = {.instructions = 7};
  work.kernels[1].per_element = {.instructions = 3};
  work.kernels[1].per_partial = {.instructions = 2};
  const std::vector<CountedLaunch> launches = counted_launches(10, two_launches(10, 64), work, machine);
  CHECK(launches[0].once == Work{});
  CHECK(launches[1].work.instructions == Approx(7 + 10 * 3 + 10 * 2));  // all elements, 10 blocks' results
  CHECK(launches[1].once.instructions == Approx(7 + 2));                // no element, one block's results
}

namespace {

/// The reuse distance in bytes of each launch, for launches of one block that touch 1, 2, 4
/// … bytes.
std::vector<double> reaches(double n, const std::vector<std::pair<double, double>>& repeats_and_elements) {
  static const std::array<KernelInfo, 4> kernels{{{"A", nullptr, nullptr, {}},
                                                  {"B", nullptr, nullptr, {}},
                                                  {"C", nullptr, nullptr, {}},
                                                  {"D", nullptr, nullptr, {}}}};
  Plan plan;
  AlgorithmWork work;
  for (const auto& [repeats, elements] : repeats_and_elements) {
    const std::size_t i = plan.size();
    plan.push_back({.kernel = &kernels[i], .shape = {32, 0}, .repeats = repeats, .elements = elements});
    const double bytes = double(1 << i);
    work.kernels.push_back({.kernel = std::string(kernels[i].name),
                            .registers = 32,
                            .constant = {.bytes_read = bytes / 4, .bytes_written = bytes * 3 / 4}});
  }
  std::vector<double> result;
  for (const CountedLaunch& launch : counted_launches(n, plan, work, simple_machine()))
    result.push_back(launch.shape.reach_bytes);
  return result;
}

}  // namespace

TEST_CASE("a launch follows the one before it, the last of its group, or the last of a run") {
  using Bytes = std::vector<double>;
  CHECK(reaches(100, {{1, 100}}) == Bytes{1});
  CHECK(reaches(100, {{1, 100}, {1, 100}, {1, 100}}) == Bytes{4, 1, 2});
  // Launches that repeat in turn follow the last of their group.
  CHECK(reaches(100, {{5, 100}}) == Bytes{1});
  CHECK(reaches(100, {{1, 100}, {5, 100}, {5, 100}, {1, 100}}) == Bytes{8, 4, 2, 4});
  CHECK(reaches(100, {{5, 100}, {5, 100}, {3, 100}}) == Bytes{2, 1, 4});  // another group repeats 3 times
  // A group that repeats on parts of the elements begins each with untouched ones.
  // All five parts of the first are touched before it comes back to one.
  CHECK(reaches(100, {{5, 20}, {5, 20}}) == Bytes{5 * 1, 1});
  CHECK(reaches(100, {{1, 100}, {5, 20}, {5, 20}}) == Bytes{4, 5 * 2, 2});
  CHECK(reaches(100, {{5, 80}, {5, 80}}) == Bytes{2, 1});  // all of them, but for what is done already
  CHECK(reaches(100, {{5, 0}, {5, 0}}) == Bytes{2, 1});    // 0 stands for n
  CHECK(reaches(100, {{1, 20}, {1, 20}}) == Bytes{2, 1});
}

namespace {

/// A random launch whose numbers have all orders of magnitude.
struct RandomCase {
  Work work, once;
  LaunchShape shape;
  Machine<double> machine = simple_machine();

  explicit RandomCase(std::mt19937_64& random) {
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
    };
    for (const Demand& demand : all_demands) work.*demand.value = between(1e-2, 1e5);
    for (const Demand& demand : all_demands) once.*demand.value = work.*demand.value * between(1e-2, 1);
    shape = {.blocks = std::floor(between(1, 1e6)),
             .threads_per_block = 32 * int(between(1, 32)),
             .shared_bytes_per_block = between(1, 5e4),
             .resident = int(between(1, 4)),
             .carveout = between(1, 2e5),
             .reach_bytes = between(1, 1e12)};
    // A copy takes at least as long as its slower half, and at most as long as one after the other.
    machine.rates.dram_copy = between(8e9 / 3, 4e9);
    machine.rates.l2_copy = between(16e9 / 3, 8e9);
    machine.rates.barriers = between(0.01, 1);
    machine.rates.loaded_latency = between(100, 1e4);
    machine.rates.overlap = between(1, 20);
    machine.rates.knee = between(1, 20);
    machine.rates.phase_share = between(0.01, 1);
    machine.rates.phase_decay = between(0.5, 3);
    machine.rates.fetch = 4;
    machine.block_start = between(1, 200);
    machine.warp_start = between(1, 20);
    machine.dram_start = 1e-6;
    machine.l2_half = between(1e5, 1e9);
    machine.l2_half_reading = between(1e5, 1e9);
    machine.l2_steepness = between(1, 20);
  }

  template <class Real>
  LaunchTime<Real> time_on(const Machine<Real>& other) const {
    return launch_time(work, shape, other, once);
  }
  LaunchTime<double> time() const { return time_on(machine); }
};

}  // namespace

TEST_CASE("no launch beats a rate or its longest chain, and none takes longer than one thing after another") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const RandomCase one(random);
    const LaunchTime<double> time = one.time();
    double sum = 0;
    for (const Resource resource : all_resources) {
      INFO(name(resource));
      REQUIRE(time.of(resource) >= 0);
      REQUIRE(time.busy >= time.of(resource) * (1 - 1e-12));
      sum += time.of(resource);
    }
    REQUIRE(std::isfinite(time.seconds()));
    const double blocks = std::ceil(one.shape.blocks / 2);  // every block waits, at worst, alone
    REQUIRE(time.busy <=
            sum + (one.machine.rates.phase_share ? blocks : 0) * time.of(Resource::waiting) + sum);
  }
}

TEST_CASE("more work never takes less time") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 300; ++i) {
    RandomCase one(random);
    one.machine.l2_half.reset();
    one.machine.l2_half_reading.reset();  // with more bytes the L2 holds less, which is another matter
    const double before = one.time().seconds();
    for (const Demand& demand : all_demands) {
      if (demand.name.ends_with("hidden") || demand.name == "scattered_sectors" ||
          demand.name.find("bytes_") != demand.name.npos)
        continue;
      RandomCase more = one;
      more.work.*demand.value *= 1.5;
      // Waits that no barrier follows would make the warps more independent, which is another matter, too.
      if (demand.name == "global_waits") more.work.barriers *= 1.5;
      INFO(demand.name);
      REQUIRE(more.time().seconds() >= before * (1 - 1e-12));
    }
  }
}

TEST_CASE("derivatives by every constant are those of the time") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100; ++i) {
    const RandomCase one(random);
    check_derivatives(one.machine, [&](const auto& machine) { return one.time_on(machine).seconds(); });
  }
}
