// SPDX-License-Identifier: Apache-2.0
// Lines come back from times that were made of lines, and describe what links were measured to do.
#include "synthetic.h"

#include <fathom/calibration/fit.h>
#include <fathom/calibration/fit_lines.h>
#include <fathom/core/benchmarks.h>

#include <catch2/catch.hpp>

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

constexpr double us = 1e-6, KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

struct TrueLine {
  double begins, per_byte;
};
struct TrueLines {
  double latency;
  std::vector<TrueLine> lines;

  double seconds(double bytes) const {
    double time = latency;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double end = i + 1 < lines.size() ? lines[i + 1].begins : bytes;
      time += lines[i].per_byte * std::max(0.0, std::min(bytes, end) - lines[i].begins);
    }
    return time;
  }
  double latency_of(std::size_t line) const {
    return seconds(lines[line].begins) - lines[line].per_byte * lines[line].begins;
  }
};

const TrueLines one_line{16 * us, {{0, 2.5e-12}}};
const TrueLines two_lines{16 * us, {{0, 1e-11}, {4 * MiB, 3e-12}}};
const TrueLines three_lines{16 * us, {{0, 4e-11}, {256 * KiB, 2e-12}, {8 * MiB, 6e-12}}};

/// From 8 B to 1 GiB. `error` moves whole sizes, as what no line describes does; repeats differ by `noise`.
std::vector<LinkPoint> sweep(const TrueLines& truth, double noise, double error, std::mt19937_64& random) {
  std::normal_distribution<double> moved(1, error);
  std::vector<LinkPoint> points;
  for (double bytes = 8; bytes <= GiB; bytes *= 2)
    points.push_back({bytes, synthetic::noisy(truth.seconds(bytes) * moved(random), noise, random)});
  return points;
}

double seconds(const LineFit& fit, double bytes) {
  return LinkCurve{ExchangeKind::all_to_all, 2, GiB, fit.ranges}.seconds(bytes);
}

}  // namespace

TEST_CASE("as many lines are found as there are, where they are, at any seed") {
  for (const TrueLines& truth : {one_line, two_lines, three_lines}) {
    int right = 0;
    constexpr int seeds = 20;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      INFO(truth.lines.size() << " lines, seed " << seed);
      std::mt19937_64 random(seed);
      const LineFit fit = *fit_lines(sweep(truth, 0.01, 0.005, random), random);
      right += fit.ranges.size() == truth.lines.size();
      for (double bytes = 8; bytes <= GiB; bytes *= 2)
        CHECK(seconds(fit, bytes) == Approx(truth.seconds(bytes)).epsilon(0.02));
      if (fit.ranges.size() != truth.lines.size()) continue;
      for (std::size_t i = 0; i < fit.ranges.size(); ++i) {
        // Lines of nearly the same slope meet anywhere near; those here meet within a doubling.
        CHECK(fit.ranges[i].from_bytes >= truth.lines[i].begins / 2);
        CHECK(fit.ranges[i].from_bytes <= truth.lines[i].begins * 2);
      }
    }
    CHECK(right >= seeds - 2);
  }
}

TEST_CASE("the intervals hold the truth in most cases") {
  int held = 0, all = 0;
  for (const TrueLines& truth : {one_line, two_lines, three_lines})
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::mt19937_64 random(seed);
      const LineFit fit = *fit_lines(sweep(truth, 0.01, 0.02, random), random);
      if (fit.ranges.size() != truth.lines.size()) continue;
      for (std::size_t i = 0; i < fit.ranges.size(); ++i) {
        const auto holds = [](const Estimate& estimate, double value) {
          return estimate.interval->low <= value && value <= estimate.interval->high;
        };
        held += holds(fit.ranges[i].latency, truth.latency_of(i));
        held += holds(fit.ranges[i].per_byte, truth.lines[i].per_byte);
        all += 2;
      }
    }
  INFO(held << " of " << all);
  CHECK(all >= 200);
  CHECK(held >= 0.85 * all);  // they are of lines that meet where they were found to
}

TEST_CASE("times without noise give one line, exactly") {
  std::mt19937_64 random(1);
  const LineFit fit = *fit_lines(sweep(one_line, 0, 0, random), random);
  REQUIRE(fit.ranges.size() == 1);
  CHECK(fit.ranges[0].latency.value == Approx(16 * us));
  CHECK(fit.ranges[0].per_byte.value == Approx(2.5e-12));
  CHECK(fit.worst_relative_error < 1e-9);
}

