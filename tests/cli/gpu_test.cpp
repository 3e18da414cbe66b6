// Commands that run kernels on a GPU.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "../skip_without_gpu.h"
#include "run.h"

using nlohmann::json;

TEST_CASE("bench continues where it stopped: runs in the file are not repeated") {
  skip_without_gpu();
  const ScratchDirectory scratch;
  const auto file = scratch / "runs.json";
  const auto bench = [&](const std::string& sizes) {
    const Outcome outcome =
        run_fathom_on_gpu("bench sort-pairwise --repeats 3 -o " + file.string() + " --sizes " + sizes);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return json::parse(content(file))["runs"];
  };
  const json first = bench("2^10,2^12");
  REQUIRE(first.size() == 2);
  const json second = bench("2^10..2^14:2");
  REQUIRE(second.size() == 3);
  CHECK(second[0] == first[0]);  // including its times, which would differ if it had been repeated
  CHECK(second[1] == first[1]);
  const std::string before = content(file);
  CHECK(bench("2^10..2^14:2").size() == 3);
  CHECK(json::parse(before)["runs"] == json::parse(content(file))["runs"]);
}

TEST_CASE("sizes that do not fit in memory are refused before anything runs") {
  skip_without_gpu();
  const ScratchDirectory scratch;
  const auto file = scratch / "runs.json";
  const Outcome outcome = run_fathom_on_gpu("bench sort-pairwise --sizes 2^10,2^45 -o " + file.string());
  CHECK(outcome.code == 1);
  CHECK(outcome.err.find("bytes of GPU memory") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(file));
}
