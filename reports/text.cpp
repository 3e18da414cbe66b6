#include <fathom/reports/text.h>

#include <fathom/reports/quantities.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace fathom::reports {
namespace {

constexpr auto left = Align::left;
constexpr auto right = Align::right;

std::string limit_name(Limit limit) {
  return limit == Limit::bandwidth ? "bandwidth" : "latency";
}

/// "a line\n" for every key that has a text.
std::string fields(const std::vector<std::pair<std::string, std::string>>& named) {
  std::size_t width = 0;
  for (const auto& [name, value] : named) width = std::max(width, display_width(name));
  std::string out;
  for (const auto& [name, value] : named)
    if (!value.empty()) out += name + std::string(width - display_width(name) + 2, ' ') + value + '\n';
  return out;
}

std::string heading(const std::string& text) {
  return text + "\n\n";
}
std::string section(const std::string& title, const Table& table) {
  return table.empty() ? "" : fmt::format("\n{}\n\n{}", title, table.text());
}

double sum_of_terms(const Terms& terms) {
  return terms.global_s + terms.l2_s + terms.shared_s + terms.register_s + terms.launch_s;
}

Table terms_table(const Prediction& prediction) {
  const double sum = sum_of_terms(prediction.terms);
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

std::string provenance_line(const Provenance& from) {
  std::string line;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) line += fmt::format("{}{}{}", line.empty() ? "" : ", ", label, value);
  };
  add("", from.gpu);
  add("driver ", from.driver);
  add("CUDA ", from.toolkit);
  add("", from.date);
  add("commit ", from.commit);
  return line;
}

/// "269.5 ± 1.2", or "269.5 (260 to 290)" where the interval is lopsided by more than a fifth.
std::string with_interval(const Estimate& estimate) {
  const std::string value = significant(estimate.value, 4);
  if (!estimate.interval) return value;
  const auto [low, high] = *estimate.interval;
  const double below = estimate.value - low, above = high - estimate.value;
  if (std::abs(above - below) > 0.2 * (above + below))
    return fmt::format("{} ({} to {})", value, significant(low), significant(high));
  return fmt::format("{} ± {}", value, significant((above + below) / 2, 2));
}

/// A machine's constant with its interval where one was fitted; "-" where the machine lacks it.
std::string constant(const DeviceProfile& profile, const std::string& name,
                     const std::optional<double>& value) {
  if (!value) return "-";
  const auto found = profile.estimates.find(name);
  return with_interval({*value, found == profile.estimates.end() ? std::nullopt : found->second.interval});
}

/// The order of the first appearance is kept: compare() lists groups as they should be read.
struct ErrorRow {
  std::string algorithm, type, group;
  std::map<LawName, const ErrorSummary*> by_law;
};

std::vector<ErrorRow> error_rows(const std::vector<LawComparison>& comparisons) {
  std::vector<ErrorRow> rows;
  for (const auto& [law, comparison] : comparisons)
    for (const ErrorSummary& summary : comparison.summaries) {
      const auto same = [&](const ErrorRow& row) {
        return std::tie(row.algorithm, row.type, row.group) ==
               std::tie(summary.algorithm, summary.type, summary.group);
      };
      auto found = std::find_if(rows.begin(), rows.end(), same);
      if (found == rows.end())
        found = rows.insert(rows.end(), {summary.algorithm, summary.type, summary.group, {}});
      found->by_law[law] = &summary;
    }
  return rows;
}

std::set<LawName> laws(const std::vector<LawComparison>& comparisons) {
  std::set<LawName> found;
  for (const LawComparison& one : comparisons) found.insert(one.law);
  return found;
}

/// The largest of an algorithm's runs that the calibrated law predicts at default parameters.
const ComparedRun* largest_default_run(const std::vector<LawComparison>& comparisons,
                                       const Formula& formula) {
  const Parameters standard = formula.default_parameters();
  const std::map<std::string, int> wanted(standard.begin(), standard.end());
  const ComparedRun* largest = nullptr;
  for (const auto& [law, comparison] : comparisons)
    for (const ComparedRun& compared : comparison.runs) {
      const Run& run = compared.run;
      if (law == LawName::calibrated && compared.predicted && run.algorithm == formula.slug &&
          run.type == name(ElementType::u32) && run.input == "random" && run.parameters == wanted &&
          (!largest || run.n > largest->run.n))
        largest = &compared;
    }
  return largest;
}

}  // namespace

