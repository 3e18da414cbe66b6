// SPDX-License-Identifier: Apache-2.0
// The work of kernels as a function of n: recovered for kernels whose work is known at any n, and compared
// with direct counts for kernels of the registry.
#include "../algorithms/registry_cases.h"

#include <fathom/counting/count.h>
#include <fathom/counting/fit_work.h>
#include <fathom/counting/work.h>
#include <fathom/device/prepared_plan.h>
#include <fathom/model/architectures.h>
#include <fathom/store/work_table.h>

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <map>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

constexpr int t = 64;  // threads per block of the kernels here

/// One tile per block: copies it, element by element.
struct CopyTile {
  Span<const u32> input;
  Span<u32> output;
  void operator()(Block& block) const {
    const Index i = block.index() * t + block.thread();
    if (i < Index(input.count)) output.store(i, input.load(i));
  }
};

/// A fixed grid: every block reads each of its tiles twice and writes one word.
struct ReadTwice {
  Span<const u32> input;
  Span<u32> output;
  void operator()(Block& block) const {
    for (Index i = block.index() * t + block.thread(); i < Index(input.count); i += block.blocks() * t) {
      (void)input.load(i);
      (void)input.load(i);
    }
    if (block.thread() == 0) output.store(block.index(), 1);
  }
};

/// A fixed grid whose first block passes three barriers, and the others one.
struct FirstIsSlow {
  Span<const u32> input;
  Span<u32> output;
  void operator()(Block& block) const {
    for (int i = 0; i < (block.index() == 0 ? 3 : 1); ++i) block.barrier();
  }
};

/// One tile per block, and log₂ n stores and loads of shared memory by every warp.
struct Halve {
  Span<const u32> input;
  Span<u32> output;
  void operator()(Block& block) const {
    const auto tile = block.shared<u32>(t);
    for (Index m = Index(input.count); m > 1; m /= 2) {
      tile.store(block.thread(), u32(m));
      (void)tile.load(block.thread());
    }
    const Index i = block.index() * t + block.thread();
    if (i < Index(input.count)) output.store(i, 0);
  }
};

/// One thread per tile of CopyTile, 128 in a block: each reads the first element of its tile.
struct ReadFirsts {
  Span<const u32> input;
  Span<u32> output;
  void operator()(Block& block) const {
    const Index tile = block.index() * block.threads() + block.thread();
    if (tile * t < Index(input.count)) (void)input.load(tile * t);
  }
};

template <class... Kernels>
class InTurn final : public Workload {
 public:
  InTurn(Executor& executor, const Problem& problem, Plan plan)
      : input_(executor, std::size_t(problem.n)),
        output_(executor, std::size_t(problem.n)),
        plan_(executor, std::move(plan)) {}
  void run() override {
    std::size_t launch = 0;
    (plan_.launch(launch++, Kernels{{input_.data(), input_.size()}, output_.span()}), ...);
  }
  void check() override {}
  std::vector<KernelResources> kernels() const override { return plan_.resources(); }

 private:
  DeviceArray<u32> input_, output_;
  PreparedPlan plan_;
};

template <class... Kernels>
Algorithm algorithm_of(std::function<Plan(const Problem&, const PlanDevice&)> plan) {
  Algorithm algorithm;
  algorithm.slug = "test";
  algorithm.kind = Kind::scan;
  algorithm.types = {ElementType::u32};
  algorithm.plan = plan;
  algorithm.make_workload = [plan](Executor& executor, const Problem& problem, Input) {
    return std::make_unique<InTurn<Kernels...>>(executor, problem, plan(problem, executor.plan_device()));
  };
  return algorithm;
}

Index tiles(const Problem& problem) {
  return ceil_div(Index(problem.n), Index(t));
}

Launch with_grid(Launch launch, Grid grid, Index tile) {
  launch.grid = grid;
  launch.tile = double(tile);
  return launch;
}

template <class Kernel>
Launch by_tiles(const Problem& problem, int shared = 0) {
  return with_grid(make_launch<Kernel>(tiles(problem), {t, shared}), Grid::tiles, t);
}

AlgorithmWork counted(const Algorithm& algorithm, const CountWorkOptions& options = {}) {
  return count_work({&algorithm, algorithm.problem(1)}, 90, {}, options);
}

}  // namespace

