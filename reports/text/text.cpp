// SPDX-License-Identifier: Apache-2.0
// Answers of predict, tune, devices and algorithms as text. This file is long, as each answer is made of a
// few parts that only it has; what several have is in text_parts.h.
#include <fathom/model/tune.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text.h>
#include <fathom/reports/text/text_parts.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fathom::reports {
namespace {

constexpr auto right = Align::right;

std::string limit_name(Limit limit) {
  return limit == Limit::bandwidth ? "bandwidth" : "latency";
}

std::string input_in_words(Input input) {
  return input == Input::random ? "" : fmt::format(", {} input", name(input));
}

/// What was asked, but for the parameters.
template <class Report>
std::string asked(const Report& report) {
  return fmt::format("{} on {}, law {}, n = {} {}{}", report.algorithm, report.device, name(report.law),
                     elements(report.problem.n), name(Instantiation(report.problem)),
                     input_in_words(report.input));
}

std::string fitted_line(const std::optional<std::string>& fitted_from) {
  return fitted_from ? line("factors fitted to " + *fitted_from) : "";
}

/// How the law's formula was read, where that is not the paper's way.
std::string reading_line(const std::optional<Law>& law) {
  const std::string words = reading_in_words(law);
  return words.empty() ? "" : line("read with " + words);
}

Table phases_table(const Prediction& prediction) {
  Table table({{"phase", left}, {"launches"}, {"level", left}, {"accesses"}, {"time"}, {"limited by", left}});
  for (const PhaseTime& phase : prediction.phases)
    table.add({std::string(phase.phase), fmt::format("{:.4g}", phase.launches),
               std::string(name(phase.level)), fmt::format("{:.3g}", phase.accesses), time(phase.seconds),
               limit_name(phase.limited_by)});
  return table;
}

/// Kernels and exchanges that run at the same time have shares of the same time.
std::string shares_line(const Prediction& prediction) {
  double seconds = 0;
  for (const KernelTime& kernel : prediction.kernels) seconds += kernel.seconds;
  return seconds > 1.005 * prediction.time_s
             ? line("Exchanges run beside kernels, so that shares add up to more than 100 %.")
             : "";
}

}  // namespace

std::string text(const PredictionReport& report, Verbosity verbosity) {
  const Prediction& prediction = report.prediction;
  const Problem& problem = report.problem;
  std::string out = line(fmt::format("{}: {}", asked(report), parameters(problem.parameters))) +
                    line(fmt::format("{}{}, {}·10^9 elements/s", time(prediction.time_s),
                                     interval(prediction), throughput(problem.n / prediction.time_s))) +
                    line("bottleneck: " + limit_and_saving(prediction)) + fitted_line(report.fitted_from) +
                    reading_line(report.reading) + what_if_line(report.what_if);
  const bool is_full = verbosity == Verbosity::full;
  out += section("Kernels", kernels_table(prediction)) + shares_line(prediction);
  if (is_full || prediction.kernels.empty()) out += section("Terms", terms_or_resources_table(prediction));
  if (is_full) out += section("Phases", phases_table(prediction));
  return out + assumptions_section(prediction) + sensitivities_section(report.sensitivities);
}

std::string text(const PredictionSweep& sweep) {
  // A column is shown if its values differ; else the value is in the first line.
  struct Head {
    std::string heading, (*value)(const SweepPoint&);
  };
  const Head heads[] = {
      {"device", [](const SweepPoint& point) { return point.device; }},
      {"type", [](const SweepPoint& point) { return name(Instantiation(point.problem)); }},
      {"parameters", [](const SweepPoint& point) { return parameters(point.problem.parameters); }},
      {"n", [](const SweepPoint& point) { return elements(point.problem.n); }}};
  std::vector<Head> differing;
  std::string out =
      fmt::format("{}, law {}{}", sweep.algorithm, name(sweep.law), input_in_words(sweep.input));
  for (const Head& head : heads) {
    const std::string first = head.value(sweep.points.front());
    if (std::ranges::all_of(sweep.points, [&](const auto& point) { return head.value(point) == first; }))
      out += fmt::format(", {} {}", head.heading, first);
    else
      differing.push_back(head);
  }
  std::vector<Table::Column> columns;
  for (const Head& head : differing) columns.push_back({head.heading, head.heading == "n" ? right : left});
  for (const char* result : {"predicted", "95 %", "10^9 elements/s"}) columns.push_back({result});
  columns.push_back({"bottleneck", left});
  // The exchanges may be what is assumed: a note says it.
  const auto is_estimated = [](const SweepPoint& point) {
    return point.prediction && point.prediction->assumptions && !point.prediction->exchanges_s;
  };
  const bool some_estimated = std::ranges::any_of(sweep.points, is_estimated);
  if (some_estimated) columns.push_back({"work", left});
  Table table(columns);
  std::vector<std::string> notes;
  const auto note = [&notes](const std::string& text) {
    if (std::ranges::count(notes, text) == 0) notes.push_back(text);
  };
  for (const SweepPoint& point : sweep.points) {
    std::vector<std::string> row;
    for (const Head& head : differing) row.push_back(head.value(point));
    if (const auto& prediction = point.prediction) {
      row.push_back(time(prediction->time_s));
      row.push_back(prediction->interval_s ? time_range(*prediction->interval_s) : "-");
      row.push_back(throughput(point.problem.n / prediction->time_s));
      row.push_back(limit_in_words(*prediction));
      if (prediction->assumptions) std::ranges::for_each(prediction->assumptions->sentences, note);
    } else {
      row.insert(row.end(), 4, "-");
      note("not predicted: " + point.why);
    }
    if (some_estimated)
      row.push_back(!point.prediction ? "-" : is_estimated(point) ? "estimated" : "counted");
    table.add(row);
  }
  out = line(out) + reading_line(sweep.reading) + what_if_line(sweep.what_if) + "\n" + table.text();
  if (!notes.empty()) out += '\n';
  for (const std::string& one : notes) out += line(one);
  return out;
}

