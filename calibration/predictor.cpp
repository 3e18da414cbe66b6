// SPDX-License-Identifier: Apache-2.0
#include <fathom/calibration/predictor.h>
#include <fathom/core/interruption.h>
#include <fathom/model/constants.h>
#include <fathom/model/laws/group_run.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace fathom {
namespace {

/// An interval from a thousandth to a thousand times the time says no more than none. Fits as uncertain as
/// that come from damaged files.
constexpr double widest_factor = 1e3;

Interval interval_of(double time_s, double sigma) {
  const double factor = std::exp(1.96 * sigma);
  return {time_s / factor, time_s * factor};
}

/// Half the 95 % interval of log time, over 1.96.
double sigma_of(const LawError& error) {
  return boost::math::quantile(boost::math::students_t(error.algorithms), 0.975) / 1.96 * error.sigma;
}

/// The parameters, with lists of no more elements than there are, as far as the parameter has such values.
Parameters within_n(const Descriptor& algorithm, const Problem& problem) {
  Parameters parameters = problem.parameters;
  for (const ParameterInfo& info : algorithm.parameters) {
    if (!info.of_problem || parameters.at(info.name) <= problem.n) continue;
    int most = info.values.front();
    for (const int value : info.values)
      if (value <= problem.n) most = std::max(most, value);
    parameters.set(info.name, most);
  }
  return parameters;
}

/// A list of all elements may be so short that it goes through the kernels of shorter lists, which were not
/// counted for lists of the mean length.
bool has_all_kernels(const AlgorithmWork& work, const Descriptor& algorithm, const Problem& problem) {
  return std::ranges::all_of(algorithm.plan(problem, any_device()), [&](const Launch& launch) {
    return std::ranges::find(work.kernels, launch.name(), &KernelWork::kernel) != work.kernels.end();
  });
}

}  // namespace

bool has_rates(const Machine<double>& machine) {
  bool found = false;
  for_each_rate(machine, [&](std::string_view, const auto& rate) { found = found || rate; });
  return found;
}

Interval interval_of(double time_s, const LawError& error) {
  return interval_of(time_s, sigma_of(error));
}

void check_predictable(const DeviceProfile& profile, const Descriptor& algorithm, LawName law) {
  const LawDefinition& asked = definition(law);
  if (!asked.applies_to(algorithm))
    throw std::invalid_argument(
        algorithm.slug +
        (algorithm.steps
             ? fmt::format(" runs on {}, which the law counted alone predicts: choose `law=counted`",
                           algorithm.runs_on())
         : asked.needs_work ? " has no kernels whose work could be counted: choose `law=published`"
                            : " is measured only: it has no formula for predictions"));
  if (asked.needs_work && !has_rates(profile.machine))
    throw MissingConstant(
        profile.origin != "measured"
            ? fmt::format("profile '{}' has published constants, not the rates that the law {} needs: choose "
                          "`law=published`",
                          profile.name, asked.name)
            : fmt::format("profile '{}' was calibrated by an older version, without the rates that the law "
                          "{} needs: run fathom calibrate, or choose `law=published`",
                          profile.name, asked.name));
  if (asked.needs_fit && !profile.find_fit(algorithm.slug))
    throw MissingConstant(
        fmt::format("profile '{}' has no fit of {} for the law {}: run fathom fit, or choose `law=counted`",
                    profile.name, algorithm.slug, asked.name));
}

std::vector<LawName> laws_of(const DeviceProfile& profile) {
  std::vector<LawName> laws;
  for (const LawName law : {LawName::counted, LawName::fitted, LawName::published}) {
    const LawDefinition& one = definition(law);
    const bool has_work = profile.architecture && profile.machine.rates.overlap;
    if ((!one.needs_work || has_work) && (!one.needs_fit || !profile.algorithms.empty())) laws.push_back(law);
  }
  return laws;
}

Predictor::Predictor(const DeviceProfile& profile, const Descriptor& algorithm, const Law& law,
                     WorkLookup work, ConflictLookup conflicts)
    : profile_(profile),
      algorithm_(algorithm),
      law_(law),
      definition_(definition(law.law)),
      lookup_(std::move(work)),
      conflicts_of_(std::move(conflicts)) {
  check_predictable(profile, algorithm, law.law);
  if (definition_.needs_work && !lookup_)
    throw std::invalid_argument(fmt::format("the law {} needs the work of kernels", definition_.name));
  if (definition_.error) sigma_ = sigma_of(*definition_.error);
  if (!definition_.needs_fit) return;
  fit_ = profile.find_fit(algorithm.slug);
  factors_ = {fit_->factors.work.value, fit_->factors.waiting.value};
}

