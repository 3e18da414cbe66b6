// Pins all published predictions, so that the law and the formulas only change deliberately.
//
// Other tests compute a few predictions by hand. This one covers all of them, so that a refactoring that
// changes a number is detected. Each line of pinned_predictions.txt holds an algorithm, a type, a law and a
// machine of machines.h with, over all parameter sets and n = 2^10 … 2^28, the number of predictions and
// the sum of the logarithms of their times. A new type has the same lines as
// another type of its size. After a deliberate change of a formula or a law, replace the lines by those that
// the failing test prints, and give the reason in the commit.
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
  int cases = 0;
  double sum = 0;
};
using Pins = std::map<std::string, Pinned>;  // by "sort-pairwise u32 published complete"

Pins read_pins() {
  std::ifstream file(FATHOM_PINNED_PREDICTIONS);
  Pins pins;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string algorithm, type, law, machine;
    Pinned pinned;
    words >> algorithm >> type >> law >> machine >> pinned.cases >> pinned.sum;
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

Pinned predict_all(const Descriptor& algorithm, ElementType type, const Machine<double>& machine) {
  Pinned found;
  for (const Parameters& parameters : all_parameters(algorithm))
    for (int exponent = 10; exponent <= 28; ++exponent) {
      Problem problem = algorithm.problem(std::exp2(exponent), type);
      problem.parameters = parameters;
      found.sum += std::log(predicted_seconds(phases_of(algorithm, machine, problem), machine, published));
      ++found.cases;
    }
  return found;
}

}  // namespace

TEST_CASE("every prediction is unchanged") {
  Pins pins = read_pins();
  for (const Algorithm* each : with_formula())
    for (ElementType type : types_of(*each))
      for (const Machine<double>& machine : {complete_machine(), m4000()}) {
        const std::string key = each->slug + " " + std::string(name(type)) + " published " + machine.name;
        const Pinned found = predict_all(*each, type, machine);
        std::ostringstream line;
        line.precision(17);
        line << key << " " << found.cases << " " << found.sum;
        INFO(line.str());
        const auto pinned = pins.find(key);
        if (pinned == pins.end()) {
          FAIL_CHECK("a prediction that is not pinned yet");
          continue;
        }
        CHECK(found.cases == pinned->second.cases);
        // Tolerates differences of logarithms and powers between C libraries.
        CHECK(found.sum == Approx(pinned->second.sum).epsilon(1e-12));
        pins.erase(pinned);
      }
  for (const auto& [key, pinned] : pins) FAIL_CHECK(key << " is pinned, but nothing predicts it");
}
