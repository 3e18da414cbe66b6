// SPDX-License-Identifier: Apache-2.0
// What limits each algorithm, as tables.
#include <fathom/calibration/run_parameters.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text.h>
#include <fathom/reports/text/text_parts.h>

#include <fmt/format.h>

#include <algorithm>

namespace fathom::reports {
namespace {

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
    if (algorithm.kind != kind) continue;
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

/// Resources that nowhere take a tenth of the time are shown together.
Table resource_limits(const std::vector<Limited>& rows) {
  std::vector<TimeShares> shares;
  for (const Limited& row : rows) shares.push_back(time_shares(*row.prediction));
  std::vector<Resource> shown, small;
  for (const Resource resource : all_resources) {
    bool is_large = false;
    for (std::size_t k = 0; k < rows.size(); ++k)
      is_large |= shares[k].resource_s[std::size_t(resource)] > 0.1 * rows[k].prediction->time_s;
    (is_large ? shown : small).push_back(resource);
  }
  const bool any_in_turn =
      std::ranges::any_of(shares, [](const TimeShares& one) { return one.in_turn_s > 0; });
  std::vector<Table::Column> columns = limits_head;
  columns.insert(columns.end(), {{"bottleneck", left}, {"10 % faster saves"}});
  for (const Resource resource : shown) columns.push_back({std::string(in_words(resource))});
  if (!small.empty()) columns.push_back({"other"});
  columns.push_back({"launches"});
  if (any_in_turn) columns.push_back({"one after another"});
  Table table(columns);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Prediction& prediction = *rows[k].prediction;
    std::vector<std::string> row = rows[k].head;
    const auto& bound = prediction.bound;
    row.push_back(bound ? in_words(*bound) : "-");
    row.push_back(bound ? share(bound->saved_s, prediction.time_s) : "-");
    const auto add = [&](double seconds) {
      row.push_back(fmt::format("{:.0f} %", 100 * seconds / prediction.time_s));
    };
    const auto of = [&](Resource resource) { return shares[k].resource_s[std::size_t(resource)]; };
    for (const Resource resource : shown) add(of(resource));
    double others_s = 0;
    for (const Resource resource : small) others_s += of(resource);
    if (!small.empty()) add(others_s);
    add(shares[k].launch_s);
    if (any_in_turn) add(shares[k].in_turn_s);
    table.add(row);
  }
  return table;
}

}  // namespace

const ComparedRun* largest_default_run(const Comparison& comparison, const Descriptor& algorithm) {
  const ComparedRun* largest = nullptr;
  for (const ComparedRun& compared : comparison.runs) {
    const Measurement& run = *compared.run;
    if (compared.predicted && run.algorithm == algorithm.slug &&
        type_text(run.problem) == name(ElementType::u32) && run.input == Input::random &&
        has_defaults(algorithm, run) && (!largest || run.problem.n > largest->run->problem.n))
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

}  // namespace fathom::reports
