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

/// The same prediction if it was explained, too; else that of the run.
const Prediction& explained(const ComparedRun& compared, LawName law, const Descriptor& algorithm,
                            const std::vector<PredictionReport>& predictions) {
  const Problem problem = problem_of(algorithm, *compared.run);
  for (const PredictionReport& one : predictions)
    if (one.law == law && one.algorithm == algorithm.slug && one.prediction.bound && one.problem == problem)
      return one.prediction;
  return *compared.predicted;
}

/// A row of a table of bottlenecks: all but the shares.
struct Limited {
  std::vector<std::string> head;
  const Prediction* prediction;
};

std::vector<Limited> limited(const LawComparison& compared, Kind kind,
                             const std::vector<PredictionReport>& predictions) {
  std::vector<Limited> rows;
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.formula || algorithm.kind != kind) continue;
    const ComparedRun* run = largest_default_run(compared.comparison, algorithm);
    if (!run) continue;
    const Prediction& prediction = explained(*run, compared.law, algorithm, predictions);
    rows.push_back({{algorithm.slug, parameters(run->run->problem.parameters), elements(run->run->problem.n),
                     time(prediction.time_s), time(run->measured_s)},
                    &prediction});
  }
  return rows;
}

const std::vector<Table::Column> limits_head{
    {"algorithm", left}, {"parameters", left}, {"n"}, {"predicted"}, {"measured"}};

std::string share(double seconds, double of) {
  return fmt::format("{:.1f} %", 100 * seconds / of);
}

Table level_limits(const std::vector<Limited>& rows) {
  std::vector<Table::Column> columns = limits_head;
  for (const char* part : {"global", "shared", "registers"}) columns.push_back({part});
  columns.push_back({"bottleneck", left});
  Table table(columns);
  for (auto [row, prediction] : rows) {
    const double sum = sum_of_terms(*prediction);
    const auto of_sum = [&](double seconds) { return share(seconds, sum); };
    for (Level level : formula_levels) row.push_back(known(term_seconds(*prediction, level), of_sum));
    row.push_back(in_words(prediction->bottleneck));
    table.add(row);
  }
  return table;
}

/// Resources that nowhere take a fifth of the time are shown together.
Table resource_limits(const std::vector<Limited>& rows) {
  std::vector<Resource> shown, small;
  for (const Resource resource : all_resources) {
    const bool is_large = std::ranges::any_of(rows, [&](const Limited& row) {
      return row.prediction->resources->of(resource) > 0.2 * row.prediction->time_s;
    });
    (is_large ? shown : small).push_back(resource);
  }
  std::vector<Table::Column> columns = limits_head;
  columns.insert(columns.end(), {{"bottleneck", left}, {"10 % faster saves"}});
  for (const Resource resource : shown) columns.push_back({std::string(in_words(resource))});
  if (!small.empty()) columns.push_back({"other"});
  for (const char* part : {"launches", "overlap"}) columns.push_back({part});
  Table table(columns);
  for (const Limited& one : rows) {
    const Prediction& prediction = *one.prediction;
    std::vector<std::string> row = one.head;
    const auto& bound = prediction.bound;
    row.push_back(bound ? in_words(*bound) : "-");
    row.push_back(bound ? share(bound->saved_s, prediction.time_s) : "-");
    const auto add = [&](double seconds) {
      row.push_back(fmt::format("{:.0f} %", 100 * seconds / prediction.time_s));
    };
    const ResourceTerms& terms = *prediction.resources;
    for (const Resource resource : shown) add(terms.of(resource));
    double others_s = 0;
    for (const Resource resource : small) others_s += terms.of(resource);
    if (!small.empty()) add(others_s);
    add(terms.launch_s);
    add(terms.overlap_s);
    table.add(row);
  }
  return table;
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

const ComparedRun* largest_default_run(const Comparison& comparison, const Descriptor& algorithm) {
  const auto wanted = by_name(algorithm.default_parameters());
  const ComparedRun* largest = nullptr;
  for (const ComparedRun& compared : comparison.runs) {
    const Measurement& run = *compared.run;
    if (compared.predicted && run.algorithm == algorithm.slug &&
        type_text(run.problem) == name(ElementType::u32) && run.input == Input::random &&
        by_name(run.problem.parameters) == wanted && (!largest || run.problem.n > largest->run->problem.n))
      largest = &compared;
  }
  return largest;
}

Table limits_table(const LawComparison& compared, Kind kind,
                   const std::vector<PredictionReport>& predictions) {
  const std::vector<Limited> rows = limited(compared, kind, predictions);
  return definition(compared.law).explains == Explains::resources ? resource_limits(rows)
                                                                  : level_limits(rows);
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

const std::vector<Table::Column> answer_columns{{"runs"},        {"mean error"},          {"worst"},
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

Table with_answer_columns(const std::string& first) {
  std::vector<Table::Column> columns{{first, left}};
  columns.insert(columns.end(), answer_columns.begin(), answer_columns.end());
  return Table(columns);
}

std::vector<std::string> row(const std::string& first, std::vector<std::string> cells) {
  cells.insert(cells.begin(), first);
  return cells;
}

Table law_table(const std::vector<LawComparison>& comparisons) {
  Table table = with_answer_columns("law");
  for (const auto& [law, comparison] : comparisons)
    table.add(row(std::string(name(law)), answer_cells(comparison, [](const std::string&) { return true; })));
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
  std::string out = head(comparisons) + section("Runs that took part in no fit", law_table(comparisons)) +
                    section(fmt::format("Law {}, by algorithm", name(law)), algorithm_table(comparison));
  return out + "\n" +
         line(
             "Slowdown: of the parameters that tune picks, against the fastest measured. By type, size or "
             "parameters: --by");
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
