// SPDX-License-Identifier: Apache-2.0
// Commands on an algorithm that is a formula in a file.
#include <algorithm>
#include <catch2/catch.hpp>

#include "run.h"

using Catch::Matchers::Contains;
namespace {

const std::string example = FATHOM_EXAMPLES "/own-formula/pairwise-mergesort.json";

}  // namespace

TEST_CASE("a formula in a file is predicted, tuned and listed like the algorithm that it restates") {
  const std::string problem = " -n 1e8 --device m4000 --set E=15";
  const json written = answer("predict " + example + problem);
  const json built_in = answer("predict sort-pairwise --law published" + problem);
  CHECK(written["algorithm"] == "pairwise-on-paper");
  CHECK(written["law"] == "published");
  CHECK(written["time_s"] == built_in["time_s"]);
  CHECK(written["phases"] == built_in["phases"]);

  const std::string choices = " -n 1e8 --device m4000 --set t=128,256 --top 3";
  CHECK(answer("tune " + example + choices)["best"]["parameters"] ==
        answer("tune sort-pairwise --law published" + choices)["best"]["parameters"]);

  const json listed = answer("algorithms " + example)["algorithms"].back();
  CHECK(listed["slug"] == "pairwise-on-paper");
  CHECK(listed["kernel"] == false);
  CHECK(listed["formula"] == true);
}

TEST_CASE("a formula in a file is plotted") {
  const ScratchDirectory scratch;
  for (const char* kind : {"tradeoff", "throughput"}) {
    const std::string figure = scratch.file((kind + std::string(".svg")));
    const json files = answer("plot " + std::string(kind) + " --algorithm " + example +
                              " --device m4000 --law published -o " + figure)["files"];
    REQUIRE(!files.empty());
    CHECK_THAT(content(files[0].get<std::string>()), Contains("pairwise-on-paper"));
  }
}

TEST_CASE("a formula without parameters has no trade-offs") {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("mine.json");
  write(file,
        R"({"schema": "fathom.formula", "version": 1, "name": "one-pass", "kind": "sort", "source": "made up",
                  "phases": [{"name": "read", "X": "M / P",
                              "accesses": [{"level": "global", "words": "n"}]}]})");
  check_refused("plot tradeoff --algorithm " + file + " --law published --device m4000 -o never.svg", 2,
                "one-pass has no parameters to vary: choose another algorithm");
}

TEST_CASE("what is wrong with a formula in a file is told in one line") {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("mine.json");
  const auto refused = [&](const std::string& from, const std::string& to, int code,
                           const std::string& says) {
    std::string text = content(example);
    text.replace(text.find(from), from.size(), to);
    write(file, text);
    check_refused("predict " + file + " -n 1e6 --device m4000", code, "mine.json: " + says);
  };
  refused("pairwise-on-paper", "sort-pairwise", 2, "the name 'sort-pairwise' is taken");
  refused(
      "2 * N * rounds\"", "2 * N * rouds\"", 1,
      "field 'phases[2].accesses[0].words': '2 * N * rouds': unknown name 'rouds': did you mean 'rounds'?");
  refused("M / (P * E * words)", "M / (t - 256)", 1, "phase 'block-sort': X = 'X' is inf for n = 1000000");
  check_refused("predict " + example + " -n 1e6 --law counted", 2, "choose --law published");
  check_refused("bench " + example + " --sizes 2^10 -o " + scratch.file("runs.json"), 2,
                "pairwise-on-paper has no kernel");
  CHECK(run_fathom("predict " + scratch.file("nowhere.json") + " -n 1e6").code == 1);
}
