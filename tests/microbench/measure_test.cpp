// SPDX-License-Identifier: Apache-2.0
// A complete quick calibration on a real GPU, checked for properties that hold on every GPU.
#include "../support/skip.h"

#include <fathom/core/benchmarks.h>
#include <fathom/microbench/links/links.h>
#include <fathom/microbench/microbench.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>

using namespace fathom;

namespace {

double median(const Series& series) {
  return quartiles(series.samples).median;
}

double at(const Series& series, const char* coordinate) {
  return series.coordinates.at(coordinate);
}

/// Words, or instructions, per second and core at this point of a sweep: what the law calls bandwidth.
double rate(const Series& series) {
  return at(series, "accesses") * at(series, "X") / median(series);
}

/// The series of one quick calibration, by benchmark, run once for all tests. Exits with 77 without a GPU.
const std::map<std::string, std::vector<Series>>& measured() {
  static const auto by_question = [] {
    tests::skip_without_gpu();
    CudaExecutor executor;
    std::map<std::string, std::vector<Series>> sorted;
    for (auto& series : microbench::measure_all(executor, {11, true}, {}).series)
      sorted[series.benchmark].push_back(series);
    return sorted;
  }();
  return by_question;
}

}  // namespace

TEST_CASE("a quick calibration measures every level, and its samples are positive") {
  for (const Benchmark* each : benchmarks::all) {
    const std::string benchmark(each->name);
    CAPTURE(benchmark);
    REQUIRE(measured().count(benchmark) == 1);
    for (const auto& series : measured().at(benchmark)) {
      CHECK_FALSE(series.samples.empty());
      for (const double sample : series.samples) CHECK(sample > 0);
      CHECK(series.clock_hz > 1e8);
    }
  }
  CHECK(measured().size() == benchmarks::all.size());
}

TEST_CASE(
    "copies of a GPU with the host take longer the larger they are, and both at once no less than one") {
  tests::skip_without_gpu();
  CudaExecutor in, kernels, out;
  std::map<std::string, std::vector<Series>> sorted;
  for (const auto& series : microbench::measure_host_links({{in, kernels, out}}, {11, true}, {}))
    sorted[series.benchmark].push_back(series);
  REQUIRE(sorted.size() == 3);
  std::map<std::string, double> largest;
  for (const auto& [benchmark, sizes] : sorted) {
    INFO(benchmark);
    largest[benchmark] = median(sizes.back());
    CHECK(largest[benchmark] > 10 * median(sizes.front()));
  }
  constexpr double noise = 0.95;
  for (const char* one_way : {"link-host-to-device", "link-device-to-host"})
    CHECK(largest["link-host-both-ways"] > noise * largest[one_way]);
}

TEST_CASE("a calibration can be cancelled from its progress callback") {
  tests::skip_without_gpu();
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
        if (at(fast, "X") * at(fast, "I") >= 4 * at(slow, "X") * at(slow, "I") &&
            at(fast, "X") >= at(slow, "X") && at(fast, "I") >= at(slow, "I")) {
          CAPTURE(benchmark, at(slow, "X"), at(slow, "I"), at(fast, "X"), at(fast, "I"));
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
      fastest = std::max(fastest, at(passes[i], "bytes") * at(passes[i], "launches") / median(passes[i]));
    }
    const auto& largest = passes.back();
    CHECK(fastest > 1.2 * at(largest, "bytes") * at(largest, "launches") / median(largest));
  }
}

TEST_CASE("twice as many blocks take about twice as long to start") {
  const auto& series = measured().at("block-start");
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (at(series[i], "threads") != at(series[i - 1], "threads")) continue;
    const double blocks = at(series[i], "blocks") / at(series[i - 1], "blocks");
    const double time = median(series[i]) / median(series[i - 1]);
    CHECK(time > blocks / 3);
    CHECK(time < blocks * 1.2);
  }
}

TEST_CASE("on a full multiprocessor a conflict of degree 32 is about 32 times slower") {
  double once = 0, often = 0;
  for (const auto& series : measured().at("conflict")) {
    if (at(series, "X") < 4) continue;
    if (at(series, "degree") == 1) once = rate(series);
    if (at(series, "degree") == 32) often = rate(series);
  }
  REQUIRE(often > 0);
  CHECK(once / often > 24);
  CHECK(once / often < 40);
}

