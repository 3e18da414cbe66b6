// Measurements of a GPU that does not exist, and whose constants are therefore known.
#pragma once

#include <fathom/calibration/fit_level.h>

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
};

/// A sweep over X = 0.25 … 16 and I = 1 … 16. `model_noise` moves whole points, as what a law leaves
/// unexplained does.
inline std::vector<Series> sweep(const std::string& question, const Truth& truth, double noise,
                                 std::mt19937_64& random, double model_noise = 0) {
  constexpr double accesses = 4000;
  std::normal_distribution<double> shift(1, 1);
  std::vector<Series> series;
  for (double X = 0.25; X <= 16; X *= 2)
    for (double I = 1; I <= 16; I *= 2) {
      const double clocks =
          clocks_per_access(truth.latency, truth.bandwidth, truth.issue, truth.sharpness, X, I);
      const double seconds = clocks * accesses / clock_hz * (1 + model_noise * (shift(random) - 1));
      series.push_back({question,
                        {{"X", X}, {"I", I}, {"accesses", accesses}},
                        "s",
                        noisy(seconds, noise, random),
                        clock_hz,
                        false});
    }
  return series;
}

inline std::vector<const Series*> pointers(const std::vector<Series>& series) {
  std::vector<const Series*> result;
  for (const Series& one : series) result.push_back(&one);
  return result;
}

}  // namespace fathom::synthetic
