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
    const bool rates_alone = profile.origin == "published rates";
    for (Level level : {Level::global, Level::shared, Level::registers}) {
      CHECK((profile.machine.at(level).latency.value_or(0) > 0) != rates_alone);
      if (level != Level::shared || !rates_alone) CHECK(profile.machine.at(level).bandwidth.value() > 0);
    }
    CHECK(to_json(parse_profile(to_json(profile), name)) == to_json(profile));
  }
  CHECK_THROWS_WITH(built_in_profile("m400"), Catch::Contains("m4000"));
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
  const std::map<const char*, double> pairs_per_second{
      {"gtx280", 428e6}, {"c1060", 330e6}, {"9800gtx", 165e6}, {"8800gtx", 116e6}};
  for (const auto& [name, rate] : pairs_per_second) {
    CHECK(rates(name).first == Approx(723 * rate).epsilon(1e-4));
    CHECK(rates(name).second == Approx(128 * 723 / 539.2 * rate).epsilon(1e-4));
  }
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