TEST_CASE("a later level works on what the launch before left", "[work]") {
  const Plan plan{make_launch<CopyTile>(100, {t}, {}, 1, 1 << 20), make_launch<ReadTwice>(1, {t}, {}, 1, 100),
                  make_launch<CopyTile>(5, {t}, {}, 1, 1)};
  const std::vector<WorkSize> sizes = work_sizes(1 << 20, plan);
  REQUIRE(sizes.size() == 3);
  CHECK(sizes[0].elements == Approx((1 << 20) / 100.));
  CHECK(sizes[0].partials == 1);
  CHECK(sizes[1].elements == 100);
  CHECK(sizes[1].partials == 100);
  CHECK(sizes[2].elements == Approx(1 / 5.));
  for (const WorkSize& size : sizes) CHECK(size.doublings == 20);
}

TEST_CASE("the work of parts is that of each, and grows with them", "[work]") {
  // The instructions of a block of sort-mms' merge of 16 lists, u32:u32, of which all have about 8 pieces.
  const std::vector<WorkPoint> points{{{68515, 19.5, 8.00}, 1, {.instructions = 474136}, true},
                                      {{42822, 18.8, 7.73}, 1, {.instructions = 311356}, true},
                                      {{8663, 19.5, 8.00}, 1, {.instructions = 69056}, true},
                                      {{2298, 19.5, 8.00}, 1, {.instructions = 25778}, true}};
  const KernelWork kernel = fit_work(points);
  CHECK(kernel.constant.instructions == 0);
  CHECK(kernel.per_element.instructions > 0);
  CHECK(kernel.per_partial.instructions > 0);
  CHECK(kernel.at({1024, 20.3, 7.2}).instructions == Approx(16111).epsilon(0.05));  // counted on 132
  // Two rounds of pieces begin as often again.
  CHECK(kernel.at({2048, 20.3, 14.4}).instructions == Approx(2 * 16111).epsilon(0.05));
}

TEST_CASE("a block that does the same for any number of parts has constant work", "[work]") {
  const std::vector<WorkPoint> points{{{1000, 10, 2}, 1, {.instructions = 900, .barriers = 3}, true},
                                      {{500, 10, 4}, 1, {.instructions = 900, .barriers = 3}, true},
                                      {{250, 10, 8}, 1, {.instructions = 900, .barriers = 3}, true}};
  const KernelWork kernel = fit_work(points);
  CHECK(kernel.constant.instructions == Approx(900));
  CHECK(kernel.constant.barriers == Approx(3));
  CHECK(kernel.per_partial.instructions == 0);
}

TEST_CASE("a block has constant work beside that of its parts if their numbers tell", "[work]") {
  std::vector<WorkPoint> points;
  for (const WorkSize& size : {WorkSize{90000, 20, 64}, {45000, 19, 64}, {11000, 20, 8}, {1000, 20, 0.5}}) {
    const double instructions = 900 + 40 * size.partials + size.elements;
    points.push_back({size, 1, {.instructions = instructions}, true});
  }
  const KernelWork kernel = fit_work(points);
  CHECK(kernel.constant.instructions == Approx(900));
  CHECK(kernel.per_partial.instructions == Approx(40));
  CHECK(kernel.per_element.instructions == Approx(1));
}

TEST_CASE("work does not fall with more elements or partials", "[work]") {
  const auto points_of = [](std::array<double, 4> partials, std::array<double, 4> instructions) {
    std::vector<WorkPoint> points;
    for (std::size_t i = 0; i < 4; ++i)
      points.push_back({{1000. * double(i + 1), 20, partials[i]}, 1, {.instructions = instructions[i]}});
    return points;
  };
  SECTION("which would explain what is left over") {
    const KernelWork kernel = fit_work(points_of({8, 7, 5, 4}, {3000, 5100, 9900, 12000}));
    CHECK(kernel.constant.instructions >= 0);
    CHECK(kernel.per_element.instructions >= 0);
    for (const double elements : {500., 2000., 8000.})
      CHECK(kernel.at({2 * elements, 20, 6}).instructions > kernel.at({elements, 20, 6}).instructions);
    CHECK(kernel.per_partial.instructions >= 0);
  }
  SECTION("which hardly vary, and so determine nothing") {
    const KernelWork kernel = fit_work(points_of({8, 7.8, 8, 8}, {3000, 5000, 9900, 11700}));
    CHECK(kernel.per_partial.instructions == 0);
  }
  SECTION("nor with elements") {
    const KernelWork kernel = fit_work(points_of({1, 1, 1, 1}, {1000, 990, 970, 960}));
    CHECK(kernel.per_element.instructions == 0);
    CHECK(kernel.constant.instructions == Approx(980).epsilon(0.01));
  }
}