namespace {

/// "195 choices", "12 of 195 choices that are priced", "195 choices, 183 of them estimated"
std::string choices_in_words(const TuneReport& report) {
  const std::size_t priced = report.choices - report.without_work;
  std::string text = priced == report.choices
                         ? fmt::format("{} choices", priced)
                         : fmt::format("{} of {} choices that are priced", priced, report.choices);
  if (report.estimated > 0) text += fmt::format(", {} of them estimated", report.estimated);
  return text;
}

}  // namespace

std::string text(const TuneReport& report) {
  const TuneCandidate& best = report.candidates.front();
  const bool is_best = report.without_work == 0 && report.estimated == 0;
  std::string out =
      line(asked(report)) +
      line(fmt::format("{}: {}, {}{}", is_best ? "best" : "fastest of the " + choices_in_words(report),
                       parameters(best.parameters), time(best.prediction.time_s),
                       best.estimated ? ", by estimated work" : ""));
  if (!is_best) out += line("to count the rest: " + report.what_counts);
  if (report.tied > 1u)
    out += line(fmt::format("{} choices (=) are within {} of it, too close to tell which is fastest",
                            *report.tied, percent(tie_width)));
  if (const TuneCandidate* fastest = report.fastest_measured())
    out += line(
        fmt::format("fastest measured: {}, {}", parameters(fastest->parameters), time(*fastest->measured_s)));
  if (report.regret)
    out += line(
        fmt::format("The first choice is {} slower than the fastest measured.", percent(*report.regret)));
  out += fitted_line(report.fitted_from) + reading_line(report.reading) + what_if_line(report.what_if) + "\n";

  std::vector<Table::Column> columns{{"rank"}, {"parameters", left}, {"predicted"},
                                     {"95 %"}, {"10^9 elements/s"},  {"bottleneck", left}};
  const bool verified = report.fastest_measured();
  if (report.estimated > 0) columns.push_back({"work", left});
  if (verified) columns.push_back({"measured"});
  Table table(columns);
  for (std::size_t rank = 0; rank < report.candidates.size(); ++rank) {
    const auto& [chosen, prediction, measured_s, is_estimated] = report.candidates[rank];
    const bool ties = report.tied > 1u && rank < *report.tied;
    std::vector<std::string> row{(ties ? "= " : "") + std::to_string(rank + 1),
                                 parameters(chosen),
                                 time(prediction.time_s),
                                 prediction.interval_s ? time_range(*prediction.interval_s) : "-",
                                 throughput(report.problem.n / prediction.time_s),
                                 limit_in_words(prediction)};
    if (report.estimated > 0) row.push_back(is_estimated ? "estimated" : "counted");
    if (verified) row.push_back(known(measured_s, time));
    table.add(row);
  }
  return out + table.text() + assumptions_section(best.prediction) +
         sensitivities_section(report.sensitivities);
}

namespace {

/// "left out: two (baselines, to be measured); …", with their names
std::string left_out_line(const std::vector<NotCompared>& all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const auto& [algorithm, why] : all) {
    auto found = std::ranges::find(by_reason, why, [](const auto& entry) { return entry.first; });
    if (found == by_reason.end()) found = by_reason.insert(found, {why, {}});
    found->second.push_back(algorithm);
  }
  std::vector<std::string> groups;
  for (const auto& [why, names] : by_reason)
    groups.push_back(fmt::format("{} ({})", fmt::join(names, ", "), why));
  return groups.empty() ? "" : line(fmt::format("left out: {}", fmt::join(groups, "; ")));
}

