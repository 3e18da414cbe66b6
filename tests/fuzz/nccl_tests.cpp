// SPDX-License-Identifier: Apache-2.0
// Files of nccl-tests: what parse_nccl_tests() accepts are finite positive times, to which lines are fitted
// that price every exchange, and that are written and read back unchanged.
#include <fathom/calibration/fit.h>
#include <fathom/core/benchmarks.h>
#include <fathom/store/nccl_tests.h>
#include <fmt/format.h>

#include <cmath>

#include "fuzz.h"
#include "stored.h"

namespace fathom {
namespace {

std::string file_of(std::string_view args, std::string_view devices, std::string_view results) {
  return fmt::format(
      R"({{"version":2,"start_time":"","args":[{}],"config":{{"nthreads":1,"ngpus":2,"devices":[{}]}},)"
      R"("results":[{}]}})",
      args, devices, results);
}

constexpr std::string_view program = R"("alltoall_perf")";
constexpr std::string_view device = R"({"hostname":"h","device_info":"NVIDIA H200"})";

std::string result_of(std::size_t size) {
  return fmt::format(R"({{"size":{},"out_of_place":{{"time":{},"nwrong":0}}}})", size, size + 1);
}

}  // namespace
}  // namespace fathom

using namespace fathom;

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  for (const std::string& json : large_json(bytes)) {
    inputs.push_back(file_of(json, device, result_of(8)));
    inputs.push_back(file_of(program, json, result_of(8)));
    inputs.push_back(file_of(program, device, json));
  }
  inputs.push_back(file_of(listed([](std::size_t) { return std::string(program); }, bytes), device, ""));
  inputs.push_back(file_of(program, listed([](std::size_t) { return std::string(device); }, bytes), ""));
  inputs.push_back(file_of(program, device, listed([](std::size_t) { return result_of(8); }, bytes)));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most_sizes = 40;  // of more, the lines would take longer than the file
  const std::string text(fuzz::text_of(data, size));
  const auto read = fuzz::accepted([&] { return parse_nccl_tests(text, "file"); });
  if (!read) return 0;
  for (const Series& series : read->series)
    for (const double seconds : series.samples) fuzz::expect_positive(seconds, "a time");
  if (read->series.size() > most_sizes) return 0;
  DeviceProfile profile = built_in_profile("m4000");
  profile.series = read->series;
  fit_links(profile);
  if (!profile.machine.links) return 0;
  Links links = *profile.machine.links;
  for (const LinkCurve& curve : profile.machine.links->curves)
    for (const double bytes : {0.0, curve.most_bytes, 0x1p40}) {
      links.hosts = curve.hosts;
      const double seconds = exchange_time({curve.kind, bytes}, curve.gpus, links).seconds;
      fuzz::expect(std::isfinite(seconds) && seconds >= 0,
                   "the time of an exchange is finite, and at least 0");
    }
  const std::string written = to_json(profile);
  fuzz::expect(to_json(parse_profile(written, "again")) == written, "a profile reads back the same");
  return 0;
}
