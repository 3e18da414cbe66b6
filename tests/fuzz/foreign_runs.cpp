// SPDX-License-Identifier: Apache-2.0
// Files of other tools: what parse_runs() accepts is a dataset that is written and read back unchanged, in
// finite positive numbers. A file beside the document is the document itself.
#include <fathom/store/read_runs.h>
#include <fmt/format.h>

#include "fuzz.h"
#include "stored.h"

namespace fathom {
namespace {

const Descriptor& known_algorithm() {
  static const Descriptor descriptor{.slug = "sort-pairwise",
                                     .kind = Kind::sort,
                                     .source = "",
                                     .parameters = {{"E", "", {15, 17}, 17}, {"t", "", {128, 256}, 256}}};
  return descriptor;
}

const RunReading& reading() {
  static const RunReading some{.names = {{"block_sort", "sort-pairwise"},
                                         {"BM_sort", "sort-pairwise"},
                                         {"block_size_x", "t"},
                                         {"arg2", "n"},
                                         {"n", "2^20"},
                                         {"type", "u32:u64"},
                                         {"entropy", "0.5"},
                                         {"E", "15"}},
                               .vouched = true,
                               .find = [](std::string_view slug) {
                                 return slug == known_algorithm().slug ? &known_algorithm() : nullptr;
                               }};
  return some;
}

std::string nvbench_of(std::string_view benchmarks) {
  return fmt::format(R"({{"devices":[{{"id":0,"name":"G"}}],"benchmarks":[{}]}})", benchmarks);
}
std::string nvbench_state(std::string_view axes, std::string_view summaries) {
  return nvbench_of(fmt::format(
      R"({{"name":"b","states":[{{"device":0,"axis_values":[{}],"summaries":[{}],"is_skipped":false}}]}})",
      axes, summaries));
}
std::string google_of(std::string_view records) {
  return fmt::format(R"({{"context":{{}},"benchmarks":[{}]}})", records);
}
std::string google_record(std::string_view name) {
  return fmt::format(R"({{"name":"{}","real_time":1,"elements":8}})", name);
}
std::string tuner_of(std::string_view keys, std::string_view configurations) {
  return fmt::format(
      R"({{"device_name":"G","kernel_name":"k","problem_size":8,"tune_params_keys":[{}],"cache":{{{}}}}})",
      keys, configurations);
}

constexpr std::string_view mean =
    R"({"tag":"nv/cold/time/gpu/mean","data":[{"name":"value","type":"float64","value":"1e-6"}]})";

}  // namespace
}  // namespace fathom

using namespace fathom;

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  for (const std::string& json : large_json(bytes)) {
    inputs.push_back(nvbench_of(json));
    inputs.push_back(google_of(json));
    inputs.push_back(tuner_of("", "\"1\":" + json));
    inputs.push_back("{\"a\":" + json + ",\"context\":{},\"benchmarks\":[]}");
  }
  const auto of = [&](auto text) { return listed(text, bytes); };
  inputs.push_back(nvbench_state(
      of([](std::size_t i) { return fmt::format(R"({{"name":"a{}","value":"{}"}})", i, i); }), mean));
  inputs.push_back(nvbench_state("", of([](std::size_t i) { return fmt::format(R"({{"tag":"{}"}})", i); })));
  inputs.push_back(nvbench_of(of([](std::size_t i) {
    return fmt::format(
        R"({{"name":"b","states":[{{"device":0,"axis_values":[{{"name":"Elements","value":"8"}},)"
        R"({{"name":"a","value":"x{}"}}],"summaries":[{}],"is_skipped":false}}]}})",
        i, mean);
  })));
  inputs.push_back(
      google_of(of([](std::size_t i) { return google_record(fmt::format("b{}/{}", i, i + 1)); })));
  inputs.push_back(google_of(of([](std::size_t) { return google_record("b/8"); })));
  inputs.push_back(google_of(google_record("b" + repeated("/8", bytes))));
  inputs.push_back(google_of(google_record("b" + repeated("/x", bytes))));
  inputs.push_back(google_of(google_record("b<" + repeated("int,", bytes) + ">/8")));
  inputs.push_back(tuner_of("", of([](std::size_t i) { return fmt::format(R"("{}":{{"time":1}})", i); })));
  inputs.push_back(
      tuner_of(listed([](std::size_t i) { return fmt::format("\"{}\"", i); }, bytes / 2),
               listed([](std::size_t i) { return fmt::format(R"("{}":{{"0":1}})", i); }, bytes / 2)));
  inputs.push_back(tuner_of("\"E\"", of([](std::size_t i) {
                              return fmt::format(R"("{}":{{"E":"x{}","time":1,"times":[1,2]}})", i, i);
                            })));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const auto read = fuzz::accepted([&] {
    return parse_runs(text, "runs", reading(), [&](const std::string&) { return std::optional(text); });
  });
  if (!read) return 0;
  for (const Measurement& run : read->dataset.runs) {
    fuzz::expect_positive(run.problem.n, "n");
    fuzz::expect(!run.seconds.empty(), "a run has times");
    for (const double seconds : run.seconds) fuzz::expect_positive(seconds, "a time");
  }
  for (const auto& [why, runs] : read->left_out)
    fuzz::expect(runs > 0 && !why.empty(), "a reason is one of runs");
  const std::string written = to_json(read->dataset);
  fuzz::expect(to_json(parse_dataset(written, "again")) == written,
               "a dataset that was written reads back the same");
  return 0;
}
