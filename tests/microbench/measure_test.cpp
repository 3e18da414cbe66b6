// A complete quick calibration on a real GPU, checked for properties that hold on every GPU.
#include "../skip_without_gpu.h"

#include <fathom/microbench/microbench.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>

using namespace fathom;

namespace {

double median(const Series& series) {
  return quartiles(series.samples).median;
}

/// Words, or instructions, per second and core at this point of a sweep: what the law calls bandwidth.
double rate(const Series& series) {
  return series.coordinates.at("accesses") * series.coordinates.at("X") / median(series);
}

/// The series of one quick calibration, by benchmark, run once for all tests. Exits with 77 without a GPU.
const std::map<std::string, std::vector<Series>>& measured() {
  static const auto by_question = [] {
    skip_without_gpu();
    CudaExecutor executor;
    std::map<std::string, std::vector<Series>> sorted;
    for (auto& series : microbench::measure_all(executor, {11, true}, {}))
      sorted[series.benchmark].push_back(series);
    return sorted;
  }();
  return by_question;
}

}  // namespace

TEST_CASE("a quick calibration measures every level, and its samples are positive") {
  for (const char* benchmark :
       {"global-copy", "l2-copy", "shared-copy", "register-ops", "conflict", "footprint-copy",
        "footprint-read", "block-start", "device-copy", "launch-empty", "launch-gap", "launch-host",
        "chase-shared", "chase-l1", "chase-l2", "chase-dram", "clock"}) {
    CAPTURE(benchmark);
    REQUIRE(measured().count(benchmark) == 1);
    for (const auto& series : measured().at(benchmark)) {
      CHECK_FALSE(series.samples.empty());
      for (const double sample : series.samples) CHECK(sample > 0);
      CHECK(series.clock_hz > 1e8);
    }
  }
}

TEST_CASE("a calibration can be cancelled from its progress callback") {
  skip_without_gpu();
  CudaExecutor executor;
  struct Cancelled {};
  const auto cancel = [](std::string_view, std::size_t done, std::size_t total) {
    CHECK(done <= total);
    if (done == 2) throw Cancelled{};
  };
  CHECK_THROWS_AS(microbench::measure_all(executor, {11, true}, cancel), Cancelled);
}

TEST_CASE("more threads and more accesses in flight are never much slower, and many are faster than few") {
  for (const char* benchmark : {"global-copy", "l2-copy", "shared-copy", "register-ops"}) {
    const auto& points = measured().at(benchmark);
    for (const auto& slow : points)
      for (const auto& fast : points)
        if (fast.coordinates.at("X") * fast.coordinates.at("I") >=
                4 * slow.coordinates.at("X") * slow.coordinates.at("I") &&
            fast.coordinates.at("X") >= slow.coordinates.at("X") &&
            fast.coordinates.at("I") >= slow.coordinates.at("I")) {
          CAPTURE(benchmark, slow.coordinates.at("X"), slow.coordinates.at("I"), fast.coordinates.at("X"),
                  fast.coordinates.at("I"));
          CHECK(rate(fast) > 0.8 * rate(slow));
        }
    CHECK(rate(points.back()) > 4 * rate(points.front()));
  }
}

TEST_CASE("launches are long enough for their start to be negligible") {
  for (const char* benchmark : {"global-copy", "l2-copy", "shared-copy", "register-ops"})
    for (const auto& series : measured().at(benchmark)) CHECK(median(series) > 3e-4);
}

TEST_CASE("farther levels are slower") {
  const auto latency = [&](const char* benchmark) { return median(measured().at(benchmark).front()); };
  CHECK(latency("chase-shared") < latency("chase-l2"));
  CHECK(latency("chase-l1") < latency("chase-l2"));
  CHECK(latency("chase-l2") < latency("chase-dram"));
  CHECK(rate(measured().at("global-copy").back()) < rate(measured().at("l2-copy").back()));
  CHECK(rate(measured().at("l2-copy").back()) < rate(measured().at("shared-copy").back()));
}

TEST_CASE("data that fit in the L2 are accessed faster, and more bytes take longer") {
  for (const char* benchmark : {"footprint-copy", "footprint-read"}) {
    CAPTURE(benchmark);
    const auto& passes = measured().at(benchmark);
    REQUIRE(passes.size() >= 8);
    double fastest = 0;  // bytes per second
    for (std::size_t i = 0; i < passes.size(); ++i) {
      if (i > 0) CHECK(median(passes[i]) > 0.9 * median(passes[i - 1]));
      fastest = std::max(fastest, passes[i].coordinates.at("bytes") * passes[i].coordinates.at("launches") /
                                      median(passes[i]));
    }
    const auto& largest = passes.back();
    CHECK(fastest >
          1.2 * largest.coordinates.at("bytes") * largest.coordinates.at("launches") / median(largest));
  }
}

TEST_CASE("twice as many blocks take about twice as long to start") {
  const auto& series = measured().at("block-start");
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i].coordinates.at("threads") != series[i - 1].coordinates.at("threads")) continue;
    const double blocks = series[i].coordinates.at("blocks") / series[i - 1].coordinates.at("blocks");
    const double time = median(series[i]) / median(series[i - 1]);
    CHECK(time > blocks / 3);
    CHECK(time < blocks * 1.2);
  }
}

TEST_CASE("on a full multiprocessor a conflict of degree 32 is about 32 times slower") {
  double once = 0, often = 0;
  for (const auto& series : measured().at("conflict")) {
    if (series.coordinates.at("X") < 4) continue;
    if (series.coordinates.at("degree") == 1) once = rate(series);
    if (series.coordinates.at("degree") == 32) often = rate(series);
  }
  REQUIRE(often > 0);
  CHECK(once / often > 24);
  CHECK(once / often < 40);
}

TEST_CASE("the copy kernel is about as fast as the driver's own copy") {
  const auto& copy = measured().at("device-copy").back();
  const auto& stream = measured().at("global-copy").back();
  const GpuInfo gpu = present_gpus().front();
  const double copied = 2 * copy.coordinates.at("bytes") / median(copy);
  const double streamed = 4 * rate(stream) * gpu.multiprocessors * gpu.cores_per_multiprocessor;
  CHECK(streamed < 1.2 * copied);  // else it was served by the L2
  CHECK(streamed > 0.8 * copied);
}
