// SPDX-License-Identifier: Apache-2.0
// This file is long, as each part of the input has a function of its own, and all of them add to one answer.
#include <fathom/calls/reporting/report_input.h>

#include <fathom/algorithms/lists.h>
#include <fathom/calibration/run_parameters.h>
#include <fathom/calls/datasets.h>
#include <fathom/calls/measuring/provenance.h>
#include <fathom/calls/predicting/counting.h>
#include <fathom/calls/predicting/crossover.h>
#include <fathom/calls/predicting/degree_sweep.h>
#include <fathom/calls/predicting/papers.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/predicting/remembered_work.h>
#include <fathom/calls/predicting/scaling.h>
#include <fathom/calls/predicting/trade_off.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/reporting/comparison.h>
#include <fathom/calls/tuning/contenders.h>
#include <fathom/core/text/size.h>
#include <fathom/reports/text/text.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fathom::calls {
namespace {

constexpr ElementType predicted_type = ElementType::u32;

bool is_measured(const Algorithm& algorithm, ElementType type, const std::vector<Dataset>& datasets) {
  for (const Dataset& dataset : datasets)
    for (const Measurement& run : dataset.runs)
      if (run.algorithm == algorithm.slug && type_text(run.problem) == name(type)) return true;
  return false;
}

bool is_measured(const Algorithm& algorithm, const std::vector<Dataset>& datasets) {
  return std::ranges::any_of(datasets, [&](const Dataset& dataset) {
    return std::ranges::any_of(dataset.runs,
                               [&](const auto& run) { return run.algorithm == algorithm.slug; });
  });
}

void note_other_gpu(const DeviceProfile& profile, const std::string& measured_on, const Listener& listener) {
  const std::string& gpu = profile.provenance.gpu;
  if (!gpu.empty() && !measured_on.empty() && gpu != measured_on)
    listener.note(fmt::format("the runs were measured on '{}', the profile {} is of another GPU, '{}'",
                              measured_on, profile.name, gpu));
}

const std::string& chosen_parameter(const Algorithm& algorithm, const std::string& name) {
  if (algorithm.parameters.empty())
    throw std::invalid_argument(
        fmt::format("{} has no parameters to vary: choose another algorithm", algorithm.slug));
  if (name.empty()) return algorithm.parameters.front().name;
  if (const ParameterInfo* info = algorithm.find_parameter(name)) return info->name;
  algorithm.check(Parameters{{name, 0}});  // throws, naming the nearest
  return name;
}

const std::vector<LawName> default_laws{LawName::counted, LawName::published};

bool needs_work(LawName law) {
  return definition(law).needs_work;
}

}  // namespace

ReportInputs::ReportInputs(const FigureOptions& options, const Listener& listener,
                           DefaultLaws if_none_is_named)
    : listener_(listener),
      laws_(options.law.empty() ? default_laws : std::vector{parse_law(options.law)}),
      default_laws_(options.law.empty()),
      if_none_is_named_(if_none_is_named),
      smallest_n_(options.smallest_n) {
  input_.datasets = read_datasets(options, listener_);
  keep_runs([&](const Measurement& run) { return run.problem.n >= smallest_n_; },
            fmt::format("with n from {} on", elements(smallest_n_)));
  input_.date = now_utc();
  if (input_.datasets.empty()) {
    input_.profile = choose_profile(options.device, listener_);
  } else {
    const Dataset& measured = measured_first(input_.datasets);
    input_.profile = choose_profile(options.device, measured, listener_);
    note_other_gpu(input_.profile, measured.provenance.gpu, listener_);
  }
  work_ = std::make_unique<RememberedWork>(work_lookup(input_.profile, listener_.progress));
}

ReportInputs::~ReportInputs() = default;

const std::vector<LawName>& ReportInputs::laws() {
  const DeviceProfile& profile = input_.profile;
  if (default_laws_ && !std::ranges::count(laws_of(profile), LawName::counted) &&
      std::erase_if(laws_, needs_work) > 0) {
    const std::string left_out = fmt::format(
        "no predictions by the law counted: profile {} has no measured rates; fathom calibrate measures them",
        profile.name);
    listener_.note(left_out);
    input_.notes.push_back(left_out);
  }
  if (default_laws_ && if_none_is_named_ == DefaultLaws::first) laws_.resize(1);
  return laws_;
}

