// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/system/whole_file.h>
#include <fathom/store/dataset.h>
#include <fathom/store/json_fields.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace fathom {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view schema = "fathom.dataset";

Json kernel_to_json(const Measurement::Kernel& kernel) {
  return {{"name", kernel.name},
          {"registers_per_thread", kernel.registers},
          {"local_bytes_per_thread", kernel.local_bytes},
          {"shared_bytes_per_block", kernel.shared_bytes},
          {"resident_blocks_per_multiprocessor", kernel.resident_blocks}};
}

Measurement::Kernel parse_kernel(const Field& field) {
  return {field.at("name").text(), field.at("registers_per_thread").integer(0, 1 << 16),
          field.at("local_bytes_per_thread").integer(0, 1 << 30),
          field.at("shared_bytes_per_block").integer(0, 1 << 30),
          field.at("resident_blocks_per_multiprocessor").integer(0, 1 << 16)};
}

void check(const Measurement& run) {
  const double n = run.problem.n;
  if (!(n >= 1) || n != std::floor(n) || n > 0x1p53)
    throw std::invalid_argument(
        fmt::format("a run of {} has n = {}: n must be a whole number from 1 to 2^53", run.algorithm, n));
  const auto possible = [](double seconds) { return seconds_of_a_run.holds(seconds); };
  if (run.seconds.empty() || !std::all_of(run.seconds.begin(), run.seconds.end(), possible))
    throw std::invalid_argument(fmt::format("a run of {} has no times or times outside {} to {} s",
                                            run.algorithm, seconds_of_a_run.lowest,
                                            seconds_of_a_run.highest));
  if (run.clock_hz != 0 && !clocks_hz.holds(run.clock_hz))
    throw std::invalid_argument(
        fmt::format("a run of {} has a clock of {} Hz, which no GPU has", run.algorithm, run.clock_hz));
}

Json run_to_json(const Measurement& run) {
  check(run);
  const Problem& problem = run.problem;
  Json parameters = Json::object();
  for (const auto& [name, value] : problem.parameters) parameters[name] = value;
  Json kernels = Json::array();
  for (const Measurement::Kernel& kernel : run.kernels) kernels.push_back(kernel_to_json(kernel));
  Json seconds = Json::array();
  for (double sample : run.seconds) seconds.push_back(rounded(sample));
  return {{"algorithm", run.algorithm},
          {"kind", name(problem.kind)},
          {"type", type_text(problem)},
          {"order", name(problem.order)},
          {"stable", problem.stable},
          {"input", name(run.input)},
          {"n", std::uint64_t(problem.n)},
          {"parameters", parameters},
          {"clock_hz", rounded_or_null(run.clock_hz)},
          {"clock_moved", run.clock_moved},
          {"checked", run.checked},
          {"kernels", kernels},
          {"seconds", seconds}};
}

/// Version 1 did not store the kind of problem, but the names of its algorithms imply it.
Kind kind_by_slug(const Field& algorithm) {
  static constexpr std::array<std::pair<std::string_view, Kind>, 6> prefixes{{{"sort-", Kind::sort},
                                                                              {"scan-", Kind::scan},
                                                                              {"reduce-", Kind::reduce},
                                                                              {"cub-merge", Kind::sort},
                                                                              {"cub-scan", Kind::scan},
                                                                              {"cub-reduce", Kind::reduce}}};
  const std::string slug = algorithm.text();
  for (const auto& [prefix, kind] : prefixes)
    if (slug.starts_with(prefix)) return kind;
  algorithm.fail(
      fmt::format("is '{}': in version 1 it must begin with sort-, scan-, reduce-, cub-merge, cub-scan or "
                  "cub-reduce; measure it again, which gives version {}",
                  slug, Dataset::version));
}

/// The part of a run's problem that both versions store: size, type and parameters.
Problem parse_sizes(const Field& run) {
  Problem problem;
  const KeyAndValue type = run.at("type").parsed(parse_type_text);
  problem.type = type.key;
  problem.value_type = type.value;
  problem.n = run.at("n").count();
  for (const auto& [name, value] : run.at("parameters").members())
    problem.parameters.set(name, value.integer());
  return problem;
}

Problem parse_problem_1(const Field& run) {
  Problem problem = parse_sizes(run);
  problem.kind = kind_by_slug(run.at("algorithm"));
  return problem;
}

Problem parse_problem(const Field& run) {
  Problem problem = parse_sizes(run);
  problem.kind = run.at("kind").parsed(parse_kind);
  problem.order = run.at("order").parsed(parse_order);
  problem.stable = run.at("stable").boolean();
  return problem;
}

Measurement parse_run(const Field& field, int version) {
  Measurement run;
  run.algorithm = field.at("algorithm").text();
  run.problem = version == 1 ? parse_problem_1(field) : parse_problem(field);
  run.input = field.at("input").parsed(parse_input);
  run.clock_hz = field.at("clock_hz").is_null() ? 0 : field.at("clock_hz").number(clocks_hz);
  run.clock_moved = field.at("clock_moved").boolean();
  run.checked = field.at("checked").boolean();
  for (const Field& kernel : field.at("kernels").elements()) run.kernels.push_back(parse_kernel(kernel));
  run.seconds = field.at("seconds").numbers(seconds_of_a_run);
  if (run.seconds.empty()) field.at("seconds").fail("must hold at least one time");
  return run;
}

}  // namespace

std::string to_json(const Dataset& dataset) {
  const Json head = {
      {"schema", schema}, {"version", Dataset::version}, {"provenance", to_json(dataset.provenance)}};
  std::vector<Json> runs;
  runs.reserve(dataset.runs.size());
  for (const Measurement& run : dataset.runs) runs.push_back(run_to_json(run));
  return document_with_records(head, "runs", runs);
}

Dataset parse_dataset(const std::string& text, const std::string& where) {
  Dataset dataset;
  int version = 0;
  const Json json =
      parse_json(text, where,
                 {.name = "runs",
                  .begin =
                      [&](const Field& head) {
                        if (!head.has("schema") || !head.has("version")) return false;
                        version = checked_version(head, schema, Dataset::version);
                        return true;
                      },
                  .add = [&](const Field& run) { dataset.runs.push_back(parse_run(run, version)); }});
  const Field document(json, where);
  version = checked_version(document, schema, Dataset::version);
  dataset.provenance = parse_provenance(document.at("provenance"));
  for (const Field& run : document.at("runs").elements()) dataset.runs.push_back(parse_run(run, version));
  return dataset;
}

Dataset read_dataset(const std::filesystem::path& file) {
  return parse_dataset(read_whole(file), file.string());
}

}  // namespace fathom