TEST_CASE("a mean over passes may fall with log n", "[work]") {
  std::vector<WorkPoint> points;
  for (const double doublings : {10, 11, 12, 13})
    points.push_back({{500, doublings, 1}, 1, {.instructions = 1000 - 20 * doublings}});
  const KernelWork kernel = fit_work(points);
  CHECK(kernel.constant.instructions == Approx(1000));
  CHECK(kernel.per_doubling.instructions == Approx(-20));
}

TEST_CASE("launches with different grids are counted together or apart", "[work]") {
  const Problem problem = fathom::algorithm("scan-naive").problem(1000);
  const Plan plan{make_launch<CopyTile>(3, {t}), make_launch<CopyTile>(7, {t}),
                  make_launch<CopyTile>(3, {t})};
  for (const bool apart : {false, true}) {
    CountingExecutor executor;
    if (apart) executor.separate_grids();
    InTurn<CopyTile, CopyTile, CopyTile>(executor, problem, plan).run();
    REQUIRE(executor.counts().size() == (apart ? 2 : 1));
    CHECK(executor.counts()[0].blocks == (apart ? 6 : 13));
    CHECK(executor.counts()[0].launches == (apart ? 2 : 3));
  }
}

TEST_CASE("a fit finds the terms that the work consists of", "[work]") {
  const auto points = [](auto work_at) {
    std::vector<WorkPoint> points;
    for (const double n : {4096., 8192., 16384., 65536.}) {
      const WorkSize size{n / 8, std::log2(n), n / 1024};
      points.push_back({size, 1, {}});
      points.back().work.instructions = work_at(size);
      points.back().work.barriers = 3;
    }
    return points;
  };
  const auto check = [](const KernelWork& fitted, double constant, double per_element, double per_doubling,
                        double per_partial) {
    CHECK(fitted.constant.instructions == Approx(constant));
    CHECK(fitted.per_element.instructions == Approx(per_element));
    CHECK(fitted.per_doubling.instructions == Approx(per_doubling));
    CHECK(fitted.per_partial.instructions == Approx(per_partial));
    CHECK(fitted.constant.barriers == Approx(3));
    CHECK(fitted.per_element.barriers == 0);
  };
  check(fit_work(points([](const WorkSize&) { return 100.; })), 100, 0, 0, 0);
  check(fit_work(points([](const WorkSize& size) { return 7 + 0.5 * size.elements; })), 7, 0.5, 0, 0);
  // Doublings, where a block's elements do not grow.
  std::vector<WorkPoint> same = points([](const WorkSize& size) { return 20 + 4 * size.doublings; });
  for (WorkPoint& point : same) point.size.elements = 64;
  check(fit_work(same), 20, 0, 4, 0);
  // Partials, where the elements tell something else.
  std::vector<WorkPoint> some = points([](const WorkSize& size) { return 5 + 2 * size.partials; });
  for (std::size_t i = 0; i < some.size(); ++i) some[i].size.elements = i % 2 == 0 ? 100 : 5000;
  check(fit_work(some), 5, 0, 0, 2);
  CHECK_THROWS_AS(fit_work({}), std::invalid_argument);
}

TEST_CASE("the work of a tile is constant", "[work]") {
  const AlgorithmWork work = counted(algorithm_of<CopyTile>(
      [](const Problem& problem, const PlanDevice&) { return Plan{by_tiles<CopyTile>(problem)}; }));
  REQUIRE(work.kernels.size() == 1);
  const KernelWork& kernel = work.of("CopyTile");
  CHECK(kernel.check_error.value() < 1e-6);
  CHECK(kernel.per_element == Work{});
  CHECK(kernel.per_doubling == Work{});
  const Work at = kernel.at({t, 30, 1});
  CHECK(at.sectors_read == Approx(t * 4 / 32));
  CHECK(at.sectors_written == Approx(t * 4 / 32));
  CHECK(at.global_lines == Approx(2 * t * 4 / 128));
  CHECK(at.scattered_sectors == Approx(0).margin(1e-9));
  CHECK(at.bytes_read == Approx(t * 4));
}

