// SPDX-License-Identifier: Apache-2.0
// Profiles whose measurements must not be believed: not written, or marked and used only by name.
#include <algorithm>
#include <catch2/catch.hpp>

#include "run.h"

namespace fs = std::filesystem;

namespace {

const fs::path h200 = fs::path(FATHOM_DATA) / "h200";

json quick_calibration() {
  return json::parse(content(h200 / "calibrations/quick.json"));
}

/// A calibration beside a process that takes half of the memory's bandwidth during one sweep.
json disturbed_calibration() {
  json profile = quick_calibration();
  for (json& series : profile["series"])
    if (series["question"] == "global-copy")
      for (json& sample : series["samples"]) sample = 2 * sample.get<double>();
  return profile;
}

json marked_calibration() {
  json profile = quick_calibration();
  profile["implausible"] = {"clock is missing", "12 of 30 series were disturbed"};
  return profile;
}

bool says(const Outcome& outcome, const std::string& text) {
  return outcome.err.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a profile marked implausible is used if it is named, with a note") {
  const ScratchDirectory scratch;
  const auto file = scratch / "p.json";
  write(file, marked_calibration().dump());
  const std::string predict = "predict sort-pairwise -n 1e6 --law published --device ";
  const Outcome marked = run_fathom(predict + file.string());
  CHECK(marked.code == 0);
  CHECK(marked.err == "fathom: note: the profile " + file.string() +
                          " is marked implausible: clock is missing (and 1 more)\n");
  write(file, quick_calibration().dump());
  const Outcome believed = run_fathom(predict + file.string());
  CHECK(believed.err.empty());
  CHECK(believed.out == marked.out);
}

TEST_CASE("a profile marked implausible is not used unasked, and listed as such") {
  const ScratchDirectory scratch;
  const auto profiles = scratch / "fathom/profiles";
  fs::create_directories(profiles);
  write(profiles / "h200.json", marked_calibration().dump());
  const std::string validate = "validate --json " + (h200 / "reduce-sizes.json").string();
  const Outcome skipped = run_fathom_with("XDG_CONFIG_HOME=" + scratch.path().string(), validate);
  CHECK(skipped.code == 0);
  CHECK(says(skipped, "fathom: note: skipped: " + (profiles / "h200.json").string() +
                          " is marked implausible: clock is missing (and 1 more)"));
  CHECK(skipped.out == run_fathom(validate).out);  // by the built-in profile

  const json listed =
      json::parse(run_fathom_with("XDG_CONFIG_HOME=" + scratch.path().string(), "devices --json").out);
  int marked = 0;
  for (const json& device : listed["devices"]) marked += device["implausible"] == true;
  CHECK(marked == 1);
  CHECK(run_fathom_with("XDG_CONFIG_HOME=" + scratch.path().string(), "devices")
            .out.find("measured, implausible") != std::string::npos);

  write(profiles / "h200.json", quick_calibration().dump());
  CHECK_FALSE(says(run_fathom_with("XDG_CONFIG_HOME=" + scratch.path().string(), validate), "skipped"));
}

TEST_CASE("a refit whose result must not be believed is not written, or marked under --force") {
  const ScratchDirectory scratch;
  const auto raw = scratch / "raw.json", fitted = scratch / "fitted.json";
  write(raw, disturbed_calibration().dump());
  const std::string refit = "fit --refit --profile " + raw.string() + " -o " + fitted.string();
  const Outcome refused = run_fathom(refit);
  CHECK(refused.code == 1);
  CHECK(refused.out.empty());
  CHECK(says(refused, "fathom: note: implausible: global.bandwidth is "));
  const std::string last = refused.err.substr(refused.err.rfind('\n', refused.err.size() - 2) + 1);
  CHECK(last == "fathom: " + fitted.string() +
                    " is not written: its measurements are implausible: measure on an otherwise idle GPU, or "
                    "write it nevertheless, marked, with --force\n");
  CHECK_FALSE(fs::exists(fitted));

  const Outcome forced = run_fathom(refit + " --force");
  CHECK(forced.code == 0);
  CHECK(says(forced, "is marked implausible"));
  REQUIRE_FALSE(json::parse(content(fitted))["implausible"].empty());

  // The mark goes once the raw samples say otherwise.
  write(raw, marked_calibration().dump());
  CHECK(run_fathom(refit).code == 0);
  CHECK_FALSE(json::parse(content(fitted)).contains("implausible"));
}
