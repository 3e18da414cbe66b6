// SPDX-License-Identifier: Apache-2.0
// Plans: solvers launch what their plan says and allocate the predicted memory, at any size.
#include "../support/machines.h"
#include "registry_cases.h"

#include <fathom/algorithms/bench.h>
#include <fathom/algorithms/gpus/prefix/prefix_division.h>
#include <fathom/device/counting/counting_executor.h>
#include <fathom/device/prepared_plan.h>
#include <fathom/device/recording_executor.h>
#include <fathom/model/architectures.h>
#include <fathom/model/laws/predict.h>
#include <fathom/store/work_table.h>

#include <catch2/catch.hpp>

#include <map>
#include <numeric>
#include <set>
#include <sstream>

using namespace fathom;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

/// A small GPU on which every block is resident twice.
PlanDevice small_device() {
  return {4, 228 * 1024, 1024, [](const Launch&) { return 2; }};
}

std::string described(const Problem& problem) {
  std::ostringstream text;
  text << name(Instantiation(problem)) << " n = " << problem.n;
  for (const auto& [name, value] : problem.parameters) text << " " << name << " = " << value;
  return text.str();
}

std::string described(const Launch& launch) {
  std::ostringstream text;
  text << launch.name() << " " << launch.source().expression << " " << launch.blocks << " × "
       << launch.shape.threads << " threads, " << launch.shape.shared_bytes << " bytes, carveout "
       << launch.shape.carveout;
  return text.str();
}

/// How often each launch occurs.
using Launches = std::map<std::string, double>;
Launches counted(const std::vector<Launch>& launches) {
  Launches counted;
  for (const Launch& launch : launches) counted[described(launch)] += launch.repeats;
  return counted;
}

/// The launches of a run, without those that make its input.
std::vector<Launch> launches_of_a_run(const Algorithm& algorithm, const Problem& problem) {
  RecordingExecutor executor(small_device());
  const auto workload = algorithm.make_workload(executor, problem, Input::random);
  const auto before = executor.launches().size();
  workload->run();
  return {executor.launches().begin() + long(before), executor.launches().end()};
}

/// Every type, the default parameters and each extreme one, at some sizes.
void for_each_problem(std::initializer_list<double> sizes,
                      const std::function<void(const Algorithm&, const Problem&)>& visit) {
  for (const Algorithm* each : with_plan())
    for (const Instantiation& of : each->instantiations())
      for (const Parameters& parameters : default_and_extremes(*each))
        for (const double n : sizes) {
          Problem problem = each->problem(n, of);
          problem.parameters = parameters;
          INFO(each->slug << " " << described(problem));
          visit(*each, problem);
        }
}

/// Adds `summand` to every element.
struct AddTo {
  Span<u32> elements;
  u32 summand;
  void operator()(Block& block) const {
    const Index i = block.index() * block.threads() + block.thread();
    elements.store(i, elements.load(i) + summand);
  }
};
struct Nothing {
  void operator()(Block&) const {}
};

}  // namespace

TEST_CASE("a run launches exactly what its plan says") {
  for_each_problem({1, 2, 1000, 4097, 100003, 1048576}, [](const Algorithm& each, Problem problem) {
    std::vector<KeySkew> skews{{0, 0}};
    if (each.skew)
      skews.insert(skews.end(),
                   {{std::floor(problem.n / 3), 0}, {problem.n, 0}, {0, problem.n}, {problem.n, problem.n}});
    for (const KeySkew& skew : skews) {
      problem.skewed = skew.skewed;
      problem.frequent = skew.frequent;
      CHECK(counted(launches_of_a_run(each, problem)) == counted(each.plan(problem, small_device())));
    }
    if (!each.shared_bits) return;
    for (const u64 shared : {u64(0xff00), ~u64(0xff00), ~u64(0)}) {
      problem.shared_bits = shared;
      CHECK(counted(launches_of_a_run(each, problem)) == counted(each.plan(problem, small_device())));
    }
  });
}