TEST_CASE("without its check the work is the same", "[work]") {
  const Algorithm copy = algorithm_of<CopyTile>(
      [](const Problem& problem, const PlanDevice&) { return Plan{by_tiles<CopyTile>(problem)}; });
  const AlgorithmWork checked = counted(copy);
  const AlgorithmWork unchecked = counted(copy, {.checked = false});
  REQUIRE(unchecked.kernels.size() == 1);
  CHECK_FALSE(unchecked.kernels[0].check_error);
  KernelWork without_error = checked.kernels[0];
  without_error.check_error.reset();
  CHECK(unchecked.kernels[0] == without_error);
}

TEST_CASE("the work of a fixed grid grows with the elements of a block", "[work]") {
  const AlgorithmWork work =
      counted(algorithm_of<ReadTwice>([](const Problem& problem, const PlanDevice& device) {
        Launch launch = with_grid(make_launch<ReadTwice>(1, {t}), Grid::resident, t);
        launch.blocks = std::min(device.resident(launch), tiles(problem));
        return Plan{launch};
      }));
  const KernelWork& kernel = work.of("ReadTwice");
  CHECK(kernel.check_error.value() < 1e-6);
  CHECK(kernel.per_element.sectors_read == Approx(4. / 32));  // the L1 has them the second time
  CHECK(kernel.per_element.global_lines == Approx(2 * 4. / 128));
  CHECK(kernel.per_element.bytes_read == Approx(4));
  CHECK(kernel.constant.sectors_written == Approx(1));
  CHECK(kernel.constant.scattered_sectors == 0);  // what is scattered is written, not read
  CHECK(kernel.per_element.sectors_written == 0);
}

TEST_CASE("blocks that all run at a time wait as long as the slowest", "[work]") {
  for (const Grid grid : {Grid::fixed, Grid::resident}) {
    const AlgorithmWork work = counted(algorithm_of<FirstIsSlow>([grid](const Problem&, const PlanDevice&) {
      Launch launch = with_grid(make_launch<FirstIsSlow>(16, {t}), grid, t);
      launch.parts = 16;
      return Plan{launch};
    }));
    // In the mean a warp passes (3 + 15 · 1) / 16 barriers.
    const double barriers = work.of("FirstIsSlow").at({t, 20, 1}).barriers;
    CHECK(barriers == Approx(grid == Grid::resident ? 3 : 18 / 16.));
  }
}

TEST_CASE("the work of a search grows with log n", "[work]") {
  const AlgorithmWork work = counted(algorithm_of<Halve>([](const Problem& problem, const PlanDevice&) {
    return Plan{by_tiles<Halve>(problem, shared_bytes<u32>(t))};
  }));
  const KernelWork& kernel = work.of("Halve");
  // Of the fit's sizes, which are powers of two: two accesses by two warps per doubling.
  CHECK(kernel.constant.shared_wavefronts == Approx(0).margin(1e-6));
  CHECK(kernel.per_doubling.shared_wavefronts == Approx(4));
  CHECK(kernel.constant.sectors_written == Approx(8));
}

TEST_CASE("blocks that small n do not fill are counted as full", "[work]") {
  constexpr int threads = 128;
  const AlgorithmWork work =
      counted(algorithm_of<CopyTile, ReadFirsts>([](const Problem& problem, const PlanDevice&) {
        return Plan{by_tiles<CopyTile>(problem),
                    with_grid(make_launch<ReadFirsts>(ceil_div(tiles(problem), Index(threads)), {threads}),
                              Grid::tiles, threads * t)};
      }));
  const Work at = work.of("ReadFirsts").at({double(threads) * t, 30, threads});
  CHECK(at.sectors_read == Approx(threads));  // no two in one sector
  CHECK(at.scattered_sectors == Approx(threads));
}

