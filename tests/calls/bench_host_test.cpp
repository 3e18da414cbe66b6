// SPDX-License-Identifier: Apache-2.0
// Datasets of runs on data in host memory, on a GPU that the CPU stands in for.
#include "../support/error_of.h"
#include "../support/temporary_directory.h"

#include <fathom/calls/measuring/bench.h>
#include <fathom/device/counting/counting_executor.h>

#include <catch2/catch.hpp>

using namespace fathom;
using namespace fathom::calls;
using namespace fathom::tests;

namespace {

/// The sort, for which there is too little memory of the GPU for 77 elements, and of the host for 78.
const HostAlgorithm& limited() {
  static const HostAlgorithm algorithm = [] {
    HostAlgorithm changed = *find_host_algorithm("sort-host");
    changed.make_call = [make = changed.make_call](const std::vector<HostStreams>& gpus,
                                                   const Problem& problem, std::size_t memory_bytes) {
      if (problem.n == 77) throw OutOfDeviceMemory("need 2 bytes of GPU memory, 1 may be used");
      if (problem.n == 78)
        throw OutOfHostMemory("need 2 bytes of the host's memory, pinned, 1 are available");
      return make(gpus, problem, memory_bytes);
    };
    return changed;
  }();
  return algorithm;
}

/// Benches sorts of so many elements in at least two parts, or so many.
struct Bench {
  std::filesystem::path file;
  std::string notes{};
  int tried = 0;  ///< in the last call

  Dataset operator()(const std::vector<double>& sizes, int parts = 2) {
    std::vector<HostCase> cases;
    for (const double n : sizes) {
      cases.push_back({&limited(), limited().problem(n, ElementType::u64)});
      cases.back().problem.parameters.set("parts", parts);
    }
    CountingExecutor gpu;
    GrowingDataset runs(file);
    Provenance simulated;
    simulated.gpu = "simulated";
    runs.continue_with(simulated);
    tried = 0;
    bench_host(
        {{gpu, gpu, gpu}}, [] { return std::size_t(1) << 30; }, [] { return 1e9; }, cases, 3, runs,
        [&](bool) { ++tried; }, {[](auto&&...) {}, [&](std::string_view note) { notes += note; }});
    return runs.finished(cases.size());
  }
};

}  // namespace

TEST_CASE("runs on data in host memory say their parameters, and are made once for each") {
  const TemporaryDirectory scratch;
  Bench bench{scratch / "runs.json"};
  CHECK(bench({100, 200}).runs.size() == 2);
  CHECK(bench.tried == 2);
  CHECK(bench({100, 200, 300}).runs.size() == 3);
  CHECK(bench.tried == 1);
  const Dataset last = bench({100}, 4);
  REQUIRE(last.runs.size() == 4);
  CHECK(last.runs[3].algorithm == "sort-host");
  CHECK(last.runs[3].checked);
  CHECK(last.runs[3].seconds.size() == 3);
  CHECK(last.runs[3].problem.parameters == Parameters{{"parts", 4}, {"memory", 0}, {"gpus", 1}});
}

TEST_CASE("what does not fit into the memory of GPU or host is left out, or says what to do") {
  const TemporaryDirectory scratch;
  Bench bench{scratch / "runs.json"};
  CHECK(bench({77, 100}).runs.size() == 1);
  CHECK(bench.notes ==
        "1 of 2 configurations cannot run and are left out; the first: sort-host n = 77, parts = 2, "
        "memory = 0, gpus = 1, u64: need 2 bytes of GPU memory, 1 may be used");
  CHECK(error_of<OutOfHostMemory>([&] { bench({78}); }) ==
        "sort-host n = 78, parts = 2, memory = 0, gpus = 1, u64: need 2 bytes of the host's memory, pinned, "
        "1 are available: choose a smaller n");
}
