// SPDX-License-Identifier: Apache-2.0
// The report on a device: the answer first, then each algorithm, then what it rests on. This file is long, as
// all sections show what was selected of the figures at once, so that none is drawn twice.
#include <fathom/reports/html.h>

#include <fathom/algorithms/lists.h>
#include <fathom/core/text/escape.h>
#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/page/document.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text/text.h>
#include <fathom/reports/verdict.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace fathom::reports {
namespace {

using namespace page;
using Figures = std::vector<FigureOrMissing>;

// ---- which figures ----

constexpr std::size_t fewest_points =
    4;  ///< of a curve in a section; shorter ones are in the figures of types

bool has_curve(const Figure& figure) {
  return std::ranges::any_of(figure.layers,
                             [](const Layer& layer) { return layer.points.size() >= fewest_points; });
}

/// What the page shows, of all that `fathom plot` draws.
struct Selection {
  Figures overview;
  std::map<std::string, Figures> by_algorithm;
  Figures side_by_side, machine;
  std::map<std::string, Figures> several_gpus;               ///< by algorithm
  std::vector<Missing> missing;                              ///< in the sections of algorithms
  std::vector<std::pair<FigureKind, std::size_t>> left_out;  ///< figures that the page does not show

  std::size_t count() const {
    std::size_t all = overview.size() + side_by_side.size() + machine.size();
    for (const auto* figures_of : {&by_algorithm, &several_gpus})
      for (const auto& [algorithm, figures] : *figures_of) all += figures.size();
    return all;
  }
};

void move_to(Figures& target, Figures figures) {
  std::ranges::move(figures, std::back_inserter(target));
}

/// The figures of a kind that show one algorithm and are `wanted`.
template <class Wanted>
void add_to_algorithms(Selection& selection, const ReportInput& input, FigureKind kind, Wanted wanted) {
  std::size_t left_out = 0;
  for (FigureOrMissing& one : figures(input, kind)) {
    Figure* figure = std::get_if<Figure>(&one);
    if (!figure) {
      selection.missing.push_back(std::move(std::get<Missing>(one)));
      continue;
    }
    if (find_group_algorithm(figure->of.algorithm)) continue;  // in a section of their own
    if (!figure->of.algorithm.empty() && wanted(*figure))
      selection.by_algorithm[figure->of.algorithm].push_back(std::move(one));
    else
      ++left_out;
  }
  if (left_out > 0) selection.left_out.emplace_back(kind, left_out);
}

/// The largest n swept, for each algorithm, type and parameter.
std::map<std::tuple<std::string, std::string, std::string>, double> largest_sweeps(const ReportInput& input) {
  std::map<std::tuple<std::string, std::string, std::string>, double> largest;
  for (const FigureOrMissing& one : figures(input, FigureKind::sweep))
    if (const Figure* figure = std::get_if<Figure>(&one)) {
      double& n = largest[{figure->of.algorithm, figure->of.type, figure->of.parameter}];
      n = std::max(n, figure->of.n);
    }
  return largest;
}

Selection selected(const ReportInput& input) {
  Selection selection;
  if (input.datasets.empty())
    selection.overview = figures(input, FigureKind::algorithms);
  else
    for (const FigureKind kind : {FigureKind::parity, FigureKind::limits, FigureKind::speed}) {
      Figures all = figures(input, kind);
      selection.overview.push_back(std::move(all.front()));
      if (all.size() > 1) selection.left_out.emplace_back(kind, all.size() - 1);  // parity under other laws
    }
  std::set<std::string> measured;
  for (const Dataset& dataset : input.datasets)
    for (const Measurement& run : dataset.runs) measured.insert(run.algorithm);
  const auto is_shown = [&](const Figure& figure) {
    return measured.empty() || measured.contains(figure.of.algorithm);
  };
  add_to_algorithms(selection, input, FigureKind::throughput,
                    [&](const Figure& figure) { return is_shown(figure) && has_curve(figure); });
  const auto largest = largest_sweeps(input);
  add_to_algorithms(selection, input, FigureKind::sweep, [&](const Figure& figure) {
    return figure.of.n == largest.at({figure.of.algorithm, figure.of.type, figure.of.parameter});
  });
  add_to_algorithms(selection, input, FigureKind::terms,
                    [&](const Figure& figure) { return is_shown(figure) && has_curve(figure); });
  add_to_algorithms(selection, input, FigureKind::tradeoff,
                    [&](const Figure& figure) { return figure.id.starts_with("tradeoff-multiplicity"); });
  if (!input.datasets.empty())
    for (const FigureKind kind : {FigureKind::algorithms, FigureKind::inputs, FigureKind::types})
      move_to(selection.side_by_side, figures(input, kind));
  for (FigureOrMissing& one : figures(input, FigureKind::scaling))
    if (const Figure* figure = std::get_if<Figure>(&one))
      selection.several_gpus[figure->of.algorithm].push_back(std::move(one));
  for (const FigureKind kind : {FigureKind::saturation, FigureKind::footprint, FigureKind::conflicts})
    move_to(selection.machine, figures(input, kind));
  return selection;
}

// ---- the answer ----

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string gpu_of(const ReportInput& input) {
  const std::string& gpu = input.profile.provenance.gpu;
  return gpu.empty() ? input.profile.machine.name.empty() ? input.profile.name : input.profile.machine.name
                     : gpu;
}

/// "9,000 runs of 11 algorithms and 3 baselines on u32, u64"
std::string runs_in_words(const ReportInput& input) {
  std::set<std::string> algorithms, baselines, types;
  std::size_t runs = 0;
  for (const Dataset& dataset : input.datasets)
    for (const Measurement& run : dataset.runs) {
      const Descriptor* descriptor = find_listed(run.algorithm);
      (descriptor && descriptor->baseline ? baselines : algorithms).insert(run.algorithm);
      types.insert(name(Instantiation(run.problem)));
      ++runs;
    }
  if (runs == 0) return "none: all times are predicted";
  return fmt::format("{} of {} and {} on {}", runs, counted(algorithms.size(), "algorithm"),
                     counted(baselines.size(), "baseline"), fmt::join(types, ", "));
}

std::string laws_in_words(const ReportInput& input) {
  std::vector<std::string_view> laws;
  const auto add = [&](LawName law) {
    if (!std::ranges::count(laws, name(law))) laws.push_back(name(law));
  };
  for (const LawComparison& one : input.comparisons) add(one.law);
  for (const PredictionReport& one : input.predictions) add(one.law);
  return fmt::format("{}profile {}", laws.empty() ? "" : fmt::format("law {}; ", fmt::join(laws, " and ")),
                     input.profile.name);
}

/// How far predictions are off, and the fastest algorithm beside each baseline.
std::vector<std::string> answers(const ReportInput& input, const std::vector<Verdict>& verdicts) {
  std::vector<std::string> all;
  if (!input.comparisons.empty()) {
    const auto& [law, comparison] = input.comparisons.front();
    const MeanErrors means = mean_errors(comparison, large_n);
    const auto worst =
        std::ranges::max_element(means.over_runs, {}, [](const auto& one) { return one.second; });
    if (means.over_algorithms)
      all.push_back(fmt::format(
          "Law {}: mean error over algorithms {} at n ≥ 2^20, over {}; the worst, {}: {} over its runs. Runs "
          "that a fit may use do not count.",
          name(law), percent(*means.over_algorithms), counted(means.over_runs.size(), "algorithm"),
          worst->first, percent(worst->second)));
  }
  std::map<std::string, const Verdict*> best;
  for (const Verdict& one : verdicts)
    if (const auto& speed = one.speed.value) {
      const Verdict*& of_baseline = best[speed->baseline];
      if (!of_baseline || speed->ratio > of_baseline->speed.value->ratio) of_baseline = &one;
    }
  for (const auto& [baseline, one] : best) {
    const Verdict::Speed& speed = *one->speed.value;
    all.push_back(fmt::format("{} is {} times as fast as {} on {} at n = {}{}.", one->algorithm,
                              significant(speed.ratio), baseline, one->type, elements(speed.n),
                              speed.ratio < 1 ? ", the fastest measured beside it" : ""));
  }
  return all;
}

std::string section_id(const std::string& algorithm) {
  return "algorithm-" + identifier(algorithm);
}

/// Each algorithm at 2^20 and at the largest n predicted.
Table predicted_table(const std::vector<PredictionReport>& predictions) {
  struct Row {
    const PredictionReport* at_large_n = nullptr;
    const PredictionReport* largest = nullptr;
  };
  std::vector<std::string> order;
  std::map<std::string, Row> rows;
  for (const PredictionReport& one : predictions) {
    if (!rows.contains(one.algorithm)) order.push_back(one.algorithm);
    Row& row = rows[one.algorithm];
    if (one.problem.n == large_n) row.at_large_n = &one;
    if (!row.largest || one.problem.n > row.largest->problem.n) row.largest = &one;
  }
  Table table({{"algorithm", left},
               {"parameters at the largest n", left},
               {"n = 2^20"},
               {"bottleneck", left},
               {"largest n"},
               {"predicted"},
               {"95 %"},
               {"10^9 elements/s"},
               {"bottleneck", left}});
  for (const std::string& algorithm : order) {
    const auto& [at_large_n, largest] = rows.at(algorithm);
    const double n = largest->problem.n, seconds = largest->prediction.time_s;
    table.add({algorithm, parameters(largest->problem.parameters),
               at_large_n ? time(at_large_n->prediction.time_s) : "-",
               at_large_n ? limit_in_words(at_large_n->prediction) : "-", elements(n), time(seconds),
               known(largest->prediction.interval_s, time_range), throughput(n / seconds),
               limit_in_words(largest->prediction)});
  }
  return table;
}

std::string next_steps(const DeviceProfile& profile) {
  std::vector<std::pair<std::string, std::string>> steps;
  if (profile.origin != "measured")
    steps.emplace_back("fathom calibrate -o my-gpu.json", "measures the rates of the GPU that is present");
  steps.insert(
      steps.end(),
      {{fmt::format("fathom tune sort -n 1e8 --device {}", profile.name),
        "ranks all sorts, with the parameters that are predicted to be fastest"},
       {"fathom bench ALGORITHM --sizes 2^16..2^28 -o runs.json", "runs and checks kernels on the GPU"},
       {"fathom report runs.json -o report.html", "writes this page with the measured times beside"}});
  return heading(2, "What to do next") + commands(steps);
}

/// True if there are runs, and none is of one GPU.
bool has_only_several_gpus(const ReportInput& input) {
  std::size_t runs = 0, of_several = 0;
  for (const Dataset& dataset : input.datasets)
    for (const Measurement& run : dataset.runs) {
      ++runs;
      of_several += find_group_algorithm(run.algorithm) != nullptr;
    }
  return runs > 0 && runs == of_several;
}

std::string answer(const ReportInput& input, const std::vector<Verdict>& all, const Selection& selection,
                   Artist& artist) {
  std::string out = definitions(
      {{"GPU", gpu_of(input)}, {"Runs", runs_in_words(input)}, {"Predicted by", laws_in_words(input)}});
  if (const auto& why_not = artist.why_not())
    out += paragraph(fmt::format("No figure is drawn: {}.", *why_not), "warning");
  const auto link = [](const std::vector<std::string>& row) { return section_id(row.front()); };
  if (input.datasets.empty()) {
    const Table predicted = predicted_table(input.predictions);
    if (predicted.empty())
      out +=
          missing({"Predictions", "no law predicts with this profile", "fathom calibrate -o profile.json"});
    else
      out += table("Predicted at default parameters, u32, random input", predicted, link);
    return out + artist.figures(selection.overview) + next_steps(input.profile);
  }
  const std::vector<Verdict> shown = headlines(all);
  out += bullets(answers(input, shown));
  if (shown.empty() && has_only_several_gpus(input))
    out += paragraph(input.scalings.empty()
                         ? "All runs are on several GPUs. The notes say why they are left out."
                         : "All runs are on several GPUs, which have a section below.");
  else if (shown.empty())
    out += missing({"Verdict", "no measured run is of a known algorithm", bench_sizes_command});
  else
    out += table("Each algorithm on the type with most runs: one prediction, then all runs",
                 verdict_table(shown), link);
  return out + artist.figures(selection.overview);
}

// ---- the sections ----

std::string algorithm_section(const std::string& algorithm, const std::vector<Verdict>& verdicts,
                              const std::vector<TradeOff>& trade_offs, const std::string& device,
                              const Selection& selection, Artist& artist) {
  std::string out;
  if (!verdicts.empty()) out += table("Each type of elements", verdict_table(verdicts));
  for (const TradeOff& one : trade_offs)
    if (one.algorithm == algorithm && one.device == device && !one.predicted.empty())
      out += paragraph(in_words(one));
  if (const auto found = selection.by_algorithm.find(algorithm); found != selection.by_algorithm.end())
    out += artist.figures(found->second);
  const Descriptor* descriptor = find_listed(algorithm);
  return details(section_id(algorithm), algorithm, descriptor ? descriptor->source : "", out,
                 Printed::always);
}

/// In the order of the verdicts; then those that have figures only.
std::string algorithm_sections(const ReportInput& input, const std::vector<Verdict>& verdicts,
                               const Selection& selection, Artist& artist) {
  std::vector<std::pair<std::string, std::vector<Verdict>>> sections;
  std::set<std::string> with_verdict;
  for (const Verdict& one : verdicts) {  // those of an algorithm follow each other
    if (with_verdict.insert(one.algorithm).second) sections.push_back({one.algorithm, {}});
    sections.back().second.push_back(one);
  }
  for (const auto& [algorithm, figures] : selection.by_algorithm)
    if (!with_verdict.contains(algorithm)) sections.push_back({algorithm, {}});
  std::string out;
  for (const auto& [algorithm, own] : sections)
    out += algorithm_section(algorithm, own, input.trade_offs, input.profile.name, selection, artist);
  return out;
}

std::string side_by_side(const ReportInput& input, const Selection& selection, Artist& artist) {
  std::string out = artist.figures(selection.side_by_side);
  if (input.comparisons.empty()) return out;
  const LawComparison& compared = input.comparisons.front();
  bool any = false;
  for (Kind kind : {Kind::sort, Kind::segmented_sort, Kind::scan, Kind::reduce}) {
    const Table limits = limits_table(compared, kind, input.predictions);
    if (limits.empty()) continue;
    any = true;
    out += table(fmt::format("Bottlenecks of the {} algorithms under the law {}: the largest n measured at "
                             "default parameters, u32",
                             name(kind), name(compared.law)),
                 limits);
  }
  if (!any)
    return out +
           missing({"Bottlenecks", "no run at default parameters has a prediction", bench_sizes_command});
  return out + paragraph(definition(compared.law).explains == Explains::resources
                             ? "Per cent of the predicted time, which add up to 100: first launches, then "
                               "the resource that takes longest, then each as far as it takes longer than "
                               "those before it."
                             : "Per cent of the sum of all levels.");
}

std::string several_gpus(const ReportInput& input, const Selection& selection, Artist& artist) {
  std::string out;
  if (const Table errors = scaling_error_table(input.scalings); !errors.empty())
    out += table("Relative error of the predicted time, n of all sizes", errors);
  for (const auto& [algorithm, of_algorithm] : selection.several_gpus)
    out += heading(3, algorithm) + artist.figures(of_algorithm);
  return out + heading(3, "All runs") +
         table("Default parameters and random input, beside the fastest algorithm of one GPU",
               scaling_table(input.scalings)) +
         paragraph(
             "The share of exchanges is the time that they take alone, also beside launches, over the "
             "predicted time. The largest exchange of a run has the rate that the measured links give it, in "
             "bytes that leave a GPU. Its share of the link is in comparison with the largest copies between "
             "two GPUs.");
}

std::string machine(const ReportInput& input, const Selection& selection, Artist& artist) {
  const Table levels = level_table(input.profile), other = constants_table(input.profile),
              fits = fit_table(input.profile.algorithms);
  std::string out = levels.empty()
                        ? missing({"Constants", "the profile has none", "fathom calibrate -o profile.json"})
                        : table("Constants of the memory levels with 95 % intervals", levels);
  if (!other.empty()) out += table("Constants of the laws, and what they make faster", other);
  if (!fits.empty()) out += table(fit_caption(input.profile.algorithms), fits);
  return out + artist.figures(selection.machine);
}

std::string table_or_missing(const std::string& caption, const Table& filled, const Missing& otherwise) {
  return filled.empty() ? missing(otherwise) : table(caption, filled);
}

std::string raw_tables(const ReportInput& input) {
  return table_or_missing("Relative error of the predicted time on runs not used in any fit",
                          error_table(input.comparisons),
                          {"Errors", "no measured runs to compare with", bench_sizes_command}) +
         table_or_missing("Slowdown of the predicted choice of parameters against the fastest measured",
                          regret_table(input.comparisons),
                          {"Regret", "no algorithm was measured with several parameter sets at the same n",
                           bench_grid_command}) +
         table_or_missing(
             "Counted accesses against the formulas, in 32-bit words per level, idle lanes included",
             audit_table(input.counts), {"Audit", "nothing was counted", "fathom count --audit -n 2^16"});
}

std::string provenance(const ReportInput& input) {
  const Machine<double>& machine = input.profile.machine;
  const Provenance& from = input.profile.provenance;
  std::vector<std::pair<std::string, std::string>> terms{
      {"GPU", from.gpu.empty() ? machine.name : from.gpu},
      {"Profile", fmt::format("{}, {}", input.profile.name, input.profile.origin)},
      {"Cores", fmt::format("{} in {} multiprocessors of {}", machine.P(), machine.multiprocessors,
                            machine.cores_per_multiprocessor)},
      {"Clock", hertz(machine.clock.value)},
      {"Memory", bytes(machine.global_memory.value)},
      {"L2", machine.l2_capacity ? bytes(machine.l2_capacity->value) : ""},
      {"Driver", from.driver},
      {"CUDA toolkit", from.toolkit},
      {"Calibrated", from.date},
      {"Commit", from.commit},
      {"Command", from.command}};
  for (const Dataset& dataset : input.datasets) {
    const Provenance& measured = dataset.provenance;
    terms.emplace_back("Measured runs", fmt::format("{} on {}, {}: {}", dataset.runs.size(), measured.gpu,
                                                    measured.date, measured.command));
  }
  terms.emplace_back("Report date", input.date);
  return definitions(terms);
}

std::string notes(const ReportInput& input, const Selection& selection) {
  std::string out;
  for (const std::string& note : input.notes) out += paragraph(note);
  if (const std::string left_out = left_out_in_words(input.unpredicted); !left_out.empty())
    out += paragraph(left_out);
  for (const std::string& warning : input.profile.warnings) out += paragraph(warning, "warning");
  for (const Missing& one : selection.missing) out += missing(one);
  Table commands({{"figures", Align::left}, {"left out"}, {"command", Align::left}});
  for (const auto& [kind, count] : selection.left_out)
    commands.add({std::string(name(kind)), std::to_string(count),
                  fmt::format("fathom plot {} DATASET… -o FIGURE.svg", name(kind))});
  commands.add({"machines", "all", "fathom plot machines -o FIGURE.svg"});
  return out + table("Figures that this page leaves out", commands);
}

}  // namespace