/// A row of a comparison of algorithms.
struct Ranked {
  const std::string& algorithm;
  LawName law;
  const Parameters& parameters;
  const Prediction& prediction;
};

/// The columns that all comparisons have. A law has a column if there are several.
class RankingTable {
 public:
  RankingTable(bool shows_laws, std::size_t tied, double n, const std::vector<Table::Column>& more)
      : shows_laws_(shows_laws), tied_(tied), n_(n), table_(columns(shows_laws, more)) {}

  void add(const Ranked& row, const std::vector<std::string>& more) {
    ++rank_;
    std::vector<std::string> cells{(tied_ > 1 && rank_ <= tied_ ? "= " : "") + std::to_string(rank_),
                                   row.algorithm};
    if (shows_laws_) cells.emplace_back(name(row.law));
    const Prediction& prediction = row.prediction;
    for (std::string& cell : std::vector{parameters(row.parameters), time(prediction.time_s),
                                         prediction.interval_s ? time_range(*prediction.interval_s) : "-",
                                         throughput(n_ / prediction.time_s), limit_in_words(prediction)})
      cells.push_back(std::move(cell));
    cells.insert(cells.end(), more.begin(), more.end());
    table_.add(cells);
  }

  std::string text() const { return table_.text(); }

 private:
  static std::vector<Table::Column> columns(bool shows_laws, const std::vector<Table::Column>& more) {
    std::vector<Table::Column> all{{"rank"}, {"algorithm", left}};
    if (shows_laws) all.push_back({"law", left});
    for (const Table::Column& column : std::vector<Table::Column>{
             {"parameters", left}, {"predicted"}, {"95 %"}, {"10^9 elements/s"}, {"bottleneck", left}})
      all.push_back(column);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  bool shows_laws_;
  std::size_t tied_, rank_ = 0;
  double n_;
  Table table_;
};

template <class Reports>
bool has_several_laws(const Reports& reports) {
  return std::ranges::any_of(reports, [&](const auto& one) { return one.law != reports.front().law; });
}

/// The lines above the table of a comparison.
template <class Reports>
std::string comparison_head(const Reports& reports, std::size_t tied, const std::string& parameters,
                            double fastest_s) {
  const auto& first = reports.front();
  std::string out = line(fmt::format(
      "{} {} on {}{}, n = {} {}{}, {}", reports.size(), reports.size() == 1 ? "algorithm" : "algorithms",
      first.device, has_several_laws(reports) ? "" : fmt::format(", law {}", name(first.law)),
      elements(first.problem.n), name(Instantiation(first.problem)), input_in_words(first.input),
      parameters));
  out += line(fmt::format("fastest: {}, {}", first.algorithm, time(fastest_s)));
  if (tied > 1)
    out += line(fmt::format("{} algorithms (=) are within {} of it, too close to tell which is fastest", tied,
                            percent(tie_width)));
  return out + reading_line(first.reading) + what_if_line(first.what_if) + "\n";
}

}  // namespace

std::string text(const PredictionRanking& ranking) {
  const auto& all = ranking.predictions;
  const std::size_t ties = tied(ranking).value_or(0);
  RankingTable table(has_several_laws(all), ties, all.front().problem.n, {});
  for (const PredictionReport& one : all)
    table.add({one.algorithm, one.law, one.problem.parameters, one.prediction}, {});
  const std::string out =
      comparison_head(all, ties, "parameters as listed", all.front().prediction.time_s) + table.text();
  return out + (ranking.left_out.empty() ? "" : "\n") + left_out_line(ranking.left_out);
}