std::string text(const PredictionReport& report) {
  const Prediction& prediction = report.prediction;
  const Problem& problem = report.problem;
  std::string out =
      heading(fmt::format("{} on {}, law {}", report.algorithm, report.device, law_name(report.law)));
  const std::string interval =
      prediction.interval_s ? fmt::format("  (95 %: {})", time_range(*prediction.interval_s)) : "";
  out += fields({{"n", fmt::format("{} {}", elements(problem.n), name(problem.type))},
                 {"parameters", parameters(problem.parameters)},
                 {"time", time(prediction.time_s) + interval},
                 {"throughput", throughput(problem.n / prediction.time_s) + "·10^9 elements/s"},
                 {"bound by", prediction.bound ? in_words(*prediction.bound) : "launches"}});
  return out + section("Each term by itself", terms_table(prediction)) +
         section("Phases", phases_table(prediction));
}

std::string text(const TuneReport& report) {
  std::string out = heading(fmt::format("{} on {}, law {}, n = {} {}", report.algorithm, report.device,
                                        law_name(report.law), elements(report.n), name(report.type)));
  const bool verified = std::any_of(report.candidates.begin(), report.candidates.end(),
                                    [](const TuneCandidate& one) { return one.measured_s.has_value(); });
  std::vector<Table::Column> columns{{"rank"}, {"parameters", left}, {"predicted"},
                                     {"95 %"}, {"10^9 elements/s"},  {"bound by", left}};
  if (verified) columns.push_back({"measured"});
  Table table(columns);
  for (std::size_t rank = 0; rank < report.candidates.size(); ++rank) {
    const auto& [chosen, prediction, measured_s] = report.candidates[rank];
    std::vector<std::string> row{std::to_string(rank + 1),
                                 parameters(chosen),
                                 time(prediction.time_s),
                                 prediction.interval_s ? time_range(*prediction.interval_s) : "-",
                                 throughput(report.n / prediction.time_s),
                                 prediction.bound ? in_words(*prediction.bound) : "launches"};
    if (verified) row.push_back(known(measured_s, time));
    table.add(row);
  }
  out += table.text();
  if (report.regret)
    out += fmt::format("\nThe first choice costs {} more than the best measured one.\n",
                       percent(*report.regret));
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
    table.add({device.name, device.where, device.origin.empty() ? "none" : device.origin, device.gpu,
               std::to_string(device.multiprocessors),
               std::to_string(device.multiprocessors * device.cores_per_multiprocessor),
               known(device.clock_hz, hertz), known(device.global_memory_bytes, bytes),
               known(device.global_bytes_per_second, bandwidth)});
  return table.text();
}

std::string text(const std::vector<Algorithm>& algorithms) {
  Table table({{"algorithm", left},
               {"family", left},
               {"source", left},
               {"formula", left},
               {"kernel", left},
               {"types", left},
               {"parameters: range (default)", left}});
  for (const Algorithm& algorithm : algorithms) {
    std::string parameters;
    for (const ParameterInfo& info : algorithm.parameters)
      parameters += fmt::format("{}{}: {}..{} ({})", parameters.empty() ? "" : ", ", info.name,
                                info.values.front(), info.values.back(), info.standard);
    std::vector<std::string_view> types;
    for (ElementType type : algorithm.types) types.push_back(name(type));
    table.add({algorithm.slug, algorithm.family, algorithm.source, algorithm.formula ? "yes" : "-",
               algorithm.baseline      ? "baseline"
               : algorithm.make_driver ? "yes"
                                       : "-",
               types.empty() ? "-" : fmt::format("{}", fmt::join(types, " ")),
               parameters.empty() ? "-" : parameters});
  }
  return table.text();
}

Table error_table(const std::vector<LawComparison>& comparisons) {
  std::vector<Table::Column> columns{{"algorithm", left}, {"type", left}, {"group", left}, {"runs"}};
  for (LawName law : laws(comparisons)) {
    columns.push_back({fmt::format("{}: mean error", law_name(law))});
    columns.push_back({"worst"});
    columns.push_back({"within 95 %"});
  }
  Table table(columns);
  for (const ErrorRow& row : error_rows(comparisons)) {
    // The laws may apply to different runs; the largest count is shown, and a law without runs shows "-".
    std::size_t runs = 0;
    for (const auto& [law, summary] : row.by_law) runs = std::max(runs, summary->runs);
    std::vector<std::string> cells{row.algorithm, row.type, row.group, std::to_string(runs)};
    for (LawName law : laws(comparisons)) {
      const auto found = row.by_law.find(law);
      const ErrorSummary none{}, &summary = found == row.by_law.end() ? none : *found->second;
      cells.push_back(known(summary.mean_absolute_relative_error, percent));
      cells.push_back(known(summary.worst, percent));
      cells.push_back(known(summary.within_interval, percent));
    }
    table.add(cells);
  }
  return table;
}

