// SPDX-License-Identifier: Apache-2.0
// Small results, computed by hand, that the tests of this folder print and draw.
#pragma once

#include <fathom/calls/predicting/trade_off.h>
#include <fathom/reports/figures.h>
#include <fathom/store/work_table.h>

#include <cmath>
#include <memory>

namespace fathom::reports {

using calls::trade_off, calls::trade_offs;

inline Prediction prediction_of(double global_s, double shared_s) {
  Prediction prediction;
  prediction.terms.global_s = global_s;
  prediction.terms.shared_s = shared_s;
  prediction.time_s = global_s + shared_s;
  prediction.interval_s = Interval{0.9 * prediction.time_s, 1.1 * prediction.time_s};
  prediction.bottleneck = Bottleneck{Level::global, Limit::bandwidth};
  prediction.phases = {{"merge", 4, Level::global, 2e6, global_s, Limit::bandwidth}};
  return prediction;
}

/// Under the law counted: 0.7 of the time DRAM, 0.4 ALU, 0.1 launches; 0.2 overlap.
inline Prediction counted_prediction_of(double time_s) {
  Prediction prediction;
  prediction.time_s = time_s;
  prediction.interval_s = Interval{0.8 * time_s, 1.25 * time_s};
  ResourceTerms& terms = prediction.resources.emplace();
  terms.alone_s[std::size_t(Resource::dram)] = 0.7 * time_s;
  terms.alone_s[std::size_t(Resource::alu)] = 0.4 * time_s;
  terms.launch_s = 0.1 * time_s;
  terms.overlap_s = -0.2 * time_s;
  return prediction;
}

/// The kind by the slug's prefix; a baseline counts as a sort, which does not matter here.
inline Kind kind_of_slug(const std::string& slug) {
  return slug.starts_with("scan") ? Kind::scan : slug.starts_with("reduce") ? Kind::reduce : Kind::sort;
}

inline Measurement run_of(const std::string& algorithm, double n, Parameters parameters, double seconds) {
  Measurement run;
  run.algorithm = algorithm;
  run.problem = {.kind = kind_of_slug(algorithm), .n = n, .parameters = std::move(parameters)};
  run.seconds = {0.99 * seconds, seconds, 1.02 * seconds};
  run.checked = true;
  return run;
}

/// Text that would do harm where it is not escaped: markup, quotes, gnuplot's commands and escapes, terminal
/// controls, a direction override, a path, bytes that are not UTF-8.
inline const std::string hostile_text =
    "<img src=x onerror=alert(1)>\"><svg onload='alert(2)'>'; system \"touch fathom-was-here\" `id` id='q' "
    "href=\"#q\" url(#q) ../../x_^{}@&~&#60;\\U+003c %s\n$(id)\x1b[31m\u202e\xff";

/// Pairwise sorts of every size from 2^16 to 2^22 at E = 15 and of 2^22 for five E, and a baseline; both
/// laws.
inline ReportInput sample_input() {
  ReportInput input;
  input.profile.name = "h200";
  input.profile.origin = "measured";
  input.profile.provenance.gpu = "NVIDIA <H200>";
  Machine<double>& machine = input.profile.machine;
  machine.multiprocessors = 132;
  machine.cores_per_multiprocessor = 128;
  machine.clock = Hertz{2e9};
  machine.at(Level::global) = {700, 0.03, 5, 2};
  for (double I : {1, 4})
    for (double X : {0.25, 1.0, 4.0, 16.0})
      input.profile.series.push_back({"global-copy",
                                      {{"X", X}, {"I", I}, {"accesses", 1000}},
                                      "s",
                                      {1000 * std::max(X / 0.03, 700 / I) / 2e9},
                                      2e9,
                                      false});
  Dataset dataset;
  for (int k = 16; k <= 22; ++k) {
    const double n = std::exp2(k);
    dataset.runs.push_back(run_of("sort-pairwise", n, {{"E", 15}, {"t", 128}}, 1e-10 * n));
    dataset.runs.push_back(run_of("cub-merge", n, {}, 0.9e-10 * n));
  }
  for (int E : {7, 11, 19, 23})
    dataset.runs.push_back(run_of("sort-pairwise", 0x1p22, {{"E", E}, {"t", 128}}, 5e-4));
  input.datasets = {dataset};
  for (LawName law : {LawName::counted, LawName::published}) {
    LawComparison compared{law, {}};
    compared.comparison.device = "h200";
    for (const Measurement& run : input.datasets[0].runs) {
      ComparedRun one{&run, run.seconds[1], {}, {}, run.problem.n == 0x1p20};
      if (run.algorithm == "sort-pairwise") {
        one.predicted = law == LawName::counted ? counted_prediction_of(0.9 * run.seconds[1])
                                                : prediction_of(0.7 * run.seconds[1], 0.2 * run.seconds[1]);
        one.relative_error = -0.1;
        one.held_out = !one.fitted;
      }
      compared.comparison.runs.push_back(one);
    }
    compared.comparison.summaries = {
        {"sort-pairwise", "u32", std::string(name(law)), "all", 10, 0.1, 0.1, std::nullopt}};
    input.comparisons.push_back(compared);
  }
  return input;
}

/// The work in the built-in tables for sm_90.
inline WorkLookup shipped_work() {
  return [](const Descriptor& of, const Instantiation& type, const Parameters& parameters, Input input) {
    auto work = built_in_work({of.slug, type, parameters, input, 90});
    if (!work) throw WorkUnavailable("the work of " + of.slug + " is in no table");
    return std::make_shared<const AlgorithmWork>(*std::move(work));
  };
}

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

/// sample_input() with `text` in the place of every name and line that files can bring in.
inline ReportInput input_with(const std::string& text) {
  ReportInput input = sample_input();
  const auto rename = [&](Measurement& run) {  // also seen by the comparisons, which point to the runs
    if (run.algorithm == "sort-pairwise") run.algorithm = text;
    Parameters renamed;
    for (const auto& [name, value] : run.problem.parameters) renamed.set(text + name, value);
    run.problem.parameters = renamed;
  };
  for (Dataset& dataset : input.datasets) {
    for (Measurement& run : dataset.runs) rename(run);
    dataset.provenance = {text, text, text, text, text, text};
  }
  for (LawComparison& compared : input.comparisons) {
    compared.comparison.device = text;
    compared.comparison.summaries[0] = {text, text, text, text, 10, 0.1, 0.1, std::nullopt};
    compared.comparison.regrets = {{text, text, 1024, {{text, 1}}, {{text, 2}}, 2, 1, 1}};
  }
  DeviceProfile& profile = input.profile;
  profile.name = profile.origin = text;
  profile.provenance = {text, text, text, text, text, text};
  profile.warnings = {text};
  AlgorithmFit fit;
  fit.algorithm = fit.dataset = text;
  profile.algorithms = {fit};
  input.machine_sweeps = {{text, MachineKind::umm, text, {{1024, 2048, 512}, {4096, 4096, 2048}}}};
  input.notes = {text};
  input.date = text;
  return input;
}

}  // namespace fathom::reports
