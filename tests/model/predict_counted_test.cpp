// SPDX-License-Identifier: Apache-2.0
// Predictions under the law `counted`: terms, bounds and derivatives of runs worked by hand.
#include <fathom/model/constants.h>
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/laws/sensitivities.h>

#include <catch2/catch.hpp>

#include "../support/machines.h"

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

/// Resources take place one after another, and nothing comes from the L2.
Machine<double> sequential_machine() {
  Machine<double> machine = tests::complete_machine();
  machine.rates.overlap = machine.rates.knee = 1;
  machine.rates.phase_share = 0;
  machine.l2_steepness.reset();
  return machine;
}

const KernelInfo streaming{"Stream", nullptr, nullptr, {}}, computing{"Compute", nullptr, nullptr, {}};

/// One launch that streams, and four that compute; blocks of 128 threads.
const Descriptor& two_kernels() {
  static const Descriptor algorithm{
      .slug = "two-kernels",
      .kind = Kind::sort,
      .group = "test",
      .source = "this test",
      .plan = [](const Problem& problem, const PlanDevice&) {
        const auto blocks = Index(problem.n / 1024);
        return Plan{{.kernel = &streaming, .blocks = blocks, .shape = {128, 0}},
                    {.kernel = &computing, .blocks = blocks, .shape = {128, 0}, .repeats = 2},
                    {.kernel = &computing, .blocks = blocks, .shape = {128, 0}, .repeats = 2}};
      }};
  return algorithm;
}

AlgorithmWork work_of(const Work& stream, const Work& compute) {
  AlgorithmWork work;
  work.algorithm = "two-kernels";
  work.kernels = {{.kernel = "Stream", .registers = 32, .constant = stream},
                  {.kernel = "Compute", .registers = 32, .constant = compute}};
  return work;
}

const Work stream{.sectors_read = 128, .bytes_read = 4096}, compute{.alu = 1000};
constexpr double blocks = 132 * 16, n = blocks * 1024;  // one full wave

std::string in_words(std::optional<Resource> resource) {
  return resource ? std::string(name(*resource)) : "launches";
}

CountedRun run_on(const Machine<double>& machine, const Work& first = stream, const Work& second = compute) {
  return {two_kernels(), machine, two_kernels().problem(n), work_of(first, second)};
}

}  // namespace

TEST_CASE("the launches are those of the path that the input's keys are likely to take") {
  const Machine<double> machine = sequential_machine();
  Descriptor sort = two_kernels();
  sort.plan = [](const Problem& problem, const PlanDevice&) {
    return Plan{{.kernel = problem.skewed > 0 ? &computing : &streaming, .blocks = 16, .shape = {128, 0}}};
  };
  const auto kernel = [&](double elements, Input input) {
    AlgorithmWork work = work_of(stream, compute);
    work.input = input;
    return CountedRun(sort, machine, sort.problem(elements), work).launches().front().kernel;
  };
  CHECK(kernel(2000, Input::equal) == "Stream");  // it has one path
  sort.skew = [](const Problem& problem, const Input& input, const PlanDevice&) {
    return KeySkew{.skewed = problem.n > 1000 && input == Input::equal ? problem.n : 0};
  };
  CHECK(kernel(2000, Input::equal) == "Compute");
  CHECK(kernel(1000, Input::equal) == "Stream");
  CHECK(kernel(2000, Input::random) == "Stream");
}

TEST_CASE("the terms are those of the launches, and with the overlap they are the time") {
  const Machine<double> machine = sequential_machine();
  const Prediction prediction = run_on(machine).predicted(machine);
  REQUIRE(prediction.resources);
  const ResourceTerms& terms = *prediction.resources;
  CHECK(terms.of(Resource::dram) == Approx(blocks * 4096 / 4.5e12));
  CHECK(terms.of(Resource::alu) == Approx(4 * blocks / 132 * 1000 / 2 / 1.8e9));
  CHECK(terms.of(Resource::fma) == 0);
  CHECK(terms.of(Resource::starts) == Approx(5 * (blocks / 132 - 1) * 150 / 1.8e9));
  CHECK(terms.launch_s ==
        Approx(2.5e-6 + 5 * (1e-6 + 1e-6)));  // the fixture's overhead, gaps and DRAM starts
  CHECK(terms.overlap_s == Approx(0).margin(1e-15));

  Machine<double> overlapping = machine;
  overlapping.rates.overlap = 6;
  const Work both{.alu = 500, .shared_wavefronts = 250};
  const Prediction sum = run_on(machine, both).predicted(machine),
                   overlapped = run_on(overlapping, both).predicted(overlapping);
  CHECK(overlapped.resources->overlap_s < 0);
  CHECK(overlapped.resources->alone_s == sum.resources->alone_s);
  CHECK(overlapped.time_s == Approx(sum.time_s + overlapped.resources->overlap_s));
}

