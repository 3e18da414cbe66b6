// SPDX-License-Identifier: Apache-2.0
// Predicted against measured as text.
#include <fathom/calibration/run_parameters.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text.h>
#include <fathom/reports/text/text_parts.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>

namespace fathom::reports {
namespace {

/// Rows keep the order of first appearance: compare() lists groups in reading order.
struct ErrorRow {
  std::string algorithm, type, group;
  std::map<LawName, const ErrorSummary*> by_law;
};

std::vector<ErrorRow> error_rows(const std::vector<LawComparison>& comparisons) {
  std::vector<ErrorRow> rows;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::size_t> places;
  for (const auto& [law, comparison] : comparisons)
    for (const ErrorSummary& summary : comparison.summaries) {
      const auto [place, is_new] =
          places.try_emplace({summary.algorithm, summary.type, summary.group}, rows.size());
      if (is_new) rows.push_back({summary.algorithm, summary.type, summary.group, {}});
      rows[place->second].by_law[law] = &summary;
    }
  return rows;
}

std::vector<LawName> laws(const std::vector<LawComparison>& comparisons) {
  std::vector<LawName> found;
  for (const LawComparison& one : comparisons) found.push_back(one.law);
  return found;
}

std::string runs_text(std::size_t runs) {
  return fmt::format("{} {}", runs, runs == 1 ? "run" : "runs");
}

/// "Not counted: 4 runs never checked, 2 runs with a moved clock"; empty if every run counts.
std::string left_out_text(const std::vector<LawComparison>& comparisons) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t runs, const std::string& why) {
    if (runs > 0) parts.push_back(runs_text(runs) + " " + why);
  };
  const LeftOut& of_all = comparisons.front().comparison.left_out;  // these are the same for every law
  add(of_all.unchecked, "never checked");
  add(of_all.clock_moved, "with a moved clock");
  add(of_all.unknown_algorithm, "of unknown algorithms");
  add(of_all.baselines, "of baselines, which are only measured");
  add(of_all.without_formula, "of algorithms without a formula");
  add(of_all.fitted, "that a fit in the profile may have used");
  for (const auto& [law, comparison] : comparisons)
    for (const auto& [reason, runs] : comparison.left_out.not_predicted)
      add(runs, fmt::format("without a {} prediction ({})", name(law), reason));
  return parts.empty() ? "" : line(fmt::format("Not counted: {}", fmt::join(parts, ", ")));
}

std::string head(const std::vector<LawComparison>& comparisons) {
  const Comparison& first = comparisons.front().comparison;
  std::string out = line("Predicted against measured on " + first.device);
  if (first.other_gpu)
    out += line("The runs were measured on another GPU than the profile's: " + first.measured_on);
  return out + left_out_text(comparisons);
}

}  // namespace

Table error_table(const std::vector<LawComparison>& comparisons,
                  const std::function<bool(const std::string& group)>& wanted) {
  std::vector<Table::Column> columns{{"algorithm", left}, {"type", left}, {"group", left}, {"runs"}};
  for (LawName law : laws(comparisons)) {
    columns.push_back({fmt::format("{}: mean error", name(law))});
    columns.push_back({"worst"});
    columns.push_back({"within 95 %"});
  }
  Table table(columns);
  for (const ErrorRow& row : error_rows(comparisons)) {
    if (wanted && !wanted(row.group)) continue;
    // The laws may apply to different runs: the largest count is shown, and "-" for a law without runs.
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
               {"fastest measured", left},
               {"measured"},
               {"regret"}});
  for (const auto& [law, comparison] : comparisons)
    for (const Regret& regret : comparison.regrets)
      table.add({regret.algorithm, regret.type, elements(regret.n), std::string(name(law)),
                 parameters(regret.picked), time(regret.picked_s), parameters(regret.best),
                 time(regret.best_s), percent(regret.regret)});
  return table;
}

Table mean_regret_table(const std::vector<LawComparison>& comparisons) {
  Table table({{"algorithm", left}, {"type", left}, {"law", left}, {"sizes"}, {"mean"}, {"worst"}});
  for (const auto& [law, comparison] : comparisons) {
    std::map<std::pair<std::string, std::string>, std::vector<double>> regrets;
    for (const Regret& one : comparison.regrets) regrets[{one.algorithm, one.type}].push_back(one.regret);
    for (const auto& [key, all] : regrets) {
      double sum = 0;
      for (const double one : all) sum += one;
      table.add({key.first, key.second, std::string(name(law)), std::to_string(all.size()),
                 percent(sum / double(all.size())), percent(*std::ranges::max_element(all))});
    }
  }
  return table;
}

