// Predictions are what they were: the law and the formulas are changed deliberately or not at all.
//
// Other tests work out a few predictions by hand; this one holds all of them, so that a change of structure
// that should change no number shows where it did. Each line of pinned_predictions.txt is an algorithm, a
// type, a law and a machine of machines.h with, over all parameter sets and n = 2^10 … 2^28, how many
// predictions there are, how many are refused, and the sum of the logarithms of their times. A new type has
// the lines of another one as wide. Whoever changes a formula or a law on purpose replaces the lines that
// change by those that the failing test prints, and says why in the commit.
#include "formulas.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

using namespace fathom;
using namespace fathom::tests;

namespace {

struct Pinned {
  int cases = 0, refused = 0;
  double sum = 0;
};
using Pins = std::map<std::string, Pinned>;  // by "sort-pairwise u32 calibrated complete"

Pins read_pins() {
  std::ifstream file(FATHOM_PINNED_PREDICTIONS);
  Pins pins;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string algorithm, type, law, machine;
    Pinned pinned;
    words >> algorithm >> type >> law >> machine >> pinned.cases >> pinned.refused >> pinned.sum;
    REQUIRE(words);
    pins[algorithm + " " + type + " " + law + " " + machine] = pinned;
  }
  return pins;
}

std::vector<Parameters> all_parameters(const Descriptor& algorithm) {
  std::vector<Parameters> sets{{}};
  for (const ParameterInfo& info : algorithm.parameters) {
    std::vector<Parameters> longer;
    for (const Parameters& set : sets)
      for (int value : info.values) {
        longer.push_back(set);
        longer.back().set(info.name, value);
      }
    sets = std::move(longer);
  }
  return sets;
}

Pinned predict_all(const Descriptor& algorithm, ElementType type, const Law& law,
                   const Machine<double>& machine) {
  const ConstantValues<double> constants = algorithm.formula->default_constants();
  Pinned found;
  for (const Parameters& parameters : all_parameters(algorithm))
    for (int exponent = 10; exponent <= 28; ++exponent) {
      Problem problem = algorithm.problem(std::exp2(exponent), type);
      problem.parameters = parameters;
      try {
        found.sum += std::log(predicted_seconds(algorithm, machine, problem, law, constants));
        ++found.cases;
      } catch (const std::invalid_argument&) {  // no multiprocessor holds such a block
        ++found.refused;
      }
    }
  return found;
}

struct PinnedLaw {
  const char* name;
  Law law;
  std::vector<Machine<double>> machines;  ///< that have its constants
};
std::vector<PinnedLaw> laws() {
  return {{"published", published, {complete_machine(), m4000()}},
          {"calibrated", calibrated, {complete_machine()}},
          {"calibrated-q2.5",
           {LawName::calibrated, Ceiling::as_printed, Composition{2.5}},
           {complete_machine()}}};
}

}  // namespace

TEST_CASE("every prediction is what it was") {
  Pins pins = read_pins();
  for (const Algorithm* each : with_formula())
    for (ElementType type : types_of(*each))
      for (const PinnedLaw& law : laws())
        for (const Machine<double>& machine : law.machines) {
          const std::string key =
              each->slug + " " + std::string(name(type)) + " " + law.name + " " + machine.name;
          const Pinned found = predict_all(*each, type, law.law, machine);
          std::ostringstream line;
          line.precision(17);
          line << key << " " << found.cases << " " << found.refused << " " << found.sum;
          INFO(line.str());
          const auto pinned = pins.find(key);
          if (pinned == pins.end()) {
            FAIL_CHECK("a prediction that is not pinned yet");
            continue;
          }
          CHECK(found.cases == pinned->second.cases);
          CHECK(found.refused == pinned->second.refused);
          // Only what logarithms and powers of another C library may differ by.
          CHECK(found.sum == Approx(pinned->second.sum).epsilon(1e-12));
          pins.erase(pinned);
        }
  for (const auto& [key, pinned] : pins) FAIL_CHECK(key << " is pinned, but nothing predicts it");
}
