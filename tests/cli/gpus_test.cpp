// SPDX-License-Identifier: Apache-2.0
// Commands that run kernels on several GPUs. Skipped (exit code 77) with fewer than two, or without NCCL.
#include <catch2/catch.hpp>

#include "../support/skip.h"
#include "run.h"

TEST_CASE("bench of several GPUs continues where it stopped, and one rank is another case") {
  fathom::tests::skip_without_several_gpus();
  const ScratchDirectory scratch;
  const auto file = scratch / "runs.json";
  const auto bench = [&](const std::string& rest) {
    const Outcome outcome =
        run_fathom_on_gpu("bench sort-gpus --type u64 --repeats 3 -o " + file.string() + " " + rest);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return json::parse(content(file))["runs"];
  };
  const json first = bench("-n 2^20 --gpus 2 --set scheme=1,2");
  REQUIRE(first.size() == 2);
  CHECK(first[0]["checked"] == true);
  CHECK(first[0]["parameters"]["gpus"] == 2);
  const json second = bench("-n 2^20,2^22 --gpus 2");
  REQUIRE(second.size() == 3);
  CHECK(second[0] == first[0]);
  CHECK(bench("-n 2^20 --gpus 1")[3]["parameters"]["gpus"] == 1);
}
