// SPDX-License-Identifier: Apache-2.0
// Formulas in files. The example restates a formula of the library: the two must agree bit by bit.
#include "../support/machines.h"
#include "json_text.h"

#include <fathom/model/formulas/formulas.h>
#include <fathom/model/laws/predict.h>
#include <fathom/store/formula_file.h>
#include <fathom/store/profile.h>

#include <catch2/catch.hpp>
#include <cmath>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

const std::string example_file = FATHOM_EXAMPLES "/own-formula/pairwise-mergesort.json";

/// A formula with one phase, where `from` is replaced.
std::string small(const std::string& from = "", const std::string& to = "") {
  const std::string text = R"({"schema": "fathom.formula", "version": 1, "name": "copy", "kind": "other",
      "source": "by hand", "parameters": [{"name": "E", "meaning": "", "values": [1, 2, 4], "default": 2}],
      "definitions": {"N": "n * words"},
      "phases": [{"name": "copy", "X": 4, "accesses": [{"level": "global", "words": "2 * N", "I": "E"}]}]})";
  return from.empty() ? text : replaced(text, from, to);
}

std::string refusal(const std::string& from, const std::string& to) {
  return format_error_of([&] { parse_formula(small(from, to), "copy.json"); });
}

/// Four multiprocessors of 64 cores.
Machine<double> by_hand() {
  Machine<double> machine =
      tests::machine_of("by hand", 4, 64, 1e9, "global.latency 100 global.bandwidth 0.5");
  machine.limits.shared_bytes_per_multiprocessor = 4096;
  return machine;
}

double value(const std::string& expression) {
  ExpressionScope scope;
  scope.define("n", 8);
  return scope.value_of(expression);
}

}  // namespace

TEST_CASE("the example predicts what the formula that it restates predicts") {
  const Descriptor written = read_formula(example_file);
  REQUIRE(written.parameters.size() == 2);
  Descriptor built_in = written;
  built_in.formula = formulas::sort_pairwise();
  std::size_t compared = 0;
  for (const char* device : {"m4000", "gtx770", "k40m", "h200"}) {
    const Machine<double> machine = built_in_profile(device).machine;
    for (const ElementType type : {ElementType::u32, ElementType::u64})
      for (const double n : {1.0, 1000.0, 1048576.0, 1e8})
        for (const int E : built_in.parameters.at(0).values)
          for (const int t : built_in.parameters.at(1).values) {
            Problem problem = built_in.problem(n, type);
            problem.parameters = {{"E", E}, {"t", t}};
            const Prediction by_file = predict(written, machine, problem, {LawName::published});
            const Prediction by_code = predict(built_in, machine, problem, {LawName::published});
            INFO(device << " n = " << n << " E = " << E << " t = " << t);
            REQUIRE(by_file.time_s == by_code.time_s);
            REQUIRE(by_file.phases.size() == by_code.phases.size());
            for (std::size_t i = 0; i < by_code.phases.size(); ++i) {
              REQUIRE(by_file.phases[i].phase == by_code.phases[i].phase);
              REQUIRE(by_file.phases[i].launches == by_code.phases[i].launches);
              REQUIRE(by_file.phases[i].accesses == by_code.phases[i].accesses);
              REQUIRE(by_file.phases[i].seconds == by_code.phases[i].seconds);
            }
            ++compared;
          }
  }
  CHECK(compared == 4 * 2 * 4 * 45 * 4);
}

TEST_CASE("a formula in a file is an algorithm without kernels") {
  const Descriptor copy = parse_formula(small(), "copy.json");
  CHECK(copy.slug == "copy");
  CHECK(copy.kind == Kind::other);
  CHECK_FALSE(copy.plan);
  CHECK(copy.find_parameter("E")->values == std::vector{1, 2, 4});
  // 2·1000·2 words on 256 cores; L/(X·I) = 100/(4·2) exceeds 1/B.
  const Prediction prediction =
      predict(copy, by_hand(), copy.problem(1000, ElementType::u64), {LawName::published});
  CHECK(prediction.time_s == Approx(4000 / 256.0 * 12.5 * 1e-9).epsilon(1e-12));
  CHECK(parse_formula(small("[1, 2, 4]", "\"2..5\""), "").find_parameter("E")->values ==
        std::vector{2, 3, 4, 5});
}

TEST_CASE("expressions have the field's functions, and nothing is rearranged") {
  CHECK(value("1 + 2 * n ^ 2") == 129);
  CHECK(value("log2(n)") == 3);
  CHECK(value("log(125, 5)") == 3);
  CHECK(value("ceil(n / 3) - floor(n / 3)") == 1);
  CHECK(value("max(1, n, 3) + min(2, n) + abs(-n) + sqrt(4)") == 20);
  CHECK(value("n > 5 && n != 6 ? 1 : 2") == 1);
  CHECK(value("(n * 0.1) * 0.3") == (8 * 0.1) * 0.3);
  CHECK(std::isinf(value("1 / (n - 8)")));
}

