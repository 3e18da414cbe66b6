// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/predicting/influences.h>

#include <fathom/algorithms/registry.h>
#include <fathom/calibration/predictor.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/counting/work.h>
#include <fmt/format.h>

#include <cmath>

namespace fathom::calls {
namespace {

constexpr ElementType typical_types[] = {ElementType::u32, ElementType::u64};
constexpr int binary_logarithms_of_n[] = {16, 20, 24, 28};

/// Throws WorkUnavailable for work that would have to be counted.
WorkLookup known_work_of(const DeviceProfile& profile) {
  return
      [&profile](const Descriptor& of, const Instantiation& type, const Parameters& parameters, Input input) {
        auto known = known_work(case_of(of, type, parameters, input), profile.architecture.value_or(0));
        if (!known) throw WorkUnavailable(of.slug + " was not counted yet");
        return std::make_shared<const AlgorithmWork>(*std::move(known));
      };
}

/// Adds the algorithm's typical predictions, up to the first that cannot be had: the law then lacks a
/// constant, the algorithm its work, or the memory is too small for this n and those that follow.
void add_predictions(const Algorithm& algorithm, LawName law, const DeviceProfile& profile,
                     std::vector<Sensed>& predictions) {
  Predictor predictor(profile, algorithm, {law}, known_work_of(profile));
  for (const ElementType type : typical_types) try {
      for (const int exponent : binary_logarithms_of_n) {
        const Problem problem = algorithm.problem(std::exp2(exponent), type);
        check_fits(algorithm, problem, profile.machine);
        const Prediction prediction = predictor(problem);
        predictions.push_back({fmt::format("{} {} 2^{}", algorithm.slug, name(type), exponent),
                               predictor.sensitivities(problem), sigma_of_log(prediction.interval_s)});
      }
    } catch (const std::runtime_error&) {
    } catch (const std::invalid_argument&) {  // not for this type, or a block does not fit
    }
}

}  // namespace

std::vector<reports::LawInfluences> typical_influences(const DeviceProfile& profile) {
  std::vector<reports::LawInfluences> all;
  for (const LawName law : laws_of(profile)) {
    if (definition(law).needs_fit) continue;
    std::vector<Sensed> predictions;
    for (const Algorithm& algorithm : algorithms())
      if (definition(law).applies_to(algorithm)) add_predictions(algorithm, law, profile, predictions);
    if (!predictions.empty()) all.push_back({law, predictions.size(), influences(profile, predictions)});
  }
  return all;
}

}  // namespace fathom::calls
