// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/tuning/tuning.h>

#include <fathom/algorithms/bench.h>
#include <fathom/calls/measuring/gpu.h>
#include <fathom/calls/predicting/estimates.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/predicting/remembered_work.h>
#include <fathom/calls/profiles.h>
#include <fathom/calls/tuning/choice_work.h>
#include <fathom/counting/work.h>
#include <fathom/model/tune.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fathom::calls {
namespace {

SharedWork shared(std::optional<AlgorithmWork> work) {
  return work ? std::make_shared<const AlgorithmWork>(*std::move(work)) : nullptr;
}

/// A question's work for all choices of its parameters.
WorkSource work_source(const Question& question, const DeviceProfile& profile) {
  const auto wanted = [&question](const Parameters& choice) {
    return case_of(*question.algorithm, Instantiation(question.problem), choice, question.input);
  };
  const int architecture = architecture_of(profile);
  return {.known = [=](const Parameters& choice) { return shared(known_work(wanted(choice), architecture)); },
          .estimate =
              [=, &question, &profile](const Parameters& choice, const Reference& reference) {
                Case one = wanted(choice);
                one.problem.n = question.problem.n;
                return shared(estimated_by(one, profile, *reference.work));
              },
          .without_counting =
              [=, &question, &profile](const Parameters& choice) {
                Case one = wanted(choice);
                one.problem.n = question.problem.n;
                return shared(estimated_without_counting(one, profile));
              },
          .count =
              [&question, &profile](const Parameters& choice, const Progress& progress) {
                return work_lookup(profile, progress, 1)(*question.algorithm, Instantiation(question.problem),
                                                         choice, question.input);
              }};
}

/// Only the order of times matters here, hence without the factors of a fit.
SecondsOfChoice seconds_of(const Question& question, const Machine<double>& machine) {
  return [&question, &machine](const Parameters& choice, const AlgorithmWork& work) {
    Problem problem = question.problem;
    problem.parameters = choice;
    try {
      return CountedRun(*question.algorithm, machine, problem, work).seconds(machine);
    } catch (const std::invalid_argument&) {  // no block fits, or this choice has other kernels
      return std::numeric_limits<double>::infinity();
    }
  };
}

/// Choices of several algorithms, ranked on one device.
class Comparison {
 public:
  /// Gets the work of all choices. Entrants and profile must outlive it; `profile` has the changes that the
  /// questions ask for.
  Comparison(const std::vector<Entrant>& entrants, const DeviceProfile& profile, CountingLimit limit,
             const Listener& listener)
      : entrants_(entrants), profile_(profile), listener_(listener) {
    std::vector<AlgorithmChoices> all;
    for (const Entrant& entrant : entrants) {
      const Question& question = entrant.question;
      AlgorithmChoices& of = all.emplace_back();
      try {
        check_predictable(profile, *question.algorithm, question.law.law);
        check_fits(*question.algorithm, question.problem, profile.machine);
        if (!definition(question.law.law).needs_work || question.algorithm->steps) continue;
        of.source = work_source(question, profile);
      } catch (const std::exception&) {  // which report() throws
        continue;
      }
      of.choices = entrant.choices;
      of.usual = question.algorithm->default_parameters(question.problem);
      for (const ParameterInfo& info : question.algorithm->parameters)
        if (info.of_problem) of.usual.set(info.name, entrant.choices.front().at(info.name));
      of.seconds = seconds_of(question, profile.machine);
    }
    limit.why_not = [&listener](std::size_t missing, std::size_t choices) {
      const auto why = why_not_counted();
      if (why)
        listener.note(fmt::format("the work of {} of {} choices is in no table and cannot be counted: {}",
                                  missing, choices, *why));
      return why;
    };
    work_.emplace(all, limit, listener.progress);
  }

