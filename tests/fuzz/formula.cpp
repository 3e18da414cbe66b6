// SPDX-License-Identifier: Apache-2.0
// Formulas: what parse_formula() accepts has phases of finite numbers, or says why not.
#include <fathom/model/laws/predict.h>
#include <fathom/store/formula_file.h>
#include <fathom/store/profile.h>
#include <fmt/format.h>

#include "fuzz.h"
#include "stored.h"

using namespace fathom;

namespace {

constexpr std::string_view head =
    R"({"schema":"fathom.formula","version":1,"name":"a","kind":"other","source":"",)";

std::string with_words(std::string_view expression) {
  return fmt::format(R"({}"phases":[{{"name":"","X":1,"accesses":[{{"level":"global","words":"{}"}}]}}]}})",
                     head, expression);
}

void check_phases(const Descriptor& formula) try {
  static const Machine<double> machine = built_in_profile("m4000").machine;
  for (const Phase& phase : phases_of(formula, machine, formula.problem(1 << 20))) {
    fuzz::expect_positive(phase.multiplicity, "X");
    for (const Access& access : phase.accesses) {
      fuzz::expect(access.count >= 0, "words are not negative");
      fuzz::expect_positive(access.parallelism, "I");
    }
  }
} catch (const std::runtime_error&) {     // a number out of range
} catch (const std::invalid_argument&) {  // a sort of a type without order
}

}  // namespace

std::vector<std::string> fuzz::large_inputs(std::size_t bytes) {
  std::vector<std::string> inputs;
  for (const std::string& json : large_json(bytes)) {
    inputs.push_back(json);
    inputs.push_back(fmt::format(R"({}"phases":{}}})", head, json));
    inputs.push_back(fmt::format(R"({}"definitions":{}}})", head, json));
  }
  for (const char* part : {"(", "1+", "-", "n?", "log2(", "1", "n ", "max(1,"}) {
    inputs.push_back(with_words(repeated(part, 999)));
    inputs.push_back(with_words(repeated(part, bytes)));
  }
  const auto definition = [](std::size_t i) { return fmt::format("\"d{}\":\"n\"", i); };
  inputs.push_back(fmt::format(R"({}"definitions":{{{}}},"phases":[]}})", head, listed(definition, bytes)));
  return inputs;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  if (const auto formula = fuzz::accepted([&] { return parse_formula(text, "formula"); }))
    check_phases(*formula);
  return 0;
}
