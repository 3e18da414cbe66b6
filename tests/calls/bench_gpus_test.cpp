// SPDX-License-Identifier: Apache-2.0
// Datasets of runs on several GPUs, which are simulated.
#include "../support/error_of.h"
#include "../support/temporary_directory.h"
#include "../support/threads_as_processes.h"

#include <fathom/calls/measuring/bench.h>
#include <fathom/core/interruption.h>
#include <fathom/device/group/simulated_group.h>
#include <fathom/device/group/simulated_process_group.h>

#include <catch2/catch.hpp>

#include <thread>

using namespace fathom;
using namespace fathom::calls;
using namespace fathom::tests;
using Catch::Matchers::Contains;

namespace {

/// Sums, which need too much memory for more than 1000 elements, and fail for 78.
const GroupAlgorithm& limited() {
  static const GroupAlgorithm algorithm = [] {
    GroupAlgorithm changed = group_algorithm("reduce-gpus");
    changed.make_call = [make = changed.make_call](Communicator& own, const Problem& problem) {
      const double n = problem.n * own.size();
      if (n > 1000) throw OutOfDeviceMemory("need 2 bytes of GPU memory, 1 are free");
      if (n == 78) throw KernelFailure("a kernel failed");
      return make(own, problem);
    };
    return changed;
  }();
  return algorithm;
}

/// Benches sums of so many elements.
struct Bench {
  std::filesystem::path file;
  std::string notes{};
  std::vector<bool> failed{};  ///< of the cases tried last

  Dataset operator()(int gpus, const std::vector<double>& sizes, const Progress& progress) {
    std::vector<GroupCase> cases;
    for (const double n : sizes) cases.push_back({&limited(), limited().problem(n, ElementType::u64)});
    SimulatedGroup group(gpus);
    GrowingDataset runs(file);
    Provenance simulated;
    simulated.gpu = "simulated";
    runs.continue_with(simulated);
    failed.clear();
    const Listener listener{progress, [&](std::string_view note) { notes += note; }};
    runs.keeping([&] {
      bench_group(
          group, [](int) { return 1e9; }, cases, 3, runs, [](const std::string&) {},
          [&](bool it_failed) { failed.push_back(it_failed); }, listener);
    });
    return runs.finished(cases.size());
  }
  Dataset operator()(int gpus, const std::vector<double>& sizes) {
    return (*this)(gpus, sizes, [](auto&&...) {});
  }
};

/// Numbers of elements and of GPUs.
std::vector<std::pair<double, int>> sizes_of(const Dataset& dataset) {
  std::vector<std::pair<double, int>> sizes;
  for (const Measurement& run : dataset.runs)
    sizes.emplace_back(run.problem.n, run.problem.parameters.at("gpus"));
  return sizes;
}

using Sizes = std::vector<std::pair<double, int>>;

}  // namespace

TEST_CASE("runs on several GPUs that are in the dataset are not repeated, those on another number are made") {
  const TemporaryDirectory scratch;
  Bench bench{scratch / "runs.json"};
  const Dataset first = bench(2, {100, 200});
  CHECK(sizes_of(first) == Sizes{{100, 2}, {200, 2}});
  CHECK(bench.failed == std::vector<bool>{false, false});
  const Dataset second = bench(2, {100, 200, 300});
  CHECK(bench.failed.size() == 1);
  CHECK(sizes_of(second) == Sizes{{100, 2}, {200, 2}, {300, 2}});
  CHECK(second.runs[0].seconds.size() == 3);
  CHECK(sizes_of(bench(3, {100})) == Sizes{{100, 2}, {200, 2}, {300, 2}, {100, 3}});
  CHECK(sizes_of(read_dataset(bench.file)).size() == 4);
  CHECK(bench.notes.empty());
}