TEST_CASE("keys take the path that is said to be likely") {
  const Algorithm& sort = algorithm("radix-msd");
  std::vector<Input> inputs(all_inputs.begin(), all_inputs.end());
  for (const double entropy : {0.3, 0.6, 0.9, 0.95}) inputs.push_back({Input::entropy, entropy});
  bool is_covered[3]{};
  for (const ElementType type : {ElementType::u32, ElementType::f32, ElementType::i64, ElementType::f64})
    for (const Input& input : inputs)
      for (const double n : {900., 20000., 300000.}) {
        // Numbers of bits with this entropy have other bits: their order is that of the words.
        const bool is_float = type == ElementType::f32 || type == ElementType::f64;
        if (input.pattern == Input::entropy && is_float) continue;
        Problem problem = sort.problem(n, type);
        problem.parameters.set("t", 256);
        problem.parameters.set("E", 4);
        INFO(described(problem) << " " << name(input));
        CountingExecutor executor;
        const auto workload = sort.make_workload(executor, problem, input);
        executor.reset();
        workload->run();
        const auto bytes_stored_by = [&](std::string_view kernel) {
          const auto counts = std::ranges::find_if(
              executor.counts(), [&](const KernelCounts& one) { return one.kernel.starts_with(kernel); });
          return 4 * double(counts->global(MemoryOperation::store).words);
        };
        const double skewed = sort.with_path(problem, input, executor.plan_device()).skewed;
        const double gathered = bytes_stored_by("GatherSkewed") / problem.bytes_per_element();
        CHECK((bytes_stored_by("SplitIfSkewed") > 0) == (skewed > 0));
        double launches = 0;
        for (const Launch& launch :
             sort.plan(sort.with_path(problem, input, executor.plan_device()), executor.plan_device()))
          launches += launch.repeats;
        CHECK(launches == double(std::accumulate(
                              executor.counts().begin(), executor.counts().end(), u64(0),
                              [](u64 sum, const KernelCounts& one) { return sum + u64(one.launches); })));
        // Some are gathered, all are not.
        if (skewed == n)
          CHECK(gathered == 0);
        else
          CHECK(gathered == Approx(skewed).epsilon(0.1).margin(2048));
        is_covered[skewed == 0 ? 0 : skewed < n ? 1 : 2] = true;
      }
  CHECK((is_covered[0] && is_covered[1] && is_covered[2]));
  const auto is_skewed = [&](double n, ElementType type, Input input) {
    return sort.with_path(sort.problem(n, type), input, any_device()).skewed;
  };
  // 2^16 buckets of at most 8704 keys.
  CHECK_FALSE(is_skewed(0x1p29, ElementType::u32, Input::random));
  CHECK(is_skewed(5.72e8, ElementType::u32, Input::random));
  CHECK(is_skewed(5.72e8, ElementType::u64, Input::sorted));
  // One random number in 256 is a zero of one sign. Infinities, and denormal numbers are half as many.
  CHECK_FALSE(is_skewed(1e6, ElementType::u64, Input::random));
  CHECK(is_skewed(256 * 8704, ElementType::f64, Input::random));
}

