// SPDX-License-Identifier: Apache-2.0
// Commands that run kernels on a GPU.
#include <algorithm>
#include <catch2/catch.hpp>

#include "../support/environment.h"
#include "../support/skip.h"
#include "run.h"

TEST_CASE("bench continues where it stopped: runs in the file are not repeated") {
  fathom::tests::skip_without_gpu();
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

TEST_CASE("bench sorts data in host memory, with the limit on the GPU's memory that is asked for") {
  fathom::tests::skip_without_gpu();
  const ScratchDirectory scratch;
  const auto file = scratch / "runs.json";
  const Outcome outcome = run_fathom_on_gpu(
      "bench sort-host -n 2^20 --type u64 --set memory=0,1 --repeats 3 -o " + file.string());
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json runs = json::parse(content(file))["runs"];
  REQUIRE(runs.size() == 2);
  for (const json& run : runs) {
    CHECK(run["checked"] == true);
    CHECK(run["parameters"]["parts"] == 32);
  }
}

TEST_CASE("sizes that do not fit in memory are left out, and refused where none fits") {
  fathom::tests::skip_without_gpu();
  const ScratchDirectory scratch;
  const auto file = scratch / "runs.json";
  const std::string bench = "bench sort-pairwise --repeats 3 -o " + file.string() + " --sizes ";
  const Outcome some = run_fathom_on_gpu(bench + "2^10,2^45");
  CHECK(some.code == 0);
  CHECK(some.err.find("1 of 2 configurations cannot run") != std::string::npos);
  CHECK(some.err.find("bytes of GPU memory") != std::string::npos);
  CHECK(json::parse(content(file))["runs"].size() == 1);
  const Outcome none = run_fathom_on_gpu(bench + "2^45");
  CHECK(none.code == 1);
  CHECK(none.err.find("bytes of GPU memory") != std::string::npos);
}

TEST_CASE("bench of several GPUs refuses more than there are, and says what NCCL is missing") {
  fathom::tests::skip_without_gpu();
  const ScratchDirectory scratch;
  const std::string bench = "bench reduce-gpus -n 2^20 -o " + scratch.file("runs.json");
  const Outcome too_many = run_fathom_on_gpu(bench + " --gpus 1023");
  CHECK(too_many.code == 1);
  CHECK_THAT(too_many.err, Catch::StartsWith("fathom: --gpus 1023: the driver sees ") &&
                               Catch::EndsWith(": choose fewer\n"));
  const fathom::tests::Environment named("FATHOM_NCCL", "/nowhere/libnccl.so.2");
  const Outcome without = run_fathom_on_gpu(bench + " --gpus 1");
  CHECK(without.code == 1);
  CHECK_THAT(without.err, Catch::Contains("run pip install nvidia-nccl-cu13"));
  CHECK(std::ranges::count(without.err, '\n') == 1);
}

TEST_CASE("tune measures the first choices that it is asked to, and names the fastest of them") {
  fathom::tests::skip_without_gpu();
  const auto measured = [](const std::string& verify) {
    const Outcome outcome = run_fathom_on_gpu(
        "tune reduce-tree -n 2^20 --top 2 --json --device m4000 --law "
        "published --set t=64,128,256,512 " +
        verify);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return json::parse(outcome.out);
  };
  const json three = measured("--verify=3");
  REQUIRE(three["candidates"].size() == 3);
  double fastest = three["candidates"][0]["measured_s"];
  for (const json& candidate : three["candidates"])
    fastest = std::min(fastest, candidate["measured_s"].get<double>());
  CHECK(three["fastest_measured"]["measured_s"] == fastest);
  CHECK(three["regret"].get<double>() ==
        Approx(three["candidates"][0]["measured_s"].get<double>() / fastest - 1));
  CHECK(measured("--verify")["candidates"].size() == 4);  // as many as there are
  CHECK(measured("--verify=1")["candidates"][1]["measured_s"].is_null());
}