TEST_CASE("the bound is the resource whose rate, 10 % higher, saves most: of the run and of each kernel") {
  Machine<double> machine = sequential_machine();
  machine.block_start.reset();
  const CountedRun run = run_on(machine);
  const Prediction prediction = run.explained(machine);
  const double saved = 1 - 1 / 1.1;
  REQUIRE(prediction.bound);
  CHECK(in_words(prediction.bound->resource) == "alu");
  CHECK(prediction.bound->saved_s == Approx(prediction.resources->of(Resource::alu) * saved));

  REQUIRE(prediction.kernels.size() == 2);
  const auto& [streamed, computed] = std::tie(prediction.kernels[0], prediction.kernels[1]);
  CHECK(streamed.kernel == "Stream");
  CHECK(streamed.launches == 1);
  CHECK(in_words(streamed.bound.resource) == "launches");  // 2 µs of launch, 1.9 µs of DRAM
  CHECK(streamed.bound.saved_s == Approx(2e-6 * saved));
  CHECK(computed.kernel == "Compute");
  CHECK(computed.launches == 4);
  CHECK(in_words(computed.bound.resource) == "alu");
  CHECK(streamed.seconds + computed.seconds + 2.5e-6 == Approx(prediction.time_s));
}

TEST_CASE("latency is named after what takes longer, loads in flight or waiting") {
  Machine<double> machine = sequential_machine();
  machine.kernel_gap = machine.launch_overhead = 0;
  machine.dram_start.reset();
  machine.block_start.reset();
  machine.rates.l2_read = 1e15;
  const auto bound = [&](const Work& work) {
    return in_words(run_on(machine, work, work).explained(machine).bound->resource);
  };
  // Waits: 10 · 700 clocks. Room: 16 blocks keep 1024 lines of 128 bytes each for 1500 clocks in 256 KiB of
  // L1, 16 · 1024 · 128 · 1500 / 2^18 = 12 000 clocks, and wait 700.
  CHECK(bound({.sectors_read = 1, .global_waits = 10}) == "waiting");
  CHECK(bound({.lines_read = 1024, .global_waits = 1}) == "in-flight");
}

TEST_CASE("the machine with one resource faster has only its rates changed") {
  const Machine<double> machine = tests::complete_machine();
  const auto changed = [&](std::optional<Resource> resource) {
    std::vector<std::string> names;
    std::vector<double> before;
    for_each_constant(machine, [&](std::string_view, const auto& value) { before.push_back(*value); });
    std::size_t next = 0;
    const Machine<double> faster = with_faster(resource, machine);
    for_each_constant(faster, [&](std::string_view name, const auto& value) {
      const double ratio = *value / before[next++];
      if (ratio == 1) return;
      CHECK((ratio == Approx(1.1) || ratio == Approx(1 / 1.1)));
      names.emplace_back(name);
    });
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(changed(Resource::dram) ==
        Names{"dram.read", "dram.write", "dram.copy", "dram.copy_by_grid", "dram.scattered", "dram.resumed"});
  CHECK(changed(Resource::l2) == Names{"l2.read", "l2.write", "l2.copy", "l2.scattered"});
  CHECK(changed(Resource::shared) == Names{"pipe.wavefronts"});
  CHECK(changed(Resource::alu) == Names{"pipe.alu"});
  CHECK(changed(Resource::fma) == Names{"pipe.fma"});
  CHECK(changed(Resource::issue) == Names{"pipe.issue"});
  CHECK(changed(Resource::barriers) == Names{"pipe.barriers"});
  CHECK(changed(Resource::in_flight) == Names{"wait.loaded"});
  CHECK(changed(Resource::atomics) == Names{"atomics.line", "atomics.kib", "atomics.64_kib"});
  CHECK(changed(Resource::starts) == Names{"block_start", "warp_start", "wait.turnover"});
  CHECK(changed(Resource::waiting) == Names{"wait.dram", "wait.l2", "wait.shared", "wait.barrier", "sleep"});
  CHECK(changed(std::nullopt) == Names{"launch_overhead", "kernel_gap", "dram_start", "fetch"});
}

TEST_CASE("sensitivities are those of the terms where nothing overlaps, the largest first") {
  const Machine<double> machine = sequential_machine();
  const CountedRun run = run_on(machine);
  const auto found = sensitivities(machine, [&](const Machine<Dual>& dual) { return run.seconds(dual); });
  const Prediction prediction = run.predicted(machine);
  const auto of = [&](std::string_view name) {
    const auto at = std::ranges::find(found, name, &Sensitivity::constant);
    return at == found.end() ? 0 : at->value;
  };
  CHECK(of("pipe.alu") == Approx(-prediction.resources->of(Resource::alu) / prediction.time_s));
  CHECK(of("dram.read") == Approx(-prediction.resources->of(Resource::dram) / prediction.time_s));
  CHECK(of("block_start") == Approx(prediction.resources->of(Resource::starts) / prediction.time_s));
  CHECK(of("launch_overhead") == Approx(2.5e-6 / prediction.time_s));
  CHECK(of("dram.write") == 0);
  for (std::size_t i = 1; i < found.size(); ++i)
    CHECK(std::abs(found[i - 1].value) >= std::abs(found[i].value));
  for (const Sensitivity& one : found) CHECK(std::abs(one.value) > 0.001);
}

TEST_CASE("a run with impossible times is refused, as is a machine that lacks a constant") {
  Machine<double> machine = sequential_machine();
  machine.rates.alu = 1e-320;
  CHECK_THROWS_WITH(run_on(machine).predicted(machine),
                    Contains("two-kernels at n = 2162688") && Contains("alu"));
  CHECK_THROWS_AS(run_on(machine).predicted(machine), ImpossibleTime);
  machine.rates.alu.reset();
  CHECK_THROWS_WITH(run_on(machine).predicted(machine), Contains("pipe.alu"));
  machine.limits.threads_per_multiprocessor = 64;
  CHECK_THROWS_AS(run_on(machine), BlockTooLarge);
}