TEST_CASE("of many elements radix-msd is said to put those with frequent keys at their places") {
  const Algorithm& sort = algorithm("radix-msd");
  const auto problem = [&](double n, KeyAndValue type, Input input) {
    return sort.with_path(sort.problem(n, Instantiation(type, false)), input, small_device());
  };
  const KeyAndValue u32_keys{ElementType::u32, {}}, u64_keys{ElementType::u64, {}},
      pairs{ElementType::u32, ElementType::u32};
  for (const KeyAndValue& type : {u32_keys, u64_keys, pairs}) {
    INFO(type_text(type));
    const Problem zipf = problem(0x1p28, type, Input::zipf);
    CHECK(zipf.frequent + zipf.skewed == zipf.n);
    CHECK(zipf.skewed / zipf.n > 0.03);  // 1/(k + 1) if the k most frequent keys are found
    CHECK(zipf.skewed / zipf.n < 0.1);
    CHECK(problem(0x1p23, type, Input::zipf).frequent == 0);
    CHECK(problem(0x1p32, type, Input::zipf).frequent == 0);
    for (const Input input : {Input::random, Input::sorted, Input::equal})
      CHECK(problem(0x1p28, type, input).frequent == 0);
    CHECK(problem(0x1p28, type, {Input::entropy, 0.1}).frequent > 0);
    CHECK(problem(0x1p28, type, {Input::entropy, 0.4}).frequent == 0);
  }
  // A digit, or two.
  CHECK(problem(0x1p28, u32_keys, Input::few_unique).frequent == 0);
  CHECK(problem(0x1p28, u64_keys, Input::few_unique).frequent == 0x1p28);

  const auto names = [&](const Problem& of) {
    std::set<std::string> names;
    for (const Launch& launch : sort.plan(of, small_device())) names.emplace(launch.name());
    return names;
  };
  const std::set<std::string> with_rare = names(problem(0x1p28, u64_keys, Input::zipf)),
                              without = names(problem(0x1p28, u64_keys, Input::few_unique));
  for (const char* kernel : {"CountClasses", "PlanClasses", "SplitByClass", "SplitInAnyOrder<0>",
                             "SplitByDigit<0>", "SortBuckets<0>"}) {
    CHECK(with_rare.contains(kernel));
    CHECK(without.contains(kernel));
  }
  for (const char* kernel : {"GatherSkewed", "SplitIfSkewed"}) {
    CHECK(with_rare.contains(kernel));
    CHECK(without.contains(kernel + std::string("<0>")));
  }
}

TEST_CASE(
    "the first pass of a radix sort keeps the order of records and of keys that are sorted by some bits") {
  for (const char* slug : {"radix-msd", "radix-onesweep"}) {
    INFO(slug);
    const Algorithm& sort = algorithm(slug);
    const auto first_pass = [&](const Instantiation& of, KeyBits bits) {
      Problem problem = sort.problem(1 << 20, of);
      problem.key_bits = bits;
      const std::string name{sort.plan(problem, small_device())[2].name()};
      return name.substr(0, name.find('<'));
    };
    const KeyBits all{};
    for (const ElementType keys : {ElementType::u32, ElementType::i64, ElementType::f32})
      CHECK(first_pass(Instantiation(keys), all) == "SplitInAnyOrder");
    CHECK(first_pass(Instantiation(ElementType::u32), {0, 31}) == "SplitByDigit");
    CHECK(first_pass(Instantiation(ElementType::u32), {1, 32}) == "SplitByDigit");
    CHECK(first_pass(Instantiation(ElementType::u64), {0, 32}) == "SplitByDigit");
    for (const bool stable : {false, true})
      CHECK(first_pass(Instantiation({ElementType::u32, ElementType::u32}, stable), all) == "SplitByDigit");
  }
}

TEST_CASE("on one GPU and on several the passes by prefixes have the same tiles of many elements") {
  const auto of_one = [](const Instantiation& of) {
    return algorithm("radix-msd").problem(0x1p28, of).parameters.at("S");
  };
  const PlanDevice sm_90 = any_device(find_architecture(90)->limits().shared_bytes_per_block);
  CHECK(PrefixDivision::split_elements<u32>(sm_90) == of_one(ElementType::u32));
  CHECK(PrefixDivision::split_elements<u64>(sm_90) == of_one(ElementType::u64));
  CHECK(PrefixDivision::split_elements<Record<u32, u32>>(sm_90) ==
        of_one(Instantiation({ElementType::u32, ElementType::u32}, false)));
  CHECK(PrefixDivision::split_elements<Record<u64, u64>>(sm_90) ==
        of_one(Instantiation({ElementType::u64, ElementType::u64}, false)));
  // 512 threads have 34,944 bytes of counters and places, and 4 KiB for each pair of theirs.
  CHECK(PrefixDivision::split_elements<Record<u32, u32>>(any_device(101376)) == 16);
}

