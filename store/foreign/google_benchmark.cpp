// SPDX-License-Identifier: Apache-2.0
#include <fathom/store/foreign/format.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace fathom {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array<Unit, 4> units{{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};

/// Parts of a benchmark's name that say how it was run, not what was run.
constexpr std::array<std::string_view, 7> manners{
    "manual_time", "real_time", "process_time", "min_time:", "min_warmup_time:", "iterations:", "repeats:"};

/// Members of a run that the tool itself writes; others are the benchmark's counters.
constexpr std::array<std::string_view, 14> own_members{"family_index",
                                                       "per_family_instance_index",
                                                       "repetitions",
                                                       "repetition_index",
                                                       "threads",
                                                       "iterations",
                                                       "real_time",
                                                       "cpu_time",
                                                       "allocs_per_iter",
                                                       "max_bytes_used",
                                                       "rms",
                                                       "cpu_coefficient",
                                                       "total_allocated_bytes",
                                                       "real_coefficient"};

bool is_manner(std::string_view part) {
  return std::ranges::any_of(manners, [&](std::string_view manner) {
    return manner.ends_with(':') ? part.starts_with(manner) : part == manner;
  });
}

bool has_digits_only(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// "BM_sort<u32, u64>/1048576/E:15/manual_time" → BM_sort with T = u32, ValueT = u64, arg1 = 1048576, E = 15.
ForeignRun run_named(const std::string& text) {
  ForeignRun run;
  std::size_t arguments = 0;
  for (const std::string& part : split(text, '/')) {
    const std::size_t colon = part.find(':');
    if (is_manner(part)) continue;
    if (run.name.empty())
      run.name = part;
    else if (has_digits_only(part))
      run.coordinates.emplace_back(fmt::format("arg{}", ++arguments), part);
    else if (colon != part.npos && colon > 0 && part.find(':', colon + 1) == part.npos)
      run.coordinates.emplace_back(part.substr(0, colon), part.substr(colon + 1));
    else
      run.name += '/' + part;
  }
  const std::size_t open = run.name.find('<');
  if (open == run.name.npos || !run.name.ends_with('>')) return run;
  const std::vector<std::string> types = split(run.name.substr(open + 1, run.name.size() - open - 2), ',');
  if (types.size() > 2) return run;  // which of them is the elements' type, nobody knows
  constexpr std::array names{"T", "ValueT"};
  for (std::size_t i = 0; i < types.size(); ++i)
    run.coordinates.emplace_back(names.at(i),
                                 types[i].substr(std::min(types[i].find_first_not_of(' '), types[i].size())));
  run.name.resize(open);
  return run;
}

double seconds_per_unit(const Field& record) {
  const std::optional<Field> unit = record.find("time_unit");
  if (!unit) return 1e-9;
  const std::string name = unit->text();
  for (const Unit& one : units)
    if (one.name == name) return one.seconds;
  unit->fail(fmt::format("is '{}': it must be ns, us, ms or s", name));
}

bool is_set(const Field& record, std::string_view flag) {
  const std::optional<Field> field = record.find(flag);
  return field && field->boolean();
}

std::string text_of(const Field& record, std::string_view member) {
  const std::optional<Field> field = record.find(member);
  return field ? field->text() : std::string();
}

/// The records of one benchmark.
struct Repetitions {
  ForeignRun run;
  std::map<std::string, double> aggregates;  ///< seconds
};

void add_counters(const Field& record, ForeignRun& run) {
  for (const auto& [name, value] : record.members())
    if (value.is_number() && std::ranges::find(own_members, name) == own_members.end())
      run.counters.emplace_back(name, value.scalar());
}

void add_record(const Field& record, Repetitions& repetitions) {
  ForeignRun& run = repetitions.run;
  if (is_set(record, "error_occurred") || is_set(record, "skipped")) {
    run.left_out = "that the tool skipped";
  } else if (text_of(record, "run_type") != "aggregate") {
    run.seconds.push_back(seconds_in(record.at("real_time"), seconds_per_unit(record)));
    if (run.seconds.size() == 1) add_counters(record, run);
  } else if (const std::string name = text_of(record, "aggregate_name"); name == "median" || name == "mean") {
    repetitions.aggregates[name] = seconds_in(record.at("real_time"), seconds_per_unit(record));
    if (repetitions.aggregates.size() == 1 && run.counters.empty()) add_counters(record, run);
  }
}

ForeignRun finished(Repetitions repetitions) {
  ForeignRun run = std::move(repetitions.run);
  if (!run.left_out.empty()) {
    run.seconds.clear();
  } else if (run.seconds.empty()) {
    for (const char* aggregate : {"median", "mean"})
      if (const auto found = repetitions.aggregates.find(aggregate);
          found != repetitions.aggregates.end() && run.seconds.empty())
        run.seconds = {found->second};
    if (run.seconds.empty()) run.left_out = "without a time";
  }
  return run;
}

}  // namespace

ForeignRuns parse_google_benchmark(const std::string& text, const std::string& where, const FileBeside&) {
  const nlohmann::ordered_json json = parse_json(text, where);
  const Field document(json, where);
  ForeignRuns result;
  result.provenance.command = text_of(document.at("context"), "executable");
  std::vector<Repetitions> benchmarks;
  std::map<std::string, std::size_t> places;
  for (const Field& record : document.at("benchmarks").elements()) {
    const std::string name = record.at(record.has("run_name") ? "run_name" : "name").text();
    const auto [place, is_new] = places.try_emplace(name, benchmarks.size());
    if (is_new) benchmarks.push_back({.run = run_named(name), .aggregates = {}});
    add_record(record, benchmarks[place->second]);
  }
  for (Repetitions& one : benchmarks) result.runs.push_back(finished(std::move(one)));
  return result;
}

}  // namespace fathom
