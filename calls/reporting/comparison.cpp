// SPDX-License-Identifier: Apache-2.0
#include <fathom/calls/reporting/comparison.h>

#include <fathom/algorithms/registry.h>
#include <fathom/calls/datasets.h>
#include <fathom/calls/predicting/prediction.h>
#include <fathom/calls/predicting/problem.h>
#include <fathom/calls/predicting/remembered_work.h>
#include <fathom/calls/profiles.h>
#include <fathom/reports/verdict.h>

namespace fathom::calls {

std::vector<reports::LawComparison> compare_laws(const DeviceProfile& profile,
                                                 std::span<const Dataset> datasets,
                                                 const std::vector<LawName>& laws, double smallest_n,
                                                 const Listener& listener, const WorkLookup& work) {
  RememberedWork own(work_lookup(profile, listener.progress));
  std::vector<reports::LawComparison> comparisons;
  for (LawName name : laws)
    comparisons.push_back({name, compare(profile, datasets, find_listed, Law{.law = name}, smallest_n,
                                         listener.progress, work ? work : own.lookup())});
  return comparisons;
}

Validated validate(const ValidateOptions& options, const Listener& listener) {
  Validated validated{.datasets = read_datasets(options, listener), .comparisons = {}};
  const DeviceProfile profile = choose_profile(options.device, measured_first(validated.datasets), listener);
  const auto laws = options.law.empty() ? laws_of(profile) : std::vector{parse_law(options.law)};
  validated.comparisons = compare_laws(profile, validated.datasets, laws, options.smallest_n, listener);
  return validated;
}

std::vector<reports::PredictionReport> explained(const DeviceProfile& profile,
                                                 const std::vector<reports::LawComparison>& comparisons,
                                                 const Listener& listener, const WorkLookup& work) {
  RememberedWork own(work_lookup(profile, listener.progress));
  std::vector<reports::PredictionReport> predictions;
  for (const auto& [algorithm, problem] : reports::problems_to_explain(comparisons)) {
    const LawName law = comparisons.front().law;
    Predictor predictor(profile, *algorithm, Law{.law = law}, work ? work : own.lookup());
    predictions.push_back({.algorithm = algorithm->slug,
                           .device = profile.name,
                           .law = law,
                           .problem = problem,
                           .prediction = predictor.explained(problem)});
  }
  return predictions;
}

}  // namespace fathom::calls
