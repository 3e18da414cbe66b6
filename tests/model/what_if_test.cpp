// SPDX-License-Identifier: Apache-2.0
#include <fathom/model/what_if.h>

#include <catch2/catch.hpp>

#include "../support/links.h"
#include "../support/machines.h"

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

Machine<double> with(std::string_view text, Machine<double> machine = tests::complete_machine()) {
  apply(parse_what_if(text), machine);
  return machine;
}

}  // namespace

TEST_CASE("a constant is multiplied or replaced") {
  CHECK(*with("wait.dram=0.5x").rates.dram_latency == 350);
  CHECK(*with("wait.dram=400").rates.dram_latency == 400);
  CHECK(*with("global.latency=2x").at(Level::global).latency == 1200);
  CHECK(*with("kernel_gap=5e-7").kernel_gap == 5e-7);
  CHECK(with("clock=1.5x").clock.value == Approx(2.7e9));
  CHECK(with("clock=1e9").clock.value == 1e9);
  CHECK(with("multiprocessors=0.5x").multiprocessors == 66);
  CHECK(with("multiprocessors=80").multiprocessors == 80);
}

TEST_CASE("the bandwidth of a memory is every rate of it") {
  using Names = std::vector<std::string_view>;
  const Names dram{"global.bandwidth",  "dram.read",      "dram.write",  "dram.copy",
                   "dram.copy_by_grid", "dram.scattered", "dram.resumed"},
      l2{"l2.bandwidth", "l2.read", "l2.write", "l2.copy", "l2.scattered"};
  const Machine<double> before = tests::complete_machine();
  for (const auto& [text, doubled] : {std::pair{"dram.bandwidth=2x", dram}, {"l2.bandwidth=2x", l2}}) {
    const Machine<double> after = with(text);
    for (const auto& constant : constants<double>()) {
      INFO(text << ": " << constant.name);
      const double factor = std::ranges::count(doubled, constant.name) > 0 ? 2 : 1;
      CHECK(*constant.member.of(after) == factor * *constant.member.of(before));
    }
  }
}

TEST_CASE("the constants changed are named") {
  Machine<double> machine = tests::complete_machine();
  CHECK(apply(parse_what_if("fetch=2x"), machine) == std::vector<std::string>{"fetch"});
  CHECK(apply(parse_what_if("l2.bandwidth=2x"), machine) ==
        std::vector<std::string>{"l2.bandwidth", "l2.read", "l2.write", "l2.copy", "l2.scattered"});
  machine.rates = {};
  CHECK(apply(parse_what_if("l2.bandwidth=2x"), machine) == std::vector<std::string>{"l2.bandwidth"});
}

TEST_CASE("every name can be changed") {
  Machine<double> machine = tests::complete_machine();
  machine.links = tests::links();
  for (const std::string& name : what_if_names()) {
    INFO(name);
    CHECK_NOTHROW(with(name + "=1.01x", machine));
  }
}

TEST_CASE("what cannot be changed is refused, with the way out") {
  const auto refuses = [](std::string_view text, const std::string& reason) {
    INFO(text);
    CHECK_THROWS_WITH(with(text), Contains(reason));
    CHECK_THROWS_AS(with(text), std::invalid_argument);
  };
  refuses("dram.bandwith=2x", "did you mean 'dram.bandwidth'?");
  refuses("nonsense=2x", "'nonsense': choose from clock, multiprocessors, link.{bandwidth,latency,hosts}, ");
  refuses("nonsense=2x", ", knee, phase.{share,decay}, ");
  refuses("dram.bandwidth=4e12", "give a factor");
  refuses("clock=0", "impossible");
  refuses("wait.dram=1e30x", "impossible");
  for (const char* text :
       {"clock", "=2x", "clock=", "clock=x", "clock=2y", "clock=-1x", "clock=nanx", "clock=infx"})
    refuses(text, "NAME=1.5x");
  Machine<double> machine = tests::complete_machine();
  machine.rates = {};
  CHECK_THROWS_WITH(with("pipe.alu=2x", machine), Contains("'complete'") && Contains("pipe.alu"));
}
