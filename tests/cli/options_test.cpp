// SPDX-License-Identifier: Apache-2.0
// What is declared of the options of calls is what the commands have.
#include <fathom/calls/options.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "run.h"

namespace {

using fathom::calls::Declaration;

/// The default as the help shows it; empty without one.
template <class Value>
std::string shown(const Value& value) {
  if constexpr (std::is_same_v<Value, std::vector<std::string>>)
    return fmt::format("{}", fmt::join(value, ","));
  else  // a flag, and a size derived from other values, have none
    return value == Value{} && !std::is_same_v<Value, int> ? "" : fmt::format("{}", value);
}

template <class Options>
void check_options(const std::string& command) {
  // The help breaks lines where they are full.
  const std::regex white("[ \\n]+");
  const std::string help = std::regex_replace(run_fathom(command + " --help").out, white, " ");
  Options options;
  for (const Declaration& one : declared(options)) {
    std::string name = "--" + std::string(one.name);
    std::ranges::replace(name, '_', '-');
    INFO("fathom " << command << " " << name << "\n" << help);
    const std::string value = std::visit([](const auto* own) { return shown(*own); }, one.value);
    // As CLI11 writes them before its version 2.2, and since.
    std::vector<std::string> written{name};
    if (!value.empty()) written = {name + " TEXT=" + value, name + " TEXT [" + value + "]"};
    if (one.without_value != 0) written = {fmt::format("{}{{{}}}", name, one.without_value)};
    std::size_t at = help.npos;
    for (const std::string& each : written) at = std::min(at, help.find(" " + each + " "));
    REQUIRE(at != help.npos);
    CHECK(help.find(one.help.substr(0, one.help.find('`')), at) != help.npos);

    const bool is_size = std::holds_alternative<double*>(one.value);
    if (!is_size && !std::holds_alternative<int*>(one.value)) continue;
    std::vector<const char*> refused{"-1", "0x10", "010", "1.5"};
    if (!is_size) refused.insert(refused.end(), {"1e3", "3.0"});
    if (one.range.low > 0) refused.push_back("0");
    for (const std::string text : refused) {
      const Outcome outcome = run_fathom(command + " " + name + "=" + text);
      CHECK(outcome.code == 2);
      CHECK(outcome.err.starts_with(fmt::format("fathom: {} '{}': give a whole number from {:.0f} to {:.0f}",
                                                name, text, one.range.low, one.range.high)));
    }
  }
}

}  // namespace

TEST_CASE("every declared option is in the help of its command, and numbers are read strictly") {
  using namespace fathom::calls;
  check_options<SweepOptions>("predict");
  check_options<LaunchesOptions>("predict");
  check_options<MachineCodeOptions>("predict");
  check_options<TuneOptions>("tune");
  check_options<BenchOptions>("bench");
  check_options<CountOptions>("count");
  check_options<CalibrateOptions>("calibrate");
  check_options<FitOptions>("fit");
  check_options<ValidateOptions>("validate");
  check_options<PlotOptions>("plot");
  check_options<ReportOptions>("report");
}

TEST_CASE("one prediction and a sweep of them have the same options") {
  fathom::calls::PredictOptions one;
  fathom::calls::SweepOptions sweep;
  CHECK(std::ranges::equal(declared(one), declared(sweep), {}, &Declaration::name, &Declaration::name));
}