TEST_CASE("few sizes give few lines") {
  std::mt19937_64 random(1);
  CHECK_FALSE(fit_lines({}, random));
  CHECK_FALSE(fit_lines({{8, {1e-5}}, {8, {1.1e-5}}}, random));
  const LineFit two = *fit_lines({{8, {16 * us}}, {1e6, {20 * us}}}, random);
  REQUIRE(two.ranges.size() == 1);
  CHECK(seconds(two, 5e5) == Approx(18 * us));
  // Times of three lines, at sizes enough for two.
  std::vector<LinkPoint> points;
  for (const double bytes : {8., 64 * KiB, 256 * KiB, 2 * MiB, 8 * MiB, 1 * GiB})
    points.push_back({bytes, {three_lines.seconds(bytes)}});
  CHECK(fit_lines(points, random)->ranges.size() == 2);
}

TEST_CASE("times that fall with the bytes give lines that do not") {
  std::mt19937_64 random(1);
  std::vector<LinkPoint> points;
  for (double bytes = 8; bytes <= GiB; bytes *= 2) {
    const bool falls = bytes > 64 * KiB && bytes <= 2 * MiB;
    points.push_back({bytes, {two_lines.seconds(bytes) * (falls ? 0.7 : 1)}});
  }
  const LineFit fit = *fit_lines(points, random);
  for (const LinkRange& range : fit.ranges) CHECK(range.per_byte.value >= 0);
  CHECK(fit.ranges[0].latency.value >= 0);
  for (double bytes = 8; bytes < GiB; bytes *= 2) CHECK(seconds(fit, 2 * bytes) >= seconds(fit, bytes));
  CHECK(seconds(fit, GiB) == Approx(two_lines.seconds(GiB)).epsilon(0.05));
}

namespace {

/// Two H200, NVLink 18 × 26.6 GB/s, NCCL 2.28.9, 2026-11-24: medians, all GPUs at once. Times in µs up to
/// 2 MiB per GPU, then GB/s sent by each.
struct Measured {
  ExchangeKind kind;
  double us_to_32_KiB, us_256_KiB, us_2_MiB, rate_16_MiB, rate_128_MiB, rate_1_GiB;
};
constexpr Measured two_h200[] = {{ExchangeKind::peer_copy, 5.2, 5.3, 8.5, 351, 385, 392},
                                 {ExchangeKind::send_receive, 16, 18.8, 20, 200, 285, 359},
                                 {ExchangeKind::all_to_all, 17, 19.6, 21, 146, 257, 330},
                                 {ExchangeKind::all_gather, 16, 17.9, 18.4, 146, 225, 266},
                                 {ExchangeKind::all_reduce, 16, 18.4, 27.9, 207, 280, 326}};

std::vector<LinkPoint> points_of(const Measured& row) {
  const double sent = share_sent(row.kind, 2);
  std::vector<LinkPoint> points;
  for (const auto& [bytes, time] : {std::pair{8., row.us_to_32_KiB},
                                    {32 * KiB, row.us_to_32_KiB},
                                    {256 * KiB, row.us_256_KiB},
                                    {2 * MiB, row.us_2_MiB}})
    points.push_back({sent * bytes, {time * us}});
  for (const auto& [bytes, rate] :
       {std::pair{16 * MiB, row.rate_16_MiB}, {128 * MiB, row.rate_128_MiB}, {GiB, row.rate_1_GiB}})
    points.push_back({sent * bytes, {sent * bytes / (rate * 1e9)}});
  return points;
}

double worst_error(const LineFit& fit, const std::vector<LinkPoint>& points, double from, double to) {
  double worst = 0;
  for (const LinkPoint& point : points)
    if (from <= point.bytes && point.bytes < to)
      worst = std::max(worst, std::abs(seconds(fit, point.bytes) / point.seconds[0] - 1));
  return worst;
}

}  // namespace

TEST_CASE("lines describe what two H200 were measured to do, also where protocols change") {
  double small = 0, middle = 0, large = 0;  // relative errors, the worst of all kinds
  for (const Measured& row : two_h200) {
    INFO(name(row.kind));
    const std::vector<LinkPoint> points = points_of(row);
    std::mt19937_64 random(1);
    const LineFit fit = *fit_lines(points, random);
    CHECK(fit.ranges.size() >= 2);
    CHECK(fit.ranges.size() <= 3);
    small = std::max(small, worst_error(fit, points, 0, 1e5));
    middle = std::max(middle, worst_error(fit, points, 1e6, 1e7));
    large = std::max(large, worst_error(fit, points, 1e7, 2e9));
    // The link itself: what the last line sends per second, of 478 GB/s.
    CHECK(1 / fit.ranges.back().per_byte.value < 478e9);
    CHECK(1 / fit.ranges.back().per_byte.value > 250e9);
  }
  CHECK(small < 0.05);
  CHECK(middle < 0.07);
  CHECK(large < 0.10);
}

