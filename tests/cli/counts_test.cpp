// SPDX-License-Identifier: Apache-2.0
// Answers of count.
#include <catch2/catch.hpp>
#include <set>

#include "run.h"

using Catch::Contains;

TEST_CASE("a count has each kernel's, in its phase") {
  const json counted = answer("count sort-pairwise -n 10000 --set E=17 --set t=128 --device h200");
  CHECK(counted["input"] == "random");
  CHECK(counted["parameters"] == json{{"E", 17}, {"t", 128}});
  CHECK(all_of(counted["kernels"], "phase") ==
        std::set<std::string>{"BlockSort", "MergePathPartition", "MergeTiles"});
  CHECK(counted["kernels"][0]["global"]["store"]["words"] == 10000);  // every key once
  // The partition uses no shared memory: unknown, not 0.
  CHECK(counted["kernels"][1]["shared"]["load"]["conflict"].is_null());
  CHECK(counted["machines"].empty());
}

TEST_CASE("each abstract machine gives the cost of a count") {
  const auto machine = [](const std::string& options) {
    const json counted = answer("count scan-matrix -n 2^14 --device h200 --machine " + options);
    REQUIRE(counted["machines"].size() == 1);
    return counted["machines"][0];
  };
  for (const std::string name : {"dmm", "umm"}) {
    const json cost = machine(name + " --width 16 --latency 100 --threads 2^12");
    CHECK(cost["machine"] == name);
    CHECK(cost["width"] == 16);
    CHECK(cost["latency"] == 100);
    CHECK(cost["threads"] == 4096);
    CHECK(cost["time_units"].get<double>() >
          2 * 16384 / 16);  // at least two words per element, 16 per time unit
    CHECK(machine(name + " --width 16 --latency 200 --threads 2^12")["time_units"] > cost["time_units"]);
  }
  const json cost = machine("agpu --width 32 --threads 2^12 --memory 2^14");
  CHECK(cost["io"].get<double>() >= 3 * 16384 / 32);  // agpu2015: 3n/b
  CHECK(cost["multiplicity"].get<double>() == Approx(16384 / cost["shared_words"].get<double>()));
}

TEST_CASE("an abstract machine has the asymptotic cost and the lower bound next to the count") {
  const auto machine = [](const std::string& options) {
    return answer("count " + options + " --device h200")["machines"][0];
  };
  const json umm = machine("reduce-tree -n 2^14 --machine umm --width 16 --latency 100 --threads 2^12");
  // n/w = 1024, nl/p = 400, l·log n = 1400.
  CHECK(umm["asymptotic"]["time_units"] == 2824);
  CHECK(umm["lower_bound"]["time_units"] == 1400);
  for (const char* stated : {"asymptotic", "lower_bound"})
    CHECK(umm[stated]["ratio"].get<double>() ==
          Approx(umm["time_units"].get<double>() / umm[stated]["time_units"].get<double>()));
  const json agpu = machine("scan-matrix -n 2^14 --machine agpu --width 32 --threads 2^12 --memory 2^14");
  // α = 8: (n/p + p/b²)·(4 + 5/8), n/p = 4; 3n/b + p/b.
  CHECK(agpu["asymptotic"]["time"] == 37);
  CHECK(agpu["asymptotic"]["io"] == 1664);
  CHECK(agpu["lower_bound"]["time"] == 4);
  CHECK(agpu["lower_bound"]["io"] == 512);
  CHECK(agpu["lower_bound"]["time_ratio"].get<double>() == Approx(agpu["time"].get<double>() / 4));
  CHECK(agpu["lower_bound"]["io_ratio"].get<double>() == Approx(agpu["io"].get<double>() / 512));
}

TEST_CASE("the UMM says how much work space the sequential-parallel scan needs") {
  const std::string options =
      "count scan-sequential -n 2^14 --device h200 --width 32 --latency 128 --machine ";
  CHECK(answer(options + "umm")["machines"][0]["least_work_space_words"] == 65536);  // w·l·log k = 2^12·16
  CHECK_THAT(run_fathom(options + "umm").out, Contains("least work space: 65536 words"));
  CHECK(answer(options + "dmm")["machines"][0]["least_work_space_words"].is_null());
  const std::string other = "count scan-interval -n 2^14 --device h200 --machine umm";
  CHECK(answer(other)["machines"][0]["least_work_space_words"].is_null());
  CHECK_THAT(run_fathom(other).out, !Contains("work space"));
}

