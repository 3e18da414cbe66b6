// SPDX-License-Identifier: Apache-2.0
// Files with launches: what parse_launch_report() accepts is written and read back unchanged, and the
// launches that can be priced take a time.
#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/laws/reported_launches.h>
#include <fathom/store/launches/launch_report.h>
#include <fmt/format.h>

#include "fuzz.h"
#include "stored.h"

using namespace fathom;

namespace {

void check_round_trip(const LaunchReport& report) {
  const std::string text = to_json(report);
  const LaunchReport again = parse_launch_report(text, "again");
  fuzz::expect(to_json(again) == text, "launches that were written read back the same");
  fuzz::expect(again.launches == report.launches, "no number is changed");
}

void check_time(const LaunchReport& report) try {
  static const Machine<double> machine = built_in_profile("h200").machine;
  constexpr std::size_t most_priced = 100;
  std::vector<CountedLaunch> launches;
  for (const ReportedLaunch& launch : report.launches)
    if (launches.size() < most_priced && why_not_priced(launch).empty()) try {
        launches.push_back(counted_launch(launch, machine, machine));
      } catch (const BlockTooLarge&) {
      }
  if (launches.empty()) return;
  for (const Caches caches : {Caches::cold, Caches::warm}) {
    set_reach(launches, caches);
    fuzz::expect_positive(CountedRun("launches", launches).predicted(machine).time_s, "the time");
  }
} catch (const ImpossibleTime&) {
  fuzz::expect(false, "numbers that files may hold take a time");
}

constexpr std::string_view head =
    R"({"schema":"fathom.launches","version":1,"provenance":{"gpu":null,"driver":null,"toolkit":null,)"
    R"("date":null,"commit":null,"command":null},"architecture":null,"multiprocessors":null,"l2_bytes":null,)";

std::string launch_of(std::string_view kernel, std::string_view work) {
  std::string numbers;
  for (const LaunchNumber& number : launch_numbers) numbers += fmt::format("\"{}\":null,", number.name);
  return fmt::format(R"({{"kernel":{},"blocks":1,"threads_per_block":32,{}"warp_clocks":null,"work":{}}})",
                     kernel, numbers, work);
}

std::string file_of(std::string_view launches) {
  return fmt::format(R"({}"launches":[{}]}})", head, launches);
}

}  // namespace

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  for (const std::string& json : large_json(bytes)) {
    inputs.push_back(json);
    inputs.push_back(file_of(json));
    inputs.push_back(file_of(launch_of(json, "{}")));
    inputs.push_back(file_of(launch_of("\"k\"", json)));
  }
  inputs.push_back(file_of(listed([](std::size_t) { return launch_of("\"k\"", "{}"); }, bytes)));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const auto report = fuzz::accepted([&] { return parse_launch_report(text, "file"); });
  if (!report) return 0;
  check_round_trip(*report);
  check_time(*report);
  return 0;
}