void ReportInputs::keep_only(const std::vector<std::string>& slugs) {
  only_ = slugs;
  if (slugs.empty()) return;
  keep_runs([&](const Measurement& run) { return std::ranges::count(slugs, run.algorithm) > 0; },
            fmt::format("of {}", fmt::join(slugs, ", ")));
}

void ReportInputs::keep_runs(const std::function<bool(const Measurement&)>& wanted, const std::string& what) {
  if (input_.datasets.empty()) return;
  std::size_t kept = 0;
  for (Dataset& dataset : input_.datasets) {
    std::erase_if(dataset.runs, [&](const Measurement& run) { return !wanted(run); });
    kept += dataset.runs.size();
  }
  if (kept == 0) throw std::runtime_error("the datasets have no runs " + what);
}

void ReportInputs::add_comparisons() {
  if (input_.datasets.empty()) return;
  input_.comparisons = compare_laws(input_.profile, input_.datasets, laws(), 0, listener_, work_->lookup());
  for (const auto& [law, comparison] : input_.comparisons)
    for (const ComparedRun& compared : comparison.runs) {
      const Measurement& run = *compared.run;
      const Descriptor* algorithm = find_listed(run.algorithm);
      if (!needs_work(law) || compared.predicted || !algorithm) continue;
      const Problem problem = problem_of(*algorithm, run);
      if (const std::string* why = work_->why_unavailable(*algorithm, problem, run.input))
        input_.unpredicted.push_back({.algorithm = run.algorithm,
                                      .law = law,
                                      .problem = problem,
                                      .input = run.input,
                                      .measured = true,
                                      .why = *why});
    }
}

