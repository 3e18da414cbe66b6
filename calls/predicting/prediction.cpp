// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/prediction.h>

#include <fathom/algorithms/bench.h>
#include <fathom/calls/measuring/gpu.h>
#include <fathom/calls/predicting/choice_work.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/profiles.h>
#include <fathom/counting/count.h>
#include <fathom/counting/work.h>
#include <fathom/model/tune.h>
#include <fathom/model/what_if.h>
#include <fmt/format.h>

#include <algorithm>

namespace fathom::calls {

namespace {

int architecture_of(const DeviceProfile& profile) {
  if (profile.architecture) return *profile.architecture;
  throw std::runtime_error(
      fmt::format("profile '{}' does not tell the architecture of its GPU, whose kernels' work is needed: "
                  "run fathom calibrate, or choose `law=published`",
                  profile.name));
}

Case case_of(const Descriptor& of, const Instantiation& type, const Parameters& parameters, Input input) {
  Case wanted{&algorithm(of.slug), of.problem(1, type), input};
  wanted.problem.parameters = parameters;
  return wanted;
}

/// A question's work for all choices of its parameters.
WorkSource work_source(const Question& question, const DeviceProfile& profile) {
  const auto wanted = [&](const Parameters& choice) {
    return case_of(*question.algorithm, Instantiation(question.problem), choice, question.input);
  };
  return {.known = [=, architecture = architecture_of(profile)](const Parameters& choice) -> SharedWork {
            auto known = known_work(wanted(choice), architecture);
            return known ? std::make_shared<const AlgorithmWork>(*std::move(known)) : nullptr;
          },
          .count =
              [=, &question, &profile](const Parameters& choice, const Progress& progress) {
                return work_lookup(profile, progress, 1)(*question.algorithm, Instantiation(question.problem),
                                                         choice, question.input);
              }};
}

}  // namespace

WorkLookup work_lookup(const DeviceProfile& profile, const Progress& progress, int workers) {
  return [&profile, progress, workers](const Descriptor& of, const Instantiation& type,
                                       const Parameters& parameters, Input input) {
    const int architecture = architecture_of(profile);
    const Case wanted = case_of(of, type, parameters, input);
    try {
      return std::make_shared<const AlgorithmWork>(
          find_work(wanted, architecture, {.workers = workers, .progress = progress}));
    } catch (const BlockDoesNotFit& misfit) {
      throw BlockTooLarge(misfit.what());  // as predictions call it
    }
  };
}

double conflict_of_reads(const std::vector<KernelCounts>& kernels) {
  SharedAccesses reads;
  for (const KernelCounts& kernel : kernels)
    for (const AccessSite& site : kernel.sites)
      if (site.operation == MemoryOperation::load) reads += site.shared;
  return reads.conflict();
}

ConflictLookup conflict_lookup(const DeviceProfile& profile, const Progress& progress) {
  return [&profile, progress](const Descriptor& of, const Instantiation& type, const Parameters& parameters,
                              Input input) {
    Case one = case_of(of, type, parameters, input);
    // Four rounds of merges beyond the tiles: β differs little between rounds.
    constexpr int tiles = 16;
    one.problem.n = double(tiles) * parameters.at("t") * parameters.at("E");
    return conflict_of_reads(count(one, counting_device(profile.machine, one), {}, progress).kernels);
  };
}

void apply_what_if(const std::vector<std::string>& changes, DeviceProfile& profile) {
  for (const std::string& text : changes)
    for (const std::string& constant : apply(parse_what_if(text), profile.machine))
      profile.estimates.erase(constant);
}

Question question(const Algorithm& algorithm, Problem problem, const PredictionOptions& options) {
  const Law law = law_of(options, algorithm);
  return {.algorithm = &algorithm,
          .problem = std::move(problem),
          .law = law,
          .input = input_of(options, law.law, algorithm),
          .what_if = options.what_if,
          .sensitivities = options.sensitivities};
}

namespace {

std::optional<Law> reading_of(const Law& law) {
  return definition(law.law).has_readings ? std::optional(law) : std::nullopt;
}

}  // namespace

reports::PredictionReport predict(const Question& question, DeviceProfile profile, const Listener& listener) {
  const Algorithm& algorithm = *question.algorithm;
  apply_what_if(question.what_if, profile);
  check_fits(algorithm, question.problem, profile.machine);
  Predictor predictor(profile, algorithm, question.law, work_lookup(profile, listener.progress),
                      conflict_lookup(profile, listener.progress));
  reports::PredictionReport report{.algorithm = algorithm.slug,
                                   .device = profile.name,
                                   .law = question.law.law,
                                   .problem = question.problem,
                                   .prediction = predictor.explained(question.problem, question.input),
                                   .input = question.input,
                                   .fitted_from = predictor.fitted_from(),
                                   .reading = reading_of(question.law),
                                   .what_if = question.what_if};
  if (question.sensitivities)
    report.sensitivities = predictor.sensitivities(question.problem, question.input);
  return report;
}

namespace {

/// Predictions on one device. Where one cannot be had, the others still can.
class DevicePredictions {
 public:
  DevicePredictions(const Question& question, const DeviceProfile& profile, const Listener& listener)
      : question_(question), profile_(profile), listener_(listener) {}