TEST_CASE("one GPU has a line with the host, and none among GPUs") {
  DeviceProfile profile;
  std::mt19937_64 random(1);
  for (const LinkPoint& point : sweep(one_line, 0.002, 0, random))
    for (const char* benchmark : {"link-host-both-ways", "link-all-to-all"})
      profile.series.push_back(
          {benchmark, {{"gpus", 1}, {"bytes", point.bytes}}, "s", point.seconds, 0, false});
  fit_links(profile);
  REQUIRE(profile.machine.links);
  REQUIRE(profile.machine.links->curves.size() == 1);
  CHECK(profile.machine.links->curves[0].gpus == 1);
  CHECK(exchange_time({ExchangeKind::host_both_ways, 1e8}, 1, *profile.machine.links).seconds ==
        Approx(one_line.seconds(1e8)).epsilon(0.01));
}

TEST_CASE("GPUs of several hosts have lines of their own, beside those of one host") {
  DeviceProfile profile;
  std::mt19937_64 random(1);
  for (const LinkPoint& point : sweep(one_line, 0.002, 0, random))
    profile.series.push_back(
        {"link-all-to-all", {{"gpus", 4}, {"bytes", point.bytes}}, "s", point.seconds, 0, false});
  for (const double hosts : {2., 3.})  // 4 GPUs are not as many on each of 3 hosts
    for (const LinkPoint& point : sweep(two_lines, 0.002, 0, random))
      profile.series.push_back({"link-all-to-all-between-hosts",
                                {{"hosts", hosts}, {"gpus", 4}, {"bytes", point.bytes}},
                                "s",
                                point.seconds,
                                0,
                                false});
  fit_links(profile);
  REQUIRE(profile.machine.links);
  Links links = *profile.machine.links;
  REQUIRE(links.curves.size() == 2);
  CHECK(links.curves[0].hosts == 1);
  CHECK(links.curves[1].hosts == 2);
  const auto seconds = [&] { return exchange_time({ExchangeKind::all_to_all, 1e8}, 4, links).seconds; };
  CHECK(seconds() == Approx(one_line.seconds(1e8)).epsilon(0.01));
  links.hosts = 2;
  CHECK(seconds() == Approx(two_lines.seconds(1e8)).epsilon(0.01));
}

TEST_CASE("a profile's links are fitted to its series, alone or with all else") {
  DeviceProfile profile;
  std::mt19937_64 random(1);
  for (const int gpus : {2, 4})
    for (const LinkPoint& point : sweep(two_lines, 0.002, 0, random))
      profile.series.push_back({"link-all-to-all",
                                {{"gpus", double(gpus)}, {"bytes", point.bytes}},
                                "s",
                                point.seconds,
                                0,
                                false});
  profile.series.push_back(
      {"link-all-gather", {{"gpus", 2}, {"bytes", 8}}, "s", {1e-5, 1e-5, 1e-5}, 0, false});
  profile.series.push_back({"link-all-to-all",
                            {{"gpus", 8}, {"bytes", 8}},
                            "s",
                            {1e-5, 3e-5, 9e-5},  // disturbed
                            0,
                            false});
  profile.machine.links = Links{.curves = {}, .pairs = {{0, 1, LinkType::nvlink}}};
  profile.warnings = {"the clock moved", "link-all-to-all bytes=8 left out: of an earlier fit"};
  const auto check = [](const DeviceProfile& fitted) {
    REQUIRE(fitted.machine.links);
    const Links& links = *fitted.machine.links;
    REQUIRE(links.curves.size() == 2);
    CHECK(links.curves[1].gpus == 4);
    CHECK(links.curves[1].most_bytes == GiB);
    CHECK(exchange_time({ExchangeKind::all_to_all, 1e8}, 4, links).seconds ==
          Approx(two_lines.seconds(1e8)).epsilon(0.01));
    CHECK(links.pairs.size() == 1);
  };
  fit_links(profile);
  check(profile);
  REQUIRE(profile.warnings.size() == 3);
  CHECK(profile.warnings[0] == "the clock moved");
  CHECK_THAT(profile.warnings[1], Contains("link-all-to-all bytes=8 gpus=8 left out"));
  CHECK_THAT(profile.warnings[2], Contains("link-all-gather among 2 GPUs") && Contains("one size"));
  fit_profile(profile);
  check(profile);

  std::erase_if(profile.series, [](const Series& one) { return one.benchmark.starts_with("link"); });
  fit_links(profile);
  CHECK_FALSE(profile.machine.links);
}