TEST_CASE("the copy kernel is about as fast as the driver's own copy") {
  const auto& copy = measured().at("device-copy").back();
  const auto& stream = measured().at("global-copy").back();
  const GpuInfo gpu = present_gpus().front();
  const double copied = 2 * at(copy, "bytes") / median(copy);
  const double streamed = 4 * rate(stream) * gpu.multiprocessors * gpu.cores_per_multiprocessor;
  CHECK(streamed < 1.2 * copied);  // else it was served by the L2
  CHECK(streamed > 0.8 * copied);
}

namespace {

/// `what` per second.
double per_second(const Series& series, const char* what = "bytes") {
  return at(series, what) / median(series);
}

double best(const char* benchmark, const char* what = "bytes") {
  double rate = 0;
  for (const auto& series : measured().at(benchmark)) rate = std::max(rate, per_second(series, what));
  return rate;
}

/// Warp instructions per clock and multiprocessor with all warps and four chains.
double throughput(const char* pipe) {
  const Series& full = measured().at(pipe).back();
  return at(full, "instructions") * at(full, "warps") / (median(full) * full.clock_hz);
}

/// Clocks of an instruction that waits for the previous one.
double latency(const char* pipe) {
  const Series& one = measured().at(pipe).front();
  return median(one) * one.clock_hz / at(one, "instructions");
}

}  // namespace

TEST_CASE("pipes reach what the architecture has") {
  tests::skip_without_gpu();
  const GpuInfo gpu = present_gpus().front();
  const double lanes = gpu.cores_per_multiprocessor / 32.0;  // warp instructions per clock
  CHECK(throughput("pipe-ffma") == Approx(lanes).epsilon(0.03));
  CHECK(throughput("pipe-lds4") == Approx(1).epsilon(0.03));
  CHECK(throughput("pipe-lds8") == Approx(1.0 / 2).epsilon(0.03));
  CHECK(throughput("pipe-lds16") == Approx(1.0 / 4).epsilon(0.03));
  for (const char* pipe : {"pipe-lop3", "pipe-min", "pipe-select", "pipe-select64", "pipe-imad"}) {
    CAPTURE(pipe);
    CHECK(throughput(pipe) > 0.45 * lanes);
    CHECK(throughput(pipe) < 1.01 * lanes);
  }
  CHECK(throughput("pipe-lop3-ffma") <= 4.04);  // one instruction per clock and scheduler
  CHECK(throughput("pipe-lop3-ffma") > 0.95 * throughput("pipe-lop3"));
  for (const char* pipe : {"pipe-lop3", "pipe-min", "pipe-ffma", "pipe-imad"}) {
    CAPTURE(pipe);
    CHECK(latency(pipe) > 3.5);
    CHECK(latency(pipe) < 8);
  }
  CHECK(latency("pipe-shuffle") > latency("pipe-lop3"));
  CHECK(latency("pipe-lds4") == Approx(median(measured().at("chase-shared").front())).epsilon(0.1));
  const auto& barriers = measured().at("pipe-barrier");
  CHECK(median(barriers[5]) / at(barriers[5], "instructions") >
        median(barriers[0]) / at(barriers[0], "instructions"));  // 32 warps of a block, and one
}

TEST_CASE("streams are about as fast as the driver's copy, and faster in the L2") {
  const auto& copy = measured().at("device-copy").back();
  const double copied = 2 * at(copy, "bytes") / median(copy);
  for (const char* benchmark : {"stream-dram-read", "stream-dram-write", "stream-dram-copy"}) {
    CAPTURE(benchmark);
    CHECK(best(benchmark) > 0.7 * copied);
    CHECK(best(benchmark) < 1.4 * copied);
  }
  CHECK(best("stream-l2-read") > 1.2 * best("stream-dram-read"));
  // Both are what multiprocessors can send: DRAM takes as much.
  CHECK(best("stream-l2-write") > 0.9 * best("stream-dram-write"));
  CHECK(best("stream-l2-copy") > best("stream-dram-copy"));
}

