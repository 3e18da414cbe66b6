// SPDX-License-Identifier: Apache-2.0
// Files of other tools, written by hand after what nvbench 0.1 (JSON 1.0.0), Google Benchmark 1.9.4 (JSON
// schema 1) and Kernel Tuner 1.4.0 write.
#include "../support/temporary_directory.h"
#include "json_text.h"

#include <fathom/store/read_runs.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>

using namespace fathom;

namespace {

const Descriptor sort_pairwise{
    .slug = "sort-pairwise",
    .kind = Kind::sort,
    .source = "",
    .parameters = {{"E", "elements per thread", {15, 17}, 17}, {"t", "threads per block", {128, 256}, 256}}};

const Descriptor* find(std::string_view slug) {
  return slug == sort_pairwise.slug ? &sort_pairwise : nullptr;
}

RunReading reading_with(std::map<std::string, std::string> names) {
  return {.names = std::move(names), .vouched = false, .find = find};
}

std::string axis(const std::string& name, const std::string& value) {
  return fmt::format(R"({{"name":"{}","type":"string","value":"{}"}})", name, value);
}

std::string nvbench_state(const std::string& axes, const std::string& summaries, int device = 0) {
  return fmt::format(R"({{"name":"a state","device":{},"type_config_index":0,"axis_values":[{}],)"
                     R"("summaries":[{}],"is_skipped":false}})",
                     device, axes, summaries);
}

std::string mean_of(const std::string& seconds) {
  return fmt::format(R"({{"tag":"nv/cold/time/gpu/mean","name":"GPU Time","hint":"duration",)"
                     R"("data":[{{"name":"value","type":"float64","value":"{}"}}]}})",
                     seconds);
}

const std::string samples_file =
    R"({"tag":"nv/json/bin:nv/cold/sample_times","name":"Sample Times File","hint":"file/sample_times",)"
    R"("data":[{"name":"filename","type":"string","value":"elsewhere/out.json-bin/0.bin"},)"
    R"({"name":"size","type":"int64","value":"2"}]})";

std::string nvbench(const std::string& states, const std::string& name = "sort_pairwise") {
  return fmt::format(R"({{"meta":{{"argv":["bench","--json","out.json"],"version":{{}}}},)"
                     R"("devices":[{{"id":0,"name":"NVIDIA H200"}},{{"id":1,"name":"NVIDIA H100"}}],)"
                     R"("benchmarks":[{{"name":"{}","index":0,"devices":[0],"axes":null,"states":[{}]}}]}})",
                     name, states);
}

std::string google(const std::string& records) {
  return fmt::format(
      R"({{"context":{{"date":"2026-01-02T03:04:05+00:00","executable":"./bench","json_schema_version":1}},)"
      R"("benchmarks":[{}]}})",
      records);
}

std::string record(const std::string& name, const std::string& time, const std::string& others = "") {
  return fmt::format(R"({{"name":"{}","run_name":"{}","run_type":"iteration","iterations":10,)"
                     R"("real_time":{},"cpu_time":1.0,"time_unit":"us"{}}})",
                     name, name, time, others);
}

std::string aggregate(const std::string& name, const std::string& of, const std::string& time) {
  return fmt::format(
      R"({{"name":"{}_{}","run_name":"{}","run_type":"aggregate","aggregate_name":"{}",)"
      R"("aggregate_unit":"time","iterations":2,"real_time":{},"cpu_time":1.0,"time_unit":"ms"}})",
      name, of, name, of, time);
}

std::string tuner(const std::string& configurations,
                  const std::string& size = R"("problem_size":[1024,512],)",
                  const std::string& keys = R"("block_size_x","E")") {
  return fmt::format(R"({{"device_name":"NVIDIA H200","kernel_name":"block_sort",{}"tune_params_keys":[{}],)"
                     R"("tune_params":{{}},"objective":"time","cache":{{{}}}}})",
                     size, keys, configurations);
}

std::string configuration(int x, int e, const std::string& time) {
  return fmt::format(R"("{},{}":{{"block_size_x":{},"E":{},"time":{},"compile_time":440.9}})", x, e, x, e,
                     time);
}

/// "sort-pairwise u32 random n=4 E=15: 1e-06 2e-06", of each run.
std::vector<std::string> told(const ReadRuns& read) {
  std::vector<std::string> lines;
  for (const Measurement& run : read.dataset.runs) {
    std::string line = fmt::format("{} {} {} n={:.0f}", run.algorithm, type_text(run.problem),
                                   name(run.input), run.problem.n);
    for (const auto& [parameter, value] : run.problem.parameters)
      line += fmt::format(" {}={}", parameter, value);
    line += ':';
    for (const double seconds : run.seconds) line += fmt::format(" {:.6g}", seconds);
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("runs of other tools are read as their names and axes say") {
  struct Row {
    const char* what;
    std::string text;
    std::map<std::string, std::string> names;
    Lines runs;
  };
  const std::string sized = axis("Elements{io}", "1024");
  const std::vector<Row> rows{
      {"nvbench: type, size and parameters by their usual names",
       nvbench(
           nvbench_state(axis("T{ct}", "I64") + ',' + sized + ',' + axis("E", "15") + ',' + axis("t", "256"),
                         mean_of("1.5e-06"))),
       {},
       {"sort-pairwise i64 random n=1024 E=15 t=256: 1.5e-06"}},
      {"nvbench: keys with values, and an entropy",
       nvbench(nvbench_state(axis("KeyT{ct}", "U32") + ',' + axis("ValueT{ct}", "U64") + ',' + sized + ',' +
                                 axis("Entropy", "0.811"),
                             mean_of("1e-06")),
               "radix.keys"),
       {},
       {"radix.keys u32:u64 entropy=0.811 n=1024: 1e-06"}},
      {"nvbench: full entropy is random input",
       nvbench(nvbench_state(sized + ',' + axis("Entropy", "1.000"), mean_of("1e-06"))),
       {},
       {"sort-pairwise u32 random n=1024: 1e-06"}},
      {"nvbench: what distinguishes runs and means nothing is in their name",
       nvbench(nvbench_state(sized + ',' + axis("OffsetT{ct}", "I32") + ',' + axis("Same", "x"),
                             mean_of("1e-06")) +
               ',' +
               nvbench_state(sized + ',' + axis("OffsetT{ct}", "I64") + ',' + axis("Same", "x"),
                             mean_of("2e-06"))),
       {{"sort_pairwise OffsetT=I64", "sort-pairwise"}},
       {"sort_pairwise OffsetT=I32 u32 random n=1024: 1e-06", "sort-pairwise u32 random n=1024: 2e-06"}},
      {"Google Benchmark: template argument, first argument and manner of measuring",
       google(record("BM_sort<std::uint64_t>/1048576/manual_time/min_time:2.000", "125.0")),
       {},
       {"BM_sort u64 random n=1048576: 0.000125"}},
      {"Google Benchmark: named arguments, in any order",
       google(record("BM_sort_pairwise<float, unsigned int>/E:15/t:256/n:4096", "1.0")),
       {},
       {"sort-pairwise f32:u32 random n=4096 E=15 t=256: 1e-06"}},
      {"Google Benchmark: a counter is n, others are nothing",
       google(record("sort/15/real_time", "1.0", R"(,"elements":2048.0,"GFLOPS":3.5)")),
       {{"sort", "sort-pairwise"}, {"arg1", "E"}},
       {"sort-pairwise u32 random n=2048 E=15: 1e-06"}},
      {"Google Benchmark: repetitions are one run, and their aggregates are not counted twice",
       google(record("a/8", "1.0") + ',' + record("b/8", "5.0") + ',' + record("a/8", "3.0") + ',' +
              aggregate("a/8", "median", "0.002")),
       {},
       {"a u32 random n=8: 1e-06 3e-06", "b u32 random n=8: 5e-06"}},
      {"Google Benchmark: of aggregates alone, the median",
       google(aggregate("a/8", "mean", "0.004") + ',' + aggregate("a/8", "median", "0.002") + ',' +
              aggregate("a/8", "stddev", "0.001")),
       {},
       {"a u32 random n=8: 2e-06"}},
      {"Google Benchmark: a template argument that is no type stays in the name",
       google(record("BM<a, b, c>/x/8", "1.0")),
       {},
       {"BM<a, b, c>/x u32 random n=8: 1e-06"}},
      {"Kernel Tuner: milliseconds, all dimensions, and names explained",
       tuner(configuration(128, 15, "0.5") + ',' + configuration(256, 15, R"(0.25,"times":[0.25,0.125])")),
       {{"block_sort", "sort-pairwise"}, {"block_size_x", "t"}, {"type", "u64"}},
       {"sort-pairwise u64 random n=524288 t=128 E=15: 0.0005",
        "sort-pairwise u64 random n=524288 t=256 E=15: 0.00025 0.000125"}},
      {"Kernel Tuner: a size that is given, and a parameter",
       tuner(configuration(128, 15, "0.5"), ""),
       {{"n", "2^20"}, {"block_sort", "sort-pairwise"}, {"t", "256"}, {"input", "zipf"}},
       {"sort-pairwise u32 zipf n=1048576 block_size_x=128 E=15 t=256: 0.0005"}},
      {"Kernel Tuner: a file that says n needs none",
       tuner(configuration(128, 15, "0.5"), R"("problem_size":100,)"),
       {{"n", "2^20"}},
       {"block_sort u32 random n=100 block_size_x=128 E=15: 0.0005"}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const ReadRuns read = parse_runs(row.text, "f.json", reading_with(row.names));
    CHECK(told(read) == row.runs);
    CHECK(read.left_out.empty());
    CHECK_FALSE(read.tool.empty());
  }
}

TEST_CASE("runs that have no time, size or type here are left out, and counted") {
  struct Row {
    const char* what;
    std::string text;
    const char* why;
  };
  const std::vector<Row> rows{
      {"nvbench: skipped",
       nvbench(R"({"device":0,"axis_values":null,"summaries":null,"is_skipped":true,"skip_reason":"no"})"),
       "that the tool skipped"},
      {"nvbench: measured on the CPU", nvbench(nvbench_state(axis("Elements", "8"), "")),
       "without a time on the GPU"},
      {"nvbench: a type of one byte",
       nvbench(nvbench_state(axis("T", "I8") + ',' + axis("Elements", "8"), mean_of("1"))),
       "of types that fathom does not have"},
      {"nvbench: no size", nvbench(nvbench_state(axis("E", "8"), mean_of("1"))),
       "whose n the file does not say"},
      {"nvbench: half an element", nvbench(nvbench_state(axis("Elements", "0.5"), mean_of("1"))),
       "whose n is no whole number from 1 to 2^53"},
      {"Google Benchmark: an error",
       google(record("a/8", "0.0", R"(,"error_occurred":true,"error_message":"no")")),
       "that the tool skipped"},
      {"Google Benchmark: only a fit", google(aggregate("a/8", "BigO", "0")), "without a time"},
      {"Kernel Tuner: an invalid configuration", tuner(configuration(1, 2, R"("InvalidConfig")")),
       "that failed"},
      {"Kernel Tuner: an error", tuner(configuration(1, 2, R"(1.0,"__error__":"RuntimeFailedConfig")")),
       "that failed"},
      {"Kernel Tuner: another objective", tuner(R"("1,2":{"block_size_x":1,"E":2,"power":3.0})"),
       "without a time"},
      {"Kernel Tuner: a size that the parameters say",
       tuner(configuration(1, 2, "1.0"), R"("problem_size":"callable",)"), "whose n the file does not say"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const ReadRuns read = parse_runs(row.text, "f.json", reading_with({}));
    CHECK(read.dataset.runs.empty());
    CHECK(read.left_out == std::map<std::string, std::size_t>{{row.why, 1}});
  }
}

TEST_CASE("what is wrong in another tool's file is told with its field") {
  struct Row {
    std::string text, error;
  };
  const std::string elements = axis("Elements", "8");
  const std::vector<Row> rows{
      {nvbench(nvbench_state(elements, mean_of("fast"))),
       "field 'benchmarks[0].states[0].summaries[0].data[0].value' is 'fast': it must be a time from 1e-10 "
       "to "
       "1000000 s"},
      {nvbench(nvbench_state(elements, mean_of("-1"))),
       "field 'benchmarks[0].states[0].summaries[0].data[0].value' is '-1': it must be a time from 1e-10 to "
       "1000000 s"},
      {nvbench(nvbench_state(elements, mean_of("1"), 7)),
       "field 'benchmarks[0].states[0].device' is the number of no device in 'devices'"},
      {nvbench(nvbench_state(elements, mean_of("1")) + ',' + nvbench_state(elements, mean_of("1"), 1)),
       "field 'benchmarks[0].states[1].device' is a NVIDIA H100, others are a NVIDIA H200: measure one GPU "
       "at a "
       "time"},
      {google(record("a/8", "0")),
       "field 'benchmarks[0].real_time' is 0 s: a run takes from 1e-10 to 1000000 s"},
      {google(R"({"name":"a/8","real_time":1,"time_unit":"h"})"),
       "field 'benchmarks[0].time_unit' is 'h': it must be ns, us, ms or s"},
      {google(R"({"name":"a/8"})"), "field 'benchmarks[0].real_time' is missing"},
      {tuner(configuration(128, 15, "-1")),
       "field 'cache.128,15.time' is -0.001 s: a run takes from 1e-10 to 1000000 s"},
      {tuner(R"("128":{"block_size_x":128,"time":1})"), "field 'cache.128.E' is missing"},
      {tuner("", "", R"("E","E")"), "field 'tune_params_keys[1]' names 'E' a second time"},
      {tuner(configuration(1, 2, "1.0") + ',' + configuration(1, 2, "1.0")),
       "gives the member '1,2' twice in one object"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(format_error_of([&] { parse_runs(row.text, "f.json", reading_with({})); }) ==
          "f.json: " + row.error);
  }
}

TEST_CASE("a tuner's cache that is not closed is read as far as it goes") {
  const std::string whole = tuner(configuration(128, 15, "0.5") + ',');
  const std::string open = whole.substr(0, whole.size() - 2);
  REQUIRE(open.ends_with("},"));
  CHECK(told(parse_runs(open + "\n", "f.json", reading_with({}))).size() == 1);
}

TEST_CASE("a tuner's cache may have any number of configurations") {
  std::string all;
  for (int x = 1; x <= 3000; ++x) all += (x == 1 ? "" : ",") + configuration(x, 15, "0.5");
  CHECK(parse_runs(tuner(all), "f.json", reading_with({})).dataset.runs.size() == 3000);
}

TEST_CASE("samples beside an nvbench file are read from its own folder only") {
  const tests::TemporaryDirectory folder;
  const std::string text =
      nvbench(nvbench_state(axis("Elements", "8"), mean_of("1e-06") + ',' + samples_file));
  const auto write = [&](const std::string& name, const std::string& content) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << content;
  };
  const auto seconds = [&] {
    return read_runs(folder / "out.json", reading_with({})).dataset.runs.at(0).seconds;
  };
  write("out.json", text);
  CHECK(seconds() == std::vector{1e-6});  // without the samples, the mean
  // 0.5 and 0.25 s as floats, the least significant byte first.
  write("out.json-bin/0.bin", std::string("\0\0\0\x3f\0\0\x80\x3e", 8));
  CHECK(seconds() == std::vector{0.5, 0.25});
  write("out.json-bin/0.bin", std::string("\0\0\0\x3f\0", 5));
  CHECK(format_error_of(seconds) == (folder / "out.json").string() +
                                        ": field 'benchmarks[0].states[0].summaries[1].data[0].value' names "
                                        "a file of 5 bytes: samples have 4 "
                                        "bytes each");
  write("out.json-bin/0.bin", std::string("\0\0\0\0", 4));
  CHECK(format_error_of(seconds) == (folder / "out.json").string() +
                                        ": field 'benchmarks[0].states[0].summaries[1].data[0].value' names "
                                        "a file with a sample of 0 s, at [0]");
  write("in/out.json", replaced(text, "elsewhere/out.json-bin", ".."));
  write("0.bin", "not to be read");
  CHECK(read_runs(folder / "in/out.json", reading_with({})).dataset.runs.at(0).seconds == std::vector{1e-6});
}

TEST_CASE("runs of other tools say where they were measured, and that no one checked them") {
  const std::string text = nvbench(nvbench_state(axis("Elements", "8"), mean_of("1e-06")));
  RunReading reading = reading_with({{"Elements", "n"}, {"nothing", "n"}, {"E", "15"}, {"t", "256"}});
  const ReadRuns read = parse_runs(text, "f.json", reading);
  CHECK(read.tool == "nvbench");
  CHECK(read.dataset.provenance.gpu == "NVIDIA H200");
  CHECK(read.dataset.provenance.command == "bench --json out.json");
  CHECK(read.dataset.runs.at(0).problem.kind == Kind::sort);
  CHECK_FALSE(read.dataset.runs.at(0).checked);
  CHECK(read.without_type == 1);
  CHECK(read.used == std::set<std::string>{"Elements", "E", "t"});
  CHECK(read.names == std::set<std::string>{"Elements", "sort_pairwise"});
  reading.vouched = true;
  CHECK(parse_runs(text, "f.json", reading).dataset.runs.at(0).checked);
  CHECK(parse_runs(tuner(configuration(128, 15, "0.5")), "f.json", reading).dataset.provenance.gpu ==
        "NVIDIA H200");
  CHECK(parse_runs(google(record("a/8", "1.0")), "f.json", reading).dataset.provenance.gpu.empty());
}

TEST_CASE("a dataset is read as ever, whatever a reading says") {
  Dataset dataset;
  Measurement run;
  run.algorithm = "sort-pairwise";
  run.problem.n = 8;
  run.seconds = {1e-6};
  dataset.runs = {run};
  RunReading reading = reading_with({{"sort-pairwise", "sort-kway"}});
  reading.vouched = true;
  const ReadRuns read = parse_runs(to_json(dataset), "d.json", reading);
  CHECK(read.tool.empty());
  CHECK(read.used.empty());
  CHECK(told(read) == Lines{"sort-pairwise u32 random n=8: 1e-06"});
  CHECK_FALSE(read.dataset.runs.at(0).checked);
}

TEST_CASE("a reading gives a name a meaning, or a value") {
  struct Row {
    const char *name, *text;
    bool is_value;
  };
  for (const Row& row :
       {Row{"n", "2^26", true}, Row{"n", "1e6", true}, Row{"n", "E", false}, Row{"n", "0.5", false},
        Row{"n", "2^99", false}, Row{"type", "u32:u64", true}, Row{"type", "t", false},
        Row{"input", "zipf", true}, Row{"input", "E", false}, Row{"entropy", "0.5", true},
        Row{"entropy", "2", false}, Row{"E", "15", true}, Row{"E", "t", false}}) {
    INFO(row.name << '=' << row.text);
    CHECK(is_value_of(row.name, row.text) == row.is_value);
  }
}
