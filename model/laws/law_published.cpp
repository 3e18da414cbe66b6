// SPDX-License-Identifier: Apache-2.0
// The law `published`: the papers' formulas to the letter, with their errata applied.
#include <fathom/model/laws/predict.h>
#include <fathom/model/laws/sensitivities.h>

#include <algorithm>
#include <utility>

namespace fathom {
namespace {

/// The phase with the most shared accesses; ties are broken by the number of all accesses.
const Phase& busiest(const Phases& phases) {
  const auto accesses = [](const Phase& phase) {
    double shared = 0, all = 0;
    for (const Access& access : phase.accesses) {
      all += access.count;
      if (access.level == Level::shared) shared += access.count;
    }
    return std::pair(shared, all);
  };
  return *std::ranges::max_element(phases, {}, accesses);
}

/// The minimum over all accesses to global memory; infinite if there are none.
double accesses_in_flight(const Phase& phase) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const Access& access : phase.accesses)
    if (access.level == Level::global) fewest = std::min(fewest, access.parallelism);
  return fewest;
}

class PublishedRun : public LawRun {
 public:
  explicit PublishedRun(const LawQuestion& question) : asked_(question) {}

  Prediction predicted() const override {
    return predict(asked_.algorithm, asked_.machine, asked_.problem, asked_.law, asked_.conflict);
  }
  Prediction explained() const override { return predicted(); }
  std::vector<Sensitivity> sensitivities() const override {
    const Phases phases = phases_of_question();
    return fathom::sensitivities(asked_.machine, [&](const Machine<Dual>& machine) {
      return predicted_seconds(phases, machine, asked_.law);
    });
  }
  Multiplicity multiplicity() const override {
    const Phases phases = phases_of_question();
    const Phase& phase = busiest(phases);
    return {phase.multiplicity, accesses_in_flight(phase)};
  }
  double variance_of_factors(const std::array<double, 4>&, double) const override { return 0; }

 private:
  Phases phases_of_question() const {
    return phases_of(asked_.algorithm, asked_.machine, asked_.problem, {asked_.law.options, asked_.conflict});
  }

  LawQuestion asked_;
};

}  // namespace

extern const LawDefinition published_law;
constinit const LawDefinition published_law{
    .law = LawName::published,
    .name = "published",
    .meaning = "the papers' formulas to the letter, with errata applied",
    .needs_work = false,
    .needs_fit = false,
    .knows_inputs = false,
    .asks_formula = true,
    .has_readings = true,
    .explains = Explains::levels,
    .error = std::nullopt,
    .run = [](const LawQuestion& question) -> std::unique_ptr<LawRun> {
      return std::make_unique<PublishedRun>(question);
    }};

}  // namespace fathom