TEST_CASE("plans of any size have valid launches") {
  const Machine<double> machine = complete_machine();
  for_each_problem({0x1p40, 0x1p53}, [&](const Algorithm& each, const Problem& problem) {
    const Plan plan = each.plan(problem, plan_device(machine.multiprocessors, machine.limits));
    REQUIRE_FALSE(plan.empty());
    for (const Launch& launch : plan) {
      INFO(described(launch));
      CHECK(launch.elements >= 1);
      CHECK(launch.elements <= problem.n);
      CHECK(launch.blocks >= 1);
      CHECK(double(launch.blocks) <= problem.n);
      CHECK(launch.repeats >= 1);
      CHECK(launch.shape.threads >= warp_width);
      CHECK(launch.shape.threads <= machine.limits.threads_per_block);
      CHECK(launch.shape.shared_bytes >= 0);
    }
  });
}

TEST_CASE("a plan asks only about kernels that it launches") {
  // Their registers are known by these names. Which kernels there are depends on n.
  for_each_problem({1}, [&](const Algorithm& each, Problem problem) {
    std::set<std::string> asked, launched;
    PlanDevice device = small_device();
    device.resident_blocks = [&](const Launch& launch) {
      asked.emplace(launch.name());
      return 2;
    };
    for (double n : {1000., 1048576., 0x1p40}) {
      problem.n = n;
      for (const Launch& launch : each.plan(problem, device)) launched.emplace(launch.name());
    }
    for (const std::string& kernel : asked) {
      INFO(kernel);
      CHECK(launched.contains(kernel));
    }
  });
}

TEST_CASE("passes are left out as the plan says") {
  struct Case {
    const char* slug;
    std::vector<std::string> passes;
    std::vector<Parameters> parameters;
  };
  const std::vector<Case> cases{
      {"radix-onesweep", {"SplitByDigit", "SplitInAnyOrder"}, {{{"d", 5}}, {{"d", 8}}}},
      {"radix-msd", {"SplitIfSkewed"}, {{{"S", 8}}, {{"S", 18}}}}};
  for (const auto& [slug, passes, choices] : cases)
    for (const KeyAndValue type :
         {KeyAndValue{ElementType::u32, {}}, KeyAndValue{ElementType::i64, {}},
          KeyAndValue{ElementType::f32, {}}, KeyAndValue{ElementType::u32, ElementType::u32}})
      for (const Input& input : all_inputs)
        for (const Parameters& parameters : choices)
          for (const double n : {3000., 16384.}) {
            const Algorithm& sort = algorithm(slug);
            Problem problem = sort.problem(n, Instantiation(type, false));
            for (const auto& [parameter, value] : parameters) problem.parameters.set(parameter, value);
            problem = sort.with_path(problem, input, any_device());
            INFO(described(problem) << " " << name(input));
            CountingExecutor executor;
            const auto workload = sort.make_workload(executor, problem, input);
            executor.reset();
            workload->run();
            for (const KernelCounts& counts : executor.counts())
              for (const std::string& pass : passes) {
                if (counts.kernel == pass + "<0>") CHECK(counts.written_bytes == 0);
                if (counts.kernel == pass)
                  CHECK(double(counts.written_bytes) >=
                        double(counts.launches) * n * problem.bytes_per_element());
              }
          }
}