  /// The first `top` choices of an entrant, 0 for all. Throws like tune().
  reports::TuneReport report(std::size_t entrant, std::size_t top) const {
    const Question& question = entrants_.at(entrant).question;
    const std::vector<Parameters>& choices = entrants_.at(entrant).choices;
    const Descriptor& algorithm = *question.algorithm;
    check_fits(algorithm, question.problem, profile_.machine);
    const WorkLookup of_choices = [&](const Descriptor&, const Instantiation&, const Parameters& choice,
                                      Input) { return work_->of(entrant, choice); };
    RememberedWork of_steps(work_or_estimate_lookup(profile_, listener_.progress));
    Predictor predictor(profile_, algorithm, question.law, algorithm.steps ? of_steps.lookup() : of_choices,
                        conflict_lookup(profile_, listener_.progress));
    auto [ranking, without_work, why] =
        rank_choices(algorithm, question.problem, choices,
                     [&](const Problem& one) { return predictor(one, question.input); });
    reports::TuneReport report{.algorithm = algorithm.slug,
                               .device = profile_.name,
                               .law = question.law.law,
                               .problem = question.problem,
                               .input = question.input,
                               .fitted_from = predictor.fitted_from(),
                               .reading = reading_of(question.law),
                               .what_if = question.what_if,
                               .choices = ranking.size() + without_work,
                               .without_work = without_work,
                               .what_counts = std::move(why)};
    const auto is_estimated = [&](const RankedChoice& choice) {
      return definition(question.law.law).needs_work && !algorithm.steps &&
             work_->of(entrant, choice.parameters)->estimate != nullptr;
    };
    report.estimated = std::size_t(std::ranges::count_if(ranking, is_estimated));
    if (report.estimated > 0) report.what_counts = work_->why_left_out();
    if (definition(question.law.law).has_intervals()) report.tied = tied_choices(ranking);
    if (top > 0 && ranking.size() > top) ranking.resize(top);
    for (const RankedChoice& choice : ranking) {
      Problem one = question.problem;
      one.parameters = choice.parameters;
      report.candidates.push_back(
          {one.parameters, predictor.explained(one, question.input), std::nullopt, is_estimated(choice)});
      if (question.sensitivities && !report.sensitivities)
        report.sensitivities = predictor.sensitivities(one, question.input);
    }
    return report;
  }

  /// The reports of all entrants, the fastest first. Entrants that cannot be predicted are added to
  /// `left_out`. Throws what the first of them threw if none can be.
  std::vector<reports::TuneReport> reports(std::size_t top,
                                           std::vector<reports::NotCompared>& left_out) const {
    std::vector<reports::TuneReport> all;
    std::exception_ptr first;
    const auto leave_out = [&](const std::string& slug, const std::exception& why) {
      if (!first) first = std::current_exception();
      left_out.push_back({slug, why.what()});
    };
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      const std::string& slug = entrants_[i].question.algorithm->slug;
      try {
        all.push_back(report(i, top));
      } catch (const std::runtime_error& why) {  // too large for the device; a constant or work is missing
        leave_out(slug, why);
      } catch (const std::invalid_argument& why) {  // a block does not fit
        leave_out(slug, why);
      }
    }
    if (all.empty()) std::rethrow_exception(first);
    std::ranges::stable_sort(all, {}, [](const reports::TuneReport& report) {
      return report.candidates.front().prediction.time_s;
    });
    return all;
  }

 private:
  const std::vector<Entrant>& entrants_;
  const DeviceProfile& profile_;
  const Listener& listener_;
  std::optional<ChoiceWork> work_;
};

/// So that an answer comes within ten seconds, whatever the compiler does.
constexpr std::chrono::seconds until_stopped(7);

CountingLimit limit_of(const TuneOptions& options) {
  CountingLimit limit{.rest = "`exhaustive=true` counts it"};
  if (!options.exhaustive) limit.time = until_stopped;
  return limit;
}

/// Measures these choices of the reports' algorithms on the GPU of this number.
struct ToMeasure {
  reports::TuneReport* report;
  std::size_t candidate;
};
void measure(const std::vector<ToMeasure>& choices, int gpu, const Listener& listener) {
  CudaExecutor executor = open_gpu(gpu, listener);
  std::vector<Case> cases;
  for (const auto& [report, candidate] : choices) {
    cases.push_back(
        {.algorithm = &algorithm(report->algorithm), .problem = report->problem, .input = report->input});
    cases.back().problem.parameters = report->candidates[candidate].parameters;
  }
  const Progress& progress = listener.progress;
  warm_cache(executor, cases, progress);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Progress within = [&](auto&&...) { progress("measuring", i, cases.size()); };
    choices[i].report->candidates[choices[i].candidate].measured_s =
        quartiles(bench(executor, cases[i], 11, within).seconds).median;
  }
  progress("measured", cases.size(), cases.size());
}