Table regret_table(const std::vector<LawComparison>& comparisons) {
  Table table({{"algorithm", left},
               {"type", left},
               {"n"},
               {"law", left},
               {"picked", left},
               {"measured"},
               {"best measured", left},
               {"measured"},
               {"regret"}});
  for (const auto& [law, comparison] : comparisons)
    for (const Regret& regret : comparison.regrets)
      table.add({regret.algorithm, regret.type, elements(regret.n), std::string(law_name(law)),
                 parameters(regret.picked), time(regret.picked_s), parameters(regret.best),
                 time(regret.best_s), percent(regret.regret)});
  return table;
}

Table limits_table(const std::vector<LawComparison>& comparisons, const std::string& family) {
  Table table({{"algorithm", left},
               {"parameters", left},
               {"n"},
               {"predicted"},
               {"measured"},
               {"global"},
               {"L2"},
               {"shared"},
               {"registers"},
               {"launches"},
               {"bound by, of the levels", left}});
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.formula || algorithm.family != family) continue;
    const ComparedRun* compared = largest_default_run(comparisons, *algorithm.formula);
    if (!compared) continue;
    const Prediction& prediction = *compared->predicted;
    const double sum = sum_of_terms(prediction.terms);
    std::vector<std::string> row{algorithm.slug, parameters(compared->run.parameters),
                                 elements(compared->run.n), time(prediction.time_s),
                                 time(compared->measured_s)};
    const auto share = [&](double seconds) { return fmt::format("{:.1f} %", 100 * seconds / sum); };
    for (Level level : all_levels) row.push_back(known(term_seconds(prediction, level), share));
    row.push_back(known(launch_seconds(prediction), share));
    row.push_back(prediction.bound ? in_words(*prediction.bound) : "launches");
    table.add(row);
  }
  return table;
}

std::string text(const std::vector<LawComparison>& comparisons) {
  std::string out;
  if (!comparisons.empty())
    out += fmt::format("Predicted against measured on {}\n", comparisons.front().comparison.device);
  return out + section("Relative error on runs that took part in no fit", error_table(comparisons)) +
         section("Regret: what the predicted choice of parameters costs over the best measured",
                 regret_table(comparisons));
}

Table level_table(const DeviceProfile& profile) {
  Table table({{"level", left},
               {"L, clocks"},
               {"B, words/clock/core"},
               {"bandwidth"},
               {"c, clocks"},
               {"s"},
               {"knee X·I"},
               {"mean error"},
               {"worst error"}});
  for (Level level : all_levels) {
    const LevelConstants<double>& constants = profile.machine.at(level);
    if (!constants.latency && !constants.bandwidth) continue;
    const std::string level_name(name(level));
    const auto found = profile.quality.find(level_name);
    const bool fitted = found != profile.quality.end();
    table.add({level_name, constant(profile, level_name + ".latency", constants.latency),
               constant(profile, level_name + ".bandwidth", constants.bandwidth),
               known(bytes_per_second(profile.machine, level), bandwidth),
               constant(profile, level_name + ".issue", constants.issue),
               constant(profile, level_name + ".sharpness", constants.sharpness),
               fitted ? significant(found->second.knee) : "-",
               fitted ? percent(found->second.mean_relative_error) : "-",
               fitted ? percent(found->second.worst_relative_error) : "-"});
  }
  return table;
}

Table other_constants_table(const DeviceProfile& profile) {
  Table table({{"constant", left}, {"value"}, {"95 %", left}});
  const auto add = [&](const std::string& label, const std::string& name, const std::optional<double>& value,
                       auto format) {
    if (!value) return;
    const auto found = profile.estimates.find(name);
    const bool has_interval = found != profile.estimates.end() && found->second.interval;
    table.add({label, format(*value),
               has_interval ? fmt::format("{} to {}", format(found->second.interval->low),
                                          format(found->second.interval->high))
                            : "-"});
  };
  const Machine<double>& machine = profile.machine;
  add("launch overhead", "launch_overhead", machine.launch_overhead, time);
  add("gap between kernels", "kernel_gap", machine.kernel_gap, time);
  const auto clocks = [](double value) { return significant(value) + " clocks"; };
  add("start of a block", "block_start", machine.block_start, clocks);
  add("start of each warp of a block", "warp_start", machine.warp_start, clocks);
  add("footprint half served by L2", "l2_half", machine.l2_half, bytes);
  add("the same where it is only read", "l2_half_reading", machine.l2_half_reading, bytes);
  add("steepness of the L2 share", "l2_steepness", machine.l2_steepness,
      [](double value) { return significant(value); });
  add("start of reading from DRAM", "dram_start", machine.dram_start, time);
  return table;
}