TEST_CASE("the plan says which passes the keys need") {
  const auto passes_of = [&](const char* slug, const std::set<std::string>& kernels, double n,
                             ElementType type, const Input& input) {
    const Algorithm& sort = algorithm(slug);
    double run = 0, left_out = 0;
    for (const Launch& launch :
         sort.plan(sort.with_path(sort.problem(n, type), input, small_device()), small_device())) {
      const std::string name{launch.name()};
      if (kernels.contains(name)) run += launch.repeats;
      if (name.ends_with("<0>") && kernels.contains(name.substr(0, name.size() - 3)))
        left_out += launch.repeats;
    }
    return std::pair(run, left_out);
  };
  const auto passes = [&](double n, ElementType type, const Input& input) {
    return passes_of("radix-onesweep", {"SplitInAnyOrder", "SplitByDigit"}, n, type, input);
  };
  const auto msd_passes = [&](double n, ElementType type, const Input& input) {
    return passes_of("radix-msd", {"SplitIfSkewed"}, n, type, input);
  };
  using Passes = std::pair<double, double>;
  for (const double n : {1., 2., 1000., 0x1p24})
    CHECK(passes(n, ElementType::u32, Input::random) == Passes{4, 0});
  CHECK(passes(1e6, ElementType::u32, Input::equal) == Passes{1, 3});
  CHECK(passes(1e6, ElementType::u64, Input::equal) == Passes{1, 7});
  CHECK(passes(1e6, ElementType::u32, Input::few_unique) == Passes{1, 3});
  CHECK(msd_passes(1e6, ElementType::u32, Input::random) == Passes{0, 4});
  CHECK(msd_passes(1e9, ElementType::u64, Input::random) == Passes{8, 0});  // too many for buckets
  CHECK(msd_passes(1e6, ElementType::u32, Input::equal) == Passes{1, 3});
  CHECK(msd_passes(1000, ElementType::u32, Input::equal) == Passes{0, 4});  // one block holds them all
  CHECK(msd_passes(1e6, ElementType::u64, Input::few_unique) == Passes{2, 6});
  // Keys of 64 bits are twice the same number.
  CHECK(passes(1e6, ElementType::u64, Input::few_unique) == Passes{2, 6});
  CHECK(passes(1e6, ElementType::u32, Input::zipf) == Passes{3, 1});
  CHECK(passes(1e7, ElementType::u32, Input::zipf) == Passes{4, 0});
  // 2^24 evenly spread keys are multiples of 256.
  CHECK(passes(0x1p24, ElementType::u32, Input::sorted) == Passes{3, 1});
  CHECK(passes(0x1p24, ElementType::u64, Input::reverse) == Passes{6, 2});
  CHECK(passes(0x1p24 + 1, ElementType::u32, Input::sorted) == Passes{4, 0});
  // Nothing is known of other keys.
  CHECK(algorithm("radix-onesweep").problem(1e6).shared_bits == 0);
}

TEST_CASE("a time is predicted for any size") {
  const Machine<double> machine = complete_machine();
  for (const Algorithm* each : with_plan())
    for (int exponent : {40, 53}) {
      if (!each->formula) continue;
      const Problem problem = each->problem(std::exp2(exponent));
      INFO(each->slug << " n = 2^" << exponent);
      const double seconds = predict(*each, machine, problem, {LawName::published}).time_s;
      // Every element is read, at most as fast as from the L2.
      const double words_per_second = *machine.at(Level::l2).bandwidth * machine.P() * machine.clock.value;
      CHECK(seconds >= problem.n / words_per_second);
      CHECK(std::isfinite(seconds));
    }
}

TEST_CASE("a workload allocates the predicted memory") {
  for (const Algorithm& each : algorithms()) {
    if (!each.make_workload) continue;
    for (const Instantiation& of : each.instantiations())
      for (double n : {1., 2., 1000., 4097., 100003., 300000.}) {
        const Problem problem = each.problem(n, of);
        INFO(each.slug << " " << described(problem));
        CountingExecutor executor;
        const std::size_t foretold = device_bytes(each, problem, executor.plan_device());
        const auto workload = each.make_workload(executor, problem, Input::random);
        CHECK(foretold == executor.allocated_bytes());
        if (each.baseline || n > 5000) continue;
        workload->run();
        CHECK(foretold == executor.allocated_bytes());
      }
  }
}

