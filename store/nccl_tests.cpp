// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/benchmarks.h>
#include <fathom/core/system/whole_file.h>
#include <fathom/model/links.h>
#include <fathom/store/json_fields.h>
#include <fathom/store/nccl_tests.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

namespace fathom {
namespace {

constexpr Range microseconds{1e-3, 1e9};
constexpr int most_gpus = 1 << 10;  // of a process, threads of it, and processes

struct Test {
  std::string_view program;
  ExchangeKind kind;
};
constexpr std::array tests{
    Test{"all_reduce_perf", ExchangeKind::all_reduce}, Test{"all_gather_perf", ExchangeKind::all_gather},
    Test{"alltoall_perf", ExchangeKind::all_to_all}, Test{"sendrecv_perf", ExchangeKind::send_receive}};

/// Of the program's path, which may have a suffix of the build.
ExchangeKind kind_of(const Field& program) {
  const std::string path = program.text();
  const std::string name = path.substr(path.rfind('/') + 1);
  for (const Test& test : tests)
    if (name.starts_with(test.program)) return test.kind;
  program.fail(
      fmt::format("is '{}': links are priced by all_reduce_perf, all_gather_perf, alltoall_perf and "
                  "sendrecv_perf",
                  name));
}

/// A device is listed for each process, which has `ngpus` of them in each of `nthreads` threads.
int ranks_of(const Field& config, const std::vector<Field>& devices) {
  const double ranks = double(devices.size()) * config.at("nthreads").integer(1, most_gpus) *
                       config.at("ngpus").integer(1, most_gpus);
  if (ranks < 2 || ranks > most_gpus)
    config.fail(fmt::format("has {} GPUs: links need from 2 to {}", ranks, most_gpus));
  return int(ranks);
}

/// How many hosts there are. Each has as many processes as the others.
int hosts_of(const std::vector<Field>& devices) {
  std::map<std::string, std::size_t> processes;
  for (const Field& device : devices) ++processes[device.at("hostname").text()];
  for (const Field& device : devices)
    if (const std::string host = device.at("hostname").text();
        processes.at(host) != processes.begin()->second)
      device.at("hostname")
          .fail(fmt::format("has {} processes, and another host {}: give a test with as many "
                            "GPUs on each host",
                            processes.at(host), processes.begin()->second));
  return int(processes.size());
}

const Benchmark& benchmark_of(ExchangeKind kind, int hosts) {
  if (hosts == 1) return benchmarks::of(kind);
  const auto found =
      std::ranges::find(benchmarks::between_hosts, kind, [](const auto& one) { return one.first; });
  return *found->second;  // every test has one
}

/// As Provenance has them: text of which nothing is known is empty.
Provenance provenance_of(const Field& document, const std::vector<Field>& devices) {
  std::vector<std::string> words;
  for (const Field& word : document.at("args").elements()) words.push_back(word.text());
  return {.gpu = devices.front().at("device_info").text(),
          .driver = "",
          .toolkit = "",
          .date = document.at("start_time").text(),
          .commit = "",
          .command = fmt::format("{}", fmt::join(words, " "))};
}

void check_right(const Field& place) {
  if (const Field wrong = place.at("nwrong"); wrong.is_number() && wrong.number() != 0)
    wrong.fail("is not 0: what was exchanged was wrong");
}

std::vector<double> seconds_of(const Field& result, const Field& place) {
  if (!place.has("time")) place.fail("has no time of the GPUs: test without -C");
  std::vector<double> times{place.at("time").number(microseconds)};
  if (const auto each = result.find("out_of_place_per_iter"))
    times = each->at("times_us").numbers(microseconds);
  for (double& time : times) time *= 1e-6;
  return times;
}

}  // namespace

NcclTests parse_nccl_tests(const std::string& text, const std::string& where) {
  const nlohmann::ordered_json json = parse_json(text, where);
  const Field document(json, where);
  const std::vector<Field> arguments = document.at("args").elements();
  if (arguments.empty()) document.at("args").fail("must name the test");
  const ExchangeKind kind = kind_of(arguments.front());
  const Field config = document.at("config");
  const std::vector<Field> devices = config.at("devices").elements();
  if (devices.empty()) config.at("devices").fail("must have a device");
  const int hosts = hosts_of(devices), ranks = ranks_of(config, devices);

  NcclTests file{.provenance = provenance_of(document, devices), .hosts = hosts, .series = {}};
  for (const Field& result : document.at("results").elements()) {
    const double array = result.at("size").number({0, 0x1p53});
    const auto place = result.find("out_of_place");
    if (array == 0 || !place || place->is_null()) continue;  // too small to be divided, or not measured
    check_right(*place);
    std::map<std::string, double> coordinates{{along::gpus, double(ranks)},
                                              {along::bytes, share_sent(kind, ranks) * array}};
    if (hosts > 1) coordinates.emplace(along::hosts, hosts);
    Series series = series_of(benchmark_of(kind, hosts), std::move(coordinates));
    series.samples = seconds_of(result, *place);
    file.series.push_back(std::move(series));
  }
  return file;
}

NcclTests read_nccl_tests(const std::filesystem::path& file) {
  return parse_nccl_tests(read_whole(file), file.string());
}

}  // namespace fathom
