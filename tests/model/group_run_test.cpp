// SPDX-License-Identifier: Apache-2.0
// Algorithms for several GPUs under the law `counted`: sums of steps, worked by hand.
#include <fathom/model/laws/group_run.h>
#include <fathom/model/laws/sensitivity.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "../support/links.h"
#include "../support/machines.h"

using namespace fathom;
using Catch::Matchers::Contains;
using tests::linked_machine;

namespace {

constexpr double us = 1e-6;

const KernelInfo first{"First", nullptr, nullptr, {}}, second{"Second", nullptr, nullptr, {}};

/// Two launches of a block on each of two multiprocessors. The first one takes 5 ns, the second 10 ns for
/// each element.
const Descriptor& local() {
  static const Descriptor algorithm{.slug = "local",
                                    .kind = Kind::sort,
                                    .source = "this test",
                                    .plan = [](const Problem&, const PlanDevice&) {
                                      return Plan{{.kernel = &first, .blocks = 2, .shape = {128, 0}},
                                                  {.kernel = &second, .blocks = 2, .shape = {128, 0}}};
                                    }};
  return algorithm;
}
std::shared_ptr<const AlgorithmWork> work_of(const Descriptor&, const Problem&) {
  AlgorithmWork work;
  work.algorithm = "local";
  work.kernels = {{.kernel = "First", .registers = 32, .per_element = {.alu = 20}},
                  {.kernel = "Second", .registers = 32, .per_element = {.alu = 40}}};
  return std::make_shared<const AlgorithmWork>(work);
}

/// Both launches on a GPU's elements, an exchange of 5 MB, and the second launch again.
Descriptor spread() {
  return {.slug = "spread",
          .kind = Kind::sort,
          .source = "this test",
          .parameters = {{"gpus", "GPUs", {1, 2, 4, 8}, 2}},
          .steps = [](const Problem& problem, const PlanDevice&) {
            const Problem of_gpu = local().problem(problem.n / problem.parameters.at("gpus"));
            return std::vector<RankStep>{
                {.local = &local(), .problem = of_gpu, .exchange = Exchange{ExchangeKind::all_to_all, 5e6}},
                {.local = &local(), .problem = of_gpu, .launches = {1}}};
          }};
}

Problem on_gpus(double n, int gpus) {
  Problem problem = spread().problem(n);
  problem.parameters.set("gpus", gpus);
  return problem;
}

}  // namespace

TEST_CASE("a run of several GPUs is the sum of its steps, each on a GPU's part of the elements") {
  const Machine<double> machine = linked_machine();
  const auto prediction = [&](int gpus) {
    return GroupRun(spread(), machine, on_gpus(2000, gpus), work_of).explained();
  };
  // Of 1000 elements: 5 and 10 µs, 40 µs for the exchange, and 10 µs.
  const Prediction two = prediction(2);
  CHECK(two.time_s == Approx((2 + 5 + 10 + 40 + 10) * us));
  REQUIRE(two.kernels.size() == 3);
  CHECK(two.kernels[0].kernel == "First");
  CHECK(two.kernels[0].launches == 1);
  CHECK(two.kernels[1].kernel == "Second");
  CHECK(two.kernels[1].launches == 2);
  CHECK(two.kernels[1].seconds == Approx(20 * us));
  CHECK(two.kernels[2].kernel == "all-to-all");
  CHECK(two.bound->resource == Resource::link);
  CHECK(prediction(1).time_s == Approx((2 + 10 + 20 + 20) * us));
  // Four GPUs wait 24 µs rather than 16.
  CHECK(prediction(4).time_s == Approx((2 + 2.5 + 5 + 48 + 5) * us));
}

TEST_CASE("the time of several GPUs depends on the links as on other constants") {
  const Machine<double> machine = linked_machine();
  const auto sensitivities = [&](int gpus) {
    std::map<std::string, double> of;
    for (const Sensitivity& one : GroupRun(spread(), machine, on_gpus(2000, gpus), work_of).sensitivities())
      of[one.constant] = one.value;
    return of;
  };
  const auto of_two = sensitivities(2);
  CHECK(of_two.at("link.latency") == Approx(16.0 / 67));
  CHECK(of_two.at("link.bandwidth") == Approx(-24.0 / 67));
  CHECK(of_two.at("launch_overhead") == Approx(2.0 / 67));
  CHECK(sensitivities(1).count("link.latency") == 0);
}

TEST_CASE("an algorithm for data in host memory takes its copies, and what is not hidden behind them") {
  // 1 MB comes in, 2 MB go both ways beside both launches (15 µs), and 1 MB goes out.
  const Descriptor passing{
      .slug = "passing",
      .kind = Kind::sort,
      .source = "this test",
      .steps = [](const Problem&, const PlanDevice& device) {
        CHECK(device.memory_bytes == 8e9);
        return std::vector<RankStep>{
            {.exchange = Exchange{ExchangeKind::host_to_device, 1e6}},
            {.exchange = Exchange{ExchangeKind::host_both_ways, 2e6}, .beside_next = true},
            {.local = &local(), .problem = local().problem(1000)},
            {.exchange = Exchange{ExchangeKind::device_to_host, 1e6}}};
      }};
  Machine<double> machine = linked_machine();
  machine.global_memory.value = 8e9;
  // 2 µs and 20 µs per MB in each direction; 25 µs per MB of both at once.
  for (const auto& [kind, per_byte] : {std::pair{ExchangeKind::host_to_device, 20e-12},
                                       {ExchangeKind::device_to_host, 20e-12},
                                       {ExchangeKind::host_both_ways, 25e-12}})
    machine.links->curves.push_back({kind, 1, 1e9, {{0, {2e-6}, {per_byte}}}});
  const GroupRun run(passing, machine, passing.problem(1000), work_of);
  const Prediction all = run.explained();
  CHECK(all.time_s == Approx((22 + 52 + 22) * us));
  CHECK(all.resources->of(Resource::link) == Approx(96 * us));
  CHECK(all.bound->resource == Resource::link);
  const std::vector<Sensitivity> sensitivities = run.sensitivities();
  REQUIRE(sensitivities.size() == 2);
  CHECK(sensitivities[0].constant == "link.bandwidth");
  CHECK(sensitivities[0].value == Approx(-90.0 / 96));
  CHECK(sensitivities[1].value == Approx(6.0 / 96));

  machine.links.reset();
  CHECK_THROWS_WITH(GroupRun(passing, machine, passing.problem(1000), work_of),
                    Contains("no links to other GPUs or the host"));
}

TEST_CASE("several GPUs cannot be predicted without links, work or a number of GPUs") {
  const Machine<double> machine = linked_machine();
  const LocalWork nothing = [](const Descriptor& of, const Problem&) -> std::shared_ptr<const AlgorithmWork> {
    throw WorkUnavailable(of.slug + " was not counted");
  };
  Machine<double> lone = machine;
  lone.links.reset();
  CHECK_THROWS_WITH(GroupRun(spread(), lone, on_gpus(2000, 2), nothing),
                    Contains("fathom calibrate `links=true`"));
  CHECK(GroupRun(spread(), lone, on_gpus(2000, 1), work_of).predicted().time_s == Approx(52 * us));
  CHECK_THROWS_WITH(GroupRun(spread(), machine, on_gpus(2000, 2), nothing),
                    Contains("local was not counted"));
  CHECK_THROWS_WITH(GroupRun(spread(), machine, on_gpus(2000, 3), work_of), Contains("gpus of spread is 3"));
}