TEST_CASE("a launch of one block for what a fixed grid left is taken as counted", "[work]") {
  constexpr int threads = 256;
  const AlgorithmWork work =
      counted(algorithm_of<CopyTile, ReadFirsts>([](const Problem& problem, const PlanDevice&) {
        // However large n is, the second launch reads one element of a thousand tiles at most.
        return Plan{
            by_tiles<CopyTile>(problem),
            make_launch<ReadFirsts>(1, {threads}, {}, 1, std::min<double>(double(tiles(problem)), 1000))};
      }));
  const Work at = work.of("ReadFirsts").at({threads, 30, threads});
  CHECK(at.sectors_read <= threads);
  CHECK(at.sectors_read > 0);
}

TEST_CASE("predicted work is what is counted at another n", "[work]") {
  struct Case {
    std::string_view slug;
    double n;
    Parameters parameters{};
    ElementType type = ElementType::u32;
    double tolerance = 0.01;
  };
  // Of reduce-vector, one block of the grid also reduces the results of all, and counted grids are small. The
  // bank conflicts of random keys vary.
  const auto [slug, n, parameters, type, tolerance] =
      GENERATE(Case{"reduce-tree", 150001}, Case{"reduce-vector", 3000000, {}, ElementType::u32, 0.03},
               Case{"reduce-cascading", 2000000}, Case{"reduce-pipeline", 2500000},
               Case{"scan-interval", 3 << 16, {}, ElementType::u64},
               Case{"scan-lookback", 16 * 128 * 300, {{"E", 16}, {"t", 128}}},
               Case{"sort-pairwise", 5 * 64 * 512, {{"E", 5}, {"t", 64}}, ElementType::u32, 0.02},
               // As few keys for each block as on a GPU. Few pieces share sectors otherwise than many.
               Case{"sort-mms", 150000, {}, ElementType::u64, 0.5});
  const Algorithm& algorithm = fathom::algorithm(slug);
  INFO(slug);
  Parameters all = algorithm.default_parameters();
  for (const auto& [name, value] : parameters) all.set(name, value);
  Problem problem = algorithm.problem(n, type);
  problem.parameters = all;
  const AlgorithmWork work = count_work({&algorithm, problem}, 90, {});
  const CountingDevice device{.multiprocessors = 12,
                              .limits = {.shared_bytes_per_multiprocessor = 228 * 1024,
                                         .shared_bytes_per_block = 227 * 1024,
                                         .shared_bytes_reserved = 1024}};
  CountingExecutor executor(device);
  const Plan plan = algorithm.plan(problem, executor.plan_device());
  const std::vector<WorkSize> sizes = work_sizes(n, plan);
  // A kernel can be launched in several variants, for the levels of a recursion.
  std::map<std::string, std::vector<WorkPoint>> direct;
  for (const KernelCounts& counts : count({&algorithm, problem, Input::random}, device).kernels)
    direct[counts.kernel].push_back({{}, double(counts.blocks), counted_work(counts)});
  for (const auto& [name, variants] : direct) {
    INFO(name);
    std::vector<WorkPoint> launches;
    Index most_blocks = 0;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].name() != name) continue;
      launches.push_back({sizes[i], double(plan[i].blocks) * plan[i].repeats, {}});
      most_blocks = std::max(most_blocks, plan[i].blocks);
    }
    if (most_blocks <= 1) continue;  // a block that is not full says little about full ones
    const KernelWork& kernel = work.of(name);
    const Work predicted =
        mean_work(launches, [&](const WorkPoint& launch) { return kernel.at(launch.size); });
    const Work counted = mean_work(variants, [](const WorkPoint& variant) { return variant.work; });
    CHECK(deviation(predicted, counted) < tolerance);
  }
}

TEST_CASE("tiles that are smaller on more multiprocessors are counted as they are", "[work]") {
  const Algorithm& sort = algorithm("sort-segments");
  const auto of = [&](double n) {
    Problem problem = sort.problem(n);
    problem.parameters.set("length", 16);
    return problem;
  };
  const KernelWork kernel = count_work({&sort, of(1e6)}, 90, {}).of("SortLists<32>");
  const CountingDevice device{.multiprocessors = 12};
  for (const double n : {150000., 400000.}) {  // blocks of half a tile, and of four
    const Case one{&sort, of(n), Input::random};
    const Plan plan = sort.plan(one.problem, CountingExecutor(device).plan_device());
    REQUIRE(plan[0].name() == "SortLists<32>");
    for (const KernelCounts& counts : count(one, device).kernels)
      if (counts.kernel == "SortLists<32>")
        CHECK(deviation(kernel.at(work_sizes(n, plan)[0]), counted_work(counts)) < 0.02);
  }
}

