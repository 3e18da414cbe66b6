// SPDX-License-Identifier: Apache-2.0
// What commands do to files, and with files that are not what they should be.
#include "run.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

const std::string h200 = FATHOM_DATA "/../profiles/h200.json";
const std::string runs = FATHOM_DATA "/h200/reduce-sizes.json";

std::string copied(const std::string& from, const fs::path& to) {
  fs::copy_file(from, to);
  return to.string();
}

/// The shipped profile with one value replaced.
std::string spoilt_profile(const char* pointer, const Json& value) {
  Json profile = Json::parse(content(h200));
  profile[Json::json_pointer(pointer)] = value;
  return profile.dump();
}

}  // namespace

TEST_CASE("fit replaces a profile only if it read that file") {
  const ScratchDirectory scratch;
  write(scratch / "h200", "a file of the same name");
  const Outcome outcome = run_fathom_with("env -C " + scratch.path().string(), "fit --refit --profile h200");
  CHECK(content(scratch / "h200") == "a file of the same name");
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("is built in: choose a file for the new one with -o") != std::string::npos);
}

TEST_CASE("fit replaces the user's own profile that it was given by name") {
  const ScratchDirectory scratch;
  fs::create_directories(scratch / "fathom/profiles");
  copied(h200, scratch / "fathom/profiles/mine.json");
  Json profile = Json::parse(content(h200));
  const std::string command = "fit " + std::string(FATHOM_DATA "/h200/reduce-grid.json") + " --profile mine";
  CHECK(run_fathom_with("XDG_CONFIG_HOME=" + scratch.path().string(), command).code == 0);
  CHECK(content(scratch / "fathom/profiles/mine.json") != content(h200));
}

TEST_CASE("no command replaces a file that it reads, nor measurements by an answer") {
  const ScratchDirectory scratch;
  const std::string data = copied(runs, scratch / "raw.json"), profile = copied(h200, scratch / "p.json");
  fs::create_symlink("raw.json", scratch / "link.json");
  const std::string link = scratch.file("link.json");
  for (const std::string& output : {data, link}) {
    check_refused("fit " + data + " --profile " + profile + " -o " + output, 2, "is read by this command");
    check_refused("validate " + data + " --device " + profile + " -o " + output, 2,
                  "is read by this command");
    check_refused("report " + data + " --device " + profile + " -o " + output, 2, "is read by this command");
  }
  check_refused("predict sort-pairwise -n 1e6 --device " + profile + " -o " + profile, 2,
                "is read by this command");
  check_refused("predict sort-pairwise -n 1e6 --device h200 -o " + profile, 1, "holds a profile");
  check_refused("algorithms -o " + data, 1, "holds a dataset");
  write(scratch / "notes", "notes");
  check_refused("fit --refit --profile h200 -o " + scratch.file("notes"), 1, "is not a profile");
  check_refused("fit --refit --profile h200 -o " + data, 1, "is not a profile");
  CHECK(content(data) == content(runs));
  CHECK(content(profile) == content(h200));
  CHECK(content(scratch / "notes") == "notes");
}

TEST_CASE("an output that cannot be written is refused before the work") {
  const ScratchDirectory scratch;
  const std::string missing = scratch.file("missing/report.html");
  check_refused("report " + runs + " -o " + missing, 1, "does not exist: create it first");
  check_refused("plot throughput " + runs + " -o " + scratch.file("missing/a.svg"), 1, "does not exist");
  check_refused("predict sort-pairwise -n 1e6 -o " + scratch.path().string(), 1,
                "is a directory: name a file");
}

TEST_CASE("a profile with values that no machine has ends every command with the field's path") {
  const ScratchDirectory scratch;
  const std::string profile = scratch.file("p.json");
  write(profile, spoilt_profile("/constants/launch_overhead/value_s", -1));
  for (const std::string& command :
       {std::string("predict sort-pairwise -n 1e6 --device "),
        std::string("tune sort-pairwise -n 1e6 --device "),
        std::string("count reduce-tree -n 1024 --device "), "validate " + runs + " --device ",
        "plot saturation -o " + scratch.file("a.svg") + " --device ", std::string("fit --refit --profile ")})
    check_refused(command + profile, 1, "field 'constants.launch_overhead.value_s' must be between 0 and 10");
}

