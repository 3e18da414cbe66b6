// SPDX-License-Identifier: Apache-2.0
// A descriptor accepts problems that it solves and rejects others, tested on a made-up algorithm.
#include "../support/error_of.h"
#include "../support/machines.h"

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;
using tests::error_of;

namespace {

Descriptor by_hand(Kind kind = Kind::sort) {
  Descriptor algorithm;
  algorithm.slug = "by-hand";
  algorithm.kind = kind;
  algorithm.parameters = {{"E", "elements per thread", consecutive(3, 47), 17},
                          {"t", "threads per block", {64, 128, 256, 512}, 256}};
  algorithm.types = {ElementType::u32, ElementType::f64};
  return algorithm;
}

}  // namespace

TEST_CASE("a descriptor's problem has its kind and its default parameters") {
  const Problem problem = by_hand(Kind::scan).problem(1000, ElementType::f64);
  CHECK(problem ==
        Problem{
            .kind = Kind::scan, .n = 1000, .type = ElementType::f64, .parameters = {{"E", 17}, {"t", 256}}});
  CHECK_NOTHROW(by_hand(Kind::scan).check(problem));
  CHECK(by_hand().find_parameter("t")->default_value == 256);
  CHECK(by_hand().find_parameter("nothing") == nullptr);
}

TEST_CASE("default parameters depend on n and type: of each, the first row that applies and names it") {
  Descriptor algorithm = by_hand();
  algorithm.other_defaults = {{.parameters = {{"E", 5}}, .most_n = 1000},
                              {.parameters = {{"E", 9}, {"t", 64}}, .most_n = 1e6, .key_bytes = 8},
                              {.parameters = {{"t", 512}}, .key_bytes = 4, .value_bytes = 0}};
  const KeyAndValue u32{ElementType::u32, {}}, u64{ElementType::u64, {}},
      pair{ElementType::u32, ElementType::u32};
  CHECK(algorithm.default_parameters() == Parameters{{"E", 17}, {"t", 256}});
  CHECK(algorithm.default_parameters(1000, u64) == Parameters{{"E", 5}, {"t", 64}});
  CHECK(algorithm.default_parameters(1000, u32) == Parameters{{"E", 5}, {"t", 512}});
  CHECK(algorithm.default_parameters(1000, pair) == Parameters{{"E", 5}, {"t", 256}});
  CHECK(algorithm.default_parameters(1001, u64) == Parameters{{"E", 9}, {"t", 64}});
  CHECK(algorithm.default_parameters(1e7, u64) == Parameters{{"E", 17}, {"t", 256}});
  CHECK(algorithm.default_parameters(1001, u32) == Parameters{{"E", 17}, {"t", 512}});
  CHECK(algorithm.default_parameters(1001, pair) == Parameters{{"E", 17}, {"t", 256}});
  CHECK(algorithm.problem(10, ElementType::u64).parameters == Parameters{{"E", 5}, {"t", 64}});
  CHECK(algorithm.all_default_parameters(u64) ==
        std::vector<Parameters>{{{"E", 17}, {"t", 256}}, {{"E", 5}, {"t", 64}}, {{"E", 9}, {"t", 64}}});
  CHECK(algorithm.all_default_parameters(u32) ==
        std::vector<Parameters>{{{"E", 17}, {"t", 512}}, {{"E", 5}, {"t", 512}}});
  CHECK(algorithm.range_of_defaults(1e7) == 0);
  CHECK(algorithm.range_of_defaults(1e6) == algorithm.range_of_defaults(1001));
  CHECK(algorithm.range_of_defaults(1000) != algorithm.range_of_defaults(1001));
}

TEST_CASE("resident blocks follow from the registers that a plan's device is given") {
  const KernelInfo kernel{"Kernel", nullptr, nullptr, {}};
  const Launch launch{.kernel = &kernel, .shape = {256, 0}};
  const OccupancyLimits limits = tests::complete_machine().limits;
  const auto resident = [&](double registers) {
    return plan_device(2, limits, [=](const Launch&) { return registers; }).resident_blocks(launch);
  };
  CHECK(resident(255) == 1);  // 256 threads of 256 registers are all 65536 of a multiprocessor
  CHECK(resident(128) == 2);
  CHECK(resident(unknown_registers) == 8);  // 2048 threads
  CHECK(plan_device(2, limits).resident(launch) == 16);
}

TEST_CASE("a plan's device has the machine's memory, if that is known") {
  Machine<double> machine = tests::complete_machine();
  machine.global_memory.value = 8e9;
  CHECK(plan_device(machine).memory_bytes == 8e9);
  CHECK(plan_device(machine).multiprocessors == machine.multiprocessors);
  machine.global_memory.value = 0;
  CHECK(plan_device(machine).memory_bytes > 1e300);
}

