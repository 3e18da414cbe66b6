// SPDX-License-Identifier: Apache-2.0
// The steps that the law prices are those that a sort of data in host memory takes.
#include "../../support/error_of.h"

#include <fathom/algorithms/host/registry.h>
#include <fathom/algorithms/host/sort_host.h>
#include <fathom/algorithms/host/steps.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/forwarding_executor.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

/// What goes on at a time: bytes that come in and go out, and the kernels that run.
struct Step {
  double in = 0, out = 0;
  std::vector<std::string> kernels{};

  bool is_empty() const { return in == 0 && out == 0 && kernels.empty(); }
};

/// One of the streams of a GPU, which does at once what it is given and notes it. A step begins where the
/// first of them waits for another.
class NotingStream final : public ForwardingExecutor {
 public:
  NotingStream(CountingExecutor& gpu, std::vector<Step>& steps, bool begins_steps = false)
      : ForwardingExecutor(gpu), gpu_(gpu), steps_(steps), begins_steps_(begins_steps) {}

  void upload_queued(void* to, const void* from, std::size_t bytes) override {
    steps_.back().in += double(bytes);
    upload(to, from, bytes);
  }
  void download_queued(void* to, const void* from, std::size_t bytes) override {
    steps_.back().out += double(bytes);
    download(to, from, bytes);
  }
  void launch_erased(const PreparedKernel& kernel, Index blocks, const void* arguments,
                     std::size_t bytes) override {
    gpu_.reset();
    gpu_.launch_erased(kernel, blocks, arguments, bytes);
    steps_.back().kernels.push_back(gpu_.counts().front().kernel);
  }
  void after(Executor&) override {
    if (begins_steps_ && !steps_.back().is_empty()) steps_.emplace_back();
  }

 private:
  CountingExecutor& gpu_;
  std::vector<Step>& steps_;
  bool begins_steps_;
};

/// The steps of the law, with all copies of one together.
std::vector<Step> together(const std::vector<RankStep>& steps, const PlanDevice& device) {
  std::vector<Step> all(1);
  for (const RankStep& step : steps) {
    if (step.exchange) {
      if (step.exchange->kind != ExchangeKind::device_to_host) all.back().in += step.exchange->bytes;
      if (step.exchange->kind != ExchangeKind::host_to_device) all.back().out += step.exchange->bytes;
    }
    if (step.local) {
      const Plan plan = step.local->plan(step.problem, device);
      for (std::size_t i = 0; i < plan.size(); ++i)
        if (step.launches.empty() || std::ranges::count(step.launches, i) > 0)
          all.back().kernels.insert(all.back().kernels.end(), std::size_t(plan[i].repeats),
                                    std::string(plan[i].name()));
    }
    if (!step.beside_next) all.emplace_back();
  }
  all.pop_back();
  return all;
}

template <class Element>
Problem problem_of(double n, int parts) {
  Problem problem = find_host_algorithm("sort-host")->problem(n, element_type_of<KeyOf<Element>>);
  if constexpr (has_values<Element>) problem.value_type = element_type_of<fathom::ValueOf<Element>>;
  problem.parameters.set("parts", parts);
  return problem;
}

/// Sorts so many elements within the memory, and compares the steps of the GPU that has most parts.
template <class Element>
void check_steps(std::size_t n, int parts, std::size_t memory, bool one_round, int gpus = 1) {
  INFO("n = " << n << ", " << parts << " parts, " << memory << " bytes, " << gpus << " GPUs");
  using Sort = SortHost<Element, Unstable>;
  CountingExecutor gpu;
  Problem problem = problem_of<Element>(double(n), parts);
  problem.parameters.set("gpus", gpus);
  const HostPlan plan = Sort::plan(problem, gpu.plan_device(), memory);
  int noted = 0;
  const auto parts_of = [&](int each) { return plan.share_of(each).end - plan.share_of(each).begin; };
  for (int each = 0; each < gpus; ++each)
    if (parts_of(each) > parts_of(noted)) noted = each;
  std::vector<Step> taken(1);
  NotingStream in(gpu, taken, true), kernels(gpu, taken), out(gpu, taken);
  std::deque<CountingExecutor> others;
  std::vector<HostStreams> streams;
  for (int each = 0; each < gpus; ++each) {
    if (each == noted) {
      streams.push_back({in, kernels, out});
    } else {
      CountingExecutor& other = others.emplace_back();
      streams.push_back({other, other, other});
    }
  }
  Sort sort(streams, problem, memory);
  std::vector<KeyOf<Element>> keys(n);
  std::ranges::generate(keys, std::mt19937_64(1));
  taken = {{}};
  if constexpr (has_values<Element>) {
    std::vector<fathom::ValueOf<Element>> values(n);
    sort.run({keys.data(), values.data()}, {keys.data(), values.data()});
  } else {
    sort.run({keys.data()}, {keys.data()});
  }
  REQUIRE(std::ranges::is_sorted(keys));
  REQUIRE(sort.plan().one_round == one_round);

  const Index all_parts = sort.plan().parts(), tile = Sort::tile_of_merge(all_parts, gpu.plan_device());
  const std::vector<RankStep> steps =
      one_round ? steps_in_one_round(problem, sort.plan(), tile) : steps_in_two_rounds(problem, sort.plan());
  const std::vector<Step> told = together(steps, gpu.plan_device());
  REQUIRE(told.size() == taken.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    INFO("step " << i);
    CHECK(told[i].kernels == taken[i].kernels);
    CHECK((told[i].in > 0) == (taken[i].in > 0));
    CHECK((told[i].out > 0) == (taken[i].out > 0));
    // Of both directions at once the larger counts.
    CHECK(std::max(told[i].in, told[i].out) == std::max(taken[i].in, taken[i].out));
  }
  // Every element of the GPU is sorted once in a round, and merged once.
  const Index own = plan.begin_of(plan.share_of(noted).end) - plan.begin_of(plan.share_of(noted).begin);
  double sorted = 0, merged = 0;
  for (const RankStep& step : steps)
    if (step.name == "sort")
      sorted += step.problem.n;
    else if (step.name == "merge" && step.launches.front() == 1)
      merged += step.problem.n;
  CHECK(sorted == double(own) * (one_round ? 1 : 2));
  CHECK(merged == (one_round && all_parts > 1 ? double(n) : 0));
}

}  // namespace