TEST_CASE("a shuffle of several words is as many instructions", "[work]") {
  KernelCounts counts;
  counts.blocks = 2;
  counts.threads_per_block = 32;
  for (const u64 words : {1, 2, 3}) {
    InstructionSite site;
    site.instruction = Instruction::shuffle;
    site.executions = 10;
    site.words = 10 * words;
    counts.instruction_sites.push_back(site);
    counts.instructions[std::size_t(Instruction::shuffle)] += site.executions;
  }
  InstructionSite ballot = counts.instruction_sites.front();
  ballot.instruction = Instruction::ballot;
  counts.instruction_sites.push_back(ballot);
  CHECK(counted_work(counts).shuffles == 30);
}

TEST_CASE("the work of buckets depends on how full they are", "[work]") {
  const Algorithm& algorithm = fathom::algorithm("radix-msd");
  Problem problem = algorithm.problem(1);
  for (const char* name : {"E", "S"}) problem.parameters.set(name, 4);
  problem.parameters.set("t", 256);
  const AlgorithmWork work = count_work({&algorithm, problem}, 90, {});
  CHECK(work.of("SortBuckets").check_error.value() < 0.07);
  CHECK(work.of("SortBuckets").per_element.shared_wavefronts > 0);
  // One block, whose work small n have, too.
  CHECK(work.of("PlanBuckets").at({1, 20, 1}).shared_wavefronts < 1000);
}

TEST_CASE("a sort with two paths is counted on both", "[work]") {
  const Algorithm& algorithm = fathom::algorithm("radix-msd");
  for (const Input input : {Input::random, Input::equal}) {
    INFO(name(input));
    Problem problem = algorithm.problem(1);
    problem.parameters.set("t", 256);
    problem.parameters.set("E", 4);
    const AlgorithmWork work = count_work({&algorithm, problem, input}, 90, {});
    const WorkSize some{10000, 20, 2};
    for (const char* kernel :
         {"GatherSkewed", "PlanSkewedPasses", "SplitInAnyOrder<1>", "SplitIfSkewed", "SortBuckets"}) {
      INFO(kernel);
      CHECK(work.of(kernel).at(some).bytes_written > 0);
      const std::string idle_kernel = std::string(kernel).substr(0, std::string(kernel).find('<')) + "<0>";
      const Work idle = work.of(idle_kernel).at(some);
      CHECK(idle.bytes_written == 0);
      CHECK(idle.bytes_read < 64);
    }
    CHECK(work.of("SplitByDigit<0>").at(some).bytes_written == 0);
    // So many equal keys as have a second pass are skewed, so that it is left out.
    if (input == Input::random) CHECK(work.of("SplitByDigit<1>").at(some).bytes_written > 0);
  }
}

TEST_CASE("buckets beside gathered keys have the work of evenly spread keys", "[work]") {
  const Algorithm& algorithm = fathom::algorithm("radix-msd");
  const auto work_of = [&](ElementType type) {
    Problem problem = algorithm.problem(1, type);
    for (const char* name : {"E", "S"}) problem.parameters.set(name, 4);
    problem.parameters.set("t", 256);
    return count_work({&algorithm, problem}, 90, {});
  };
  const AlgorithmWork floats = work_of(ElementType::f32), numbers = work_of(ElementType::i32);
  const WorkSize full{1 << 20, 1 << 10, 0};
  const auto wavefronts = [&](const AlgorithmWork& work, const char* kernel) {
    return work.of(kernel).at(full).shared_wavefronts;
  };
  CHECK(wavefronts(floats, "SortBuckets<1>") == Approx(wavefronts(numbers, "SortBuckets")).epsilon(0.05));
  CHECK(floats.of("SortBuckets<1>").check_error.value() < 0.07);
  CHECK_THROWS(numbers.of("SortBuckets<1>"));  // none of random integers are gathered
}