TEST_CASE("a profile with fits of an older version is refused until fathom fit has replaced them") {
  const ScratchDirectory scratch;
  const std::string profile = scratch.file("p.json");
  write(profile, spoilt_profile("/algorithms/0/constants", Json::object()));
  const std::string predict = "predict sort-pairwise -n 1e6 --law fitted --device " + profile;
  check_refused(predict, 1, "replace all of them with fathom fit DATASETS --profile FILE");
  CHECK(run_fathom("fit " FATHOM_DATA "/h200/*.json --profile " + profile).code == 0);
  CHECK(run_fathom(predict).code == 0);
}

TEST_CASE("a block that does not fit on a profile's GPU is answered in one line") {
  const ScratchDirectory scratch;
  write(scratch / "p.json", spoilt_profile("/machine/limits/shared_bytes_per_block", 1024));
  check_refused("predict sort-pairwise -n 1e6 --device " + scratch.file("p.json"), 2,
                "fathom: no multiprocessor of 'h200' holds a block");
}

TEST_CASE("a damaged file of any kind is answered in one line") {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("damaged.json");
  const std::string profile = content(h200), data = content(runs);
  const std::string zeros(1000, '\0'), nested(1 << 20, '['), half = profile.substr(0, profile.size() / 2),
                                                             half_of_data = data.substr(0, data.size() / 2);
  for (const std::string& damage :
       {std::string(), half, half_of_data, zeros,
        std::string("\x7f"
                    "ELF\xff\xfe"),
        nested, std::string("null"), std::string("{\"schema\":\"fathom.dataset\"}")}) {
    write(file, damage);
    check_refused("predict sort-pairwise -n 1e6 --device " + file, 1, "damaged.json");
    check_refused("validate " + file + " --device h200", 1, "damaged.json");
    check_refused("fit " + file + " --profile h200 -o " + scratch.file("o.json"), 1, "damaged.json");
  }
  check_refused("validate " + scratch.path().string(), 1, "Is a directory");
}

TEST_CASE("commands work for a user without a home") {
  for (const char* home : {"HOME=", "HOME=relative", "-u HOME"})
    CHECK(run_fathom_with(fmt::format("env {} XDG_CONFIG_HOME=", home),
                          "predict sort-pairwise -n 1e6 --device h200")
              .code == 0);
}

TEST_CASE("report --compare takes two of a kind, and says which kind it found") {
  const ScratchDirectory scratch;
  const std::string page = scratch.file("r.html"), text = scratch.file("notes.json");
  const std::string runs = FATHOM_DATA "/h200/sort-sizes.json",
                    others = FATHOM_DATA "/h200-merge-sorts/sizes.json";
  write(text, "{}");
  check_refused("report --compare h200 " + runs + " -o " + page, 2,
                "h200 is a profile and " + runs + " a dataset");
  check_refused("report --compare " + runs + ' ' + text + " -o " + page, 2,
                "is neither a profile nor a dataset");
  check_refused("report --compare h200 -o " + page, 2, "--compare takes two");
  check_refused("report --compare h200 gone.json -o " + page, 1, "gone.json does not exist");
  check_refused("report " + runs + " --compare h200 m4000 -o " + page, 2, "--compare");
  check_refused("report --compare " + runs + ' ' + others + " -o " + runs, 2, "is read by this command");
  CHECK_FALSE(std::filesystem::exists(page));
  for (const std::string& two : {runs + ' ' + others, std::string("h200 ") + FATHOM_PROFILES "/m4000.json"}) {
    REQUIRE(run_fathom("report --compare " + two + " -o " + page).code == 0);
    CHECK(content(page).starts_with("<!DOCTYPE html>"));
  }
}

TEST_CASE("without gnuplot a report is written all the same, and a note says what to install") {
  const ScratchDirectory scratch;
  const std::string page = scratch.file("r.html");
  const Outcome outcome = run_fathom_with("PATH=/nonexistent", "report --compare h200 m4000 -o " + page);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.find("gnuplot-nox") != std::string::npos);
  CHECK(content(page).find("No figure is drawn") != std::string::npos);
}