TEST_CASE("the steps of a sort of data in host memory are those that it takes", "[counts]") {
  using Pair = Record<u32, u32>;
  constexpr std::size_t all = std::size_t(1) << 40;
  for (const std::size_t n : {40'000, 40'001, 51'200})
    for (const int parts : {2, 8, 64}) check_steps<u64>(n, parts, all, true);
  check_steps<Pair>(40'000, 8, all, true);
  // With less than all keys take, each of the two rounds copies all of them in and out.
  for (const std::size_t n : {12'000, 12'001})
    for (const int parts : {2, 8}) check_steps<u64>(n, parts, 8 * n - 1, false);
  check_steps<Pair>(12'000, 2, 8 * 12'000 - 1, false);
  for (const int gpus : {2, 3}) check_steps<u64>(12'001, 3, all, false, gpus);
  check_steps<Pair>(12'000, 2, all, false, 2);
}

TEST_CASE("parts of the second round are gathered from all of the first") {
  const std::vector<RankStep> steps =
      steps_in_two_rounds(problem_of<Record<u32, u32>>(3000, 3), {3000, false, 1024});
  const auto pieces = [&](ExchangeKind kind) {
    std::vector<double> found;
    for (const RankStep& step : steps)
      if (step.exchange && step.exchange->kind == kind) found.push_back(step.exchange->pieces);
    return found;
  };
  CHECK(pieces(ExchangeKind::host_to_device) == std::vector<double>{2, 2, 6, 6});
  CHECK(pieces(ExchangeKind::host_both_ways) == std::vector<double>{2, 6});
  CHECK(pieces(ExchangeKind::device_to_host) == std::vector<double>{2, 2, 2, 2});
}

TEST_CASE("a part is gathered from no more pieces than it has elements") {
  Problem problem = problem_of<u64>(6400, 1);
  problem.parameters.set("gpus", 64);
  double most = 0;
  for (const RankStep& step : steps_in_two_rounds(problem, {6400, false, 64, 64}))
    if (step.exchange) most = std::max(most, step.exchange->pieces);
  CHECK(most == 64);  // there are 100 parts
}

TEST_CASE("a single part comes in, is sorted, and goes out") {
  const std::vector<RankStep> steps = steps_in_one_round(problem_of<u64>(1000, 1), {1000, true, 1024}, 64);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].exchange->kind == ExchangeKind::host_to_device);
  CHECK(steps[1].problem.n == 1000);
  CHECK(steps[2].exchange->kind == ExchangeKind::device_to_host);
  for (const RankStep& step : steps) {
    CHECK_FALSE(step.beside_next);
    if (step.exchange) CHECK(step.exchange->bytes == 8000);
  }
  CHECK(steps_in_two_rounds(problem_of<u64>(1000, 1), {1000, false, 1024}).size() == 2 * 3);
}

TEST_CASE("the law's steps of data in host memory are those within the GPU's memory") {
  const HostAlgorithm& sort = *find_host_algorithm("sort-host");
  const auto steps_with = [&](double memory_bytes, int limit) {
    PlanDevice device = any_device();
    device.memory_bytes = memory_bytes;
    Problem problem = problem_of<u64>(0x1p28, 32);
    problem.parameters.set("memory", limit);
    return sort.steps(problem, device);
  };
  const auto has_two_rounds = [](const std::vector<RankStep>& steps) {
    return std::ranges::any_of(steps, [](const RankStep& step) {
      return step.exchange && step.exchange->kind == ExchangeKind::host_both_ways;
    });
  };
  const double unlimited = any_device().memory_bytes;
  CHECK_FALSE(has_two_rounds(steps_with(unlimited, 0)));
  CHECK_FALSE(has_two_rounds(steps_with(0x1p33, 4)));
  CHECK(has_two_rounds(steps_with(0x1p33, 1)));  // the keys have 2 GiB
  CHECK(has_two_rounds(steps_with(0x1p31, 0)));
  CHECK_THAT(error_of<OutOfDeviceMemory>([&] { steps_with(100, 0); }), Contains("95 may be used"));
}