std::string html_report(const ReportInput& input, const Progress& progress) {
  const Selection selection = selected(input);
  const std::vector<Verdict> all = verdicts(input.comparisons, input.predictions);
  Artist artist(progress, selection.count());
  const std::string title =
      fmt::format("{}: predicted{}", gpu_of(input), input.datasets.empty() ? "" : " and measured");
  std::string body = fmt::format("<main>\n<header class=\"overview\">\n<h1>{}</h1>\n", for_html(title)) +
                     answer(input, all, selection, artist) + "</header>\n";
  body += "<section aria-labelledby=\"algorithms\">\n<h2 id=\"algorithms\">Algorithms</h2>\n";
  body += algorithm_sections(input, all, selection, artist);
  body += "</section>\n<section aria-labelledby=\"more\">\n<h2 id=\"more\">More</h2>\n";
  if (!input.datasets.empty())
    body += details("side-by-side", "Algorithms side by side", "all sizes, types and inputs; bottlenecks",
                    side_by_side(input, selection, artist));
  if (!input.scalings.empty())
    body += details("several-gpus", "Several GPUs", "time and speed-up over their number, and where it goes",
                    several_gpus(input, selection, artist));
  body += details("machine", "Machine", "constants and what they were fitted to",
                  machine(input, selection, artist), Printed::always,
                  input.datasets.empty() ? State::open : State::closed);
  body += details("tables", "Tables", "errors, regret, counts", raw_tables(input));
  body += details("provenance", "Provenance", "where everything comes from", provenance(input));
  body += details("notes", "Notes", "warnings, and what is left out", notes(input, selection));
  return document("Fathom: " + title, body + "</section>\n</main>\n");
}

}  // namespace fathom::reports
