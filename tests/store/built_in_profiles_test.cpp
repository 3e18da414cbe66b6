// SPDX-License-Identifier: Apache-2.0
// The profiles that are compiled into the library, against ranges and the tables of their sources.
#include "../support/machines.h"
#include "json_text.h"

#include <catch2/catch.hpp>

using namespace fathom;

TEST_CASE("every constant of a machine has a physical range, which holds those of the shipped profiles") {
  for (const std::string& name : built_in_profiles()) {
    const Machine<double> machine = built_in_profile(name).machine;
    for_each_constant(machine, [&](std::string_view constant, const std::optional<double>& value) {
      CAPTURE(name, std::string(constant));
      const Range range = constant_named(constant).range;
      CHECK(range.lowest < range.highest);
      if (value) CHECK(range.holds(*value));
    });
  }
  CHECK_THROWS_AS(constant_named("global.colour"), std::invalid_argument);
}

TEST_CASE("every shipped profile loads") {
  const auto names = built_in_profiles();
  for (const char* published : {"m4000", "gtx770", "k40m"})
    CHECK(std::find(names.begin(), names.end(), published) != names.end());
  for (const std::string& name : names) {
    const DeviceProfile profile = built_in_profile(name);
    INFO(name);
    CHECK(profile.name == name);
    CHECK(profile.machine.P() > 0);
    CHECK(profile.machine.M() > 0);
    const bool rates_alone = profile.origin == "published rates" ||
                             (profile.origin == "scaled" && profile.machine.cores_per_multiprocessor == 8);
    for (Level level : {Level::global, Level::shared, Level::registers}) {
      CHECK((profile.machine.at(level).latency.value_or(0) > 0) != rates_alone);
      if (level != Level::shared || !rates_alone) CHECK(profile.machine.at(level).bandwidth.value() > 0);
    }
    CHECK(to_json(parse_profile(to_json(profile), name)) == to_json(profile));
  }
  CHECK_THROWS_WITH(built_in_profile("m400"),
                    Catch::Contains("choose one of h100, h200; law published only: 8800gt, ") &&
                        Catch::Contains(", m4000"));
}

TEST_CASE("the profiles of published rates have those of merrill2010") {
  const auto rates = [](const char* name) {
    const Machine<double> machine = built_in_profile(name).machine;
    const double clocks = machine.P() * machine.clock.value;
    return std::pair(*machine.at(Level::registers).bandwidth * clocks,
                     4 * *machine.at(Level::global).bandwidth * clocks);
  };
  CHECK(rates("gtx285").first == Approx(354e9).epsilon(1e-4));
  CHECK(rates("gtx285").second == Approx(142.5e9).epsilon(1e-4));
}

TEST_CASE("the profiles of GPUs without published constants are those of another, scaled") {
  const auto scaled = [](const char* name, const char* from, double memory, double cycles) {
    INFO(name);
    const Machine<double> machine = built_in_profile(name).machine, given = built_in_profile(from).machine;
    const auto words_per_s = [](const Machine<double>& of) {
      return *of.at(Level::global).bandwidth * of.P() * of.clock.value;
    };
    CHECK(built_in_profile(name).origin == "scaled");
    CHECK(words_per_s(machine) == Approx(words_per_s(given) * memory).epsilon(1e-4));
    CHECK(machine.P() * machine.clock.value == Approx(given.P() * given.clock.value * cycles).epsilon(1e-9));
    CHECK(machine.at(Level::registers).bandwidth == given.at(Level::registers).bandwidth);
    CHECK(machine.at(Level::shared).latency == given.at(Level::shared).latency);
  };
  scaled("c1060", "gtx285", 102.4 / 159, 1296. / 1476);
  scaled("8800gt", "gtx285", 57.6 / 159, 112. / 240 * 1500 / 1476);
  scaled("k20c", "k40m", 208 / 288.4, 2496. / 2880 * 706 / 745);
}

TEST_CASE("the published profiles have the constants of karsin2018, and no others") {
  for (const Machine<double>& expected : {tests::m4000(), tests::gtx770(), tests::k40m()}) {
    INFO(expected.name);
    const Machine<double> found = built_in_profile(expected.name).machine;
    CHECK(found.P() == expected.P());
    CHECK(found.M() == expected.M());
    CHECK(found.clock == expected.clock);
    CHECK(constants_of(found) == constants_of(expected));
  }
}