std::string text(const DeviceProfile& profile) {
  const Machine<double>& machine = profile.machine;
  std::string out = heading(fmt::format("{}: {} profile", profile.name, profile.origin));
  out += fields({{"source", provenance_line(profile.provenance)},
                 {"command", profile.provenance.command},
                 {"cores", fmt::format("{} in {} multiprocessors of {}", machine.P(), machine.multiprocessors,
                                       machine.cores_per_multiprocessor)},
                 {"clock", hertz(machine.clock.value)},
                 {"shared memory", bytes(4 * machine.M()) + " in total"},
                 {"L2", machine.l2_capacity ? bytes(machine.l2_capacity->value) : ""},
                 {"global memory", bytes(machine.global_memory.value)}});
  out += section("Memory levels, ± and ranges at 95 %", level_table(profile));
  out += section("Other constants", other_constants_table(profile));
  out += section("Fitted algorithms", fit_table(profile.algorithms));
  if (!profile.warnings.empty()) out += "\nWarnings\n\n";
  for (const std::string& warning : profile.warnings) out += "! " + warning + '\n';
  return out;
}

Table dataset_table(const Dataset& dataset) {
  struct Group {
    std::size_t runs = 0, moved = 0, unchecked = 0;
    double smallest = INFINITY, largest = 0;
    const Run* fastest = nullptr;  // in elements per second
    double best_rate = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  for (const Run& run : dataset.runs) {
    Group& group = groups[{run.algorithm, run.type, run.input}];
    ++group.runs;
    group.moved += run.clock_moved;
    group.unchecked += !run.checked;
    group.smallest = std::min(group.smallest, run.n);
    group.largest = std::max(group.largest, run.n);
    if (run.seconds.empty()) continue;
    const double rate = run.n / quartiles(run.seconds).median;
    if (rate > group.best_rate) {
      group.best_rate = rate;
      group.fastest = &run;
    }
  }
  Table table({{"algorithm", left},
               {"type", left},
               {"input", left},
               {"runs"},
               {"n", left},
               {"best, 10^9 elements/s"},
               {"at", left},
               {"clock moved"},
               {"unchecked"}});
  for (const auto& [key, group] : groups) {
    const auto& [algorithm, type, input] = key;
    const std::string at =
        !group.fastest ? "-"
        : group.fastest->parameters.empty()
            ? "n = " + elements(group.fastest->n)
            : fmt::format("n = {}, {}", elements(group.fastest->n), parameters(group.fastest->parameters));
    table.add({algorithm, type, input, std::to_string(group.runs),
               fmt::format("{}..{}", elements(group.smallest), elements(group.largest)),
               group.fastest ? throughput(group.best_rate) : "-", at, std::to_string(group.moved),
               std::to_string(group.unchecked)});
  }
  return table;
}

std::string text(const Dataset& dataset) {
  return heading(fmt::format("{} runs", dataset.runs.size())) +
         fields({{"source", provenance_line(dataset.provenance)}, {"command", dataset.provenance.command}}) +
         section("Runs", dataset_table(dataset));
}

Table fit_table(const std::vector<AlgorithmFit>& fits) {
  Table table({{"algorithm", left},
               {"type", left},
               {"constants", left},
               {"q"},
               {"residual"},
               {"runs"},
               {"from", left}});
  for (const AlgorithmFit& fit : fits) {
    std::string constants;
    for (const auto& [name, estimate] : fit.constants)
      constants += fmt::format("{}{} = {}", constants.empty() ? "" : ", ", name, with_interval(estimate));
    table.add({fit.algorithm, fit.type, constants.empty() ? "-" : constants, significant(fit.q),
               percent(fit.residual), std::to_string(fit.runs), fit.dataset});
  }
  return table;
}

std::string text(const std::vector<AlgorithmFit>& fits) {
  return fit_table(fits).text();
}

}  // namespace fathom::reports