  reports::SweepPoint operator()(const Problem& problem) try {
    check_fits(*question_.algorithm, problem, profile_.machine);
    if (!predictor_)
      predictor_.emplace(profile_, *question_.algorithm, question_.law,
                         work_lookup(profile_, listener_.progress),
                         conflict_lookup(profile_, listener_.progress));
    return {.device = profile_.name,
            .problem = problem,
            .prediction = predictor_->explained(problem, question_.input)};
  } catch (const std::runtime_error& reason) {  // too large for the device; a constant or work is missing
    return {.device = profile_.name, .problem = problem, .why = reason.what()};
  } catch (const std::invalid_argument& reason) {  // a block does not fit
    return {.device = profile_.name, .problem = problem, .why = reason.what()};
  }

 private:
  const Question& question_;
  const DeviceProfile& profile_;
  const Listener& listener_;
  std::optional<Predictor> predictor_;  ///< absent until a prediction is asked for: it needs constants
};

}  // namespace

reports::PredictionSweep sweep(const Question& question, const std::vector<Problem>& problems,
                               std::vector<DeviceProfile> profiles, const Listener& listener) {
  reports::PredictionSweep sweep{.algorithm = question.algorithm->slug,
                                 .law = question.law.law,
                                 .input = question.input,
                                 .reading = reading_of(question.law),
                                 .what_if = question.what_if};
  const std::size_t count = profiles.size() * problems.size();
  for (DeviceProfile& profile : profiles) {
    apply_what_if(question.what_if, profile);
    DevicePredictions predicted(question, profile, listener);
    for (const Problem& problem : problems) {
      listener.progress("predicting", sweep.points.size(), count);
      sweep.points.push_back(predicted(problem));
    }
  }
  listener.progress("predicted", count, count);
  return sweep;
}

namespace {

/// The first `top`, 0 for all.
reports::TuneReport ranked(const Question& question, const std::vector<Parameters>& choices, std::size_t top,
                           bool exhaustive, DeviceProfile profile, const Listener& listener) {
  // So that an answer comes within ten seconds, whatever the compiler does.
  constexpr std::chrono::seconds until_stopped(7);
  const Algorithm& algorithm = *question.algorithm;
  apply_what_if(question.what_if, profile);
  check_fits(algorithm, question.problem, profile.machine);
  std::optional<ChoiceWork> work;
  const LawDefinition& law = definition(question.law.law);
  if (law.needs_work && law.applies_to(algorithm))
    work.emplace(choices, work_source(question, profile),
                 exhaustive ? std::nullopt : std::optional<std::chrono::milliseconds>(until_stopped),
                 listener.progress);
  Predictor predictor(
      profile, algorithm, question.law,
      [&](const Descriptor&, const Instantiation&, const Parameters& choice, Input) {
        return work.value().of(choice);
      },
      conflict_lookup(profile, listener.progress));
  auto [ranking, without_work, why] =
      rank_choices(algorithm, question.problem, choices,
                   [&](const Problem& one) { return predictor(one, question.input); });
  if (without_work > 0)
    listener.note(fmt::format("{} of {} choices are left out: {}", without_work, choices.size(), why));
  reports::TuneReport report{.algorithm = algorithm.slug,
                             .device = profile.name,
                             .law = question.law.law,
                             .problem = question.problem,
                             .input = question.input,
                             .fitted_from = predictor.fitted_from(),
                             .reading = reading_of(question.law),
                             .what_if = question.what_if,
                             .without_work = without_work};
  if (law.has_intervals()) report.tied = tied_choices(ranking);
  if (top > 0 && ranking.size() > top) ranking.resize(top);
  for (RankedChoice& choice : ranking) {
    Problem one = question.problem;
    one.parameters = std::move(choice.parameters);
    report.candidates.push_back({one.parameters, predictor.explained(one, question.input), std::nullopt});
    if (question.sensitivities && !report.sensitivities)
      report.sensitivities = predictor.sensitivities(one, question.input);
  }
  return report;
}

/// Measures the first candidates on the GPU of this number.
void verify(reports::TuneReport& report, const Algorithm& algorithm, std::size_t first, int gpu,
            const Listener& listener) {
  CudaExecutor executor = open_gpu(gpu, listener);
  std::vector<Case> cases;
  for (std::size_t i = 0; i < std::min(first, report.candidates.size()); ++i) {
    cases.push_back({.algorithm = &algorithm, .problem = report.problem, .input = report.input});
    cases.back().problem.parameters = report.candidates[i].parameters;
  }
  const Progress& progress = listener.progress;
  warm_cache(executor, cases, progress);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Progress within = [&](auto&&...) { progress("measuring", i, cases.size()); };
    report.candidates[i].measured_s = quartiles(bench(executor, cases[i], 11, within).seconds).median;
  }
  progress("measured", cases.size(), cases.size());
  report.regret = *report.candidates.front().measured_s / *report.fastest_measured()->measured_s - 1;
}

}  // namespace

reports::TuneReport tune(const Algorithm& algorithm, const Problem& problem,
                         const std::vector<Parameters>& choices, const TuneOptions& options,
                         const Listener& listener) {
  const Question asked = question(algorithm, problem, options);
  if (options.verify > 0 && !algorithm.make_workload)
    throw std::invalid_argument(
        fmt::format("{} has no kernel to verify with: omit `verify`", algorithm.slug));
  const int listed = options.top == 0 ? 0 : std::max(options.top, options.verify);
  reports::TuneReport report = ranked(asked, choices, std::size_t(listed), options.exhaustive,
                                      choose_profile(options.device, listener), listener);
  if (options.verify > 0) verify(report, algorithm, std::size_t(options.verify), options.gpu, listener);
  return report;
}

}  // namespace fathom::calls