/// Powers of two that fit in memory, and the largest n of a run at default parameters that was compared.
std::vector<double> ReportInputs::sizes_of(const Algorithm& algorithm, LawName law) const {
  const Machine<double>& machine = input_.profile.machine;
  std::vector<double> sizes;
  for (int power = 10; power <= 28; ++power) sizes.push_back(std::ldexp(1.0, power));
  std::erase_if(sizes, [&](double n) {
    return n < smallest_n_ || bytes_needed(algorithm, algorithm.problem(n, predicted_type), machine) >
                                  machine.global_memory.value;
  });
  for (const reports::LawComparison& one : input_.comparisons)
    if (const ComparedRun* largest = reports::largest_default_run(one.comparison, algorithm);
        largest && one.law == law)
      sizes.push_back(largest->run->problem.n);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// Nothing under a law for which the profile has no constants, or the algorithm no kernels.
void ReportInputs::predict(const Algorithm& algorithm, LawName law) try {
  if (!definition(law).applies_to(algorithm)) return;
  Predictor predictor(input_.profile, algorithm, Law{.law = law}, work_->lookup());
  for (const double n : sizes_of(algorithm, law)) {
    const Problem problem = algorithm.problem(n, predicted_type);
    try {
      input_.predictions.push_back({.algorithm = algorithm.slug,
                                    .device = input_.profile.name,
                                    .law = law,
                                    .problem = problem,
                                    .prediction = predictor.explained(problem)});
    } catch (const WorkUnavailable& unavailable) {
      const auto is_known = [&](const reports::Unpredicted& one) {
        return one.law == law && one.algorithm == algorithm.slug && one.problem == problem &&
               one.input == Input::random;
      };
      if (std::ranges::none_of(input_.unpredicted, is_known))
        input_.unpredicted.push_back(
            {.algorithm = algorithm.slug, .law = law, .problem = problem, .why = unavailable.what()});
    } catch (const BlockTooLarge&) {
    }
  }
} catch (const MissingConstant& missing) {
  if (missing_constant_.empty()) missing_constant_ = missing.what();
}

void ReportInputs::add_predictions(Predicted which) {
  const auto has_law = [&](const Algorithm& algorithm) {
    return !algorithm.baseline &&
           std::ranges::any_of(laws(), [&](LawName law) { return definition(law).applies_to(algorithm); });
  };
  std::vector<const Algorithm*> wanted;
  for (const Algorithm& algorithm : algorithms())
    if (has_law(algorithm) && (only_.empty() || std::ranges::count(only_, algorithm.slug) > 0) &&
        (which == Predicted::every_algorithm || input_.datasets.empty() ||
         is_measured(algorithm, predicted_type, input_.datasets)))
      wanted.push_back(&algorithm);
  std::size_t done = 0;
  for (const Algorithm* algorithm : wanted) {
    listener_.progress("predicting " + algorithm->slug, done++, wanted.size());
    for (const LawName law : laws()) predict(*algorithm, law);
  }
}

void ReportInputs::add_trade_offs(const PlotOptions& wanted) {
  const DeviceProfile& profile = input_.profile;
  std::vector<reports::TradeOff> own;
  if (wanted.algorithm.empty() && wanted.parameter.empty())
    own = calls::trade_offs(profile, laws(), input_.datasets, listener_.progress, work_->lookup());
  for (const std::string& slug : wanted.algorithm) {
    const Algorithm& algorithm = fathom::algorithm(slug);
    own.push_back(calls::trade_off(profile, algorithm, chosen_parameter(algorithm, wanted.parameter), laws(),
                                   input_.datasets, work_->lookup()));
  }
  if (wanted.algorithm.empty() && !wanted.parameter.empty())
    throw std::invalid_argument(
        fmt::format("`parameter` {}: name its algorithm with `algorithm`", wanted.parameter));
  input_.trade_offs = own;
  for (const reports::TradeOff& one : own)
    std::ranges::copy(one.unpredicted, std::back_inserter(input_.unpredicted));
  for (const std::string& name : built_in_profiles()) {
    const DeviceProfile other = built_in_profile(name);
    if (other.origin != "published" || other.name == profile.name) continue;
    for (const reports::TradeOff& one : own)
      if (listener_.progress("trade-offs on " + name, 0, 1); !one.predicted.empty())
        input_.trade_offs.push_back(
            calls::trade_off(other, algorithm(one.algorithm), one.parameter, {LawName::published}));
  }
}

void ReportInputs::add_degree_sweeps(const std::string& pattern) {
  const std::vector<Input::Pattern> patterns =
      pattern.empty() ? patterns_with_degree() : std::vector{parse_pattern_with_degree(pattern)};
  const auto is_sort = [](const Algorithm& algorithm) {
    return algorithm.kind == Kind::sort && algorithm.plan;
  };
  std::vector<const Algorithm*> unmeasured;
  for (const Algorithm& algorithm : algorithms()) {
    if (has_runs()) break;
    if (std::ranges::count(only_, algorithm.slug) > 0 && !is_sort(algorithm)) {
      std::vector<std::string> sorts;
      for (const Algorithm& one : algorithms())
        if (is_sort(one)) sorts.push_back(one.slug);
      throw std::invalid_argument(fmt::format("{} is no sort with kernels of its own: choose {}",
                                              algorithm.slug, fmt::join(sorts, ", ")));
    }
    const bool is_known = algorithm.formula && algorithm.formula->input != InputDependence::unknown;
    if (is_sort(algorithm) && (only_.empty() ? is_known : std::ranges::count(only_, algorithm.slug) > 0))
      unmeasured.push_back(&algorithm);
  }
  // Counting the work of inputs that no one measured would take minutes.
  const WorkLookup work = has_runs() || !default_laws_ ? work_->lookup() : known_work_lookup(input_.profile);
  for (const Input::Pattern one : patterns)
    std::ranges::move(
        degree_sweeps({input_.profile, laws(), work, listener_.progress}, one, input_.datasets, unmeasured),
        std::back_inserter(input_.degree_sweeps));
}

WorkLookup ReportInputs::known_or_asked_work() {
  return default_laws_ ? known_work_lookup(input_.profile) : work_->lookup();
}

void ReportInputs::add_crossovers(std::vector<std::string> names) {
  if (names.empty()) names = {std::string(name(Kind::sort))};
  const WorkLookup work = known_or_asked_work();
  const LawName law = laws().front();
  PredictionOptions under;
  under.law = name(law);
  const Contenders found = contenders(names, std::string(name(predicted_type)), false, under);
  std::vector<std::string> slugs;
  for (const Algorithm* one : found.algorithms) slugs.push_back(one->slug);
  keep_only(slugs);
  std::vector<Instantiation> types{ElementType::u32, ElementType::u64};
  if (is_sort(found.algorithms.front()->kind)) types.push_back({{ElementType::u32, ElementType::u32}, false});
  for (const Instantiation& type : types) {
    CrossoverAnswer answer =
        crossover({input_.profile, law, work, listener_.progress}, found.algorithms, type, input_.datasets);
    input_.crossovers.push_back(std::move(answer.crossover));
    std::ranges::move(answer.unpredicted, std::back_inserter(input_.unpredicted));
    if (missing_constant_.empty()) missing_constant_ = std::move(answer.missing_constant);
  }
}

LawName ReportInputs::law_of_several_gpus() const {
  return default_laws_ ? LawName::counted : laws_.front();
}

void ReportInputs::add_scalings(const std::vector<std::string>& slugs) {
  std::vector<const GroupAlgorithm*> wanted;
  for (const std::string& slug : slugs) wanted.push_back(&algorithm_of_several_gpus(slug));
  if (slugs.empty())
    for (const GroupAlgorithm& one : group_algorithms())
      if (!one.baseline) wanted.push_back(&one);
  const WorkLookup work = known_or_asked_work();
  ScalingAnswer answer =
      scalings({input_.profile, law_of_several_gpus(), work, listener_.progress, smallest_n_}, wanted,
               input_.datasets);
  input_.scalings = std::move(answer.scalings);
  std::ranges::move(answer.unpredicted, std::back_inserter(input_.unpredicted));
}

void ReportInputs::add_scalings_if_measured() {
  if (!has_several_gpus(input_.datasets)) return;
  const auto leave_out = [&](std::string_view why) {
    const std::string note = fmt::format("the runs on several GPUs are left out: {}", why);
    listener_.note(note);
    input_.notes.push_back(note);
  };
  if (const LawName law = law_of_several_gpus(); !definition(law).applies_to(group_algorithms().front()))
    return leave_out(fmt::format("the law {} does not predict them", name(law)));
  try {
    add_scalings();
  } catch (const MissingConstant& missing) {
    leave_out(missing.what());
  }
}

void ReportInputs::add_papers() {
  const WorkLookup work = known_or_asked_work();
  input_.papers = paper_figures({input_.profile, laws(), work, listener_.progress}, input_.datasets);
}

void ReportInputs::add_explanations() {
  std::ranges::move(explained(input_.profile, input_.comparisons, listener_, work_->lookup()),
                    std::back_inserter(input_.predictions));
}

/// Calls `count` with each algorithm that has a formula and kernels, of the measured ones if there are runs,
/// and what to tell progress to.
template <class Count>
void ReportInputs::count_each(Count count) {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.formula && algorithm.plan &&
        (only_.empty() || std::ranges::count(only_, algorithm.slug) > 0) &&
        (!has_runs() || is_measured(algorithm, input_.datasets)))
      all.push_back(&algorithm);
  std::size_t done = 0;
  for (const Algorithm* algorithm : all) {
    const Progress within = [&](auto&&...) {
      listener_.progress("counting " + algorithm->slug, done, all.size());
    };
    try {
      count(*algorithm, within);
    } catch (const BlockDoesNotFit& misfit) {
      input_.notes.push_back(
          fmt::format("{} was not counted on {}: {}.", algorithm->slug, input_.profile.name, misfit.what()));
      listener_.note(fmt::format("{} is left out of the counts: {}", algorithm->slug, misfit.what()));
    }
    ++done;
  }
  listener_.progress("counted", all.size(), all.size());
}

void ReportInputs::add_counts() {
  if (!std::ranges::count(laws(), LawName::published)) return;
  constexpr double n = 1 << 15;  // several tiles of most kernels, within seconds
  count_each([&](const Algorithm& algorithm, const Progress& within) {
    const Problem problem = algorithm.problem(n);
    input_.counts.push_back(count_report({&algorithm, problem, Input::random}, input_.profile, {}, within));
  });
}

void ReportInputs::add_machine_sweeps() {
  count_each([&](const Algorithm& algorithm, const Progress& within) {
    std::ranges::move(machine_sweeps(algorithm, input_.profile.machine, {}, within),
                      std::back_inserter(input_.machine_sweeps));
  });
}

reports::ReportInput ReportInputs::finish() {
  if (const std::string left_out = reports::left_out_in_words(input_.unpredicted); !left_out.empty())
    listener_.note(left_out);
  if (!missing_constant_.empty()) {
    listener_.note(missing_constant_);
    input_.notes.push_back(missing_constant_);
  }
  return std::move(input_);
}

}  // namespace fathom::calls