TEST_CASE("an algorithm is for several GPUs if it has steps for a number of them") {
  Descriptor algorithm{.slug = "own",
                       .kind = Kind::sort,
                       .source = "this test",
                       .parameters = {{"gpus", "GPUs", {1, 2, 4}, 2}}};
  CHECK_FALSE(algorithm.for_several_gpus());  // a parameter of a formula may have this name
  CHECK(algorithm.gpus_of(algorithm.problem(10)) == 1);
  algorithm.steps = [](const Problem&, const PlanDevice&) { return std::vector<RankStep>{}; };
  CHECK(algorithm.for_several_gpus());
  CHECK(algorithm.runs_on() == "several GPUs");
  CHECK(algorithm.gpus_of(algorithm.problem(10)) == 2);
  algorithm.in_host_memory = true;
  CHECK(algorithm.for_several_gpus());
  CHECK(algorithm.runs_on() == "data in host memory");
  algorithm.parameters.clear();
  CHECK_FALSE(algorithm.for_several_gpus());
  CHECK(algorithm.runs_on() == "data in host memory");
}

TEST_CASE("bad parameters are rejected with name and range") {
  CHECK_THROWS_WITH(by_hand().check(Parameters{{"e", 15}}), Contains("did you mean 'E'"));
  CHECK_THROWS_WITH(by_hand().check(Parameters{{"E", 48}}),
                    Contains("E") && Contains("48") && Contains("3..47"));
  CHECK_THROWS_WITH(by_hand().check(Parameters{{"t", 100}}), Contains("64, 128, 256, 512"));
}

TEST_CASE("a problem that the algorithm cannot solve is rejected, saying what it can solve") {
  const auto refusal = [](Kind kind, auto change) {
    const Descriptor algorithm = by_hand(kind);
    Problem problem = algorithm.problem(1000);
    change(problem);
    return error_of<std::invalid_argument>([&] { algorithm.check(problem); });
  };
  CHECK(refusal(Kind::sort, [](Problem&) {}) == "");
  CHECK_THAT(refusal(Kind::sort, [](Problem& p) { p.kind = Kind::scan; }),
             Contains("solves a sort, not a scan"));
  CHECK_THAT(refusal(Kind::sort, [](Problem& p) { p.n = 0; }), Contains("at least one element"));
  CHECK_THAT(refusal(Kind::sort, [](Problem& p) { p.type = ElementType::pair; }),
             Contains("pair: choose from u32, f64"));
  CHECK_THAT(refusal(Kind::sort, [](Problem& p) { p.value_type = ElementType::u64; }),
             Contains("keys without values"));
  CHECK_THAT(refusal(Kind::reduce, [](Problem& p) { p.value_type = ElementType::u64; }),
             Contains("does not support values"));
  CHECK_THAT(refusal(Kind::sort, [](Problem& p) { p.order = Order::descending; }),
             Contains("ascending order only"));
  CHECK_THAT(refusal(Kind::sort, [](Problem& p) { p.stable = true; }), Contains("is not stable"));
  CHECK_THAT(refusal(Kind::scan, [](Problem& p) { p.stable = true; }), Contains("no equal keys to keep in"));
}

TEST_CASE("a sort of keys with values accepts the pairs of its list, and stability with values only") {
  Descriptor algorithm = by_hand();
  algorithm.pairs = {{ElementType::u32, ElementType::u32}, {ElementType::u64, ElementType::u32}};
  const auto check = [&](KeyAndValue type, bool stable) {
    algorithm.check(algorithm.problem(1000, {type, stable}));
  };
  CHECK_NOTHROW(check({ElementType::u64, ElementType::u32}, false));
  CHECK_NOTHROW(check({ElementType::u32, {}}, false));
  CHECK_THROWS_WITH(check({ElementType::u64, {}}, false),
                    Contains("no kernel for u64: choose from u32, f64"));
  CHECK_THROWS_WITH(check({ElementType::f64, ElementType::u32}, false),
                    Contains("no kernel for f64:u32: choose from u32, f64, u32:u32, u64:u32"));
  CHECK_THROWS_WITH(check({ElementType::u32, ElementType::u32}, true), Contains("is not stable"));
  CHECK(algorithm.instantiations().size() == 4);

  algorithm.stable = true;
  CHECK_NOTHROW(check({ElementType::u32, ElementType::u32}, true));
  CHECK_THROWS_WITH(check({ElementType::u32, {}}, true), Contains("equal u32 keys without values cannot be"));
  CHECK_THROWS_WITH(check({ElementType::f64, {}}, true),
                    Contains("only if they have values") && Contains("choose from u32:u32, u64:u32"));
  const std::vector<Instantiation> all = algorithm.instantiations();
  REQUIRE(all.size() == 6);
  CHECK(name(all[2]) == "u32:u32");
  CHECK(name(all[5]) == "u64:u32 stable");
  for (const Instantiation& of : all) {
    const Problem problem = algorithm.problem(1000, of);
    CHECK(Instantiation(problem) == of);
    CHECK_NOTHROW(algorithm.check(problem));
  }
}