std::string text(const TuneRanking& ranking) {
  const auto& all = ranking.tunings;
  const std::size_t ties = tied(ranking).value_or(0);
  const bool verified =
      std::ranges::any_of(all, [](const TuneReport& one) { return one.fastest_measured() != nullptr; });
  const bool some_estimated =
      std::ranges::any_of(all, [](const TuneReport& one) { return one.estimated > 0; });
  std::vector<Table::Column> more{{"counted"}};
  if (some_estimated) more.push_back({"estimated"});
  if (verified) more.push_back({"measured"});
  RankingTable table(has_several_laws(all), ties, all.front().problem.n, more);
  std::vector<std::string> what_counts;
  for (const TuneReport& one : all) {
    const auto& [chosen, prediction, measured_s, is_estimated] = one.candidates.front();
    const std::size_t counted = one.choices - one.without_work - one.estimated;
    std::vector<std::string> cells{counted == one.choices ? "all"
                                                          : fmt::format("{} of {}", counted, one.choices)};
    if (some_estimated) cells.push_back(one.estimated == 0 ? "-" : std::to_string(one.estimated));
    if (verified) cells.push_back(known(measured_s, time));
    table.add({one.algorithm, one.law, chosen, prediction}, cells);
    if (counted < one.choices && std::ranges::count(what_counts, one.what_counts) == 0)
      what_counts.push_back(one.what_counts);
  }
  std::string out = comparison_head(all, ties, "each with its fastest parameters that are priced",
                                    all.front().candidates.front().prediction.time_s) +
                    table.text() + "\n";
  for (const std::string& what : what_counts) out += line("to count the rest: " + what);
  return out + left_out_line(ranking.left_out);
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

namespace {

std::string kernel_in_words(AnyAlgorithm algorithm) {
  if (descriptor(algorithm).baseline) return "baseline";
  return has_kernel(algorithm) ? "yes" : "-";
}

std::string types_in_words(const Descriptor& algorithm) {
  std::vector<std::string> types;
  for (const KeyAndValue& type : algorithm.all_types()) types.push_back(type_text(type));
  return types.empty() ? "-" : fmt::format("{}", fmt::join(types, " "));
}

std::string stable_in_words(const Descriptor& algorithm) {
  if (!is_sort(algorithm.kind)) return "-";
  return algorithm.stable ? "yes" : "no";
}

/// "E = 8, t = 256 for u32, u64 up to n = 3.7e5": no types where it is for all.
std::string defaults_text(const Descriptor& algorithm, const OtherDefaults& one) {
  std::vector<std::string> types;
  for (const KeyAndValue& type : algorithm.all_types())
    if (one.apply_to(1, type)) types.push_back(type_text(type));
  std::string text = parameters(one.parameters);
  if (types.size() < algorithm.all_types().size()) text += fmt::format(" for {}", fmt::join(types, ", "));
  if (std::isfinite(one.most_n)) text += " up to n = " + elements(one.most_n);
  return text;
}

/// Every algorithm as a block, with its parameters' meanings.
std::string in_full(const std::vector<AnyAlgorithm>& algorithms) {
  std::string out;
  for (const AnyAlgorithm& one : algorithms) {
    const Descriptor& algorithm = descriptor(one);
    std::vector<std::pair<std::string, std::string>> facts{{"group", algorithm.group},
                                                           {"source", algorithm.source},
                                                           {"formula", algorithm.formula ? "yes" : "-"},
                                                           {"kernel", kernel_in_words(one)},
                                                           {"types", types_in_words(algorithm)},
                                                           {"stable", stable_in_words(algorithm)}};
    for (const ParameterInfo& info : algorithm.parameters)
      facts.emplace_back(info.name, fmt::format("{}: {}..{}, default {}", info.meaning, info.values.front(),
                                                info.values.back(), info.default_value));
    for (const OtherDefaults& other : algorithm.other_defaults)
      facts.emplace_back("default", defaults_text(algorithm, other));
    for (const ParameterInfo& info : algorithm.options())
      facts.emplace_back("option " + info.name,
                         fmt::format("{}; default {}", info.meaning, info.default_value));
    out += (out.empty() ? "" : "\n") + line(fmt::format("{} ({})", algorithm.slug, name(algorithm.kind))) +
           fields(facts);
  }
  return out;
}

std::string listed(const std::vector<AnyAlgorithm>& algorithms, Verbosity verbosity) {
  if (verbosity == Verbosity::full) return in_full(algorithms);
  Table table({{"algorithm", left},
               {"kind", left},
               {"kernel", left},
               {"stable", left},
               {"types", left},
               {"parameters: range (default)", left}});
  for (const AnyAlgorithm& one : algorithms) {
    const Descriptor& algorithm = descriptor(one);
    std::string parameters;
    for (const ParameterInfo& info : algorithm.parameters)
      parameters += fmt::format("{}{}: {}..{} ({})", parameters.empty() ? "" : ", ", info.name,
                                info.values.front(), info.values.back(), info.default_value);
    table.add({algorithm.slug, std::string(name(algorithm.kind)), kernel_in_words(one),
               stable_in_words(algorithm), types_in_words(algorithm), parameters.empty() ? "-" : parameters});
  }
  return table.text();
}

}  // namespace

std::string text(const std::vector<AnyAlgorithm>& algorithms, Verbosity verbosity) {
  std::string out;
  for (std::size_t list = 0; list < algorithm_lists.size(); ++list) {
    const std::vector<AnyAlgorithm> own = of_list(list, algorithms);
    if (own.empty()) continue;
    if (!out.empty()) out += "\n";
    if (list > 0) out += line(fmt::format("On {}:", algorithm_lists[list].runs_on));  // one GPU is usual
    out += listed(own, verbosity);
  }
  return out;
}

}  // namespace fathom::reports
