// SPDX-License-Identifier: Apache-2.0
// Predictions under any law, with their intervals.
#pragma once

#include <fathom/model/laws/predict_counted.h>
#include <fathom/model/laws/sensitivity.h>
#include <fathom/store/profile.h>

#include <map>
#include <memory>

namespace fathom {

/// Throws std::invalid_argument for an algorithm that the law cannot predict, without a formula or without
/// kernels; and MissingConstant if a law that needs work finds no rates in the profile, or one that needs a
/// fit no fit.
void check_predictable(const DeviceProfile& profile, const Descriptor& algorithm, LawName law);

/// True if the law `counted` can be asked about the machine: at least one of its rates was measured.
bool has_rates(const Machine<double>& machine);

/// The 95 % interval of a time that is predicted with such an error.
Interval interval_of(double time_s, const LawError& error);

/// Throws std::invalid_argument for an input that neither the law nor the algorithm's formula can price.
void check_input(const Descriptor& algorithm, LawName law, Input input);

/// The laws that predict something from the profile's constants, the most precise ones of few algorithms last
/// but `published`.
std::vector<LawName> laws_of(const DeviceProfile& profile);

/// β of an input: the mean over an algorithm's reads of shared memory, counted.
using ConflictLookup =
    std::function<double(const Descriptor&, const Instantiation&, const Parameters&, Input)>;

/// Predicts problems of one algorithm, each with its 95 % interval if the law has one: from the error of the
/// law (LawError), of which so few algorithms give only a rough idea that the interval is Student's t for one
/// more of them, or from the error of what is assumed, if it is (Assumptions); under a fit from its residual
/// and from the uncertainty of its factors, propagated through the law by derivatives. The uncertainty of the
/// machine's constants, most of which are known within 1 %, is little beside either, and the runs that were
/// fitted had the same constants, so that the factors make up for their errors. That of exchanges between
/// GPUs, which no law's error contains, is added as if it were independent.
class Predictor {
 public:
  /// Profile and algorithm must outlive this. `work` is asked once for each type and choice of parameters and
  /// input, and only under laws that need work; `conflicts` likewise, only for formulas that depend on them.
  /// Throws like check_predictable(), and std::invalid_argument if such a law gets no `work`.
  Predictor(const DeviceProfile& profile, const Descriptor& algorithm, const Law& law, WorkLookup work = {},
            ConflictLookup conflicts = {});
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  /// Throws like LawRun and the WorkLookup, and std::invalid_argument for an input that the law does not
  /// know. Without an interval if the fit is too uncertain for one.
  Prediction operator()(const Problem& problem, Input input = Input::random);
  /// Also what limits the time (LawRun::explained).
  Prediction explained(const Problem& problem, Input input = Input::random);
  /// How the time depends on the machine's constants. Throws like operator().
  std::vector<Sensitivity> sensitivities(const Problem& problem, Input input = Input::random);
  /// Throws like operator().
  Multiplicity multiplicity(const Problem& problem, Input input = Input::random);
  /// Origin of the fit that the law uses; absent if it uses none.
  std::optional<std::string> fitted_from() const;

 private:
  std::unique_ptr<LawRun> run(const Problem& problem, Input input);
  std::optional<double> conflict(const Problem& problem, Input input);
  /// That of this algorithm, or of one that its steps run.
  std::shared_ptr<const AlgorithmWork> work(const Descriptor& algorithm, const Problem& problem, Input input);
  Prediction with_interval(Prediction prediction, const LawRun& run) const;

  const DeviceProfile& profile_;
  const Descriptor& algorithm_;
  Law law_;
  const LawDefinition& definition_;
  WorkLookup lookup_;
  ConflictLookup conflicts_of_;
  std::map<std::pair<const Descriptor*, Instantiation>,
           std::map<Input, std::map<Parameters, std::shared_ptr<const AlgorithmWork>>>>
      work_;
  std::map<Instantiation, std::map<Input, std::map<Parameters, double>>> conflicts_;
  const AlgorithmFit* fit_ = nullptr;  ///< under a law that needs one
  Factors<double> factors_;
  double sigma_ = 0;  ///< that of log T, under a law whose error is known
};

}  // namespace fathom
