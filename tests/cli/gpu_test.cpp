// Commands that run kernels, on a real GPU.
#include <fathom/device/cuda/cuda_executor.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "run.h"

using nlohmann::json;

namespace {

void skip_without_gpu() {
  try {
    if (!fathom::present_gpus().empty()) return;
    std::puts("skipped: no GPU is present");
  } catch (const fathom::DeviceUnavailable& unavailable) {
    std::printf("skipped: %s\n", unavailable.what());
  }
  std::exit(77);
}

}  // namespace

TEST_CASE("bench goes on where it stopped: what the file holds is not run again") {
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
  CHECK(second[0] == first[0]);  // its times too: had it been run again, they would differ
  CHECK(second[1] == first[1]);
  const std::string before = content(file);
  CHECK(bench("2^10..2^14:2").size() == 3);
  CHECK(json::parse(before)["runs"] == json::parse(content(file))["runs"]);
}

TEST_CASE("what does not fit in the memory is refused before anything runs") {
  skip_without_gpu();
  const ScratchDirectory scratch;
  const auto file = scratch / "runs.json";
  const Outcome outcome = run_fathom_on_gpu("bench sort-pairwise --sizes 2^10,2^45 -o " + file.string());
  CHECK(outcome.code == 1);
  CHECK(outcome.err.find("bytes of GPU memory") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(file));
}
