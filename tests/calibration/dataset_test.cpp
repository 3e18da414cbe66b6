#include <fathom/calibration/dataset.h>

#include <catch2/catch.hpp>

using namespace fathom;

namespace {

Dataset small_dataset() {
  Dataset dataset;
  dataset.provenance = {"Some GPU", "580.1", "13.0", "2026-01-02T03:04:05Z", "", "fathom bench"};
  Run run;
  run.algorithm = "sort-pairwise";
  run.type = "u32";
  run.input = "random";
  run.n = 1 << 20;
  run.parameters = {{"E", 17}, {"t", 256}};
  run.seconds = {1.5e-4, 1.25e-4};
  run.clock_hz = 1.98e9;
  run.checked = true;
  run.kernels = {{"SortTiles", 64, 0, 17408, 4}};
  dataset.runs = {run, run};
  dataset.runs[1].n = 268435456;
  dataset.runs[1].kernels.clear();
  dataset.runs[1].clock_hz = 0;
  return dataset;
}

std::string error_of(const std::string& text) {
  try {
    parse_dataset(text, "d.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto position = text.find(from);
  REQUIRE(position != std::string::npos);
  return text.replace(position, from.size(), to);
}

}  // namespace

TEST_CASE("a dataset comes back from JSON as it was") {
  const Dataset before = small_dataset();
  const std::string text = to_json(before);
  const Dataset after = parse_dataset(text, "d.json");
  CHECK(to_json(after) == text);
  REQUIRE(after.runs.size() == 2);
  CHECK(after.runs[0].n == 1 << 20);
  CHECK(after.runs[0].parameters == before.runs[0].parameters);
  CHECK(after.runs[0].seconds == before.runs[0].seconds);
  CHECK(after.runs[0].kernels.at(0).shared_bytes == 17408);
  CHECK(after.runs[0].checked);
  CHECK(after.runs[1].clock_hz == 0);
  CHECK(after.provenance.commit.empty());

  const Dataset empty;
  CHECK(parse_dataset(to_json(empty), "d.json").runs.empty());
}

TEST_CASE("a bad dataset is refused with one line that says where") {
  const std::string good = to_json(small_dataset());
  CHECK(error_of(replaced(good, "fathom.dataset", "fathom.profile")) ==
        "d.json: field 'schema' is 'fathom.profile', must be 'fathom.dataset'");
  CHECK(error_of(replaced(good, "\"n\":268435456", "\"n\":0")) ==
        "d.json: field 'runs[1].n' must be positive");
  CHECK(error_of(replaced(good, "\"E\":17", "\"E\":1.5")) ==
        "d.json: field 'runs[0].parameters.E' must be an integer");
  CHECK(error_of(replaced(good, "\"seconds\":[0.00015,0.000125]", "\"seconds\":[]")) ==
        "d.json: field 'runs[0].seconds' must hold at least one time");
  CHECK(error_of(replaced(good, "\"input\":\"random\",", "")) == "d.json: field 'runs[0].input' is lacking");
  CHECK(error_of(replaced(good, "\"version\": 1", "\"version\": 9")) ==
        "d.json: field 'version' is 9, newer than the 1 that this program reads: update fathom");
}

TEST_CASE("a run without a size is not written") {
  Dataset dataset = small_dataset();
  dataset.runs[0].n = 0;
  CHECK_THROWS_AS(to_json(dataset), std::invalid_argument);
}
