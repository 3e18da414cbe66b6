// SPDX-License-Identifier: Apache-2.0
// Measurements of a synthetic GPU with known constants. Written from the definition of the law, without the
// code that fits it.
#pragma once

#include <fathom/calibration/fit_level.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace fathom::synthetic {

constexpr double clock_hz = 1.5e9;

/// `median` with multiplicative noise of this standard deviation.
inline std::vector<double> noisy(double median, double noise, std::mt19937_64& random, int repeats = 11) {
  std::normal_distribution<double> factor(1, noise);
  std::vector<double> samples;
  for (int i = 0; i < repeats; ++i) samples.push_back(median * factor(random));
  return samples;
}

struct Truth {
  double latency, bandwidth, issue, sharpness;

  /// ((X/B)^s + (L/I + c)^s)^(1/s): clocks per access of one thread.
  double clocks_per_access(double X, double I) const {
    return std::pow(std::pow(X / bandwidth, sharpness) + std::pow(latency / I + issue, sharpness),
                    1 / sharpness);
  }
};

inline Series sweep_point(const std::string& benchmark, double X, double I, std::vector<double> seconds,
                          double accesses) {
  return {benchmark, {{"X", X}, {"I", I}, {"accesses", accesses}}, "s", std::move(seconds), clock_hz, false};
}

/// A sweep over X = 0.25 … 16 and I = 1 … 16. `model_noise` moves whole points, like the error of a law.
inline std::vector<Series> sweep(const std::string& benchmark, const Truth& truth, double noise,
                                 std::mt19937_64& random, double model_noise = 0) {
  constexpr double accesses = 4000;
  std::normal_distribution<double> shift(1, 1);
  std::vector<Series> series;
  for (double X = 0.25; X <= 16; X *= 2)
    for (double I = 1; I <= 16; I *= 2) {
      const double seconds =
          truth.clocks_per_access(X, I) * accesses / clock_hz * (1 + model_noise * (shift(random) - 1));
      series.push_back(sweep_point(benchmark, X, I, noisy(seconds, noise, random), accesses));
    }
  return series;
}

/// Clocks per access of one thread on a simulated core: X threads share a pipeline that accepts a word every
/// 1/B clocks and returns it L clocks later. A thread issues I accesses, c clocks each, and waits for the
/// last before it issues more. Contains neither a smooth knee nor any other formula.
inline double simulated_clocks_per_access(double latency, double bandwidth, double issue, int X, int I,
                                          std::mt19937_64& random) {
  struct Thread {
    double ready = 0, data = 0;  ///< when it can issue again; when the last of its words arrives
    int issued = 0;
  };
  constexpr int warm_up = 200, counted = 2000;  // rounds of I accesses
  std::uniform_real_distribution<double> start(0, latency + I * issue);
  std::vector<Thread> threads(static_cast<std::size_t>(X));
  for (Thread& thread : threads) thread.ready = start(random);
  double pipeline_free = 0, counted_from = 0;
  const auto accesses_of = [&](int rounds) { return long(rounds) * X * I; };
  for (long access = 0; access < accesses_of(warm_up + counted); ++access) {
    if (access == accesses_of(warm_up)) counted_from = pipeline_free;
    Thread& next = *std::min_element(threads.begin(), threads.end(),
                                     [](const Thread& a, const Thread& b) { return a.ready < b.ready; });
    const double served = std::max(next.ready, pipeline_free);
    pipeline_free = served + 1 / bandwidth;
    next.data = served + latency;
    next.ready += issue;
    if (++next.issued == I) {
      next.ready = std::max(next.ready, next.data + issue);
      next.issued = 0;
    }
  }
  return (pipeline_free - counted_from) * X / double(accesses_of(counted));
}

inline std::vector<const Series*> pointers(const std::vector<Series>& series) {
  std::vector<const Series*> result;
  for (const Series& one : series) result.push_back(&one);
  return result;
}

}  // namespace fathom::synthetic