TEST_CASE("cases that do not fit are left out with a note, unless none can run") {
  const TemporaryDirectory scratch;
  Bench bench{scratch / "runs.json"};
  CHECK(sizes_of(bench(2, {100, 2000, 4000})) == Sizes{{100, 2}});
  CHECK(bench.notes ==
        "2 of 3 configurations cannot run and are left out; the first: reduce-gpus n = 2e3, gpus = 2, u64: "
        "need 2 bytes of GPU memory, 1 are free");
  CHECK(error_of<OutOfDeviceMemory>([&] { bench(2, {2000}); }) ==
        "reduce-gpus n = 2e3, gpus = 2, u64: need 2 bytes of GPU memory, 1 are free");
}

TEST_CASE("a case that fails does not keep others from being measured") {
  const TemporaryDirectory scratch;
  Bench bench{scratch / "runs.json"};
  CHECK_THAT(error_of<KernelFailure>([&] {
               bench(2, {78, 100});
             }),
             Contains("1 of 2 configurations failed, ") &&
                 Contains("first failure: reduce-gpus n = 78, gpus = 2, u64: a kernel failed"));
  CHECK(bench.failed == std::vector<bool>{true, false});
  CHECK(sizes_of(read_dataset(bench.file)) == Sizes{{100, 2}});
}

TEST_CASE("an interrupted bench keeps what it has, and says so") {
  const TemporaryDirectory scratch;
  Bench bench{scratch / "runs.json"};
  std::string says;
  try {
    bench(2, {100, 200}, [](std::string_view, std::size_t done, std::size_t) {
      if (done == 1) throw Interrupted("stop");
    });
  } catch (const Interrupted& interrupted) {
    says = interrupted.what();
  }
  CHECK(says == "interrupted: " + bench.file.string() + " has 1 runs; the same command continues from there");
  CHECK(sizes_of(read_dataset(bench.file)) == Sizes{{100, 2}});
}

namespace {

/// Benches sums of so many elements in two processes. Returns what the first one threw, "" for nothing.
std::string bench_in_processes(const std::filesystem::path& file, const std::vector<double>& sizes,
                               const Progress& progress) {
  std::vector<GroupCase> cases;
  for (const double n : sizes) cases.push_back({&limited(), limited().problem(n, ElementType::u64)});
  const RankClock clock = [](int) { return 1e9; };
  Mail mail(2);
  std::string of_second;
  std::jthread second([&] {
    Process process(mail, 1);
    SimulatedProcessGroup group(process);
    of_second = error_of([&] { bench_as_told(group, process, clock, cases, 3); });
  });
  std::string of_first;
  {
    Process process(mail, 0);
    SimulatedProcessGroup group(process);
    CasesToOthers others(process);
    GrowingDataset runs(file);
    Provenance simulated;
    simulated.gpu = "simulated";
    runs.continue_with(simulated);
    const Listener listener{progress, [](std::string_view) {}};
    try {
      runs.keeping([&] {
        bench_group(
            group, clock, cases, 3, runs, [&](const std::string& run) { others.tell(run); }, [](bool) {},
            listener);
      });
      runs.finished(cases.size());
    } catch (const Interrupted& interrupted) {
      of_first = interrupted.what();
    } catch (const std::exception& error) {
      of_first = error.what();
    }
  }
  second.join();
  CHECK(of_second == "");
  CHECK(mail.is_empty());
  return of_first;
}

}  // namespace

TEST_CASE("processes run the cases that the first of them lacks, which alone has the dataset") {
  const TemporaryDirectory scratch;
  const std::filesystem::path file = scratch / "runs.json";
  const Progress silent = [](auto&&...) {};
  CHECK(bench_in_processes(file, {100}, silent) == "");
  CHECK(bench_in_processes(file, {100, 200, 2000}, silent) == "");
  CHECK_THAT(bench_in_processes(file, {78, 300}, silent),
             Contains("1 of 2 configurations failed, ") && Contains("gpus = 2, u64: a kernel failed"));
  const std::string stopped =
      bench_in_processes(file, {400, 500}, [](std::string_view, std::size_t done, std::size_t) {
        if (done == 1) throw Interrupted("stop");
      });
  CHECK_THAT(stopped, Contains("interrupted: ") && Contains("has 4 runs"));
  CHECK(sizes_of(read_dataset(file)) == Sizes{{100, 2}, {200, 2}, {300, 2}, {400, 2}});
}