TEST_CASE("the distribution sorts have the I/Os of their source on the AGPU") {
  // n = 2^17, b = 32: a pass of 3n/b, and a block for each of r buckets in every tile; 2n/b to finish.
  const auto stated = [](const std::string& sort) {
    const json counted =
        answer("count " + sort + " -n 2^17 --device h200 --machine agpu --width 32 --threads 2^12");
    return counted["machines"][0]["asymptotic"];
  };
  const double tiles = 131072 / (512 * 15.), tiles_of_17 = 131072 / (512 * 17.);
  CHECK(stated("sort-splitter --set S=64 --set t=512 --set E=15")["io"].get<double>() ==
        Approx(8192 + 12288 + 64 * tiles));
  CHECK(stated("sort-splitter")["time"] == 32 * 17);
  // 17 tiles of buckets are more than S: two passes.
  CHECK(stated("sort-splitter-deterministic --set S=8 --set t=512 --set E=15")["io"].get<double>() ==
        Approx(8192 + 2 * (4096 + 12288 + 8 * tiles)));  // the chunks, too
  CHECK(stated("radix-msd-recursive --set d=8 --set t=512 --set E=17")["io"].get<double>() ==
        Approx(8192 + 12288 + 256 * tiles_of_17));
  CHECK(stated("radix-msd-recursive")["time"] == 32 * 32);
  CHECK(stated("radix-msd")["time"] == 32 * 32);
}

TEST_CASE("a cost that no source states is unknown, not an error") {
  const std::string options = "count sort-splitter -n 2^14 --device h200 --machine ";
  const json umm = answer(options + "umm")["machines"][0];
  CHECK(umm["asymptotic"].is_null());
  CHECK(umm["lower_bound"].is_null());
  CHECK(answer("count radix-single -n 2^10 --device h200 --machine agpu")["machines"][0]["asymptotic"]
            .is_null());
  CHECK(
      answer("count radix-lsd -n 2^10 --device h200 --machine agpu")["machines"][0]["lower_bound"].is_null());
  CHECK_THAT(run_fathom(options + "umm").out, Contains("asymptotic cost           -               -\n"));
}

TEST_CASE("an audit covers sizes and parameters, of all algorithms if none is named") {
  const json one = answer("count scan-matrix -n 2^10..2^12:2 --set alpha=4,8 --audit --device h200");
  CHECK(one["schema"] == "fathom.audit");
  REQUIRE(one["counts"].size() == 4);
  for (const json& count : one["counts"]) CHECK(count["audit"].size() == 2);
}

TEST_CASE("an audit leaves out kernels that do not fit on the GPU, with a note, and keeps the rest") {
  for (const std::string device : {"h200", "m4000", "gtx770", "k40m"}) {
    INFO(device);
    const Outcome outcome = run_fathom("count -n 2^10 --audit --json --device " + device);
    REQUIRE(outcome.code == 0);
    const std::set<std::string> slugs = all_of(json::parse(outcome.out)["counts"], "algorithm");
    for (const char* slug : {"sort-pairwise", "scan-matrix", "reduce-tree"}) CHECK(slugs.contains(slug));
    CHECK_FALSE(slugs.contains("cub-merge"));
    CHECK(slugs.contains("radix-onesweep") == (device == "h200"));
    if (device == "h200")
      CHECK(outcome.err.empty());
    else
      CHECK_THAT(outcome.err, Contains("fathom: note: radix-onesweep n = 2^10"));
  }
  check_refused("count radix-onesweep -n 2^10 --device m4000", 1, "does not fit on a multiprocessor");
  CHECK(run_fathom("count radix-onesweep -n 2^10 --audit --device m4000").code == 1);
}

TEST_CASE("a count takes any input, by the name that bench knows") {
  const auto merging_wavefronts = [](const std::string& input) {
    const json counted = answer("count sort-pairwise -n 17408 --set t=128 --device h200 --input " + input);
    return counted["kernels"][2]["shared"]["load"]["wavefronts"].get<double>();
  };
  CHECK(merging_wavefronts("conflict-heavy") > 2 * merging_wavefronts("random"));
}