TEST_CASE("what is wrong with an expression is quoted, with the nearest name") {
  CHECK_THAT(refusal("2 * N", "2 * M_"),
             Contains("copy.json: field 'phases[0].accesses[0].words': '2 * M_'") &&
                 Contains("unknown name 'M_' ("));
  CHECK_THAT(refusal("\"N\": \"n", "\"N\": \"N"),
             Contains("'definitions.N'") && Contains("unknown name 'N'"));
  CHECK_THAT(refusal("2 * N", "logg2(n)"), Contains("unknown name 'logg2': did you mean 'log2'?"));
  for (const char* broken : {"", "2 *", "(n", "n, n", "n = 3", "'n'", "n n", "log2()", "n ? 1", "1e999"})
    CHECK_THAT(refusal("2 * N", broken), Contains("cannot be evaluated"));
  CHECK_THAT(refusal("2 * N", std::string(1001, '1')), Contains("1001 characters"));
  CHECK_THAT(refusal("2 * N", std::string(999, '(')), Contains("cannot be evaluated"));
  CHECK_THAT(refusal("2 * N", "2 * N\\u0000 * 1000"), Contains("NUL character"));
  CHECK_THAT(refusal("\"N\": \"n", "\"" + std::string(101, 'N') + "\": \"n"), Contains("101 characters"));
}

TEST_CASE("a document with a NUL byte, or with more text than a prediction can read at once, is refused") {
  CHECK_THAT(tests::error_of<FormatError>([] { parse_formula(small() + '\0' + "more", "copy.json"); }),
             Contains("copy.json: there is a NUL byte at position"));
  std::string many = R"({"N": "n")";
  for (int i = 0; i < 60; ++i)
    many += ", \"D" + std::to_string(i) + "\": \"" + "1" + std::string(900, ' ') + "+ 1" + "\"";
  CHECK_THAT(refusal(R"({"N": "n * words"})", many + "}"),
             Contains("characters together: 50000 are the most"));
}

TEST_CASE("a number out of range is told with the phase, the expression and the problem") {
  const auto fault = [](const std::string& from, const std::string& to) {
    const Descriptor broken = parse_formula(small(from, to), "copy.json");
    return tests::error_of<std::runtime_error>([&] { phases_of(broken, by_hand(), broken.problem(1000)); });
  };
  CHECK_THAT(fault("\"X\": 4", "\"X\": \"E - 2\""), Contains("copy.json: phase 'copy': X = 'E - 2' is 0") &&
                                                        Contains("n = 1000, E = 2") && Contains("positive"));
  CHECK_THAT(fault("2 * N", "1 / (E - 2)"), Contains("words = '1 / (E - 2)' is inf"));
  CHECK_THAT(fault("2 * N", "0 - n"), Contains("at least 0"));
  CHECK_THAT(fault("\"I\": \"E\"", "\"I\": \"sqrt(0 - E)\""), Contains("nan"));
}

TEST_CASE("broken files are refused with the field") {
  const std::map<const char*, std::vector<const char*>> cases{
      {R"("X": 4)", {R"("Y": 4)"}},
      {R"("X": 4, )", {""}},
      {R"("level": "global")", {R"("level": "glob")", R"("level": "l2")"}},
      {R"("kind": "other")", {R"("kind": "sorting")"}},
      {R"("name": "copy", "kind")", {R"("name": "a/b", "kind")"}},
      {R"("name": "E")", {R"("name": "n")", R"("name": "2E")"}},
      {R"("default": 2)", {R"("default": 3)"}},
      {"[1, 2, 4]", {"[]", "[1, 4, 2]", R"("4..2")", R"("0..99999")", R"("1..")"}},
      {R"({"N": "n * words"})", {R"({"n": "1"})", R"({"log2": 1})"}},
      {R"("words": "2 * N")", {R"("words": true)", R"("words": "2 * N", "saturated": 1)"}}};
  for (const auto& [from, all] : cases)
    for (const char* to : all) {
      INFO(to);
      CHECK_THAT(refusal(from, to), Contains("copy.json: field '"));
    }
  CHECK_THAT(refusal(R"("X": 4)", R"("Y": 4)"), Contains("phases[0].Y") && Contains("is unknown ("));
  CHECK_THAT(refusal("\"version\": 1", "\"version\": 2"), Contains("version"));
  CHECK_THAT(refusal("fathom.formula", "fathom.profile"), Contains("fathom.formula"));
}