Prediction Predictor::with_interval(Prediction prediction, const LawRun& run) const {
  const auto& assumptions = prediction.assumptions;
  if (!definition_.has_intervals() || (assumptions && !assumptions->error && !fit_)) return prediction;
  const double time_s = prediction.time_s;
  const double sigma =
      fit_          ? std::hypot(fit_->residual, std::sqrt(run.variance_of_factors(fit_->covariance, time_s)))
      : assumptions ? sigma_of(*assumptions->error)
                    : sigma_;
  if (std::exp(1.96 * sigma) > widest_factor) return prediction;
  prediction.interval_s = interval_of(time_s, sigma);
  if (const auto& exchanges = prediction.exchanges_s) {
    const double exchanging = prediction.resources->of(Resource::link);
    Interval& all = *prediction.interval_s;
    all.low = time_s - std::min(time_s, std::hypot(time_s - all.low, exchanging - exchanges->low));
    all.high = time_s + std::hypot(all.high - time_s, exchanges->high - exchanging);
  }
  return prediction;
}

void check_input(const Descriptor& algorithm, LawName law, Input input) {
  const LawDefinition& asked = definition(law);
  if (input != Input::random && algorithm.steps)
    throw std::invalid_argument(
        fmt::format("{} is predicted for random input only, not for {}: measure it with fathom bench",
                    algorithm.slug, name(input)));
  if (input == Input::random || asked.knows_inputs) return;
  if (asked.asks_formula && algorithm.formula && algorithm.formula->input != InputDependence::unknown) return;
  throw std::invalid_argument(
      fmt::format("the law {} knows what {} costs for random input only, not for {}: choose `law=counted`",
                  asked.name, algorithm.slug, name(input)));
}

std::optional<double> Predictor::conflict(const Problem& problem, Input input) {
  if (definition_.knows_inputs || input == Input::random ||
      algorithm_.formula->input != InputDependence::conflicts)
    return std::nullopt;
  if (!conflicts_of_)
    throw std::invalid_argument(
        fmt::format("the law {} needs the conflicts of {} input counted", definition_.name, name(input)));
  auto& known = conflicts_[Instantiation(problem)][input];
  const auto found = known.find(problem.parameters);
  if (found != known.end()) return found->second;
  algorithm_.check(problem);  // before it is counted, which takes long
  return known[problem.parameters] =
             conflicts_of_(algorithm_, Instantiation(problem), problem.parameters, input);
}

std::shared_ptr<const AlgorithmWork> Predictor::work(const Descriptor& algorithm, const Problem& problem,
                                                     Input input) {
  const Instantiation type(problem);
  const auto with = [&](const Parameters& parameters) {
    std::shared_ptr<const AlgorithmWork>& known = work_[{&algorithm, type}][input][parameters];
    if (!known) {
      algorithm.check(problem);  // before it is counted, which takes long
      known = lookup_(algorithm, type, parameters, input);
    }
    return known;
  };
  const auto known = with(problem.parameters);
  const Parameters shorter = within_n(algorithm, problem);
  return shorter == problem.parameters || has_all_kernels(*known, algorithm, problem) ? known : with(shorter);
}

std::unique_ptr<LawRun> Predictor::run(const Problem& problem, Input input) {
  check_interruption();
  check_input(algorithm_, law_.law, input);
  if (algorithm_.steps)
    return std::make_unique<GroupRun>(
        algorithm_, profile_.machine, problem,
        [&](const Descriptor& local, const Problem& of_local) { return work(local, of_local, input); });
  LawQuestion question{.algorithm = algorithm_,
                       .machine = profile_.machine,
                       .problem = problem,
                       .law = law_,
                       .factors = factors_,
                       .conflict = conflict(problem, input)};
  const auto counted = definition_.needs_work ? work(algorithm_, problem, input) : nullptr;
  question.work = counted.get();
  return definition_.run(question);
}

Prediction Predictor::operator()(const Problem& problem, Input input) {
  const auto asked = run(problem, input);
  return with_interval(asked->predicted(), *asked);
}

Prediction Predictor::explained(const Problem& problem, Input input) {
  const auto asked = run(problem, input);
  return with_interval(asked->explained(), *asked);
}

std::vector<Sensitivity> Predictor::sensitivities(const Problem& problem, Input input) {
  return run(problem, input)->sensitivities();
}

Multiplicity Predictor::multiplicity(const Problem& problem, Input input) {
  return run(problem, input)->multiplicity();
}

std::optional<std::string> Predictor::fitted_from() const {
  return fit_ ? std::optional(fit_->dataset) : std::nullopt;
}

}  // namespace fathom