TEST_CASE("memory is predicted only for algorithms with kernels") {
  Algorithm formula_only = algorithm("sort-pairwise");
  formula_only.make_workload = nullptr;
  CHECK_THROWS_WITH(device_bytes(formula_only, formula_only.problem(1000), small_device()),
                    Contains("sort-pairwise has no kernels"));
  CHECK_THROWS_WITH(device_bytes(algorithm("sort-pairwise"),
                                 algorithm("sort-pairwise").problem(1000, ElementType::pair), small_device()),
                    Contains("no kernel for pair"));
}

TEST_CASE("the recording executor records allocations and launches without performing them") {
  RecordingExecutor executor({7, 100.0, 1.0, [](const Launch& launch) { return launch.shape.threads / 32; }});
  CHECK(executor.plan_device().multiprocessors == 7);
  CHECK(executor.plan_device().shared_bytes_per_multiprocessor == 100);
  CHECK(executor.plan_device().shared_bytes_reserved == 1);
  std::vector<u32> values(1000, 5);
  {
    const DeviceArray<u32> one(executor, std::span<const u32>(values)), other(executor, 10);
    CHECK(one.data() + one.size() <= other.data());
    CHECK(std::size_t(other.data()) % 256 == 0);
    CHECK(executor.allocated_bytes() == 4 * 1010);
    const auto kernel = executor.prepare<AddTo>({64});
    CHECK(kernel->resources.name == "AddTo");
    CHECK(kernel->resources.resident_blocks == 2);
    executor.launch(*kernel, 3, AddTo{one.span(), 1});
    executor.launch(*kernel, Index(1) << 50, AddTo{one.span(), 1});
    CHECK(one.download() == std::vector<u32>(1000, 0));
  }
  REQUIRE(executor.launches().size() == 2);
  CHECK(executor.launches()[0].name() == "AddTo");
  CHECK(executor.launches()[0].blocks == 3);
  CHECK(executor.launches()[0].shape == BlockShape{64});
  CHECK(executor.launches()[1].blocks == Index(1) << 50);
  CHECK(executor.allocated_bytes() == 4 * 1010);  // including released memory
  const DeviceArray<u32> huge(executor, std::size_t(1) << 50);
  CHECK(executor.allocated_bytes() > std::size_t(1) << 52);
}

TEST_CASE("a prepared plan runs its launches one by one, any number of times") {
  CountingExecutor executor;
  const std::vector<u32> zeros(128, 0);
  const DeviceArray<u32> elements(executor, std::span<const u32>(zeros));
  const PreparedPlan plan(executor, {make_launch<AddTo>(2, {64}), make_launch<AddTo>(1, {64}, {}, 3)});
  CHECK(plan.size() == 2);
  CHECK(plan[1].repeats == 3);
  CHECK(plan.resources().size() == 1);  // one kernel of one shape
  plan.launch(0, AddTo{elements.span(), 1});
  for (int repeat = 0; repeat < 3; ++repeat) plan.launch(1, AddTo{elements.span(), 10});
  const auto result = elements.download();
  for (std::size_t i = 0; i < result.size(); ++i) CHECK(result[i] == (i < 64 ? 31 : 1));
}

TEST_CASE("a prepared plan rejects a kernel of another type and a launch that it does not have") {
  CountingExecutor executor;
  const PreparedPlan plan(executor, {make_launch<Nothing>(1, {32})});
  CHECK_NOTHROW(plan.launch(0, Nothing{}));
  CHECK_THROWS_AS(plan.launch(0, AddTo{{}, 1}), std::logic_error);
  CHECK_THROWS_WITH(plan.launch(0, AddTo{{}, 1}),
                    Contains("launch 0 of the plan is of Nothing, not of") && Contains("AddTo"));
  CHECK_THROWS_AS(plan.launch(1, Nothing{}), std::out_of_range);
}

