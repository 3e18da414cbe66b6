// SPDX-License-Identifier: Apache-2.0
// Datasets: what parse_dataset() accepts is written and read back unchanged, in finite positive numbers.
#include <fathom/store/dataset.h>
#include <fmt/format.h>

#include "fuzz.h"
#include "stored.h"

namespace fathom {
namespace {

void check_run(const Measurement& run) {
  fuzz::expect_positive(run.problem.n, "n");
  fuzz::expect(!run.seconds.empty(), "a run has times");
  for (double seconds : run.seconds) fuzz::expect_positive(seconds, "a time");
  const Quartiles times = quartiles(run.seconds);
  fuzz::expect_positive(times.low, "the first quartile");
  fuzz::expect(times.low <= times.median && times.median <= times.high, "quartiles are in order");
  if (run.clock_hz != 0) fuzz::expect_positive(run.clock_hz, "a clock");
}

void check_round_trip(const Dataset& dataset) {
  const std::string text = to_json(dataset);
  const Dataset again = parse_dataset(text, "again");
  fuzz::expect(to_json(again) == text, "a dataset that was written reads back the same");
  fuzz::expect(again.runs.size() == dataset.runs.size(), "no run is lost");
  for (std::size_t i = 0; i < again.runs.size(); ++i)
    fuzz::expect(again.runs[i].problem == dataset.runs[i].problem, "problems survive the round trip");
}

/// A dataset of a run with these parts.
std::string with(std::string_view parameters, std::string_view kernels, std::string_view seconds) {
  return fuzz::dataset_of(fuzz::run_of("sort-pairwise", parameters, kernels, seconds));
}

}  // namespace
}  // namespace fathom

using namespace fathom;

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  for (const std::string& json : large_json(bytes)) {
    inputs.push_back(json);
    inputs.push_back(dataset_of(json));
    inputs.push_back(with(json, "[]", "[1]"));
    inputs.push_back(with("{}", "[]", json));
  }
  const auto time = [](std::size_t i) { return fmt::format("{}e-9", i + 1); };
  inputs.push_back(with("{}", "[]", '[' + listed(time, bytes) + ']'));
  const auto parameter = [](std::size_t i) { return fmt::format("\"p{}\":{}", i, i); };
  inputs.push_back(with('{' + listed(parameter, bytes) + '}', "[]", "[1]"));
  const auto kernel = [](std::size_t) {
    return std::string(
        R"({"name":"","registers_per_thread":1,"local_bytes_per_thread":0,"shared_bytes_per_block":0,)"
        R"("resident_blocks_per_multiprocessor":1})");
  };
  inputs.push_back(with("{}", '[' + listed(kernel, bytes) + ']', "[1]"));
  const auto run = [](std::size_t) { return run_of("sort-pairwise", "{}", "[]", "[1e-6]"); };
  inputs.push_back(dataset_of(listed(run, bytes)));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const auto dataset = fuzz::accepted([&] { return parse_dataset(text, "dataset"); });
  if (!dataset) return 0;
  for (const Measurement& run : dataset->runs) check_run(run);
  check_round_trip(*dataset);
  return 0;
}