TEST_CASE("nothing moves more bytes than streams do") {
  const double read = best("stream-dram-read"), copy = best("stream-dram-copy");
  for (const auto& series : measured().at("in-flight-read")) CHECK(per_second(series) < 1.05 * read);
  for (const auto& series : measured().at("in-flight-copy")) CHECK(per_second(series) < 1.05 * copy);
  for (const auto& series : measured().at("cold-read")) CHECK(per_second(series) < 1.05 * read);
  for (const auto& series : measured().at("random-sectors")) {
    const bool in_l2 = at(series, "bytes") <= double(present_gpus().front().l2_bytes) / 4;
    CHECK(32 * per_second(series, "sectors") < 1.05 * (in_l2 ? best("stream-l2-read") : read));
  }
  const auto& flights = measured().at("in-flight-read");
  CHECK(per_second(flights.back()) >
        2 * per_second(flights.front()));  // all warps, and a sixteenth with one load
}

TEST_CASE("a mix takes at least as long as its slowest part, and no longer than its parts in turn") {
  const std::vector<const char*> parts = {"loads", "shared", "alu", "fma"};
  const auto& all = measured().at("overlap");
  const auto alone = [&](const Series& mix, const char* part) {
    for (const auto& one : all) {
      bool same = at(one, "warps") == at(mix, "warps") &&
                  at(one, "stores") == (part == parts[0] ? at(mix, "stores") : 0);
      for (const char* other : parts) same = same && at(one, other) == (other == part ? at(mix, part) : 0);
      if (same) return median(one) / at(one, "iterations");
    }
    return 0.0;
  };
  int mixes = 0;
  for (const auto& mix : all) {
    double sum = 0, slowest = 0;
    int count = 0;
    for (const char* part : parts) {
      if (at(mix, part) == 0) continue;
      ++count;
      const double seconds = alone(mix, part);
      REQUIRE(seconds > 0);
      sum += seconds;
      slowest = std::max(slowest, seconds);
    }
    if (count < 2) continue;
    ++mixes;
    CAPTURE(at(mix, "loads"), at(mix, "shared"), at(mix, "alu"), at(mix, "fma"), at(mix, "warps"));
    const double seconds = median(mix) / at(mix, "iterations");
    CHECK(seconds > 0.97 * slowest);
    CHECK(seconds < 1.1 * sum);
  }
  CHECK(mixes >= 7);
}

TEST_CASE("code that was run before is fetched at an instruction per clock, other code more slowly") {
  for (const auto& series : measured().at("instruction-fetch")) {
    CAPTURE(at(series, "bytes"), at(series, "warps"), at(series, "evicted"), at(series, "flushed"));
    const double clocks = median(series) / at(series, "instructions");
    CHECK(clocks > 0.98);
    if (at(series, "evicted") == 0 && at(series, "warps") == 1 && at(series, "bytes") <= 8192)
      CHECK(clocks < 1.3);
    if (at(series, "evicted") == 1 && at(series, "warps") == 1) CHECK(clocks > 1.3);
  }
}

TEST_CASE("atomics on one word are the slowest, and a flag's flight takes about two accesses of the L2") {
  std::map<double, double> seconds;  // of an atomic of all lanes, by the number of words
  for (const auto& series : measured().at("global-atomics"))
    if (at(series, "lanes") == 32 && at(series, "random") == 0 && at(series, "returning") == 0)
      seconds[at(series, "addresses")] = median(series) / at(series, "atomics");
  REQUIRE(seconds.size() >= 3);
  CHECK(seconds.begin()->second > seconds.rbegin()->second);
  const double l2 = median(measured().at("chase-l2").front());
  CHECK(median(measured().at("global-atomic-chase").front()) > 0.7 * l2);
  CHECK(median(measured().at("global-atomic-chase").front()) < 4 * l2);
  for (const auto& series : measured().at("flag-flight")) {
    CHECK(median(series) > l2);
    CHECK(median(series) < 10 * l2);
  }
}
