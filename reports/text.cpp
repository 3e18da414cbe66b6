// Answers of predict, tune, devices and algorithms as text.
#include <fathom/reports/quantities.h>
#include <fathom/reports/text.h>
#include <fathom/reports/text_parts.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::reports {
namespace {

constexpr auto left = Align::left;
constexpr auto right = Align::right;

std::string limit_name(Limit limit) {
  return limit == Limit::bandwidth ? "bandwidth" : "latency";
}

Table terms_table(const Prediction& prediction) {
  const double sum = sum_of_terms(prediction);
  Table table({{"term", left}, {"time", right}, {"share", right}});
  const auto add = [&](std::string_view name, const std::optional<double>& seconds) {
    if (seconds)
      table.add({std::string(name), time(*seconds), fmt::format("{:.1f} %", 100 * *seconds / sum)});
  };
  for (Level level : all_levels) add(name(level), term_seconds(prediction, level));
  add("launches", launch_seconds(prediction));
  return table;
}

Table phases_table(const Prediction& prediction) {
  Table table({{"phase", left}, {"launches"}, {"level", left}, {"accesses"}, {"time"}, {"limited by", left}});
  for (const PhaseTime& phase : prediction.phases)
    table.add({std::string(phase.phase), fmt::format("{:.4g}", phase.launches),
               std::string(name(phase.level)), fmt::format("{:.3g}", phase.accesses), time(phase.seconds),
               limit_name(phase.limited_by)});
  return table;
}

}  // namespace

std::string text(const PredictionReport& report) {
  const Prediction& prediction = report.prediction;
  const Problem& problem = report.problem;
  std::string out =
      heading(fmt::format("{} on {}, law {}", report.algorithm, report.device, name(report.law)));
  const std::string interval =
      prediction.interval_s ? fmt::format("  (95 %: {})", time_range(*prediction.interval_s)) : "";
  out += fields({{"n", fmt::format("{} {}", elements(problem.n), type_text(problem))},
                 {"parameters", parameters(problem.parameters)},
                 {"time", time(prediction.time_s) + interval},
                 {"throughput", throughput(problem.n / prediction.time_s) + "·10^9 elements/s"},
                 {"bottleneck", in_words(prediction.bottleneck)}});
  return out + section("Terms", terms_table(prediction)) + section("Phases", phases_table(prediction));
}

std::string text(const TuneReport& report) {
  std::string out =
      heading(fmt::format("{} on {}, law {}, n = {} {}", report.algorithm, report.device, name(report.law),
                          elements(report.problem.n), type_text(report.problem)));
  const bool verified = std::any_of(report.candidates.begin(), report.candidates.end(),
                                    [](const TuneCandidate& one) { return one.measured_s.has_value(); });
  std::vector<Table::Column> columns{{"rank"}, {"parameters", left}, {"predicted"},
                                     {"95 %"}, {"10^9 elements/s"},  {"bottleneck", left}};
  if (verified) columns.push_back({"measured"});
  Table table(columns);
  for (std::size_t rank = 0; rank < report.candidates.size(); ++rank) {
    const auto& [chosen, prediction, measured_s] = report.candidates[rank];
    std::vector<std::string> row{std::to_string(rank + 1),
                                 parameters(chosen),
                                 time(prediction.time_s),
                                 prediction.interval_s ? time_range(*prediction.interval_s) : "-",
                                 throughput(report.problem.n / prediction.time_s),
                                 in_words(prediction.bottleneck)};
    if (verified) row.push_back(known(measured_s, time));
    table.add(row);
  }
  out += table.text();
  if (report.regret)
    out +=
        fmt::format("\nThe first choice is {} slower than the fastest measured.\n", percent(*report.regret));
  return out;
}

std::string text(const std::vector<DeviceEntry>& devices) {
  Table table({{"device", left},
               {"where", left},
               {"profile", left},
               {"GPU", left},
               {"multiprocessors"},
               {"cores"},
               {"clock"},
               {"memory"},
               {"bandwidth"}});
  for (const DeviceEntry& device : devices)
    table.add({device.name, device.where,
               (device.origin.empty() ? "none" : device.origin) + (device.implausible ? ", implausible" : ""),
               device.gpu, std::to_string(device.multiprocessors),
               std::to_string(device.multiprocessors * device.cores_per_multiprocessor),
               known(device.clock_hz, hertz), known(device.global_memory_bytes, bytes),
               known(device.global_bytes_per_second, bandwidth)});
  return table.text();
}

std::string text(const std::deque<Algorithm>& algorithms) {
  Table table({{"algorithm", left},
               {"kind", left},
               {"group", left},
               {"source", left},
               {"formula", left},
               {"kernel", left},
               {"types", left},
               {"stable", left},
               {"parameters: range (default)", left}});
  for (const Algorithm& algorithm : algorithms) {
    std::string parameters;
    for (const ParameterInfo& info : algorithm.parameters)
      parameters += fmt::format("{}{}: {}..{} ({})", parameters.empty() ? "" : ", ", info.name,
                                info.values.front(), info.values.back(), info.default_value);
    std::vector<std::string_view> types;
    for (ElementType type : algorithm.types) types.push_back(name(type));
    table.add({algorithm.slug, std::string(name(algorithm.kind)), algorithm.group, algorithm.source,
               algorithm.formula ? "yes" : "-",
               algorithm.baseline        ? "baseline"
               : algorithm.make_workload ? "yes"
                                         : "-",
               types.empty() ? "-" : fmt::format("{}", fmt::join(types, " ")),
               algorithm.kind != Kind::sort ? "-"
               : algorithm.stable           ? "yes"
                                            : "no",
               parameters.empty() ? "-" : parameters});
  }
  return table.text();
}

}  // namespace fathom::reports
