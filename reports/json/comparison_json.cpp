// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/interruption.h>
#include <fathom/reports/json/json.h>

#include "json_parts.h"

namespace fathom::reports {

using namespace json_parts;

namespace {

Json estimate(const Estimate& estimate) {
  return {{"value", estimate.value}, {"interval", or_null(estimate.interval)}};
}

Json algorithm_fit(const AlgorithmFit& fit) {
  return {{"algorithm", fit.algorithm},
          {"factors", {{"work", estimate(fit.factors.work)}, {"waiting", estimate(fit.factors.waiting)}}},
          {"residual", fit.residual},
          {"runs", fit.runs},
          {"dataset", fit.dataset}};
}

Json error_summary(const ErrorSummary& summary) {
  return {{"algorithm", summary.algorithm},
          {"type", summary.type},
          {"law", summary.law},
          {"group", summary.group},
          {"runs", summary.runs},
          {"mean_absolute_relative_error", or_null(summary.mean_absolute_relative_error)},
          {"worst", or_null(summary.worst)},
          {"within_interval", or_null(summary.within_interval)}};
}

Json regret(const Regret& regret) {
  return {{"algorithm", regret.algorithm},  {"type", regret.type},
          {"n", count(regret.n)},           {"picked", object_of(regret.picked)},
          {"best", object_of(regret.best)}, {"picked_s", regret.picked_s},
          {"best_s", regret.best_s},        {"regret", regret.regret}};
}

Json left_out(const LeftOut& runs) {
  return {{"unchecked", runs.unchecked},
          {"clock_moved", runs.clock_moved},
          {"unknown_algorithm", runs.unknown_algorithm},
          {"baselines", runs.baselines},
          {"without_formula", runs.without_formula},
          {"not_predicted", runs.not_predicted},
          {"fitted", runs.fitted}};
}

Json compared_run(const ComparedRun& compared) {
  const Measurement& run = *compared.run;
  return {{"algorithm", run.algorithm},
          {"type", name(Instantiation(run.problem))},
          {"input", name(run.input)},
          {"n", count(run.problem.n)},
          {"parameters", object_of(run.problem.parameters)},
          {"measured_s", compared.measured_s},
          {"predicted_s", compared.predicted ? Json(compared.predicted->time_s) : Json()},
          {"interval_s", compared.predicted ? or_null(compared.predicted->interval_s) : Json()},
          {"relative_error", or_null(compared.relative_error)},
          {"fitted", compared.fitted}};
}

/// Appends the list of runs of a comparison, as printed() would print it in its place.
void append_runs(std::string& text, const std::vector<ComparedRun>& runs) {
  constexpr std::string_view line = "\n        ";
  text += '[';
  for (const ComparedRun& run : runs) {
    check_interruption();
    text.append(&run == &runs.front() ? "" : ",").append(line);
    for (char c : dump(compared_run(run), 2)) c == '\n' ? text.append(line) : text.append(1, c);
  }
  text += runs.empty() ? "]" : "\n      ]";
}

}  // namespace

std::string json(const std::vector<LawComparison>& comparisons) {
  Json result = head("fathom.validate");
  result["comparisons"] = Json::array();
  for (const auto& [law, comparison] : comparisons) {
    Json entry = {{"law", name(law)}, {"device", comparison.device}};
    entry["measured_on"] = text_or_null(comparison.measured_on);
    entry["other_gpu"] = comparison.other_gpu;
    entry["left_out"] = left_out(comparison.left_out);
    entry["errors"] = list_of(comparison.summaries, error_summary);
    entry["regrets"] = list_of(comparison.regrets, regret);
    entry["runs"] = Json::array();
    result["comparisons"].push_back(std::move(entry));
  }
  // The runs are written one by one: as one tree they would need several times the memory of their text.
  constexpr std::string_view no_runs = "\"runs\": []";
  const std::string text = printed(result);
  std::string with_runs;
  std::size_t from = 0;
  for (const auto& [law, comparison] : comparisons) {
    const std::size_t at = text.find(no_runs, from);
    with_runs.append(text, from, at - from).append("\"runs\": ");
    append_runs(with_runs, comparison.runs);
    from = at + no_runs.size();
  }
  return with_runs.append(text, from);
}

std::string json(const std::vector<AlgorithmFit>& fits, const NotFitted& not_fitted) {
  Json result = head("fathom.fit");
  result["fits"] = list_of(fits, algorithm_fit);
  result["not_fitted"] = {{"unknown_algorithm", not_fitted.unknown_algorithm},
                          {"other_input", not_fitted.other_input},
                          {"unchecked", not_fitted.unchecked},
                          {"clock_moved", not_fitted.clock_moved},
                          {"without_work", not_fitted.without_work},
                          {"not_predicted", not_fitted.not_predicted},
                          {"beyond_most", not_fitted.beyond_most}};
  return printed(result);
}

}  // namespace fathom::reports