TEST_CASE("a plan that no multiprocessor can run is rejected when it is prepared") {
  CountingDevice device;
  device.limits.shared_bytes_per_block = 1000;
  CountingExecutor executor(device);
  CHECK_THROWS_AS(PreparedPlan(executor, {make_launch<Nothing>(1, {32, 2000})}), KernelFailure);
}

TEST_CASE("with default parameters kernels keep everything in registers, but for small arrays") {
  // Bytes of local memory per thread: windows of samples, indexed by data; what is spilled so that more
  // blocks are resident, as of 19 records of 16 bytes of a stable sort; 32 records per lane of karsin2018's
  // base case, which fill all registers; 17 records of 12 or 16 bytes of the segmented sort; 8 of 12
  // bytes of radix-single, of which two blocks are resident so; and up to ten words of radix-msd's buckets
  // of keys alone, twelve of records: with registers for them, and fewer blocks, sorts of 2^28 u64 and pairs
  // of u32 took 6 and 8 % longer, of 2^24 u64 with values of u32 3 % less
  // (data/h200-radix-sorts/bucket-kernels.txt, 3 and 5). Two words of SplitInAnyOrder, with which sorts of
  // i32, f32, u64, i64 and f64 by radix-onesweep take 1 to 4 % less than with a stable first pass, which
  // spills nothing. Four words of SplitIfSkewed, six of u64:u32, and two of SplitByClass of these, which
  // nothing else was tried against. Up to six words of MergeRuns of 43 keys per thread: with 39, which spill
  // nothing, sorts of 2^28 u32 by sort-kway take 3 % longer (data/h200-merge-sorts/grid.json). Eight words of
  // MergeLargeLists and six of SortLargeTiles, with which four blocks of u32:u32 and u64 are resident: with
  // three, sorts of large lists of u32:u32 take 3 to 5 % longer (data/h200-segments/trials.txt). 24 words of
  // SortLargeTiles of u64:u64, of which two blocks are resident so.
  const std::map<std::string, int> known{
      {"MultiwayPartition", 72}, {"PiecePartition", 80},  {"ChooseSplitters", 40}, {"BitonicSortTiles", 8},
      {"RankAndScatter", 8},     {"SortBuckets", 48},     {"SplitIfSkewed", 16},   {"SplitInAnyOrder", 8},
      {"SplitByClass", 8},       {"SortInWarp", 384},     {"MergeColumns", 16},    {"SortLists", 392},
      {"SortLargeTiles", 24},    {"MergeLargeLists", 32}, {"BlockSort", 128},      {"SortInOneBlock", 8},
      {"MergeRuns", 24}};
  for (const Algorithm* each : with_plan())
    for (const Instantiation& of : each->instantiations())
      for (const Parameters& parameters : each->all_default_parameters(of.type)) {
        INFO(each->slug << " " << name(of));
        const auto work = built_in_work({each->slug, of, parameters, Input::random, 90});
        REQUIRE(work);
        for (const KernelWork& kernel : work->kernels) {
          INFO(kernel.kernel);
          const auto found = known.find(kernel.kernel.substr(0, kernel.kernel.find('<')));
          const bool of_keys = found != known.end() && found->first == "SortBuckets" && !of.type.value;
          int most = of_keys ? 40 : found == known.end() ? 0 : found->second;
          if (found != known.end() && found->first == "SplitIfSkewed" &&
              of.type == KeyAndValue{ElementType::u64, ElementType::u32})
            most = 24;
          if (kernel.kernel == "SortLargeTiles" && of.type == KeyAndValue{ElementType::u64, ElementType::u64})
            most = 96;
          CHECK(kernel.local_bytes <= most);
        }
      }
}