void check_measurable(const Descriptor& of) {
  if (of.steps)
    throw std::invalid_argument(fmt::format(
        "{} runs on {}, where choices are not verified: omit `verify`, and measure with fathom bench",
        of.slug, of.runs_on()));
  if (!algorithm(of.slug).make_workload)
    throw std::invalid_argument(fmt::format("{} has no kernel to verify with: omit `verify`", of.slug));
}

DeviceProfile with_changes(DeviceProfile profile, const std::vector<Entrant>& entrants) {
  apply_what_if(entrants.front().question.what_if, profile);
  return profile;
}

}  // namespace

std::vector<Parameters> usual_choices(const Descriptor& algorithm, Assignments chosen) {
  const ParameterInfo* const gpus = algorithm.find_parameter("gpus");
  const bool names_gpus = std::ranges::count(chosen, "gpus", &Assignments::value_type::first) > 0;
  if (algorithm.for_several_gpus() && !gpus->of_problem && !names_gpus)
    chosen.push_back({"gpus", {1, 2, 4, 8}});
  return every_choice(algorithm, chosen);
}

reports::TuneReport tune(const Entrant& entrant, const TuneOptions& options, const Listener& listener) {
  if (options.verify > 0) check_measurable(*entrant.question.algorithm);
  const std::vector<Entrant> alone{entrant};
  const DeviceProfile profile = with_changes(choose_profile(options.device, listener), alone);
  const int listed = options.top == 0 ? 0 : std::max(options.top, options.verify);
  reports::TuneReport report =
      Comparison(alone, profile, limit_of(options), listener).report(0, std::size_t(listed));
  if (options.verify == 0) return report;
  std::vector<ToMeasure> first;
  for (std::size_t i = 0; i < std::min(std::size_t(options.verify), report.candidates.size()); ++i)
    first.push_back({&report, i});
  measure(first, options.gpu, listener);
  report.regret = *report.candidates.front().measured_s / *report.fastest_measured()->measured_s - 1;
  return report;
}

reports::TuneRanking tune(const std::vector<Entrant>& entrants, std::vector<reports::NotCompared> left_out,
                          const TuneOptions& options, const Listener& listener) {
  if (options.verify > 0)
    for (const Entrant& entrant : entrants) check_measurable(*entrant.question.algorithm);
  const DeviceProfile profile = with_changes(choose_profile(options.device, listener), entrants);
  const Comparison comparison(entrants, profile, limit_of(options), listener);
  reports::TuneRanking ranking{.left_out = std::move(left_out)};
  ranking.tunings = comparison.reports(std::size_t(options.top), ranking.left_out);
  if (options.verify == 0) return ranking;
  std::vector<ToMeasure> first;
  for (std::size_t i = 0; i < std::min(std::size_t(options.verify), ranking.tunings.size()); ++i)
    first.push_back({&ranking.tunings[i], 0});
  measure(first, options.gpu, listener);
  return ranking;
}

reports::PredictionRanking predict(const std::vector<Entrant>& entrants,
                                   std::vector<reports::NotCompared> left_out, const DeviceProfile& profile,
                                   const Listener& listener) {
  const DeviceProfile changed = with_changes(profile, entrants);
  const Comparison comparison(entrants, changed,
                              {.time = until_stopped, .rest = "asking for it alone counts it"}, listener);
  reports::PredictionRanking ranking{.left_out = std::move(left_out)};
  for (reports::TuneReport& one : comparison.reports(1, ranking.left_out)) {
    reports::TuneCandidate& only = one.candidates.front();
    one.problem.parameters = std::move(only.parameters);
    ranking.predictions.push_back({.algorithm = std::move(one.algorithm),
                                   .device = std::move(one.device),
                                   .law = one.law,
                                   .problem = std::move(one.problem),
                                   .prediction = std::move(only.prediction),
                                   .input = one.input,
                                   .fitted_from = std::move(one.fitted_from),
                                   .reading = std::move(one.reading),
                                   .what_if = std::move(one.what_if)});
  }
  return ranking;
}

}  // namespace fathom::calls