TEST_CASE("the way of frequent keys is counted where the input has some", "[work]") {
  const Algorithm& algorithm = fathom::algorithm("radix-msd");
  for (const Input input : {Input::zipf, Input::random}) {
    INFO(name(input));
    Problem problem = algorithm.problem(1, ElementType::u64);
    // Smaller tiles of the pass by class are counted less exactly: with S = 4 to 5.5 %.
    for (const auto& [name, value] : {std::pair("t", 256), std::pair("E", 4), std::pair("S", 14)})
      problem.parameters.set(name, value);
    const AlgorithmWork work = count_work({&algorithm, problem, input}, 90, {});
    const WorkSize some{100'000, 20, 2};
    for (const char* kernel : {"CountClasses", "PlanClasses", "SplitByClass"}) {
      INFO(kernel);
      CHECK(work.of(std::string(kernel) + "<0>").at(some).bytes_written == 0);
      if (input == Input::zipf)
        CHECK(work.of(kernel).at(some).bytes_written > 0);
      else
        CHECK_THROWS(work.of(kernel));
    }
    if (input != Input::zipf) continue;
    // Keys of 8 bytes are read once to be counted, and once to be put into their order.
    CHECK(work.of("CountClasses").at(some).bytes_read == Approx(8 * some.elements).epsilon(0.05));
    CHECK(work.of("SplitByClass").at(some).bytes_written > 8 * some.elements);
    CHECK(work.of("SplitByClass").check_error.value() < 0.05);
  }
}

TEST_CASE("variants that only large n have are counted with other parameters", "[work]") {
  const Algorithm& algorithm = fathom::algorithm("radix-msd");
  Problem problem = algorithm.problem(1);
  problem.parameters = algorithm.default_parameters();
  const AlgorithmWork work = count_work({&algorithm, problem}, 90, {});
  const double tile = 512 * problem.parameters.at("S");
  // So few elements have no digits of more bits than these: the others are taken to be as the longest. Digits
  // of fewer bits than are compared have runs of 640 keys and more: of these the counts by one bit more are a
  // sector in 1,600 less.
  struct Pass {
    std::string name;
    int least_compared, most;
  };
  for (const auto& [name, least_compared, most] :
       {Pass{"SplitInAnyOrder", 5, 7}, Pass{"SplitByDigit", 4, 7}}) {
    double written = 0;
    for (int bits = 1; bits <= most; ++bits) {
      INFO(name << " by " << bits << " bits");
      const Work one = work.of(name + "<" + std::to_string(bits) + ">").at({tile, 28, 1});
      CHECK(one.sectors_read > tile / 8);  // and what other blocks tell of themselves
      CHECK(one.sectors_read < 1.2 * tile / 8);
      if (bits < least_compared) continue;
      // The more values a digit has, the more runs begin within a sector.
      CHECK(one.sectors_written > written);
      written = one.sectors_written;
    }
    CHECK(work.of(name + "<8>").constant == work.of(name + "<" + std::to_string(most) + ">").constant);
  }
}

TEST_CASE("passes that keys do not need are counted apart from those that they need", "[work]") {
  const Algorithm& algorithm = fathom::algorithm("radix-onesweep");
  const WorkSize some{6912, 24, 1};
  double read = 0;
  for (const Input input : {Input::random, Input::few_unique, Input::equal, Input::sorted}) {
    INFO(name(input));
    const AlgorithmWork work = count_work({&algorithm, algorithm.problem(1), input}, 90, {});
    // Every pass that runs reads each key; that over the first digit is another kernel.
    if (input == Input::random) read = work.of("SplitByDigit").at(some).bytes_read;
    int kernels = 0;
    for (const char* pass : {"SplitInAnyOrder", "SplitByDigit"})
      if (std::ranges::count(work.kernels, pass, &KernelWork::kernel) > 0) {
        CHECK(work.of(pass).at(some).bytes_read == Approx(read).epsilon(0.05));
        ++kernels;
      }
    CHECK(kernels >= (input == Input::random || input == Input::sorted ? 2 : 1));
    const bool has_idle = std::ranges::count(work.kernels, "SplitByDigit<0>", &KernelWork::kernel) > 0;
    CHECK(has_idle == (input != Input::random));
    if (!has_idle) continue;
    // Sorted keys need all passes at the sizes that are counted, but not at others.
    const Work idle = work.of("SplitByDigit<0>").at(some);
    CHECK(idle.bytes_written == 0);
    CHECK(idle.bytes_read < 64);
  }
}

TEST_CASE("what only few elements have is counted apart", "[work]") {
  const Algorithm& algorithm = fathom::algorithm("radix-single");
  const AlgorithmWork work = counted(algorithm);
  const KernelWork& in_tile = work.of("SortInOneBlock<1>");
  CHECK(in_tile.check_error.value() < 0.05);
  const KernelCounts counts = count({&algorithm, algorithm.problem(700), Input::random}, {}).kernels.front();
  CHECK(in_tile.at({700, std::log2(700.), 1}).shared_wavefronts ==
        Approx(counted_work(counts).shared_wavefronts).epsilon(0.1));
  CHECK(work.of("SortInOneBlock").per_element.bytes_written > 0);
}

TEST_CASE("registers are known of every kernel, also of those that only some sizes launch", "[work]") {
  CodeReader code;
  code.resources = [](const Launch& launch) {
    KernelCode kernel;
    kernel.registers = 32 + int(launch.name().size());
    return kernel;
  };
  for (const char* slug : {"sort-kway", "sort-mms", "radix-single"}) {
    const Algorithm& algorithm = fathom::algorithm(slug);
    const AlgorithmWork work = count_work({&algorithm, algorithm.problem(1)}, 90, code);
    CHECK(work.kernels.size() > 1);
    for (const KernelWork& kernel : work.kernels) {
      INFO(slug << ": " << kernel.kernel);
      CHECK(kernel.registers == 32 + int(kernel.kernel.size()));
    }
  }
}

TEST_CASE("no built-in table has a kernel without registers", "[work]") {
  for (const Algorithm* each : with_plan())
    for (const Instantiation& of : each->instantiations())
      for (const Parameters& parameters : each->all_default_parameters(of.type)) {
        const auto work = built_in_work({each->slug, of, parameters, Input::random, 90});
        REQUIRE(work);
        for (const KernelWork& kernel : work->kernels) {
          INFO(each->slug << ' ' << name(of) << ": " << kernel.kernel);
          CHECK(kernel.registers > 0);
        }
      }
}

TEST_CASE("the built-in tables of sm_90 have every kernel for random keys and default parameters, at any n",
          "[work]") {
  const PlanDevice device = plan_device(132, find_architecture(90)->limits());
  for (const Algorithm* each : with_plan())
    for (const Instantiation& of : each->instantiations()) {
      int plans = 0;
      for (double n = 1; n <= 0x1p32; n = std::ceil(1.1 * n)) {
        Problem problem = each->problem(n, of);
        problem.parameters = each->default_parameters(problem);
        // No table has a list that is shorter than its length says, which a warp sorts.
        if (problem.parameters.contains("length") && n < problem.parameters.at("length")) continue;
        Plan plan;
        try {
          plan = each->plan(problem, device);
        } catch (const std::invalid_argument&) {
          continue;  // the algorithm refuses so many elements
        }
        ++plans;
        const auto work = built_in_work({each->slug, of, problem.parameters, Input::random, 90});
        REQUIRE(work);
        for (const Launch& launch : plan) {
          INFO(each->slug << ' ' << name(of) << " at n = " << n << ": " << launch.name());
          CHECK(std::ranges::count(work->kernels, launch.name(), &KernelWork::kernel) == 1);
        }
      }
      INFO(each->slug << ' ' << name(of));
      CHECK(plans > 0);
    }
}

TEST_CASE("what cannot be counted is refused in one line", "[work]") {
  const Algorithm& algorithm = fathom::algorithm("reduce-tree");
  CHECK_THROWS_WITH(count_work({&algorithm, algorithm.problem(1)}, 12, {}),
                    Contains("compute capability 12") && Contains("90"));
  Algorithm formula_only = algorithm;
  formula_only.plan = nullptr;
  CHECK_THROWS_WITH(count_work({&formula_only, algorithm.problem(1)}, 90, {}), Contains("has no kernels"));
}
