// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/prediction.h>

#include <fathom/algorithms/gpus/rank_parts.h>
#include <fathom/calls/predicting/estimates.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/core/interruption.h>
#include <fathom/counting/count.h>
#include <fathom/counting/work.h>
#include <fathom/model/what_if.h>
#include <fmt/format.h>

namespace fathom::calls {

int architecture_of(const DeviceProfile& profile) {
  if (profile.architecture) return *profile.architecture;
  throw std::runtime_error(
      fmt::format("profile '{}' does not tell the architecture of its GPU, whose kernels' work is needed: "
                  "run fathom calibrate, or choose `law=published`",
                  profile.name));
}

Case case_of(const Descriptor& of, const Instantiation& type, const Parameters& parameters, Input input) {
  Case wanted{&algorithm_or_part(of.slug), of.problem(1, type), input};
  wanted.problem.parameters = parameters;
  return wanted;
}

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
    } catch (const Interrupted&) {
      throw Interrupted(
          "interrupted: work that has been counted is kept; the same command continues from there");
    }
  };
}

WorkLookup work_or_estimate_lookup(const DeviceProfile& profile, const Progress& progress) {
  return [&profile, lookup = work_lookup(profile, progress)](const Descriptor& of, const Instantiation& type,
                                                             const Parameters& parameters, Input input) {
    try {
      return lookup(of, type, parameters, input);
    } catch (const WorkUnavailable& missing) {
      constexpr double many = 1 << 24;  // elements, of which most time is spent in the same kernels
      Case wanted = case_of(of, type, parameters, input);
      wanted.problem.n = many;
      auto estimated = estimated_without_counting(wanted, profile);
      if (!estimated) throw;
      if (!estimated->estimate) return std::make_shared<const AlgorithmWork>(*std::move(estimated));
      Assumptions assumptions = *estimated->estimate;
      assumptions.sentences.push_back(fmt::format("For counted work: {}.", why_not_counted().value_or("")));
      estimated->estimate = std::make_shared<const Assumptions>(std::move(assumptions));
      return std::make_shared<const AlgorithmWork>(*std::move(estimated));
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

Question question(const Descriptor& algorithm, Problem problem, const PredictionOptions& options) {
  const Law law = law_of(options, algorithm);
  return {.algorithm = &algorithm,
          .problem = std::move(problem),
          .law = law,
          .input = input_of(options, law.law, algorithm),
          .what_if = options.what_if,
          .sensitivities = options.sensitivities};
}

std::optional<Law> reading_of(const Law& law) {
  return definition(law.law).has_readings ? std::optional(law) : std::nullopt;
}

reports::PredictionReport predict(const Question& question, DeviceProfile profile, const Listener& listener) {
  const Descriptor& algorithm = *question.algorithm;
  apply_what_if(question.what_if, profile);
  check_fits(algorithm, question.problem, profile.machine);
  Predictor predictor(profile, algorithm, question.law, work_or_estimate_lookup(profile, listener.progress),
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
                         work_or_estimate_lookup(profile_, listener_.progress),
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

}  // namespace fathom::calls