namespace {

/// Errors of several summaries as if of one group of runs.
class PooledErrors {
 public:
  void add(const ErrorSummary& one) {
    if (!one.mean_absolute_relative_error) return;
    runs_ += one.runs;
    sum_ += *one.mean_absolute_relative_error * double(one.runs);
    worst_ = std::max(worst_, one.worst.value_or(0));
    if (!one.within_interval) return;
    with_interval_ += one.runs;
    within_ += *one.within_interval * double(one.runs);
  }
  std::size_t runs() const { return runs_; }
  /// Mean error, worst error, share within the 95 % interval; "-" if unknown.
  std::vector<std::string> cells() const {
    if (runs_ == 0) return {"-", "-", "-"};
    return {percent(sum_ / double(runs_)), percent(worst_),
            with_interval_ == 0 ? "-" : percent(within_ / double(with_interval_))};
  }

 private:
  std::size_t runs_ = 0, with_interval_ = 0;
  double sum_ = 0, worst_ = 0, within_ = 0;
};

/// Mean and worst regret; "-" if there is none.
std::vector<std::string> cells_of(const std::vector<double>& regrets) {
  if (regrets.empty()) return {"-", "-"};
  const double sum = std::accumulate(regrets.begin(), regrets.end(), 0.0);
  return {percent(sum / double(regrets.size())), percent(*std::ranges::max_element(regrets))};
}

const std::vector<Table::Column> answer_columns{{"runs"},        {"mean over runs"},      {"worst"},
                                                {"within 95 %"}, {"tune: mean slowdown"}, {"worst slowdown"}};

/// The runs and regrets of a comparison for which `wanted(algorithm)` holds, in one row of answer_columns.
template <class Wanted>
std::vector<std::string> answer_cells(const Comparison& comparison, Wanted wanted) {
  PooledErrors errors;
  std::vector<double> regrets;
  for (const ErrorSummary& summary : comparison.summaries)
    if (summary.group == "all" && wanted(summary.algorithm)) errors.add(summary);
  for (const Regret& one : comparison.regrets)
    if (wanted(one.algorithm)) regrets.push_back(one.regret);
  std::vector<std::string> cells{std::to_string(errors.runs())};
  std::ranges::move(errors.cells(), std::back_inserter(cells));
  std::ranges::move(cells_of(regrets), std::back_inserter(cells));
  return cells;
}

Table with_answer_columns(const std::string& first, const std::vector<Table::Column>& more = {}) {
  std::vector<Table::Column> columns{{first, left}};
  columns.insert(columns.end(), more.begin(), more.end());
  columns.insert(columns.end(), answer_columns.begin(), answer_columns.end());
  return Table(columns);
}

std::vector<std::string> row(const std::string& first, std::vector<std::string> cells) {
  cells.insert(cells.begin(), first);
  return cells;
}

Table law_table(const std::vector<LawComparison>& comparisons) {
  Table table = with_answer_columns("law", {{"mean over algorithms"}});
  for (const auto& [law, comparison] : comparisons) {
    std::vector<std::string> cells = answer_cells(comparison, [](const std::string&) { return true; });
    cells.insert(cells.begin(), known(mean_errors(comparison).over_algorithms, percent));
    table.add(row(std::string(name(law)), std::move(cells)));
  }
  return table;
}

Table algorithm_table(const Comparison& comparison) {
  Table table = with_answer_columns("algorithm");
  std::vector<std::string> slugs;
  for (const ErrorSummary& summary : comparison.summaries)
    if (std::ranges::count(slugs, summary.algorithm) == 0) slugs.push_back(summary.algorithm);
  for (const std::string& slug : slugs)
    table.add(row(slug, answer_cells(comparison, [&](const std::string& one) { return one == slug; })));
  return table;
}

std::string by_algorithm(const std::vector<LawComparison>& comparisons) {
  const auto& [law, comparison] = comparisons.front();
  std::string out = head(comparisons) +
                    section("Errors of runs that took part in no fit", law_table(comparisons)) +
                    section(fmt::format("Law {}, by algorithm", name(law)), algorithm_table(comparison));
  return out + "\n" +
         line(
             "Mean over algorithms: of each one's mean over its runs. Slowdown: of the parameters that tune "
             "picks, against the fastest measured. By type, size or "
             "parameters: `by`");
}

}  // namespace

std::string text(const std::vector<LawComparison>& comparisons, Groups groups) {
  if (comparisons.empty()) return {};
  if (groups == Groups::algorithms) return by_algorithm(comparisons);
  const auto wanted = [&](const std::string& group) {
    if (group == "all") return true;
    const bool is_size = group.starts_with("n = ");
    return groups == Groups::types ? false : is_size == (groups == Groups::sizes);
  };
  return head(comparisons) +
         section("Relative error on runs not used in any fit", error_table(comparisons, wanted)) +
         section("Regret: slowdown of the predicted choice of parameters against the fastest measured",
                 groups == Groups::types ? mean_regret_table(comparisons) : regret_table(comparisons));
}

}  // namespace fathom::reports
